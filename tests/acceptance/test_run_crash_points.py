"""A run struck at any point, and its workers started again: every step counts once, in its order, nothing is stuck."""

from tests.acceptance.crash.matrix import struck_at
from tests.acceptance.crash.site import Site

POINTS = [
    "scheduling.runs.start.create_runs",
    "scheduling.runs.start.add_dependencies",
    "scheduling.runs.start.wake_lines_after_commit",
    "scheduling.queues.begin_run",
    "scheduling.queues.take_place",
    "scheduling.queues.begin_attempt",
    "scheduling.runs.execute.Pulse",
    "scheduling.workloads.script._watched",
    "scheduling.runs.execute.finish_and_go_on",
    "scheduling.runs.advance.lock_run",
    "scheduling.runs.advance.end_attempt",
    "scheduling.runs.advance.end_task",
    "scheduling.runs.advance.advance",
    "scheduling.runs.advance.line_up",
    "scheduling.queues.queue_waiting",
    "scheduling.runs.advance.settle_run",
    "scheduling.runs.advance.end_run",
    "scheduling.runs.advance.wake_freed",
]


@struck_at(*POINTS)
def test_struck_at_this_point_every_step_counts_once(site: Site, point: str, fault: str) -> None:
    site.strike(point, fault, 1, "start with retries")
    site.pass_time(1, "start with retries")
    assert site.audit() == [], site.log()
    steps = [step for (step,) in site.sql("SELECT label FROM mdm_audit_effect ORDER BY id")]
    assert sorted(steps) == ["a", "b", "c", "join"] and (steps[0], steps[-1]) == ("a", "join")
    assert site.sql("SELECT status FROM scheduling_run") == [("completed",)]
    assert site.sql("SELECT DISTINCT status FROM scheduling_task") == [("completed",)]
