"""Plans in the admin: the list, the form with its steps, every fault at its field, run now, pause."""

import json

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import flatten_fieldsets
from django.urls import reverse

from scheduling.admin.plans.form import OWN_FIELDS
from scheduling.models import Plan, PlanStep, Queue, Run, SqlScript
from scheduling.plans.compile import compile_plans
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_dependencies, save_plan
from staging.models import Entity
from tests.scheduling.admin.conftest import NOW, client_for, make_event
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db


@pytest.fixture
def entities():
    made = {code: Entity.objects.create(code=code, name=code.capitalize()) for code in ("region", "branch")}
    save_dependencies(made["branch"], ["region"])
    return made


@pytest.fixture
def plan(entities):
    steps = [step(entities["branch"], priority=3), step(entities["region"])]
    return save_plan(PlanDraft(Plan(name="Nightly", order="hierarchy"), {}, steps), now=NOW)


def form(plan=None, *steps, **fields):
    """Return what a browser sends: the stored steps of the plan as they are, and these new ones."""
    data = {"name": "Nightly", "order": "hierarchy", "overlap": "skip", "is_enabled": "on", "timezone": "UTC", **fields}
    rows = []
    for stored in plan.steps.all() if plan else ():
        rows.append({"id": stored.pk, "what": f"entity:{stored.entity_id}", "step_index": stored.step_index,
                     "priority": stored.priority, "run_if": stored.run_if})  # fmt: skip
    rows += list(steps)
    data |= {"steps-TOTAL_FORMS": len(rows), "steps-INITIAL_FORMS": plan.steps.count() if plan else 0}
    for number, row in enumerate(rows):
        usual = {"step_index": 1, "priority": 0}
        data |= {f"steps-{number}-{name}": value for name, value in {**usual, **row}.items()}
    return data


def address(page, *args):
    return reverse(f"admin:scheduling_plan_{page}", args=args)


def errors_of(response):
    context = response.context
    (inline,) = context["inline_admin_formsets"]
    steps = {
        f"{i}.{name}": list(texts) for i, each in enumerate(inline.formset.forms) for name, texts in each.errors.items()
    }
    together = list(inline.formset.non_form_errors())
    return {**context["adminform"].form.errors, **steps, **({"steps": together} if together else {})}


def test_the_list_shows_when_and_how_it_ended_and_needs_few_queries(
    plan, viewer, entities, django_assert_max_num_queries
):
    daily = {"schedule_type": "daily", "run_times": "02:30"}
    for number in range(5):
        save_plan(PlanDraft(Plan(name=f"Plan {number}"), daily, [step(entities["region"])]), now=NOW)
    with django_assert_max_num_queries(12):
        page = viewer.get(address("changelist")).content.decode()
    assert "Every day at 02:30, UTC" in page and "Started by people" in page and "never ran" in page


def test_the_form_shows_the_order_and_the_steps(plan, viewer):
    page = viewer.get(address("change", plan.pk)).content.decode()
    assert "<li>region</li><li>branch</li>" in page and "region &gt;&gt;&gt; branch" in page
    assert "Run now" not in page and 'name="_save"' not in page


def test_a_steward_makes_a_plan_with_steps_and_a_schedule(entities, steward):
    steps = [{"what": f"entity:{entities['region'].pk}", "priority": 5}, {"what": f"entity:{entities['branch'].pk}"}]
    sent = form(None, *steps, schedule_type="daily", run_times="2:30", timezone="Europe/Amsterdam", overlap="queue_one")
    response = steward.post(address("add"), sent)
    assert response.status_code == 302, errors_of(response)
    plan = Plan.objects.get()
    assert (plan.run_times, plan.timezone, plan.overlap) == ("02:30", "Europe/Amsterdam", "queue_one")
    assert plan.next_scheduled_run is not None and plan.armed_from is not None
    assert {each.key: each.priority for each in plan.steps.all()} == {"region": 5, "branch": 0}
    assert LogEntry.objects.get().object_repr == "Nightly"


def test_new_steps_that_nobody_filled_in_are_no_steps(entities, steward):
    (inline,) = steward.get(address("add")).context["inline_admin_formsets"]
    shown = {name: inline.formset.forms[0][name].value() for name in inline.formset.forms[0].fields}
    empty = {name: value for name, value in shown.items() if value not in (None, False)}
    response = steward.post(address("add"), form(None, {"what": f"entity:{entities['region'].pk}"}, empty))
    assert response.status_code == 302, errors_of(response)
    assert PlanStep.objects.count() == 1


