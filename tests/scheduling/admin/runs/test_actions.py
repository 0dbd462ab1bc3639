"""Promises of cancel, restart and retry: shown to who may, first what it means, then done; refusals in words."""

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from scheduling import clock
from scheduling.models import Plan, PlanStep, Queue, Run, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_batch_now, start_plans_now
from scheduling.runs.cancel import cancel_run
from scheduling.states import RunStatus
from tests.scheduling.admin.conftest import client_for, make_configuration
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.pieces import FAILING, item, of, start, states, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def failed():
    """A run of which a completed and b failed."""
    FAILING.add("b")
    run = start(item("a"), item("b", "a"), now=clock.now())
    work(clock.now())
    FAILING.clear()
    run.refresh_from_db()
    return run


@pytest.fixture
def live():
    """A run in which a failed and blocks b, while another step still waits for a worker."""
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("long"), now=clock.now())
    Queue.objects.update(max_running=1)
    work(clock.now(), most=1)
    FAILING.clear()
    return run


def address(run, page="change") -> str:
    return reverse(f"admin:scheduling_run_{page}", args=[run.pk])


def text(response) -> str:
    return response.content.decode()


# --- cancel ----------------------------------------------------------------------------------------------------------


def test_cancelling_asks_first_and_says_what_ends_at_once(operator, live):
    page = text(operator.get(address(live, "cancel")))
    assert "1 step that has not started is cancelled at once" in page
    assert states(live)["long"] == "queued", "looking cancels nothing"
    assert "Cancel asked for" in text(operator.post(address(live, "cancel"), follow=True))
    assert states(live)["long"] == "cancelled"
    assert "nothing to cancel" in text(operator.get(address(live, "cancel")))


# --- skip, mark as succeeded, hold -----------------------------------------------------------------------------------


def on_step(client, run, key, verb):
    return text(client.post(address(run, "step"), {"task": of(run, key).pk, "verb": verb}, follow=True))


def test_the_row_of_a_step_leads_to_what_can_be_done_with_it(operator, client, live):
    link = f"{address(live, 'step')}?task={of(live, 'a').pk}"
    assert link in text(operator.get(address(live)))
    assert f'task={of(live, "b").pk}" aria-label="Run b now"' in operator.get(address(live)).content.decode()
    page = text(operator.get(link))
    assert "Skip it" in page and "Mark it as succeeded" in page and "Hold it" not in page and "b</dd>" in page
    assert "Hold it" in text(operator.get(f"{address(live, 'step')}?task={of(live, 'long').pk}"))
    assert states(live)["a"] == "failed", "looking changes nothing"
    assert link not in text(client_for("Viewer").get(address(live)))


@pytest.mark.parametrize(
    ("verb", "end", "words"), [("skip", "skipped", "is skipped"), ("complete", "completed", "counts as succeeded")]
)
def test_a_failed_step_is_skipped_or_marked_and_its_run_goes_on(operator, live, verb, end, words):
    assert f"Step a {words}; what comes after it goes on." in on_step(operator, live, "a", verb)
    assert states(live) == {"a": end, "b": "queued", "long": "queued"}
    assert "operator" in of(live, "a").message
    assert f"A is {end}" in on_step(operator, live, "a", verb), "who comes late is told"


def test_a_held_step_says_who_holds_it_and_goes_on_when_it_is_let_go(operator, live):
    assert "Step long is held until somebody lets it go on." in on_step(operator, live, "long", "hold")
    page = text(operator.get(address(live)))
    assert "Held by operator since" in page and "?state=held" in page
    (only,) = operator.get(address(live) + "?state=held").context["state"].steps
    assert only.task.key == "long" and only.task.shown_status == "held"
    assert "held" in text(operator.get(address(live, "order")))
    step_page = text(operator.get(f"{address(live, 'step')}?task={of(live, 'long').pk}"))
    assert "Let it go on" in step_page and "by operator since" in step_page
    assert "Step long goes on." in on_step(operator, live, "long", "let_go")
    assert states(live)["long"] == "queued"
    assert "Nobody holds long." in on_step(operator, live, "long", "let_go")


def test_a_step_runs_now_alone_or_with_all_that_comes_after_it(operator, live):
    page = text(operator.get(f"{address(live, 'step')}?task={of(live, 'b').pk}"))
    assert "Run only this step" in page and "Run from this step on" not in page and "Skip it" not in page
    assert "Step b starts as soon as a worker is free, whatever" in on_step(operator, live, "b", "run_only")
    assert states(live) == {"a": "failed", "b": "queued", "long": "queued"}
    assert "B is queued already" in on_step(operator, live, "b", "run_only")
    page = text(operator.get(f"{address(live, 'step')}?task={of(live, 'a').pk}"))
    assert "the step that comes after it runs once more" in page and "Skip it" in page
    assert "Step a and all that comes after it run." in on_step(operator, live, "a", "run_from")
    assert states(live) == {"a": "queued", "b": "waiting", "long": "queued"}
    page = text(operator.get(f"{address(live, 'step')}?task={of(live, 'long').pk}"))
    assert "Run only this step" not in page, "it is queued already"


