"""`check_plan` and `run_plan`, to the letter of the contract."""

import json
from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from scheduling import clock
from scheduling.management import base
from scheduling.models import EntityDependency, Plan, Run
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_dependencies, save_plan
from scheduling.runs.cancel import cancel_run
from scheduling.runs.restart import restart_run
from scheduling.schedules.pause import pause_everything, resume_everything
from scheduling.workloads import batch
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
        ("{}", "day is missing."), ('{"day": 1}', "takes values of the type text"), ("[1]", "must be a JSON object"),
        ("{", "is not JSON"),
    ):  # fmt: skip
        with pytest.raises(CommandError, match=told) as refused:
            call_command("run_plan", "Nightly", "--parameters", given)
        assert refused.value.returncode == 2
    assert Run.objects.count() == 1


@pytest.fixture
def waits(monkeypatch):
    """Let a wait of this process take no time; return the function that says what happens meanwhile."""
    told = {"at": NOW, "meanwhile": lambda: None}

    def sleep(seconds):
        told["at"] += timedelta(seconds=30)
        told["meanwhile"]()

    monkeypatch.setattr(clock, "sleep", sleep)
    monkeypatch.setattr(clock, "now", lambda: told["at"])
    monkeypatch.setattr(base.Command, "time_source", lambda self, **options: lambda: told["at"])
    return told


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_run_plan_inline_goes_on_until_the_attempts_of_the_plan_are_over(plan, capsys, monkeypatch, waits, failing):
    Plan.objects.update(run_attempts=3, run_retry_interval_seconds=120)
    left, process = [failing], batch.process  # of one batch each attempt

    def process_or_not(*args, **kwargs):
        left[0] -= 1
        return _explode() if left[0] >= 0 else process(*args, **kwargs)

    monkeypatch.setattr("scheduling.workloads.batch.process", process_or_not)
    with pytest.raises(SystemExit) if failing == 3 else nullcontext() as ended:
        call_command("run_plan", "Nightly", "--inline", "--json")
    told = capsys.readouterr()
    document = json.loads(told.out)
    runs = list(Run.objects.order_by("pk"))
    assert document["run"] == runs[-1].pk and document["attempt"] == len(runs) == min(failing + 1, 3)
    assert document["status"] == ("failed" if failing == 3 else "completed") and (failing == 3) == (ended is not None)
    lines = told.err.splitlines()
    assert [line.partition(".")[0] for line in lines] == [f"Run {run.pk} failed" for run in runs[:-1]]
    assert "attempt 1 of 3; the next begins at 2026-03-02 06:02" in lines[0]


def test_run_plan_inline_ends_with_the_wait_and_goes_on_with_what_takes_its_place(plan, capsys, monkeypatch, waits):
    Plan.objects.update(run_attempts=3, run_retry_interval_seconds=120)
    monkeypatch.setattr("scheduling.workloads.batch.process", _explode)

    def meanwhile():
        run = Run.objects.latest("pk")
        if run.attempt_number == 1:
            restart_run(run, only_failed=True, started_by="bob", now=waits["at"])
        else:
            cancel_run(run, by="anna", now=waits["at"])

    waits["meanwhile"] = meanwhile
    document = answer(capsys, "run_plan", "Nightly", "--inline", code=1)
    assert (document["attempt"], document["next_attempt_at"], Run.objects.count()) == (2, None, 2)


def test_run_plan_inline_begins_nothing_while_everything_is_paused(plan, capsys, monkeypatch, waits):
    Plan.objects.update(run_attempts=2, run_retry_interval_seconds=60)
    monkeypatch.setattr("scheduling.workloads.batch.process", _explode)
    pause_everything(by="anna", reason="Move", until=None, now=NOW)

    def meanwhile():
        if waits["at"] == NOW + timedelta(minutes=10):
            assert Run.objects.count() == 1
            resume_everything(by="anna", now=waits["at"])

    waits["meanwhile"] = meanwhile
    answer(capsys, "run_plan", "Nightly", "--inline", code=1)
    assert Run.objects.latest("pk").created_at >= NOW + timedelta(minutes=10) and Run.objects.count() == 2
