"""Promise: what an operator does on pages is done by command too; names are found without case where that is clear."""

import pytest
from django.core.management import CommandError, call_command

from scheduling.models import Plan, Queue, Run, SchedulerState, Task
from scheduling.plans.draft import PlanDraft, own_errors
from scheduling.plans.save import save_plan
from staging.models import Batch
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.management.test_run_commands import ask, refused
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.pieces import FAILING, item, of, start, states, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def things(make_entity, make_job):
    entity = make_entity()
    plan = save_plan(PlanDraft(Plan(name="Nightly load"), {}, [step(entity.entity)]), now=NOW)
    return {
        "entity BRANCH": entity, "plan nightly LOAD": plan, "job report": make_job("Report"),
        "queue DEFAULT": Queue.objects.get_or_create(name="default")[0], "all": SchedulerState.current(),
    }  # fmt: skip


@pytest.mark.parametrize("what", ["entity BRANCH", "plan nightly LOAD", "job report", "queue DEFAULT", "all"])
def test_everything_that_can_be_paused_is_paused_and_resumed(things, capsys, what):
    told = ask(capsys, "pause", *what.split(), "--reason", "Maintenance")
    assert told == {"what": what, "paused": True, "reason": "Maintenance", "until": None}
    row = things[what]
    row = type(row).objects.get(pk=row.pk or 1)
    assert (row.paused_by, row.pause_reason) == ("command", "Maintenance")
    assert refused("pause", *what.split())[0] == 3
    assert ask(capsys, "resume", what) == {"what": what, "paused": False}
    assert type(row).objects.get(pk=row.pk).paused_at is None
    assert refused("resume", what)[0] == 2


@pytest.mark.parametrize(
    "what", ["nothing", "entity", "entity nowhere", "plan X", "job X", "queue X", "all of it", "task 1"]
)
def test_what_is_not_there_is_bad_input(things, what):
    for command in ("pause", "resume"):
        code, told = refused(command, *what.split())
        assert code == 2 and "\n" not in told


def test_a_pause_may_have_an_end_but_not_that_of_a_queue(things, capsys):
    until = "2999-01-01T00:00:00+00:00"
    assert ask(capsys, "pause", "all", "--until", until)["until"] == until
    assert refused("pause", "queue", "default", "--until", until)[0] == 2


def test_a_failed_task_is_released_again(capsys):
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("long"))
    work(most=1)
    ask(capsys, "retry_task", f"{run.pk}/a")
    assert states(run)["a"] == "queued"
    assert refused("retry_task", of(run, "b").pk)[0] == 2 and refused("retry_task", f"{run.pk}/nothing")[0] == 2
    assert refused("retry_task", "x")[0] == 2 and refused("retry_task", 10**20)[0] == 2


def test_a_task_is_held_let_go_skipped_and_marked_as_succeeded(capsys):
    run = start(item("a"), item("b", "a"), item("c", "b"))
    held = ask(capsys, "hold_task", f"{run.pk}/a")["tasks"][0]
    assert (held["status"], held["held_by"]) == ("waiting", "command")
    call_command("show_run", str(run.pk))
    assert "a  Held by command." in capsys.readouterr().out
    assert refused("hold_task", f"{run.pk}/a") == (2, "a is held already, by command.")
    ask(capsys, "resume_task", f"{run.pk}/a")
    assert refused("resume_task", f"{run.pk}/a") == (2, "Nobody holds a.")
    ask(capsys, "skip_task", str(of(run, "a").pk))
    ask(capsys, "complete_task", f"{run.pk}/b")
    assert states(run) == {"a": "skipped", "b": "completed", "c": "queued"}
    for command in ("skip_task", "complete_task", "hold_task"):
        code, told = refused(command, f"{run.pk}/b")
        assert code == 2 and told.startswith("b is completed: only a step that waits")
        assert refused(command, f"{run.pk}/nothing") == (2, f"There is no task '{run.pk}/nothing'.")
    work()
    assert refused("skip_task", f"{run.pk}/c")[0] == 2


