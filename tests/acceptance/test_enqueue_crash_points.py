"""Struck at any point between an order and its letter: no order without its run, no run without its order."""

from tests.acceptance.crash.matrix import struck_at
from tests.acceptance.crash.site import Site

POINTS = [
    "runs.enqueue.start_many",
    "runs.start.create_runs",
    "queues.wake_line",
    "queues.begin_attempt",
    "workloads.job.call",
    "runs.advance.end_attempt",
    "runs.advance.end_run",
]


@struck_at(*POINTS, package="scheduling")
def test_struck_at_this_point_each_order_has_one_run_and_its_letter(site: Site, point: str, fault: str) -> None:
    site.minute(0, "order")
    site.strike(point, fault, 10, "order")
    site.pass_time(10, "order")
    assert site.audit() == [], site.log()
    orders = site.number("SELECT count(*) FROM crash_slot WHERE slot LIKE 'order%'")
    runs = site.sql("SELECT status FROM scheduling_run WHERE title = 'Letter'")
    assert orders >= 3 and runs == [("completed",)] * orders, site.log()
    letters = dict(site.sql("SELECT slot, count(*) FROM crash_slot WHERE slot LIKE 'letter%' GROUP BY slot"))
    # The attempt that was struck may have written its letter, too.
    assert set(letters) == {f"letter {number}" for number in range(orders)}
    assert sorted(letters.values())[:-1] == [1] * (orders - 1) and max(letters.values()) <= 2, letters
