"""Promise: a command that settings allow runs without a shell, is heard line by line, and leaves nothing running."""

import os
import signal
import subprocess
import sys
import threading
import time as real_time
from pathlib import Path

import pytest

from scheduling import clock
from scheduling.errands import command as command_module
from scheduling.errors import FatalJobError
from scheduling.models import Attempt, AttemptLog, Job, Task
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.cancel import cancel_run
from scheduling.testing import call, know_jobs
from scheduling.workloads.pulse import STOPPING
from tests.scheduling.errands.conftest import log_of, run_and_close

pytestmark = pytest.mark.django_db
in_threads = pytest.mark.django_db(transaction=True)

SHELL = ["/bin/sh", "-c"]


@pytest.fixture
def shell(run, settings):
    """Return a function that lets the setting allow a script, runs it as a step would, and returns the task."""

    def start(script, *arguments, options=None, **more):
        settings.COMMAND_STEPS = {"work": {"argv": [*SHELL, script, "work"], **(options or {})}}
        return run("Command", name="work", arguments=list(arguments), **more)

    return start


def wait_for(condition, seconds=20.0):
    until = real_time.monotonic() + seconds
    while not condition():
        assert real_time.monotonic() < until, "it did not come about"
        real_time.sleep(0.02)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def test_what_it_prints_is_its_log_and_what_it_says_last_its_result(shell):
    task = shell('echo one; echo "a warning" >&2; echo "two 2"')
    assert (task.status, task.result) == ("completed", {"exit_code": 0, "output": task.result["output"]})
    assert sorted(task.result["output"].splitlines()) == ["a warning", "one", "two 2"]
    assert sorted(log_of(task).splitlines()) == ["INFO one", "INFO two 2", "WARNING a warning"]


def test_json_that_it_prints_is_its_result(shell):
    assert shell("""echo '{"rows": 12, "days": ["mon"]}'""").result["output"] == {"rows": 12, "days": ["mon"]}


@pytest.mark.parametrize("printed", ["NaN", "1e999", "[" * 3_000])
def test_what_is_no_json_is_text(shell, printed):
    task = shell(f"printf '{printed}'")
    assert task.result["exit_code"] == 0 and printed.endswith(task.result["output"])


def test_nul_in_json_is_left_out_and_long_lines_are_cut_to_what_a_result_holds(shell):
    assert shell("""printf '["a\\\\u0000b"]'""").result["output"] == ["ab"]
    task = shell("for each in $(seq 30); do head -c 3999 /dev/zero | tr '\\0' x; echo; done; printf end")
    assert len(task.result["output"]) == 10_000 and task.result["output"].endswith("end")


@pytest.mark.parametrize("given", ["a\0b", "\ud800"])
def test_a_text_that_no_program_can_have_is_refused_and_leaves_nothing_open(settings, given):
    settings.COMMAND_STEPS = {"work": ["/bin/echo", given]}
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        with pytest.raises(FatalJobError, match="/bin/echo cannot be run"):
            call(command_module.command, name="work")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_arguments_are_arguments_and_never_text_for_a_shell(shell, tmp_path):
    bait = tmp_path / "bait"
    given = [f"; touch {bait}", f"$(touch {bait})", f"`touch {bait}`", "| cat", "a b", "", "*", "--x=1", 7, 0.5, True]
    task = shell('for each in "$@"; do echo "<$each>"; done', *given)
    texts = [str(each).lower() if each is True else str(each) for each in given]
    assert task.result["output"].splitlines() == [f"<{text}>" for text in texts]
    assert not bait.exists()


def test_it_sees_nothing_of_the_workers_environment_but_what_the_setting_names(shell, monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY", "canary")
    monkeypatch.setenv("BILLING_TOKEN", "handed over")
    task = shell("env; pwd", options={"folder": str(tmp_path), "environment": ["BILLING_TOKEN"]})
    lines = task.result["output"].splitlines()
    names = {line.partition("=")[0] for line in lines[:-1]} - {"PWD", "SHLVL", "_", "OLDPWD", "LC_CTYPE"}
    ours = {f"STAGING_SCHEDULER_{name}" for name in ("RUN_ID", "TASK_ID", "ATTEMPT")}
    assert names == {"PATH", "LANG", "HOME", "BILLING_TOKEN", *ours}
    assert "BILLING_TOKEN=handed over" in lines and lines[-1] == str(tmp_path)
    assert "canary" not in task.result["output"]
    monkeypatch.delenv("BILLING_TOKEN")
    assert "no variable BILLING_TOKEN" in shell("env", options={"environment": ["BILLING_TOKEN"]}).message


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo first; echo 'no space left' >&2; exit 3", "work ended with exit code 3."),
        ("kill -9 $$", "work was ended by SIGKILL."),
        ("exit 127", "work ended with exit code 127."),
    ],
)
def test_how_it_ended_badly_is_told_with_what_it_printed_last(shell, script, told):
    task = shell(script)
    assert task.status == "failed" and told in task.message
    assert ("no space left" in task.message) == ("space" in script)