def test_a_plan_without_a_schedule_type_is_started_by_people_and_keeps_no_stale_fields(plan, steward):
    steward.post(address("change", plan.pk), form(plan, schedule_type="daily", run_times="02:30"))
    plan.refresh_from_db()
    assert plan.schedule_type == "daily"
    response = steward.post(address("change", plan.pk), form(plan, schedule_type="", run_times="02:30"))
    assert response.status_code == 302, errors_of(response)
    plan.refresh_from_db()
    assert (plan.schedule_type, plan.run_times, plan.next_scheduled_run) == ("", "", None)


def test_changing_a_step_is_stored_and_told_in_the_history(plan, steward):
    sent = form(plan)
    sent |= {"steps-0-priority": 9, "steps-0-is_cancelled": "on"}
    armed = plan.armed_from
    assert steward.post(address("change", plan.pk), sent).status_code == 302
    changed = plan.steps.order_by("id").first()
    assert changed.priority == 9 and changed.is_cancelled and plan.steps.count() == 2
    assert Plan.objects.get().armed_from == armed
    assert json.loads(LogEntry.objects.get().change_message) == [{"changed": {"fields": ["step branch"]}}]


def test_a_step_may_wait_for_another_one(plan, steward, entities):
    till = Entity.objects.create(code="till", name="Till")
    response = steward.post(address("change", plan.pk), form(plan, {"what": f"entity:{till.pk}", "after": ["branch"]}))
    assert response.status_code == 302, errors_of(response)
    assert [prior.key for prior in plan.steps.get(entity=till).depends_on.all()] == ["branch"]


def test_a_step_may_run_after_a_failure_only_and_keeps_that_when_nobody_sends_it(plan, steward, entities):
    stored = plan.steps.get(entity=entities["branch"])
    rows = form(plan) | {"steps-0-run_if": "any_failed"}
    assert steward.post(address("change", plan.pk), rows).status_code == 302
    stored.refresh_from_db()
    assert stored.run_if == "any_failed"
    silent = {name: value for name, value in form(plan).items() if not name.endswith("run_if")}
    assert steward.post(address("change", plan.pk), silent).status_code == 302
    stored.refresh_from_db()
    assert stored.run_if == "any_failed"
    page = steward.get(address("change", plan.pk)).content.decode()
    assert "entity, after a failure" in page and "runs if something before it failed" in page
    refused = steward.post(address("change", plan.pk), form(plan) | {"steps-1-run_if": "any_failed"})
    assert list(errors_of(refused)) == ["1.run_if"]


def test_a_viewer_reads_every_setting_that_a_steward_may_change(plan, steward, viewer):
    of = {who: client.get(address("change", plan.pk)).context["adminform"] for who, client in
          (("steward", steward), ("viewer", viewer))}  # fmt: skip
    changed, read = ({*flatten_fieldsets(form.fieldsets)} for form in (of["steward"], of["viewer"]))
    assert {*OWN_FIELDS} <= changed and {*OWN_FIELDS} <= read <= changed
    Plan.objects.filter(pk=plan.pk).update(due_by="06:15", run_attempts=17)
    page = viewer.get(address("change", plan.pk)).content.decode()
    assert "06:15" in page and "17" in page


def test_a_plan_says_how_long_a_run_may_take(plan, steward, viewer):
    response = steward.post(address("change", plan.pk), form(plan, run_timeout_seconds="3600"))
    assert response.status_code == 302, errors_of(response)
    plan.refresh_from_db()
    assert plan.run_timeout_seconds == 3600
    assert "A run may take (seconds)" in viewer.get(address("change", plan.pk)).content.decode()
    refused = steward.post(address("change", plan.pk), form(plan, run_timeout_seconds="0"))
    assert list(errors_of(refused)) == ["run_timeout_seconds"]
    tried = {"run_attempts": "3", "run_retry_interval_seconds": "90", "run_retry_backoff": "on"}
    assert steward.post(address("change", plan.pk), form(plan, **tried)).status_code == 302
    plan.refresh_from_db()
    assert plan.tries == {"attempts_allowed": 3, "retry_interval_seconds": 90, "retry_backoff": True}


