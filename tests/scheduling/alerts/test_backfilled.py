"""Promise: a slot that was filled in beside others and failed is told, each by its own run, until it is made good."""

import pytest

from scheduling.alerts.watch import go_round
from scheduling.jobs.declare import daily
from scheduling.models import Alert, Job, JobSchedule, Plan, Run
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