def test_of_an_ended_run_nothing_is_changed(operator, failed):
    page = text(operator.get(f"{address(failed, 'step')}?task={of(failed, 'b').pk}"))
    assert "only a step of a live run that no worker has can be changed" in page
    assert "has ended; restart it" in on_step(operator, failed, "b", "skip")
    assert operator.post(address(failed, "step"), {"task": of(failed, "b").pk, "verb": "no"}).status_code == 200
    assert operator.get(address(failed, "step")).status_code == 404


# --- restart ---------------------------------------------------------------------------------------------------------


def test_an_operator_sees_what_would_start_again_and_starts_it(operator, failed):
    assert address(failed, "restart") in text(operator.get(address(failed)))
    page = text(operator.get(address(failed, "restart")))
    assert "Failed, cancelled or never ran: b." in page and "As its plans are now" not in page
    assert Run.objects.count() == 1, "looking starts nothing"
    answer = text(operator.post(address(failed, "restart"), {"what": "failed", "manifest": "was"}, follow=True))
    again = Run.objects.get(restart_of=failed)
    assert states(again) == {"b": "queued"} and f"as run {again.pk}" in answer
    assert f"Run {failed.pk}</a>" in answer, "it names the run it repeats"
    assert f"Run {again.pk}</a>" in text(operator.get(address(failed))), "and is named by it"


def test_everything_starts_again_when_asked(operator, failed):
    operator.post(address(failed, "restart"), {"what": "all", "manifest": "was"})
    assert states(Run.objects.get(restart_of=failed)) == {"a": "queued", "b": "waiting"}


def test_a_part_starts_again_when_asked_and_a_step_is_left_out_as_done(operator, failed):
    page = text(operator.get(address(failed, "restart")))
    assert "One step alone" in page and "Leave out, as done" in page
    refused = operator.post(address(failed, "restart"), {"what": "only", "manifest": "was"})
    assert refused.context["form"].errors == {"step": ["Choose a step."]}
    unknown = operator.post(address(failed, "restart"), {"what": "from", "step": "x", "manifest": "was"})
    assert list(unknown.context["form"].errors) == ["step"] and Run.objects.count() == 1
    operator.post(address(failed, "restart"), {"what": "all", "without": ["a"], "manifest": "was"})
    assert states(Run.objects.get(restart_of=failed)) == {"b": "queued"}


@pytest.mark.parametrize(
    ("what", "step", "runs"), [("only", "a", {"a"}), ("from", "a", {"a", "b"}), ("from", "b", {"b"})]
)
def test_a_step_alone_or_with_all_after_it(operator, failed, what, step, runs):
    operator.post(address(failed, "restart"), {"what": what, "step": step, "manifest": "was"})
    assert set(states(Run.objects.get(restart_of=failed))) == runs


def test_a_second_one_is_refused_in_words(operator, failed):
    choice = {"what": "all", "manifest": "was"}
    operator.post(address(failed, "restart"), choice)
    answer = operator.post(address(failed, "restart"), choice, follow=True)
    assert "is being run again already" in text(answer) and Run.objects.count() == 2


@pytest.mark.parametrize(
    "data", [{}, {"what": "all"}, {"what": "some", "manifest": "was"}, {"what": "all", "manifest": "now"}]
)
def test_what_is_no_choice_starts_nothing(operator, failed, data):
    assert operator.post(address(failed, "restart"), data).status_code == 200
    assert Run.objects.count() == 1


@pytest.fixture
def planned():
    """A cancelled run of a plan of two entities."""
    first, second = (make_configuration(code).entity for code in ("region", "branch"))
    plan = save_plan(PlanDraft(Plan(name="Nightly"), {}, [step(first)]), now=clock.now())
    run = start_plans_now(["Nightly"], started_by="ann", now=clock.now())
    cancel_run(run, by="ann", now=clock.now())
    PlanStep.objects.update(attempts=3)
    PlanStep.objects.create(plan=plan, entity=second)
    return run


def test_the_plans_as_they_are_now_run_only_after_their_difference_was_seen(operator, planned):
    page = operator.get(address(planned, "restart"))
    assert "added: branch" in text(page) and "changed: region" in text(page)
    choice = {"what": "all", "manifest": "now", "seen": "something else"}
    assert "changed while you looked" in text(operator.post(address(planned, "restart"), choice))
    assert Run.objects.count() == 1
    operator.post(address(planned, "restart"), {**choice, "seen": page.context["mark"]})
    assert set(states(Run.objects.get(restart_of=planned))) == {"region", "branch"}


