"""Struck at any point of a job's minute: each slot runs once to its end, and nothing is stuck."""

from tests.acceptance.crash.matrix import struck_at
from tests.acceptance.crash.site import Site

POINTS = [
    "jobs.reconcile._Reconciliation.schedules",
    "runs.start.lock_jobs",
    "runs.start.create_runs",
    "runs.start.take_guards",
    "runs.start.hold_schedules",
    "queues.begin_attempt",
    "workloads.job._find",
    "workloads.job.call",
    "workloads.job.JobWatch._store",
    "runs.advance.end_attempt",
    "runs.advance.end_run",
    "lifecycle.tasks.release_of_run",
    "runs.advance.wake_freed",
]


@struck_at(*POINTS, package="scheduling")
def test_struck_at_this_point_every_slot_runs_once_to_its_end(site: Site, point: str, fault: str) -> None:
    site.minute(0, "jobs")
    site.strike(point, fault, 10, "jobs")  # it meets the slot of 06:10
    site.pass_time(10, "jobs")
    assert site.audit() == [], site.log()
    runs = site.sql("SELECT scheduled_for, status FROM scheduling_run WHERE title = 'Work' ORDER BY 1")
    slots = [int(str(slot)[11:13]) * 60 + int(str(slot)[14:16]) for slot, _ in runs]
    first = 6 * 60 + 10
    assert len(slots) > 1 and slots == list(range(first, first + 10 * len(slots), 10)), "a slot is missing, or doubled"
    assert {status for _, status in runs} == {"completed"}, runs
    # The attempt that was struck may have done it, too.
    assert site.number("SELECT count(*) FROM crash_slot WHERE slot = '06:10'") in (1, 2)
