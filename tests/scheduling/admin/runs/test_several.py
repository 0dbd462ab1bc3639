"""Promises of what is done to many runs: ticked ones or all that fit the filter, with counts, within rights."""

from datetime import timedelta

import pytest

from scheduling import clock
from scheduling.models import Backfill, BulkAction, Plan, Run
from scheduling.runs.by_hand import start_batch_now
from tests.scheduling.admin.conftest import client_of, make_configuration, make_limited

pytestmark = pytest.mark.django_db
CHOOSE, LIST = "/admin/scheduling/run/choose/", "/admin/scheduling/run/"


@pytest.fixture
def runs():
    """Two live runs, and a failed one that is to be made good."""
    one, two, bad = (start_batch_now(make_configuration(code), started_by="ann", now=clock.now()).run
                     for code in ("customer", "region", "branch"))  # fmt: skip
    for task in bad.tasks.all():
        task.status, task.finished_at, task.attempts_made = "failed", clock.now(), 1
        task.save()
    Run.objects.filter(pk=bad.pk).update(status="failed", started_at=clock.now(), finished_at=clock.now())
    configuration = bad.entity.configuration
    configuration.is_running, configuration.run_started_at, configuration.running_task = False, None, None
    configuration.save()
    return one, two, bad


def place() -> str:
    return f"{LIST}chosen/{BulkAction.objects.latest('pk').pk}/"


def test_ticked_runs_are_cancelled_after_a_question_that_names_those_that_ended(operator, runs):
    one, _, bad = runs
    asked = operator.post(CHOOSE, {"verb": "cancel_runs", "run": [one.pk, bad.pk]}).content.decode()
    assert "Cancel 2 runs?" in asked and "Nothing happens: it has ended" in asked
    assert not Run.objects.filter(status="cancelled").exists()
    page = operator.post(place(), follow=True).content.decode()
    assert f"Cancel asked for: Run {one.pk}." in page and f"Nothing had to be done for Run {bad.pk}." in page
    assert list(Run.objects.filter(status="cancelled")) == [one]


def test_all_that_fit_the_filter_are_chosen_and_the_filter_stays(operator, runs):
    asked = operator.post(f"{CHOOSE}?entity=region", {"verb": "cancel_runs", "all": "1"}).content.decode()
    assert f"Cancel Run {runs[1].pk}?" in asked
    assert operator.post(place())["Location"] == f"{LIST}?entity=region"
    assert list(Run.objects.filter(status="cancelled")) == [runs[1]]


def test_failed_runs_start_again_and_not_twice(operator, runs):
    bad = runs[2]
    operator.post(CHOOSE, {"verb": "restart_runs", "all": "1"})
    page = operator.post(place(), follow=True).content.decode()
    assert f"Started again: Run {bad.pk}." in page and bad.restarts.count() == 1
    operator.post(CHOOSE, {"verb": "restart_runs", "run": [bad.pk]})
    operator.post(place())
    assert bad.restarts.count() == 1


def test_a_viewer_is_offered_nothing_and_does_nothing(viewer, runs):
    assert "/choose/" not in viewer.get(LIST).content.decode()
    assert viewer.post(CHOOSE, {"verb": "cancel_runs", "all": "1"}).status_code == 403
    assert not BulkAction.objects.exists()


def test_a_person_limited_to_an_entity_reaches_no_run_of_another(runs):
    one, two, _ = runs
    client = client_of(make_limited("Operator", "region"))
    client.post(CHOOSE, {"verb": "cancel_runs", "run": [one.pk, two.pk]})
    assert BulkAction.objects.get().keys == [two.pk]
    client.post(place())
    assert list(Run.objects.filter(status="cancelled")) == [two]


@pytest.mark.parametrize("sent", [{}, {"verb": "delete"}, {"verb": "cancel_runs"}, {"verb": "cancel_runs", "run": "x"}])
def test_what_is_no_choice_changes_nothing(operator, runs, sent):
    assert operator.post(CHOOSE, sent).status_code in (302, 403)
    assert not BulkAction.objects.exists()


def test_everything_is_cancelled_after_a_question_by_whoever_may_cancel_all_of_it(operator, viewer, runs):
    url = f"{LIST}cancel-everything/"
    limited = client_of(make_limited("Operator", "region"))
    for other in (viewer, limited):
        assert other.get(url).status_code == other.post(url).status_code == 403
        assert url not in other.get("/admin/").content.decode()
    assert url in operator.get("/admin/").content.decode()
    asked = operator.get(url).content.decode()
    assert "2 runs go on." in asked and "pause everything first" in asked
    assert not Run.objects.filter(status="cancelled").exists()
    assert "Cancel asked for." in operator.post(url, follow=True).content.decode()
    assert set(Run.objects.filter(status="cancelled")) == set(runs[:2])
    assert "there is nothing to cancel" in operator.get(url).content.decode()
    assert "nothing left to cancel" in operator.post(url, follow=True).content.decode()


def test_a_backfill_between_two_slots_is_cancelled_with_everything_and_told(operator):
    now = clock.now()
    plan = Plan.objects.create(name="Nightly")
    Backfill.objects.create(plan=plan, since=now - timedelta(days=1), until=now, created_at=now)
    told = operator.post(f"{LIST}cancel-everything/", follow=True).content.decode()
    assert Backfill.objects.get().status == "cancelled" and "Cancel asked for." in told