def test_the_plans_as_they_were_run_as_they_were(operator, planned):
    operator.post(address(planned, "restart"), {"what": "all", "manifest": "was"})
    assert set(states(Run.objects.get(restart_of=planned))) == {"region"}


def test_a_plan_that_has_another_name_now_is_told_in_words(operator, planned):
    Plan.objects.update(name="Renamed")
    assert "cannot run as they are now" in text(operator.get(address(planned, "restart")))
    answer = operator.post(address(planned, "restart"), {"what": "all", "manifest": "was"}, follow=True)
    assert "There is no plan" in text(answer) and Run.objects.count() == 1


# --- who may ---------------------------------------------------------------------------------------------------------


def test_who_may_not_does_not(viewer, failed):
    assert address(failed, "restart") not in text(viewer.get(address(failed)))
    assert viewer.get(address(failed, "restart")).status_code == 403
    assert viewer.post(address(failed, "restart"), {"what": "all", "manifest": "was"}).status_code == 403
    assert Run.objects.count() == 1


def test_restarting_a_plan_needs_the_right_to_start_plans_too(failed):
    client = client_for("nobody")
    user = client.get("/admin/").wsgi_request.user
    user.user_permissions.add(*Permission.objects.filter(codename__in=["restart_run", "view_run"]))
    assert client.get(address(failed, "restart")).status_code == 403
    assert address(failed, "restart") not in text(client.get(address(failed)))
    user.user_permissions.add(Permission.objects.get(codename="run_plan"))
    assert client.get(address(failed, "restart")).status_code == 200


@pytest.mark.parametrize("opening", [{"undoes_id": 1}, {"approves_id": 1}])
def test_an_undo_or_an_approval_is_restarted_only_by_who_may_decide_that(operator, steward, opening):
    started = start_batch_now(make_configuration("customer"), started_by="ann", now=clock.now())
    Task.objects.filter(pk=started.task.pk).update(arguments=opening)
    Run.objects.update(status=RunStatus.FAILED, finished_at=clock.now())
    assert operator.get(address(started.run, "restart")).status_code == 403
    assert steward.get(address(started.run, "restart")).status_code == 200


# --- retry -----------------------------------------------------------------------------------------------------------


def test_a_failed_step_of_a_live_run_is_released_again_after_a_question(operator, viewer, live):
    retry, asked = address(live, "retry"), {"task": of(live, "a").pk}
    link = f"{retry}?task={asked['task']}"
    assert link in text(operator.get(address(live))) and retry not in text(viewer.get(address(live)))
    assert "waits for it again: b." in text(operator.get(link)) and states(live)["a"] == "failed"
    assert viewer.get(link).status_code == 403 and viewer.post(retry, asked).status_code == 403
    assert "starts as soon as" in text(operator.post(retry, asked, follow=True))
    assert states(live) == {"a": "queued", "b": "waiting", "long": "queued"}
    assert "only a task that failed" in text(operator.post(retry, {"task": of(live, "b").pk}, follow=True))
    cancel_run(live, by="ann", now=clock.now())
    assert "has ended" in text(operator.post(retry, asked, follow=True))


@pytest.mark.parametrize("task", ["", "0", "x", "-1", "9" * 40])
def test_a_step_that_is_none_is_not_found(operator, live, task):
    assert operator.get(address(live, "retry"), {"task": task}).status_code == 404
    assert operator.post(address(live, "retry"), {"task": task}).status_code == 404


def test_a_step_of_another_run_is_not_found(operator, live):
    other = start(item("a"), key="other", now=clock.now())
    assert operator.post(address(live, "retry"), {"task": of(other, "a").pk}).status_code == 404


def test_a_running_step_is_released_after_a_question(db):
    """Promise: who knows that a worker is dead need not wait for the zombie time-out."""
    from scheduling import clock
    from scheduling.models import Attempt
    from scheduling.queues import claim_next
    from tests.scheduling.admin.conftest import client_for
    from tests.scheduling.runs.pieces import item, start

    run = start(item("a"), now=clock.now())
    claim_next(worker="doomed", now=clock.now())
    task, operator = run.tasks.get(), client_for("Operator")
    page = f"/admin/scheduling/run/{run.pk}/release/"
    for part in ("change/", "fragment/"):
        assert "Release …" in operator.get(f"/admin/scheduling/run/{run.pk}/{part}").content.decode()
    asked = operator.get(page, {"task": task.pk}).content.decode()
    assert "doomed" in asked and "has no attempt left" in asked
    assert Attempt.objects.get().outcome == "running"
    told = operator.post(page, {"task": task.pk}, follow=True).content.decode()
    assert Attempt.objects.get().outcome == "lost" and "Step a was released and has failed" in told
    assert "nothing to release" in operator.get(page, {"task": task.pk}).content.decode()
