"""Promise: a slot filled in beside others that fails, or warns, is told by its own run until it is made good."""

import pytest

from scheduling.alerts.of_slots import again_of_slots
from scheduling.alerts.watch import go_round
from scheduling.jobs.declare import daily
from scheduling.models import Alert, Job, JobSchedule, Plan, Run
from scheduling.runs.enqueue import enqueue
from scheduling.runs.foresee import Range
from scheduling.runs.restart import restart_run
from scheduling.schedules.responsibility import only_mine, owners_of
from scheduling.states import RunStatus
from tests.scheduling.alerts.conftest import rule_of
from tests.scheduling.alerts.test_conditions import HOUR, said
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.conftest import DAY, FIRST, at, begin, end, live, nightly, region  # noqa: F401 (fixtures)

pytestmark = pytest.mark.django_db
SIDE_BY_SIDE = Range(FIRST, FIRST + 3 * DAY, side_by_side=3, stops_on_failure=False)


def told_slots() -> list[str]:
    return [str(alert.subject) for alert in Alert.objects.open().order_by("pk")]


def test_each_failed_slot_of_a_plan_is_told_and_another_that_completes_says_nothing_of_it(nightly, django_user_model):  # noqa: F811
    rule, twice = rule_of("failed"), rule_of("failed", name="twice", number=2)
    other, own = rule_of("failed", name="other", categories=["Post"]), rule_of("failed", name="own")
    own.plans.set([nightly])
    begin(nightly, SIDE_BY_SIDE)
    first, second, third = live()
    end(first, RunStatus.FAILED)
    end(second, RunStatus.FAILED)
    end(third)
    wanted = [
        f"plan Nightly failed for its slot of {slot:%Y-%m-%d %H:%M:%S} UTC.".replace("plan", "Plan")
        for slot in (FIRST, FIRST + DAY)
    ]
    assert (said(rule, NOW), said(twice, NOW), said(other, NOW), said(own, NOW)) == (wanted, [], [], wanted)
    Plan.objects.update(owner=django_user_model.objects.create(username="ann"))
    for each in (twice, other, own):
        each.delete()
    go_round(NOW)
    assert told_slots() == [f"run:{first.pk}", f"run:{second.pk}"]
    assert set(owners_of(Alert.objects.all()).values()) == {nightly}
    assert only_mine(Alert.objects.all(), Plan.objects.get().owner).count() == 2
    go_round(NOW + 30 * HOUR)
    assert len(told_slots()) == 2, "nothing was done about it"
    restart_run(first, only_failed=True, started_by="ann", now=NOW + 30 * HOUR)
    end(live()[0], now=NOW + 31 * HOUR)
    go_round(NOW + 31 * HOUR)
    assert told_slots() == [f"run:{second.pk}"]
    Run.objects.filter(pk=second.pk).update(finished_at=NOW - DAY)  # long before the one that fills it in again
    begin(nightly, Range(FIRST + DAY, FIRST + 2 * DAY, side_by_side=2), now=NOW + 31 * HOUR)
    end(live()[0], now=NOW + 31 * HOUR)
    go_round(NOW + 32 * HOUR)
    assert told_slots() == []


def test_each_failed_slot_of_a_job_is_told_though_a_later_one_completed(make_job):
    make_job("Report", daily("02:30"), body=lambda context: None, category="Post")
    rule = rule_of("failed")
    post, other = rule_of("failed", name="post", categories=["Post"]), rule_of("failed", name="other")
    other.jobs.set([Job.objects.create(name="Sync", path="a.b", source="a.py:1")])
    begin(JobSchedule.objects.select_related("job").get(), SIDE_BY_SIDE)
    failed, *others = live()
    end(failed, RunStatus.FAILED)
    for run in others:
        end(run, now=at(1))
    wanted = ["Report failed for its slot of 2026-02-26 02:30:00 UTC."]
    assert (said(rule, at(2)), said(post, at(2)), said(other, at(2))) == (wanted, wanted, [])


def warn(run, number, now=NOW):
    """End a run as completed, with so many warnings."""
    run.tasks.update(warnings=number)
    end(run, now=now)


