"""Promises of bulk actions: any number, asked first with counts, in pieces, one turn each, no choice ever lost."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.urls import reverse

from scheduling import clock
from scheduling.admin.schedules import bulk, pausing
from scheduling.models import BulkAction, Job, Plan, SchedulerConfiguration
from scheduling.schedules.pause import pause
from tests.scheduling.admin.conftest import client_for, client_of, make_configuration, make_limited

pytestmark = pytest.mark.django_db
PLANS = "/admin/scheduling/plan/"


def plans(number: int) -> list[Plan]:
    return [Plan.objects.create(name=f"Plan {each:03}") for each in range(number)]


def begin(client, action="pause_selected", at=PLANS, **more):
    """Choose everything on the list and press the button of an action."""
    keys = list(Plan.objects.values_list("pk", flat=True))
    return client.post(at, {"action": action, "_selected_action": keys, "index": "0", **more})


def place() -> str:
    return f"{PLANS}chosen/{BulkAction.objects.get().pk}/"


def paused() -> int:
    return Plan.objects.filter(paused_at__isnull=False).count()


def test_the_question_counts_what_happens_and_what_does_not_with_the_reason(operator):
    made = plans(13)
    pause(made[0], by="ann", reason="Audit", now=clock.now())
    page = begin(operator).content.decode()
    assert "Pause 13 plans?" in page and "12 plans" in page and "Plan 010 and 2 more" in page
    assert "Nothing happens: it is paused already" in page and "1 plan<" in page
    assert paused() == 1 and BulkAction.objects.get().confirmed_at is None


def test_where_nothing_would_happen_there_is_no_button(operator):
    plans(2)
    page = begin(operator, "resume_selected").content.decode()
    assert "There is nothing to do." in page and "Back to the list" in page and "No, go back" not in page


def test_what_was_chosen_outlives_a_fault_in_the_form_and_a_sign_in(operator):
    plans(3)
    begin(operator)
    assert "Say why" in operator.post(place(), {"pause_reason": ""}).content.decode()
    late = {"pause_reason": "Audit", "paused_until": "2020-01-01T10:00"}
    assert "lies in the future" in operator.post(place(), late).content.decode()
    assert paused() == 0
    operator.logout()
    told = {"Referer": f"http://testserver{place()}"}  # as browsers do
    to_sign_in = operator.post(place(), {"pause_reason": "Audit"}, headers=told)["Location"]
    assert to_sign_in == f"/admin/login/?next={place()}"
    page = operator.post(to_sign_in, {"username": "operator", "password": "secret"}, follow=True).content.decode()
    assert "Pause 3 plans?" in page
    page = operator.post(place(), {"pause_reason": "Audit"}, follow=True).content.decode()
    assert "Paused: Plan 000, Plan 001, Plan 002." in page and paused() == 3


def test_the_list_is_left_as_it_was_filtered(operator):
    plans(2)
    begin(operator, at=f"{PLANS}?q=Plan&is_enabled__exact=1")
    answer = operator.post(place(), {"pause_reason": "Audit"})
    assert answer["Location"] == f"{PLANS}?q=Plan&is_enabled__exact=1"
    assert f"{PLANS}?q=Plan&amp;is_enabled__exact=1" in operator.get(place()).content.decode()


def test_many_are_done_in_pieces_and_whoever_comes_back_goes_on(operator, monkeypatch):
    monkeypatch.setattr("scheduling.admin.schedules.bulk.SECONDS", 0)  # a piece is one thing
    plans(3)
    begin(operator)
    answer = operator.post(place(), {"pause_reason": "Audit"})
    assert answer["Location"] == place() and paused() == 1
    page = operator.get(place()).content.decode()
    assert "1 of 3 have had their turn" in page and "Go on" in page and paused() == 1
    assert f'1 of 3 have had their turn. <a href="{place()}"' in operator.get(PLANS).content.decode()
    operator.post(place())
    assert paused() == 2
    last = operator.post(place(), follow=True).content.decode()
    assert "Paused: Plan 000, Plan 001, Plan 002." in last and paused() == 3
    assert BulkAction.objects.get().finished_at is not None
    operator.post(place())
    assert "Go on" not in operator.get(place()).content.decode() + operator.get(PLANS).content.decode()


def test_it_can_be_stopped_and_tells_what_is_left(operator, monkeypatch):
    monkeypatch.setattr("scheduling.admin.schedules.bulk.SECONDS", 0)
    plans(3)
    begin(operator, confirmed="yes", pause_reason="Audit")
    page = operator.post(place(), {"stop": "1"}, follow=True).content.decode()
    assert "Stopped: nothing was done to the other 2." in page and paused() == 1
    operator.post(place())
    assert paused() == 1


def test_a_crash_in_the_middle_leaves_each_thing_one_turn(operator, monkeypatch):
    """The count of a thing and what is done to it are one transaction."""
    plans(3)
    begin(operator)
    real = pausing.PauseEach.act

    def crash_at_the_second(self, hand, thing):
        did = real(self, hand, thing)
        if thing.name == "Plan 001":
            raise RuntimeError("The process ends here.")
        return did

    monkeypatch.setattr(pausing.PauseEach, "act", crash_at_the_second)
    with pytest.raises(RuntimeError):
        operator.post(place(), {"pause_reason": "Audit"})
    assert paused() == 1 and BulkAction.objects.get().position == 1
    monkeypatch.setattr(pausing.PauseEach, "act", real)
    page = operator.post(place(), follow=True).content.decode()
    assert "Paused: Plan 000, Plan 001, Plan 002." in page and paused() == 3


def test_two_who_go_on_at_once_give_nobody_two_turns(operator, monkeypatch):
    plans(2)
    begin(operator)
    real, turns = bulk._turn, []

    def meanwhile(verb, hand, action, thing, name):
        turns.append(name)
        if len(turns) == 1:
            operator.post(place())  # another window goes on with the same
        return real(verb, hand, action, thing, name)

    monkeypatch.setattr(bulk, "_turn", meanwhile)
    operator.post(place(), {"pause_reason": "Audit"})
    kept = BulkAction.objects.get()
    assert (kept.done, kept.idle, kept.refused, kept.position) == (2, 0, 0, 2) and paused() == 2


def test_what_is_gone_or_no_more_allowed_meanwhile_is_left_out(monkeypatch):
    one, two = make_configuration("customer"), make_configuration("region")
    user = make_limited("Operator", "customer", "region")
    client, address = client_of(user), reverse("admin:scheduling_schedulerconfiguration_changelist")
    client.post(address, {"action": "pause_selected", "_selected_action": [one.pk, two.pk], "index": "0"})
    role = user.groups.get().entity_role
    role.entities.set([two.entity])
    kept = BulkAction.objects.get()
    page = client.post(f"{address}chosen/{kept.pk}/", {"pause_reason": "Audit"}, follow=True).content.decode()
    one.refresh_from_db(), two.refresh_from_db()
    assert one.paused_at is None and two.paused_at is not None
    assert "Customer" not in page


def test_nobody_else_sees_or_confirms_it(operator, superuser, viewer):
    plans(1)
    begin(operator)
    for other in (superuser, viewer):
        assert other.get(place()).status_code == other.post(place(), {"pause_reason": "x"}).status_code == 403
    assert paused() == 0


def test_who_may_not_any_more_does_not_go_on(operator):
    plans(1)
    begin(operator)
    User.objects.get(username="operator").groups.clear()
    assert operator.post(place(), {"pause_reason": "Audit"}).status_code == 403 and paused() == 0


def test_thousands_are_chosen_across_pages(operator):
    Plan.objects.bulk_create(Plan(name=f"Plan {each:05}") for each in range(1_300))
    first = Plan.objects.order_by("name").first()
    page = begin(operator, _selected_action=[first.pk], select_across="1").content.decode()
    assert "Pause 1,300 plans?" in page and len(BulkAction.objects.get().keys) == 1_300


def test_the_counts_are_laws_of_the_table(operator):
    plans(1)
    begin(operator)
    for wrong in ({"position": 1}, {"finished_at": clock.now()}):
        with pytest.raises(IntegrityError), transaction.atomic():
            BulkAction.objects.update(**wrong)


@pytest.mark.parametrize("action", ["process_selected", "enable_selected", "disable_selected", "resume_selected"])
def test_every_action_asks_first(superuser, action):
    configuration = make_configuration("customer", is_enabled=action != "enable_selected")
    if action == "resume_selected":
        pause(configuration, by="ann", reason="Audit", now=clock.now())
    before = list(SchedulerConfiguration.objects.values())
    address = reverse("admin:scheduling_schedulerconfiguration_changelist")
    asked = superuser.post(address, {"action": action, "_selected_action": [configuration.pk], "index": "0"})
    assert "What happens to what you chose" in asked.content.decode()
    assert list(SchedulerConfiguration.objects.values()) == before


def test_jobs_are_paused_through_the_same_page():
    job = Job.objects.create(name="Report", path="shop.jobs.report", source="shop/jobs.py:1")
    asked = client_for("Operator").post(
        "/admin/scheduling/job/", {"action": "pause_selected", "_selected_action": [job.pk], "index": "0"}
    )
    assert "Pause Report?" in asked.content.decode()