def test_a_step_asks_what_another_gave_in_lines_and_keeps_that_when_nobody_sends_it(plan, steward, viewer, entities):
    stored = plan.steps.get(entity=entities["branch"])
    lines = "region: changed > 0\n\nregion: rejected ≤ 5 "
    response = steward.post(address("change", plan.pk), form(plan) | {"steps-0-only_when": lines})
    assert response.status_code == 302, errors_of(response)
    stored.refresh_from_db()
    assert [each["is"] for each in stored.only_when] == [">", "<="]
    assert steward.post(address("change", plan.pk), form(plan)).status_code == 302
    stored.refresh_from_db()
    assert len(stored.only_when) == 2
    page = steward.get(address("change", plan.pk)).content.decode()
    assert "region: changed &gt; 0\nregion: rejected &lt;= 5</textarea>" in page
    assert "entity, on a condition" in page and "only when region: changed &gt; 0; region: rejected &lt;= 5" in page
    assert "only when region: changed &gt; 0" in viewer.get(address("change", plan.pk)).content.decode()
    assert steward.post(address("change", plan.pk), form(plan) | {"steps-0-only_when": ""}).status_code == 302
    stored.refresh_from_db()
    assert stored.only_when is None


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("region: changed > 0\nregion changed", "region changed: Write a condition like job Load: rows.new &gt; 0."),
        ("regoin: changed > 0", "did you mean &#x27;region&#x27;?"),
        ("region: bogus > 0", "&#x27;bogus&#x27; is none of them."),
    ],
)
def test_a_condition_that_nobody_can_ask_is_refused_at_its_field(plan, steward, lines, text):
    refused = steward.post(address("change", plan.pk), form(plan) | {"steps-0-only_when": lines})
    assert list(errors_of(refused)) == ["0.only_when"]
    page = refused.content.decode()
    assert text in page and f"{lines.splitlines()[-1].replace('>', '&gt;')}</textarea>" in page, "as it was typed"


def test_a_plan_says_what_its_steps_take_and_a_step_says_it_itself(plan, steward, viewer):
    night = Queue.objects.create(name="night")
    defaults = {"default_queue": night.pk, "default_attempts": 3, "default_retry_interval_seconds": 0,
                "default_timeout_seconds": 90}  # fmt: skip
    own = {"steps-0-attempts": 1, "steps-0-retry_interval_seconds": 60}
    response = steward.post(address("change", plan.pk), form(plan, **defaults) | own)
    assert response.status_code == 302, errors_of(response)
    tasks = {task.key: task for task in compile_plans(["Nightly"]).tasks}
    assert {key: (task.queue, task.attempts, task.retry_interval_seconds) for key, task in tasks.items()} == {
        "branch": ("night", 1, 60),
        "region": ("night", 3, 0),
    }
    page = steward.get(address("change", plan.pk))
    first, second, *_ = page.context["inline_admin_formsets"][0].formset.forms
    assert (first["attempts"].value(), second["attempts"].value()) == (1, None)
    assert "For steps that say nothing of their own" in page.content.decode()
    history = steward.get(reverse("admin:scheduling_plan_history", args=[plan.pk]), {"from": 1, "to": 2})
    text = " ".join(history.content.decode().split())
    assert "Tries in all, of steps" in text and "Queue of steps" in text and "as the plan says" in text
    page = viewer.get(address("change", plan.pk)).content.decode()
    assert "Tries in all, of steps" in page and "as the plan says" in page and "1 try; 60 s between them" in page
    response = steward.post(address("change", plan.pk), form(plan))
    assert response.status_code == 302, errors_of(response)
    plan.refresh_from_db()
    assert plan.default_queue is None and plan.default_attempts is None
    assert all(each.insists_on is None for each in plan.steps.all())


def test_what_is_wrong_with_the_defaults_is_told_at_its_field(plan, steward):
    old = Queue.objects.create(name="old", is_cancelled=True)
    wrong = {"default_queue": old.pk, "default_attempts": 0, "default_retry_interval_seconds": -1,
             "default_timeout_seconds": "x"}  # fmt: skip
    assert set(errors_of(steward.post(address("change", plan.pk), form(plan, **wrong)))) == set(wrong)


def test_values_are_names_with_values_whatever_runs(plan, steward, entities):
    for sent, text in (
        ("[1]", "Write names with their values"),
        ('{"year": 2026}', "Only jobs and scripts take values."),
    ):
        refused = steward.post(address("change", plan.pk), form(plan) | {"steps-0-arguments": sent})
        ((field, texts),) = errors_of(refused).items()
        assert field == "0.arguments" and texts[0].startswith(text), texts