def test_a_code_of_warnings_completes_with_one(shell):
    task = shell("echo 3 rows were odd; exit 4", warning_codes=[4])
    assert (task.status, task.warnings, task.result["exit_code"]) == ("completed", 1, 4)
    assert "work ended with exit code 4. It printed last: 3 rows were odd" in task.message
    assert shell("exit 5", warning_codes=[4]).status == "failed"


@pytest.mark.parametrize(
    ("steps", "arguments", "told"),
    [
        ({"other": ["/bin/true"]}, {"name": "othr"}, "COMMAND_STEPS allows no command 'othr'. Did you mean 'other'?"),
        ({"fix": {"argv": ["/bin/true"], "takes_arguments": False}}, {"name": "fix", "arguments": ["x"]}, "without"),
        ({"gone": ["/nothing/here"]}, {"name": "gone"}, "/nothing/here cannot be run: No such file or directory."),
        ({"text": ["/etc/passwd"]}, {"name": "text"}, "/etc/passwd cannot be run: Permission denied."),
        ({"far": {"argv": ["/bin/true"], "folder": "/nothing"}}, {"name": "far"}, "/bin/true cannot be run:"),
        ({"wrong": "/bin/true; rm"}, {"name": "wrong"}, "COMMAND_STEPS: wrong is a list of texts"),
        ({"wrong": ["true"]}, {"name": "wrong"}, "by whole paths"),
    ],
)
def test_what_the_setting_does_not_allow_does_not_run_and_is_not_tried_again(run, settings, steps, arguments, told):
    settings.COMMAND_STEPS = steps
    task = run("Command", **arguments)
    assert task.status == "failed" and told in task.message


def test_a_million_lines_are_bounded_and_so_is_a_line_without_end(shell):
    task = shell("head -c 3000000 /dev/zero | tr '\\0' x; echo; seq 1 20000")
    kept = AttemptLog.objects.get(attempt__task=task)
    assert task.status == "completed" and kept.dropped > 19_000
    assert len(kept.lines) < 500 * 450 and kept.lines.endswith("20000")
    assert task.result["output"].splitlines()[-1] == "20000"


def test_bytes_that_are_no_text_break_nothing(shell):
    task = shell("printf 'a\\377b\\000c\\n'; printf 'caf\\303\\251'")
    assert task.status == "completed" and "café" in log_of(task)


def test_it_reads_nothing_from_the_worker(shell):
    assert shell("cat; echo done").result["output"] == "done"


def begun(settings, script, **options):
    """Start a command in a thread of its own, as a worker would; return its run, and the thread."""
    settings.COMMAND_STEPS = {"work": [*SHELL, script, "work"]}
    know_jobs()
    Job.objects.filter(name="Command").update(**options)
    run = start_job_now(Job.objects.get(name="Command"), {"name": "work"}, started_by="ann", now=clock.now())
    attempt = claim_next(worker="test", now=clock.now())
    thread = threading.Thread(target=run_and_close, args=(attempt,))
    thread.start()
    return run, thread


# A grandchild in a session of its own, that nobody waits for and that listens to no polite signal.
FAMILY = """
echo $$ > {folder}/child
setsid sh -c 'trap "" TERM; echo $$ > {folder}/deaf; while :; do sleep 0.1; done' > /dev/null 2>&1 &
sh -c 'echo $$ > {folder}/mild; sleep 600' &
echo ready
"""


def family(folder):
    """Return the ids of the processes of FAMILY when all of them run."""
    files = [folder / name for name in ("child", "deaf", "mild")]
    wait_for(lambda: all(file.exists() and file.read_text().strip() for file in files))
    return [int(file.read_text()) for file in files]


