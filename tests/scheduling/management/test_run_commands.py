"""Promises of the commands about runs: one document, the right exit code, one line when they refuse."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from scheduling.models import Run
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import FAILING, item, start, status, work

pytestmark = pytest.mark.django_db(transaction=True)


def ask(capsys, *arguments, **options):
    call_command(*map(str, arguments), "--json", **options)
    return json.loads(capsys.readouterr().out)


def refused(*arguments) -> tuple[int, str]:
    with pytest.raises(CommandError) as error:
        call_command(*map(str, arguments))
    return error.value.returncode, str(error.value)


def test_show_run_tells_each_task_in_its_order(capsys):
    FAILING.add("b")
    run = start(item("a"), item("b", "a", step_index=1), item("c", "b", step_index=2))
    work()
    assert ask(capsys, "show_run", run.pk) == {
        "run": run.pk, "status": "failed", "error": "b failed: ValueError: b is broken. Blocked behind it: 1.",
        "steps_done": 3, "steps_total": 3, "tasks": [
            {"task": "a", "status": "completed", "attempts": 1, "message": "a done"},
            {"task": "b", "status": "failed", "attempts": 1, "message": "ValueError: b is broken"},
            {"task": "c", "status": "blocked", "attempts": 0, "message": "Blocked: b failed."},
        ],
    }  # fmt: skip
    call_command("show_run", str(run.pk))
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == f"run {run.pk}: failed  b failed: ValueError: b is broken. Blocked behind it: 1."
    assert last == "  blocked    c  Blocked: b failed."


@pytest.mark.parametrize("command", ["show_run", "restart_run", "cancel_run"])
def test_a_run_that_is_not_there_is_bad_input(command):
    assert refused(command, 987654321) == (2, "There is no run 987654321.")
    assert refused(command, 10**30)[0] == 2


def test_restart_run_runs_what_failed(capsys):
    FAILING.add("b")
    run = start(item("a"), item("b", "a"))
    assert refused("restart_run", run.pk)[0] == 3
    work()
    document = ask(capsys, "restart_run", run.pk, "--failed")
    assert [task["task"] for task in document["tasks"]] == ["b"] and document["status"] == "pending"
    assert refused("restart_run", run.pk)[0] == 3
    assert refused("restart_run", document["run"])[0] == 3


@pytest.mark.parametrize(
    ("how", "steps"),
    [
        (["--from", "b"], ["b", "c"]),
        (["--only", "b"], ["b"]),
        (["--failed", "--without", "b"], ["c"]),
        (["--without", "a", "--without", "b"], ["c"]),
    ],
)
def test_restart_run_runs_a_part(capsys, how, steps):
    FAILING.add("b")
    run = start(item("a"), item("b", "a"), item("c", "b"))
    work()
    assert refused("restart_run", run.pk, "--from", "cc")[0] == 2
    assert "not allowed with argument" in refused("restart_run", run.pk, "--failed", "--only", "b")[1]
    document = ask(capsys, "restart_run", run.pk, *how)
    assert [task["task"] for task in document["tasks"]] == steps


def test_a_run_that_was_made_good_is_not_restarted_again(capsys):
    FAILING.add("b")
    run = start(item("a"), item("b", "a"))
    work()
    FAILING.clear()
    good = ask(capsys, "restart_run", run.pk, "--failed")["run"]
    work()
    for how in (["--failed"], []):
        code, told = refused("restart_run", run.pk, *how)
        assert code == 2 and f"was made good by run {good}" in told
    assert Run.objects.count() == 2


def test_restart_by_the_plans_of_now_needs_plans():
    run = start(item("a"))
    work()
    assert refused("restart_run", run.pk, "--current") == (2, f"Run {run.pk} was made of no plan: leave out --current.")
    assert refused("restart_run", run.pk, "--failed")[0] == 2


def test_cancel_run_cancels_and_tells_when_there_is_nothing_left(capsys):
    run = start(item("a"), item("b", "a"))
    assert {task["status"] for task in ask(capsys, "cancel_run", run.pk)["tasks"]} == {"cancelled"}
    assert refused("cancel_run", run.pk) == (2, f"Run {run.pk} has ended: there is nothing to cancel.")


LINES = [
    {"order": 20, "call": "test piece", "arguments": {"day": "monday"}},
    {"order": 10, "call": "test piece"},
]


def tell(monkeypatch, *lines) -> None:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_submit_tasks_starts_one_run_in_order(monkeypatch, capsys):
    tell(monkeypatch, *LINES, "")
    document = ask(capsys, "submit_tasks", "--title", "Month end")
    assert [task["status"] for task in document["tasks"]] == ["queued", "waiting"]
    assert Run.objects.get().title == "Month end" and Run.objects.get().kind == "ordered"
    assert work() == ["test piece (2)", "test piece"]


def test_submit_tasks_appends_and_waits(monkeypatch, capsys):
    tell(monkeypatch, *LINES)
    number = ask(capsys, "submit_tasks")["run"]
    tell(monkeypatch, {"order": 30, "call": "test piece"})
    document = ask(capsys, "submit_tasks", "--append", number, "--inline")
    assert document["status"] == "completed" and len(document["tasks"]) == 3


def test_submit_tasks_that_fail_end_with_exit_code_1(monkeypatch):
    FAILING.add("test piece")
    tell(monkeypatch, {"order": 1, "call": "test piece"})
    with pytest.raises(SystemExit) as stop:
        call_command("submit_tasks", "--inline")
    assert stop.value.code == 1 and status(Run.objects.get()) == "failed"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("nonsense", "Line 2: "),
        ("[]", 'write {"order": 10'),
        ({"order": 1}, 'write {"order": 10'),
        ({"order": 1, "call": "x", "script": "y"}, 'write {"order": 10'),
        ({"order": 1, "call": "os.system"}, "There is no task named 'os.system'"),
        ({"order": 1, "call": "test piece", "priority": 5}, "Line 2: priority: There is no such key"),
        ({"order": 1, "call": "test piece", "arguments": {}, "queue": "slow"}, "queue: There is no such key"),
        ({"order": 1, "call": "test piece", "argument": {}}, "argument: There is no such key"),
        ({"order": 1, "call": "test fatal", "arguments": {"label": 1}}, "There is no argument 'label'"),
        ({"order": 1, "entity": "nothing"}, "There is no entity with the code 'nothing'"),
        ({"order": 1, "script": "nothing"}, "There is no SQL script named 'nothing'"),
        ({"order": "first", "call": "test piece"}, "An order is a whole number"),
        ({"call": "test piece"}, "An order is a whole number"),
        ({"order": 1, "call": "test piece", "arguments": [1]}, 'write {"order": 10'),
        ({"order": 1, "entity": "branch", "arguments": {"colour": "red"}}, "does not take these arguments"),
        ("", "nothing to run"),
    ],
)
def test_a_wrong_line_is_one_line_and_starts_nothing(monkeypatch, line, text):
    tell(monkeypatch, *([LINES[1]] if line else []), line)
    code, told = refused("submit_tasks")
    assert code == 2 and text in told and "\n" not in told
    assert not Run.objects.exists()


def test_a_queue_that_is_not_there_is_bad_input(monkeypatch):
    tell(monkeypatch, *LINES)
    assert refused("submit_tasks", "--queue", "nowhere") == (2, "There is no queue named 'nowhere'.")


def test_status_names_what_runs(capsys):
    from scheduling.queues import claim_next

    run = start(item("a"))
    claim_next(worker="w", now=NOW)
    (running,) = ask(capsys, "status")["running"]
    assert (running["run"], running["name"], running["of"]) == (run.pk, "a", "Test")