def test_every_fault_is_told_at_its_field_and_nothing_is_stored(entities, steward):
    region = f"entity:{entities['region'].pk}"
    steps = [{"what": region}, {"what": region}, {"what": "", "priority": 4}, {"what": "job:Gone"}]
    sent = form(None, *steps, name="a,b", schedule_type="daily")
    errors = errors_of(steward.post(address("add"), sent))
    assert set(errors) >= {"name", "run_times", "3.what"}
    sent = form(None, *steps[:3])
    errors = errors_of(steward.post(address("add"), sent))
    one_thing = "A step is one thing: an entity, a job, a SQL script, another plan, or a wait for a time."
    assert errors["2.what"] == [one_thing]
    assert "twice" in errors["0.what"][0] and not Plan.objects.exists()


def test_a_circle_is_named_above_the_steps(plan, steward):
    sent = form(plan)
    sent |= {"steps-0-after": ["region"], "steps-1-after": ["branch"]}
    response = steward.post(address("change", plan.pk), sent)
    assert errors_of(response) == {"steps": ["These depend on each other in a circle: branch > region > branch."]}
    assert not PlanStep.depends_on.through.objects.exists()


def test_somebody_elses_change_is_not_overwritten(plan, steward):
    response = steward.post(address("change", plan.pk), form(plan, seen="0" * 32))
    assert "Somebody else changed" in response.content.decode()


def test_scripts_are_offered_to_people_who_may_run_them_only(plan, steward, administrator):
    script = SqlScript.objects.create(name="Refresh", sql="SELECT %(year)s", parameters={"year": "integer"})
    offered = f'value="script:{script.pk}"'
    assert offered not in steward.get(address("change", plan.pk)).content.decode()
    assert offered in administrator.get(address("change", plan.pk)).content.decode()
    row = {"what": f"script:{script.pk}", "arguments": '{"year": 2026}'}
    assert "0.what" in errors_of(steward.post(address("add"), form(None, row, name="Other")))
    wrong = administrator.post(address("add"), form(None, {**row, "arguments": "{}"}, name="Other"))
    assert errors_of(wrong) == {"0.arguments": ["The parameter year needs a value (integer)."]}
    assert administrator.post(address("add"), form(None, row, name="Other")).status_code == 302
    other = Plan.objects.get(name="Other")
    row = {**row, "id": other.steps.get().pk, "arguments": '{"year": 1}'}
    errors = errors_of(
        steward.post(address("change", other.pk), {**form(None, row, name="Other"), "steps-INITIAL_FORMS": 1})
    )
    assert errors == {"0.what": ["Only people who may run SQL scripts may change such a step."]}
    kept = form(other, name="Other")
    kept |= {"steps-0-what": f"script:{script.pk}", "steps-0-arguments": '{"year": 2026}', "steps-0-priority": 2}
    response = steward.post(address("change", Plan.objects.get(name="Other").pk), kept)
    assert response.status_code == 302, errors_of(response)


def test_the_preview_answers_what_was_typed(plan, steward):
    answer = steward.post(address("preview", plan.pk), form(plan, schedule_type="daily", run_times="02:30")).json()
    assert answer["sentence"] == "Every day at 02:30, UTC" and len(answer["fires"]) == 5
    assert "run_times" in steward.post(address("preview_new"), form(schedule_type="daily")).json()["errors"]
    assert steward.post(address("preview_new"), form()).json()["sentence"] == "Started by people"


def test_run_now_asks_first_and_leads_to_the_run(plan, operator):
    page = operator.get(address("run", plan.pk)).content.decode()
    assert "<li>region</li><li>branch</li>" in page and not Run.objects.exists()
    response = operator.post(address("run", plan.pk))
    run = Run.objects.get()
    assert response["Location"] == reverse("admin:scheduling_run_change", args=[run.pk])
    assert run.started_by == "operator" and run.tasks.count() == 2
    again = operator.post(address("run", plan.pk), follow=True)
    assert "is already running" in again.content.decode() and Run.objects.count() == 1