@pytest.fixture
def short_grace(monkeypatch):
    monkeypatch.setattr(command_module, "_LONGEST_GRACE", command_module.timedelta(seconds=0.3))


@in_threads
def test_a_cancel_ends_the_command_and_all_that_it_started(run, settings, tmp_path, short_grace):
    cancelled, thread = begun(settings, FAMILY.format(folder=tmp_path) + "sleep 600")
    pids = family(tmp_path)
    wait_for(lambda: AttemptLog.objects.filter(lines__contains="ready").exists())  # line by line, while it runs
    cancel_run(cancelled, by="ann", now=clock.now())
    thread.join(30)
    assert not thread.is_alive() and Task.objects.get(run=cancelled).status == "cancelled"
    assert not any(map(is_alive, pids))


@in_threads
def test_a_time_out_ends_the_command(run, settings, tmp_path, short_grace):
    late, thread = begun(settings, FAMILY.format(folder=tmp_path) + "sleep 600", timeout_seconds=1)
    pids = family(tmp_path)
    thread.join(30)
    task = Task.objects.get(run=late)
    assert task.status == "failed" and "It took longer than" in task.message
    assert not any(map(is_alive, pids))


@in_threads
def test_a_command_that_ends_politely_may_say_so(run, settings, tmp_path):
    script = "trap 'echo tidied up; exit 0' TERM; echo $$ > {0}; while :; do sleep 0.05; done"
    cancelled, thread = begun(settings, script.format(tmp_path / "child"))
    wait_for((tmp_path / "child").exists)
    cancel_run(cancelled, by="ann", now=clock.now())
    thread.join(30)
    assert "tidied up" in log_of(Task.objects.get(run=cancelled))


def test_what_it_leaves_in_the_background_ends_with_it(shell, tmp_path, short_grace):
    task = shell(FAMILY.format(folder=tmp_path) + f"while [ ! -s {tmp_path}/deaf -o ! -s {tmp_path}/mild ]; do :; done")
    assert task.status == "completed"
    assert not any(map(is_alive, family(tmp_path)))


@in_threads
def test_a_worker_that_is_to_stop_ends_the_command_and_hands_it_back(run, settings, tmp_path, short_grace):
    stopped, thread = begun(settings, FAMILY.format(folder=tmp_path) + "sleep 600")
    pids = family(tmp_path)
    try:
        STOPPING.tell(grace=60, then=lambda: None)
        thread.join(30)
    finally:
        STOPPING.forget()
    task = Task.objects.get(run=stopped)
    assert task.status == "queued" and "no attempt is used" in task.message
    assert not any(map(is_alive, pids))


GUARDED = [sys.executable, "-I", "-S", str(Path(command_module.guard.__file__))]


@pytest.mark.parametrize("victim", ["the worker", "the guard"])
def test_who_is_killed_leaves_no_orphan(tmp_path, victim):
    """Without a worker: the standard input of the guard ends, as it does when whoever holds it is killed."""
    told, tell = os.pipe()
    guard = subprocess.Popen(
        [*GUARDED, str(tell), "0.2", *SHELL, FAMILY.format(folder=tmp_path) + "sleep 600"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=(tell,), start_new_session=True,
    )  # fmt: skip
    os.close(tell)
    child, *others = family(tmp_path)
    try:
        if victim == "the worker":
            guard.stdin.close()
            guard.wait(30)
            assert not any(map(is_alive, (child, *others)))
        else:
            guard.kill()
            wait_for(lambda: not is_alive(child))
    finally:
        guard.stdin.close()
        guard.kill()
        guard.wait()
        os.close(told)
        for pid in (child, *others):
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)


@in_threads
def test_a_guard_that_is_killed_fails_the_command(run, settings, tmp_path):
    broken, thread = begun(settings, f"echo $PPID > {tmp_path}/guard; sleep 600")
    wait_for(lambda: (tmp_path / "guard").exists() and (tmp_path / "guard").read_text().strip())
    os.kill(int((tmp_path / "guard").read_text()), signal.SIGKILL)
    thread.join(30)
    task = Task.objects.get(run=broken)
    assert task.status == "failed" and "was killed, and what watched over it" in task.message
    assert Attempt.objects.filter(task=task).count() == 1
