"""Promise: scripts run with the rights of the person who starts them, or saved the schedule that does, however deep."""

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from scheduling.dag.manifest import ManifestTask
from scheduling.errors import InvalidPlan, NotAllowed
from scheduling.models import Plan, Run, SqlScript
from scheduling.plans.draft import PlanDraft, StepDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from scheduling.runs.fire import refuse_without_right
from scheduling.runs.intervene import retry_now
from scheduling.runs.restart import restart_run
from scheduling.states import RunKind
from tests.scheduling.admin.conftest import NOW, client_for
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.pieces import FAILING, item, start, work

pytestmark = pytest.mark.django_db

DAILY = {"schedule_type": "daily", "run_times": "02:30", "is_enabled": True}


def plan(name, target, *, may_script=True, **schedule):
    return save_plan(PlanDraft(Plan(name=name), schedule, [step(target)], may_script=may_script), now=NOW)


@pytest.fixture
def script(db):
    return SqlScript.objects.create(name="Refresh", sql="SELECT 1")


@pytest.fixture
def deep(script):
    """A plan whose plan's plan runs the script."""
    return plan("Outer", plan("Middle", plan("Inner", script)))


def person(*permissions):
    made = User.objects.create(username=",".join(permissions) or "nobody", is_staff=True)
    made.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return made


@pytest.mark.parametrize("kind,right", [("batch", "process_batch"), ("job", "run_job"), ("script", "run_sqlscript")])
def test_each_kind_of_work_needs_its_right(kind, right):
    manifest = [item("call"), ManifestTask("it", kind, 1)]
    with pytest.raises(NotAllowed, match="which you do not have: it"):
        refuse_without_right(manifest, person("run_plan"))
    refuse_without_right(manifest, person("run_plan", right))
    refuse_without_right(manifest, None)


def test_a_person_without_the_right_starts_no_plan_with_a_script_in_its_depth(deep):
    with pytest.raises(NotAllowed, match="script Refresh"):
        start_plans_now(["Outer"], started_by="ann", person=person("run_plan"), now=NOW)
    assert not Run.objects.exists() and not Plan.objects.filter(is_running=True).exists()
    assert start_plans_now(["Outer"], started_by="ann", person=person("run_plan", "run_sqlscript"), now=NOW)


def test_nor_by_a_restart_or_a_retry(script):
    SqlScript.objects.update(is_cancelled=True)  # so that it fails
    run = start(ManifestTask("script Refresh", RunKind.SCRIPT, script.pk), item("other"))
    FAILING.add("other")
    work(most=1)
    operator = person("restart_run", "run_plan")
    failed = run.tasks.filter(workload="script").get()
    with pytest.raises(NotAllowed):
        retry_now(failed, by="ann", person=operator, now=NOW)
    work()
    FAILING.clear()
    run.refresh_from_db()
    for only_failed in (True, False):
        with pytest.raises(NotAllowed):
            restart_run(run, only_failed=only_failed, started_by="ann", person=operator, now=NOW)
    assert Run.objects.count() == 1


def test_the_pages_start_nothing_of_it_for_an_operator_and_say_why(deep):
    for role, runs in (("Operator", 0), ("Steward", 0), ("Administrator", 1)):
        response = client_for(role).post(reverse("admin:scheduling_plan_run", args=[deep.pk]), follow=True)
        assert Run.objects.count() == runs
        assert ("right to run a SQL script" in response.content.decode()) == (not runs)


def test_nobody_without_the_right_saves_a_step_with_a_script_in_its_depth(deep, script):
    for target in (script, deep):
        with pytest.raises(InvalidPlan) as refused:
            plan("Mine", target, may_script=False)
        assert list(refused.value.errors) == ["steps.0.script"]
    assert plan("Mine", deep, may_script=True).pk


def test_nor_says_when_a_plan_with_one_runs_but_may_switch_it_off_and_change_the_rest(deep):
    for schedule in (DAILY, {**DAILY, "run_times": "03:00"}):
        with pytest.raises(InvalidPlan, match="may change when"):
            save_plan(_again(deep, schedule, may_script=False), now=NOW)
        save_plan(_again(deep, schedule), now=NOW)
    changed = _again(deep, {}, may_script=False)
    changed.steps[0].step.is_cancelled = True
    save_plan(changed, now=NOW)
    changed.steps[0].step.is_cancelled = False
    with pytest.raises(InvalidPlan, match="may save that"):
        save_plan(changed, now=NOW)
    assert not save_plan(_again(deep, {"is_enabled": False}, may_script=False), now=NOW).is_enabled


def _again(stored, schedule, may_script=True):
    draft = PlanDraft.of(Plan.objects.get(pk=stored.pk))
    return PlanDraft(draft.plan, schedule, [StepDraft(each.step) for each in draft.steps], may_script)


def test_the_form_tells_a_steward_at_the_fields(deep, script):
    url, steward = reverse("admin:scheduling_plan_add"), client_for("Steward")
    sent = {"name": "Mine", "order": "steps", "overlap": "skip", "timezone": "UTC", "steps-TOTAL_FORMS": 1,
            "steps-INITIAL_FORMS": 0, "steps-0-what": f"plan:{deep.pk}", "steps-0-step_index": 1,
            "steps-0-priority": 0, "steps-0-attempts": 1, "steps-0-retry_interval_seconds": 60}  # fmt: skip
    assert "only people who may run scripts may save that" in steward.post(url, sent).content.decode()
    assert not Plan.objects.filter(name="Mine").exists()
    mine = {**sent, "name": "Outer", "schedule_type": "daily", "run_times": "02:30", "is_enabled": "on",
            "steps-INITIAL_FORMS": 1, "steps-0-id": deep.steps.get().pk,
            "steps-0-what": f"plan:{deep.steps.get().sub_plan_id}"}  # fmt: skip
    page = steward.post(reverse("admin:scheduling_plan_change", args=[deep.pk]), mine)
    assert page.status_code == 200 and "may change when" in page.content.decode()
    deep.refresh_from_db()
    assert deep.schedule_type == ""


def test_nor_are_the_parameters_of_such_a_plan_changed(deep):
    deep.parameters = {"day": {"type": "text", "default": "x"}}
    with pytest.raises(InvalidPlan) as refused:
        save_plan(PlanDraft(deep, may_script=False), now=NOW)
    assert list(refused.value.errors) == ["parameters"]
    save_plan(PlanDraft(deep), now=NOW)
    save_plan(PlanDraft(Plan.objects.get(pk=deep.pk), may_script=False), now=NOW)