def test_run_now_asks_for_what_the_plan_takes_and_tells_each_fault_at_its_field(plan, operator, steward):
    declared = '{"day": "text", "n": {"type": "integer", "default": 3}}'
    assert steward.post(address("change", plan.pk), form(plan, parameters=declared)).status_code == 302
    assert f'value="{declared}"' not in steward.get(address("change", plan.pk)).content.decode()
    page = operator.get(address("run", plan.pk)).content.decode()
    assert "Required: text." in page and "Optional: a whole number. Empty: 3." in page
    refused = operator.post(address("run", plan.pk), {"argument-n": "x"})
    assert refused.context["form"].errors == {
        "day": ["day is missing."],
        "n": ["The parameter n takes values of the type integer, not 'x'."],
    }
    assert not Run.objects.exists()
    started = operator.post(address("run", plan.pk), {"argument-day": "2026-03-01", "argument-n": "4"})
    run = Run.objects.get()
    assert started["Location"] == reverse("admin:scheduling_run_change", args=[run.pk])
    assert run.parameters == {"day": "2026-03-01", "n": 4}
    assert "day: 2026-03-01, n: 4" in operator.get(started["Location"]).content.decode()


def test_a_plan_that_runs_by_itself_needs_a_default_for_each_parameter(plan, steward):
    daily = {"schedule_type": "daily", "run_times": "02:30"}
    refused = steward.post(address("change", plan.pk), form(plan, parameters='{"day": "text"}', **daily))
    assert errors_of(refused) == {"parameters": ["The plan runs by itself: day needs a default."]}
    refused = steward.post(address("change", plan.pk), form(plan, parameters='{"day": "date"}'))
    assert list(errors_of(refused)) == ["parameters"]


def test_several_plans_are_run_together_after_showing_their_common_order(plan, entities, operator):
    other = save_plan(PlanDraft(Plan(name="Other"), {}, [step(entities["region"])]), now=NOW)
    chosen = {"action": "run_selected", "_selected_action": [plan.pk, other.pk]}
    page = operator.post(address("changelist"), chosen).content.decode()
    assert "Run 2 plans together now?" in page and "<li>region</li><li>branch</li>" in page
    assert not Run.objects.exists()
    response = operator.post(address("changelist"), {**chosen, "confirmed": "yes"})
    run = Run.objects.get()
    assert response["Location"] == reverse("admin:scheduling_run_change", args=[run.pk])
    assert run.plans == ["Nightly", "Other"] and run.tasks.count() == 2
    alone = operator.post(address("changelist"), {**chosen, "_selected_action": [other.pk]}).content.decode()
    assert "is already running" in alone


def test_a_viewer_is_not_offered_to_run(plan, viewer):
    assert "run_selected" not in viewer.get(address("changelist")).content.decode()


def test_the_log_leads_from_a_plan_that_was_held_back_to_its_slots(plan, viewer):
    make_event(event_type="skipped", plan=plan, message="Not now.")
    log = viewer.get(reverse("admin:scheduling_schedulerlog_changelist"), {"period": "all"}).content.decode()
    assert f"{address('why_not', plan.pk)}?since=" in log and "Why did it not run? Slots around" in log


def test_pausing_and_resuming_one_and_several(plan, operator):
    operator.post(address("pause", plan.pk), {"pause_reason": "Audit"})
    plan.refresh_from_db()
    assert plan.pause_reason == "Audit" and plan.paused_by == "operator"
    assert "is paused" in operator.get(address("change", plan.pk)).content.decode()
    operator.post(address("resume", plan.pk))
    chosen = {"action": "pause_selected", "_selected_action": [plan.pk]}
    assert "Pause Nightly?" in operator.post(address("changelist"), chosen).content.decode()
    operator.post(address("changelist"), {**chosen, "confirmed": "yes", "pause_reason": "Move"})
    plan.refresh_from_db()
    assert plan.pause_reason == "Move"


def test_why_not_and_the_log_know_plans(plan, viewer):
    page = viewer.get(address("why_not", plan.pk)).content.decode()
    assert "Why did Nightly not run?" in page and "Manual: people start it" in page
    client_for("Operator").post(address("run", plan.pk))
    log = viewer.get(reverse("admin:scheduling_schedulerlog_changelist"), {"entity": "plan Nightly"}).content.decode()
    assert "Plan Nightly started by operator." in log and "Only events of plan Nightly" in log


def test_a_calendar_that_a_plan_uses_is_protected_and_says_by_whom(plan, superuser):
    from scheduling.models import BlackoutCalendar

    calendar = BlackoutCalendar.objects.create(name="Holidays")
    Plan.objects.update(calendar=calendar)
    page = superuser.post(reverse("admin:scheduling_blackoutcalendar_delete", args=[calendar.pk]), {"post": "yes"})
    assert "plan Nightly" in page.content.decode() and BlackoutCalendar.objects.exists()