def test_each_slot_that_completed_with_warnings_is_told_until_it_completes_cleanly(nightly):  # noqa: F811
    rule, many = rule_of("warned"), rule_of("warned", name="many", number=3)
    other = rule_of("warned", name="other", categories=["Post"])
    begin(nightly, SIDE_BY_SIDE)
    first, second, third = live()
    warn(first, 1)
    warn(second, 3)
    end(third)
    once = "Plan Nightly completed with a warning for its slot of 2026-02-26 01:30:00 UTC."
    thrice = "Plan Nightly completed with 3 warnings for its slot of 2026-02-27 01:30:00 UTC."
    assert (said(rule, NOW), said(many, NOW), said(other, NOW)) == ([thrice, once], [thrice], [])
    for each in (many, other):
        each.delete()
    go_round(NOW)
    assert told_slots() == [f"run:{first.pk}", f"run:{second.pk}"]
    go_round(NOW + 30 * HOUR)
    assert len(told_slots()) == 2, "nothing was done about it"
    restart_run(first, only_failed=False, started_by="ann", now=NOW + 30 * HOUR)
    end(live()[0], now=NOW + 31 * HOUR)
    assert said(rule, NOW + 31 * HOUR) == [thrice]
    begin(nightly, Range(FIRST + DAY, FIRST + 2 * DAY, side_by_side=2, repeats=True), now=NOW + 31 * HOUR)
    later = live()[0]
    warn(later, 1, now=NOW + 31 * HOUR)
    go_round(NOW + 31 * HOUR)
    assert told_slots() == [f"run:{later.pk}"], "the later run speaks for the slot"
    restart_run(later, only_failed=False, started_by="ann", now=NOW + 32 * HOUR)
    end(live()[0], now=NOW + 32 * HOUR)
    go_round(NOW + 33 * HOUR)
    assert told_slots() == []


def test_a_restart_of_a_failed_slot_that_warns_is_told_of_the_slot_whatever_the_plan_does_next(nightly):  # noqa: F811
    failed, warned = rule_of("failed"), rule_of("warned")
    begin(nightly, SIDE_BY_SIDE)
    first, *others = live()
    end(first, RunStatus.FAILED)
    for run in others:
        end(run)
    restart_run(first, only_failed=True, started_by="ann", now=NOW)
    end(live()[0], RunStatus.FAILED)
    restart_run(Run.objects.latest("pk"), only_failed=True, started_by="ann", now=NOW)
    again = live()[0]
    warn(again, 2)
    Plan.objects.update(last_result="completed", last_warnings=0)  # by its next run
    told = "Plan Nightly completed with 2 warnings for its slot of 2026-02-26 01:30:00 UTC."
    assert (said(failed, NOW), said(warned, NOW)) == ([], [told])
    go_round(NOW)
    assert Alert.objects.open().get().leads_to == f"run:{again.pk}"
    restart_run(again, only_failed=False, started_by="ann", now=NOW)
    end(live()[0])
    Plan.objects.update(last_result="completed", last_warnings=0)
    assert said(warned, NOW) == []


def test_warnings_of_the_slots_of_a_job_are_told_once_and_hide_none_of_what_code_enqueues(make_job):
    make_job("Report", daily("02:30"), body=lambda context: None, category="Post")
    rule, post = rule_of("warned"), rule_of("warned", name="post", categories=["Post"])
    enqueue(make_job.function("Report"), {}, now=NOW)
    warn(live()[0], 1)
    begin(JobSchedule.objects.select_related("job").get(), SIDE_BY_SIDE)
    first, second, third = live()
    warn(first, 2, now=at(1))
    end(second, RunStatus.FAILED, now=at(1))
    end(third, now=at(1))
    restart_run(second, only_failed=True, started_by="ann", now=at(1))
    warn(live()[0], 3, now=at(2))
    enqueued = "Job Report completed with a warning."
    slots = [
        f"Report completed with {number} warnings for its slot of 2026-02-{day} 02:30:00 UTC."
        for number, day in ((2, 26), (3, 27))
    ]
    assert (said(rule, at(3)), said(post, at(3))) == ([enqueued, *slots], [enqueued, *slots])
    report = Job.objects.get()
    assert again_of_slots([report.pk]) == {Run.objects.latest("pk").pk}
    assert again_of_slots([report.pk + 1]) == set(), "of another job nothing is read"
