"""Of a job one run works at a time, whichever plan, person or schedule began it; the others wait for its end."""

from datetime import timedelta

import pytest

from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import AlreadyRunning
from scheduling.jobs.declare import every
from scheduling.models import JobSchedule, Queue, Run, SchedulerLog, Task
from scheduling.queues import claim, claim_next
from scheduling.runs.advance import finish
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.execute import run_attempt
from scheduling.states import RunKind, TaskStatus
from scheduling.workloads.outcome import Outcome
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.runs.pieces import SECOND, item, start, states, status

pytestmark = pytest.mark.django_db

SLOT = timedelta(minutes=10)


def step(job, after: str = "", **fields) -> ManifestTask:
    return ManifestTask(f"job {job.name}", RunKind.JOB, job.pk, depends_on=frozenset(after.split()), **fields)


def end(attempt, *, as_: TaskStatus = TaskStatus.COMPLETED, now=NOW) -> None:
    finish(attempt, Task.objects.select_related("run").get(pk=attempt.task_id), Outcome(as_, "done"), now=now)


@pytest.fixture
def night(db):
    return Queue.objects.create(name="night")


def test_a_job_of_two_plans_waits_in_the_second_also_in_another_queue(make_job, night):
    job = make_job("Totals")
    start(step(job), key="one")
    first = claim_next(worker="a", now=NOW)
    second = start(step(job, queue="night"), item("beside"), key="two")
    assert claim(second.tasks.get(workload="job").pk, worker="b", now=NOW) is None
    assert work_off(NOW) == 1, "what stands beside it goes on"
    waits = second.tasks.get(workload="job")
    assert waits.status == "queued" and waits.attempts_made == 0 and "another run of this job" in waits.message
    end(first)
    end(claim_next(worker="b", now=NOW))
    assert status(second) == "completed"


def test_a_plan_waits_for_the_run_of_a_person_and_a_person_is_told_of_the_plan(make_job):
    job = make_job("Totals")
    start_job_now(job, started_by="ann", now=NOW)
    mine = claim_next(worker="a", now=NOW)
    run = start(step(job))
    assert work_off(NOW) == 0
    end(mine)
    claim_next(worker="a", now=NOW)
    assert states(run) == {"job Totals": "running"}
    with pytest.raises(AlreadyRunning):
        start_job_now(job, started_by="ann", now=NOW)


def test_a_plan_and_the_schedule_of_its_job_do_not_meet_whichever_is_first(make_job):
    """The plan's step waits; a slot that meets the plan is left out and told, as one that meets the job itself is."""
    job = make_job("Totals", every("10m"))
    JobSchedule.objects.update(next_scheduled_run=NOW, armed_from=NOW - SLOT)
    assert run_cycle(NOW).fired == ["job Totals"]
    own = claim_next(worker="a", now=NOW)
    plan = start(step(job))
    assert claim_next(worker="b", now=NOW) is None
    end(own)
    of_the_plan = claim_next(worker="b", now=NOW)
    assert states(plan) == {"job Totals": "running"}
    assert run_cycle(NOW + SLOT).fired == [] and Run.objects.count() == 2
    skipped = SchedulerLog.objects.get(event_type="skipped")
    assert "already running" in skipped.message and f"run {plan.pk}" in skipped.message
    end(of_the_plan, now=NOW + SLOT)
    assert run_cycle(NOW + 2 * SLOT).fired == ["job Totals"]


@pytest.mark.parametrize("ended", [TaskStatus.FAILED, TaskStatus.CANCELLED])
def test_every_end_of_the_one_lets_the_other_go_on(make_job, ended):
    job = make_job("Totals")
    start(step(job), key="one")
    start(step(job), key="two")
    first = claim_next(worker="a", now=NOW)
    assert claim_next(worker="b", now=NOW) is None
    end(first, as_=ended)
    assert claim_next(worker="b", now=NOW) is not None


def test_between_two_attempts_of_the_one_the_other_may_go(make_job):
    job = make_job("Totals")
    start(step(job, attempts=2, retry_interval_seconds=60), key="one")
    start(step(job), key="two")
    first = claim_next(worker="a", now=NOW)
    assert claim_next(worker="b", now=NOW) is None
    end(first, as_=TaskStatus.FAILED)
    other = claim_next(worker="b", now=NOW)
    assert other is not None and claim_next(worker="c", now=NOW + 61 * SECOND) is None
    end(other, now=NOW + 61 * SECOND)
    assert claim_next(worker="c", now=NOW + 61 * SECOND).number == 2


def test_the_worker_that_ends_a_task_does_not_take_a_busy_job_along(make_job):
    job = make_job("Totals")
    chain = start(item("before"), step(job, "before"), key="chain")
    before = claim_next(worker="a", now=NOW)
    start(step(job), key="beside")
    busy = claim_next(worker="b", now=NOW)
    assert run_attempt(before, time=lambda: NOW, goes_on=True) is None
    assert states(chain) == {"before": "completed", "job Totals": "queued"}
    end(busy)
    end(claim_next(worker="a", now=NOW))
    assert status(chain) == "completed"


def test_waiting_ends_by_itself_when_nobody_calls_back(make_job):
    job = make_job("Totals")
    start(step(job), key="one")
    start(step(job), key="two")
    first = claim_next(worker="a", now=NOW)
    assert claim_next(worker="b", now=NOW) is None
    Task.objects.filter(pk=first.task_id).update(status="completed", finished_at=NOW)
    assert claim_next(worker="b", now=NOW + 14 * SECOND) is None
    assert claim_next(worker="b", now=NOW + 15 * SECOND) is not None


def test_other_jobs_are_not_kept_waiting(make_job):
    start(step(make_job("Totals")), step(make_job("Mail")))
    assert claim_next(worker="a", now=NOW) and claim_next(worker="b", now=NOW)