def test_a_task_runs_now_alone_or_with_all_that_comes_after_it(capsys):
    run = start(item("a"), item("b", "a"), item("c", "b"), item("held"))
    ask(capsys, "hold_task", f"{run.pk}/held")
    ask(capsys, "run_task", f"{run.pk}/b")
    assert states(run) == {"a": "queued", "b": "queued", "c": "waiting", "held": "waiting"}
    assert refused("run_task", f"{run.pk}/b") == (2, "b is queued already: it starts as soon as a worker is free.")
    work()
    ask(capsys, "run_task", f"{run.pk}/a", "--on")
    assert states(run) == {"a": "queued", "b": "waiting", "c": "waiting", "held": "waiting"}
    code, text = refused("restart_run", run.pk, "--from", "a")
    assert code == 3 and text == f"Run {run.pk} has not ended: run step a in it (run_task)."
    ask(capsys, "skip_task", f"{run.pk}/held")
    work()
    assert refused("run_task", f"{run.pk}/a")[0] == 2


def test_everything_is_cancelled(capsys):
    runs = [start(item("a"), key=key) for key in ("one", "two")]
    assert ask(capsys, "cancel_all") == {"cancelled": [run.pk for run in runs]}
    assert set(Run.objects.values_list("status", flat=True)) == {"cancelled"}
    assert ask(capsys, "cancel_all") == {"cancelled": []}


@pytest.mark.parametrize("command", ["approve_batch", "discard_batch"])
def test_a_held_batch_is_decided(make_entity, deposit, staged, capsys, command):
    branch = make_entity()
    branch.entity.review = "hold"
    branch.entity.save()
    deposit(rows=2)
    ask(capsys, "process_batch", "branch")
    work_off(NOW)
    (held,) = Batch.objects.all()
    assert staged() == {3: 2}
    told = ask(capsys, command, held.pk)
    work_off(NOW)
    if command == "approve_batch":
        assert told["approves"] == held.pk and staged() == {1: 2}
    else:
        assert told == {"batch": held.pk, "discarded": 2} and staged() == {2: 2}
    assert refused(command, held.pk)[0] == 2 and refused(command, "x")[0] == 2
    assert Task.objects.exists()


def test_plans_are_found_without_case_where_that_is_clear(things, capsys):
    assert ask(capsys, "check_plan", "NIGHTLY load,Nightly load")["waves"] == [["branch"]]
    assert ask(capsys, "run_plan", "nightly LOAD")["status"] == "pending"
    Plan.objects.create(name="NIGHTLY LOAD")
    code, told = refused("check_plan", "nightly load")
    assert code == 2 and "may be 'NIGHTLY LOAD' and 'Nightly load'" in told
    assert ask(capsys, "check_plan", "Nightly load")["waves"] == [["branch"]]


def test_two_plans_do_not_differ_in_case_only(things):
    assert "name" in own_errors(Plan(name="nightly load"), runs_by_itself=False)
    assert not own_errors(Plan(name="Nightly"), runs_by_itself=False)
    old = Plan.objects.create(name="NIGHTLY LOAD")  # of before this rule
    assert not own_errors(old, runs_by_itself=False)


def test_two_queues_do_not_differ_in_case_only(things, tmp_path):
    for names in (["night", "Night"], ["Default"]):
        file = tmp_path / "model.yaml"
        file.write_text("version: 1\nqueues: [" + ", ".join(f"{{name: {name}}}" for name in names) + "]\n")
        with pytest.raises(CommandError, match="already"):
            call_command("load_model", str(file))


@pytest.mark.parametrize(
    "command,name", [("test_run", "BRANCH"), ("why_not", "BRANCH"), ("why_not", "plan NIGHTLY LOAD")]
)
def test_every_command_finds_names_without_case(things, capsys, command, name):
    assert ask(capsys, command, name)


def test_a_job_is_found_without_case_and_by_its_path(things, capsys):
    assert ask(capsys, "run_job", "REPORT")["status"] == "pending"
    assert refused("run_job", "shop.jobs.report")[0] == 3 and refused("run_job", "Reporting")[0] == 2
