"""`check_plan` and `run_plan`, to the letter of the contract."""

import json

import pytest
from django.core.management import CommandError, call_command

from scheduling.models import EntityDependency, Plan, Run
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_dependencies, save_plan
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step


@pytest.fixture
def plan(make_entity):
    entities = {code: make_entity(code).entity for code in ("region", "branch")}
    save_dependencies(entities["branch"], ["region"])
    steps = [step(entities["branch"]), step(entities["region"])]
    return save_plan(PlanDraft(Plan(name="Nightly", order="hierarchy"), {}, steps), now=NOW)


def answer(capsys, *args, code=0):
    try:
        call_command(*args, "--json")
    except SystemExit as ended:
        assert ended.code == code
    else:
        assert code == 0
    return json.loads(capsys.readouterr().out)


def test_check_plan_answers_waves_and_lines(plan, capsys):
    assert answer(capsys, "check_plan", "Nightly") == {
        "cycles": [],
        "waves": [["region"], ["branch"]],
        "hierarchy": ["region", "region >>> branch"],
    }
    call_command("check_plan", "Nightly")
    assert capsys.readouterr().out == "1. region\n2. branch\n\nregion\nregion >>> branch\n"
    assert not Run.objects.exists()


def test_check_plan_prints_the_circle_and_ends_with_1(plan, capsys):
    first, second = plan.steps.values_list("entity", flat=True)
    EntityDependency.objects.create(entity_id=second, depends_on_id=first)
    document = answer(capsys, "check_plan", "Nightly", code=1)
    assert document == {"cycles": ["branch > region > branch"], "waves": [], "hierarchy": []}


def test_run_plan_inline_runs_it_and_tells_each_task(plan, capsys, deposit):
    deposit("branch", rows=2)
    document = answer(capsys, "run_plan", "Nightly", "--inline")
    assert document == {
        "run": Run.objects.get().pk,
        "status": "completed",
        "steps_done": 2,
        "steps_total": 2,
        "tasks": [
            {"task": "region", "status": "completed", "attempts": 1, "message": "No rows were waiting."},
            {"task": "branch", "status": "completed", "attempts": 1, "message": "2 inserted."},
        ],
    }


def test_run_plan_queues_the_run(plan, capsys):
    document = answer(capsys, "run_plan", "Nightly")
    assert document["status"] == "pending" and [task["status"] for task in document["tasks"]] == ["queued", "waiting"]


def test_run_plan_ends_with_1_when_the_run_failed(plan, capsys, monkeypatch):
    monkeypatch.setattr("scheduling.workloads.batch.process", _explode)
    document = answer(capsys, "run_plan", "Nightly", "--inline", code=1)
    assert document["status"] == "failed"
    assert [task["status"] for task in document["tasks"]] == ["failed", "blocked"]


def test_run_plan_ends_with_3_while_the_plan_runs(plan, capsys):
    call_command("run_plan", "Nightly")
    with pytest.raises(CommandError, match="Plan Nightly is already running") as refused:
        call_command("run_plan", "Nightly")
    assert refused.value.returncode == 3


@pytest.mark.parametrize(("names", "text"), [("Nigtly", "Did you mean 'Nightly'"), (" , ", "Name at least one plan")])
@pytest.mark.parametrize("command", ["run_plan", "check_plan"])
def test_a_plan_that_does_not_exist_is_bad_input(plan, command, names, text):
    with pytest.raises(CommandError, match=text) as refused:
        call_command(command, names)
    assert refused.value.returncode == 2 and not Run.objects.exists()


def _explode(*_, **__):
    raise RuntimeError("the disk is on fire")


def test_run_plan_gives_what_the_plan_takes_and_tells_it(plan, capsys):
    plan.parameters = {"day": "text", "n": {"type": "integer", "default": 3}}
    save_plan(PlanDraft(plan), now=NOW)
    document = answer(capsys, "run_plan", "Nightly", "--parameters", '{"day": "2026-03-01"}')
    assert document["parameters"] == {"day": "2026-03-01", "n": 3}
    for given, told in (
        ("{}", "day is missing."), ('{"day": 1}', "takes a text"), ("[1]", "must be a JSON object"),
        ("{", "is not JSON"),
    ):  # fmt: skip
        with pytest.raises(CommandError, match=told) as refused:
            call_command("run_plan", "Nightly", "--parameters", given)
        assert refused.value.returncode == 2
    assert Run.objects.count() == 1
