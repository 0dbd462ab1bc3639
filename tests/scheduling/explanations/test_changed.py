"""Promise: the page of a run tells what was changed since the run before it, and nothing that came after its end."""

from datetime import timedelta

import pytest

from scheduling import clock
from scheduling.explanations.changed import changes_around
from scheduling.lifecycle import events
from scheduling.models import Plan, Queue, Run, Task
from scheduling.states import EventType
from tests.scheduling.admin.conftest import make_configuration

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def told(run):
    """Return what the page of a run tells, newest first."""
    return [event.message for event in changes_around(run, of=None)]


def changed(message, ago, **what):
    """Note a change of something so long ago."""
    events.record(EventType.CHANGED, now=clock.now() - ago, message=message, **what)


def ran(kind, ago, key="", ended=None, **what):
    """Return a run that was created so long ago; it ended so long ago, or goes on."""
    at, number = clock.now() - ago, Run.objects.count()
    ends = {"status": "failed", "started_at": at, "finished_at": clock.now() - ended} if ended is not None else {}
    return Run.objects.create(kind=kind, fire_key=f"{key}{number}", created_at=at, **ends, **what)


@pytest.fixture(params=["batch", "plan", "job"])
def subject(request, db, make_job):
    """Return what runs of each kind have, and what their changes are about."""
    if request.param == "batch":
        entity = make_configuration("customer").entity
        return {"kind": "batch", "entity": entity}, {"entity_id": entity.pk}
    if request.param == "plan":
        plan = Plan.objects.create(name="Nightly")
        return {"kind": "plan", "title": "Plan Nightly", "plans": ["Nightly"]}, {"plan_id": plan.pk}
    job = make_job("Report")
    return {"kind": "job", "title": "Report"}, {"job_id": job.pk}


def of_job(run, about):
    """Give a run of a job the task of which its page reads the job."""
    if "job_id" in about:
        queue, _ = Queue.objects.get_or_create(name="default")
        Task.objects.create(
            run=run, key="job", workload="job", target_id=about["job_id"], queue=queue, status="failed",
            finished_at=run.created_at,
        )  # fmt: skip
    return run


def test_a_change_between_two_runs_is_told_and_one_before_both_is_not(subject):
    what, about = subject
    changed("long before", 30 * HOUR, **about)
    ran(ago=24 * HOUR, ended=23 * HOUR, **what)
    changed("three hours before", 3 * HOUR, **about)
    run = of_job(ran(ago=timedelta(), scheduled_for=clock.now(), **what), about)
    changed("while it runs", -timedelta(seconds=1), **about)
    assert told(run) == ["while it runs", "three hours before"]


def test_what_came_after_its_end_does_not_hide_what_came_before_it(subject):
    what, about = subject
    ran(ago=300 * HOUR, ended=299 * HOUR, **what)
    changed("relevant", 280 * HOUR, **about)
    run = of_job(ran(ago=270 * HOUR, ended=269 * HOUR, **what), about)
    for number in range(6):
        changed(f"later {number}", number * HOUR, **about)
    assert told(run) == ["relevant"]


def test_a_run_for_a_slot_follows_that_for_the_slot_before_whatever_ran_between(subject):
    what, about = subject
    own = f"{what['kind']}:7:slot:"
    ran(ago=24 * HOUR, key=own, ended=23 * HOUR, **what)
    changed("at noon", 10 * HOUR, **about)
    ran(ago=5 * HOUR, key=f"{what['kind']}:7:manual:", ended=5 * HOUR, **what)
    ran(ago=1 * HOUR, key=f"{what['kind']}:77:slot:", ended=1 * HOUR, **what)
    run = of_job(ran(ago=timedelta(), key=own, **what), about)
    assert told(run) == ["at noon"]


def test_the_first_run_tells_what_was_changed_since_its_slot(subject):
    what, about = subject
    changed("before", 3 * HOUR, **about)
    changed("since", 1 * HOUR, **about)
    run = of_job(ran(ago=timedelta(), scheduled_for=clock.now() - 2 * HOUR, **what), about)
    assert told(run) == ["since"]
