"""The pages of a backfill: the range is asked for, its slots are shown, they run, and the page says how far it is."""

import pytest
from django.urls import reverse

from scheduling import clock
from scheduling.jobs.declare import daily
from scheduling.models import Backfill, BlackoutCalendar, JobSchedule, Plan, Run
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db

RANGE = {"since": "2026-02-01T00:00", "until": "2026-02-04T00:00", "how": "in_order", "stops": "on"}


@pytest.fixture
def address(make_entity):
    """The address of the page of a plan of every night."""
    nightly = {"schedule_type": "daily", "run_times": "02:30", "timezone": "Europe/Amsterdam"}
    plan = save_plan(PlanDraft(Plan(name="Nightly"), nightly, [step(make_entity("region").entity)]), now=clock.now())
    return reverse("admin:scheduling_plan_backfill", args=[plan.pk])


def test_the_slots_are_shown_first_and_nothing_is_written(address):
    client = client_for("Operator")
    empty = client.get(address).content.decode()
    assert "Show the slots" in empty and "errorlist" not in empty and 'name="since"' in empty
    page = client.get(address, RANGE).content.decode()
    assert "Let 3 slots run" in page and page.count("will run") == 4
    assert "Sun 2026-02-01 02:30:00 Europe/Amsterdam" in page
    assert 'name="since" value="2026-02-01T00:00"' in page
    assert not Backfill.objects.exists()


def test_it_runs_and_its_page_says_how_far_it_is_until_it_is_cancelled(address):
    client = client_for("Operator")
    response = client.post(address, RANGE, follow=True)
    backfill = Backfill.objects.get()
    assert response.redirect_chain == [(f"{address}{backfill.pk}/", 302)]
    page = response.content.decode()
    assert "0 of 3" in page and f"run&nbsp;{Run.objects.get().pk}" in page and "Cancel this backfill" in page
    plan = client.get(reverse("admin:scheduling_plan_change", args=[backfill.plan_id])).content.decode()
    assert f"{address}{backfill.pk}/" in plan and "0 of 3" in plan and "Backfill …" in plan
    assert "Another backfill of plan Nightly is under way." in client.post(address, RANGE, follow=True).content.decode()
    assert "0 of 3" in client.get(address).content.decode()
    page = client.post(f"{address}{backfill.pk}/cancel/", follow=True).content.decode()
    assert "Cancelled by" in page and "did not run" in page and "Cancel this backfill" not in page
    assert "has ended" in client.post(f"{address}{backfill.pk}/cancel/", follow=True).content.decode()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"until": RANGE["since"]}, "This is not later than the start."),
        ({"until": "2999-01-01T00:00"}, "This is in the future"),
        ({"since": "yesterday"}, "Write a day and a time"),
        ({"how": "side_by_side"}, "Write a number from 2 to 100."),
        ({"how": "side_by_side", "at_once": "1"}, "greater than or equal to 2"),
    ],
)
def test_what_is_wrong_is_told_at_its_field(address, change, told):
    client = client_for("Operator")
    for page in (client.get(address, {**RANGE, **change}), client.post(address, {**RANGE, **change})):
        assert told in page.content.decode()
    assert not Backfill.objects.exists()


def test_of_many_slots_that_a_blackout_held_the_first_are_shown(address, monkeypatch):
    calendar = BlackoutCalendar.objects.create(name="Dark", policy="skip")
    calendar.periods.create(first_day="2026-02-01", last_day="2026-02-02")
    Plan.objects.update(calendar=calendar)
    client = client_for("Operator")
    page = client.get(address, RANGE).content.decode()
    assert page.count("held by a blackout</td>") == 2 and "only the first" not in page
    monkeypatch.setattr("scheduling.admin.schedules.backfill.MOST_HELD", 1)
    page = client.get(address, RANGE).content.decode()
    assert page.count("held by a blackout</td>") == 1 and page.count("will run</td>") == 1
    assert "Of the slots that a blackout held only the first 1 are shown." in page and "2 held by a blackout" in page


def test_a_plan_without_times_says_why_it_has_no_slots(address):
    Plan.objects.update(schedule_type="")
    page = client_for("Operator").get(address, RANGE, follow=True).content.decode()
    assert "Plan Nightly has no times of its own" in page and "Backfill …" not in page


def test_a_schedule_of_a_job_has_the_same_pages(make_job):
    make_job("Report", daily("02:30"))
    schedule, client = JobSchedule.objects.get(), client_for("Operator")
    change = reverse("admin:scheduling_jobschedule_change", args=[schedule.pk])
    address = reverse("admin:scheduling_jobschedule_backfill", args=[schedule.pk])
    assert address in client.get(change).content.decode()
    side = {**RANGE, "how": "side_by_side", "at_once": "2"}
    page = client.post(address, side, follow=True).content.decode()
    assert "2 side by side" in page and Run.objects.count() == 2
    assert "0 of 3" in client.get(change).content.decode()


def test_who_may_start_none_sees_one_and_is_not_led_to_the_form(address):
    operator = client_for("Operator")
    operator.post(address, RANGE)
    shown = f"{address}{Backfill.objects.get().pk}/"
    for client, leads in ((client_for("Viewer"), False), (operator, True)):
        assert (f'href="{address}"' in client.get(shown).content.decode()) is leads
        assert client.get(address).status_code == (200 if leads else 403)
