"""What an engineer does with jobs and plans on one day, in real processes on both profiles.

Each point has tests of its own elsewhere; here they meet: code that enqueues in one process, workers, cycles and
commands in others. What waits, runs for each item, asks addresses, comes after others or is backfilled has a file of
its own.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.installation import Installation, own_app
from tests.acceptance.installation import embedded as installed_on_sqlite
from tests.acceptance.installation import production as installed_for_production
from tests.acceptance.test_one_minute import CELERY, CYCLE_WORKER, MANAGE, WORKER

JOBS = '''
import logging, os, time
from pathlib import Path
from scheduling.errors import FatalJobError
from scheduling.jobs.declare import every, job, on_failure, on_success, on_warning, retry

HERE = Path(os.environ["EXTRA_PATH"])


def told(context, end):
    """Note how a job ended."""
    with (HERE / "told").open("a") as file:
        file.write(f"{context.arguments.get('number', context.run.title)} {end.status} {end.warnings}\\n")


@job("Letter")
@on_success(told)
@on_failure(told)
@on_warning(told)
def letter(context, number: int, warns: bool = False):
    print("printed")
    logging.getLogger("shop").info("logged")
    if warns:
        context.warn("It was torn.")
    return {"number": number, "attempt": context.attempt}


@job("Flaky")
@retry(attempts=3, interval_seconds=0, on=OSError, not_on=FileNotFoundError)
def flaky(context, kind: str = "OSError"):
    if context.attempt < 2:
        raise {"OSError": OSError, "FileNotFoundError": FileNotFoundError, "ValueError": ValueError}[kind]("not now")
    return {"attempt": context.attempt}


@job("Broken")
def broken(context):
    if not (HERE / "mended").exists():
        raise ValueError("It is broken.")


@job("Endless")
def endless(context):
    while True:
        context.check_cancelled()
        time.sleep(0.1)


@job("Patient")
def patient(context):
    while not (HERE / "enough").exists():
        context.check_cancelled()
        time.sleep(0.1)


@job("Tell")
def tell(context, what: str):
    return what


@job("Window")
def window(context, since: str | None, until: str):
    return [since, until]


@job("Often")
@every(1, "minutes")
def often(context):
    return {"slot": context.slot.isoformat() if context.slot else None}
'''
MODEL = """
version: 1
queues: [{name: slow, max_running: 1}]
scripts:
  - name: Put
    parameters: {code: text, slot: text, before: text}
    sql: "INSERT INTO stg_region (code, name, manager) VALUES (%(code)s, %(slot)s, %(before)s)"
plans:
  - name: Daily
    parameters: {code: {type: text, default: "o'north"}}
    default_queue: slow
    expected_minutes: 90
    due_by: "06:00"
    steps:
      - {script: Put, arguments: {code: "{{code}}", slot: "{{slot}}", before: "nobody; DROP TABLE stg_region"}}
      - {entity: region, step_index: 2}
      - {job: Window, step_index: 3, arguments: {since: "{{previous_slot}}", until: "{{slot}}"}}
      - {job: Letter, step_index: 3, queue: default, arguments: {number: 1, warns: true}}
  - name: Rough
    default_attempts: 2
    default_retry_interval_seconds: 0
    steps:
      - {job: Flaky, step_index: 1, arguments: {kind: OSError}}
      - {job: Broken, step_index: 1, attempts: 1}
      - {job: Endless, step_index: 1, attempts: 1, timeout_seconds: 1}
      - {job: Tell, step_index: 2, arguments: {what: blocked}}
      - {job: Tell, step_index: 2, arguments: {what: failure}, run_if: any_failed}
      - {job: Tell, step_index: 2, arguments: {what: whatever}, run_if: always}
      - {job: Tell, step_index: 1, arguments: {what: end}, run_if: finally}
  - name: Short
    run_timeout_seconds: 1
    steps: [{job: Endless}]
  - name: By hand
    steps:
      - {wait_minutes: 600, step_index: 1}
      - {job: Broken, step_index: 1, attempts: 1}
      - {job: Flaky, step_index: 1, attempts: 1, arguments: {kind: OSError}}
      - {job: Tell, step_index: 2, arguments: {what: first}}
      - {job: Tell, step_index: 3, arguments: {what: second}}
  - name: Anew
    steps:
      - {job: Patient, step_index: 1}
      - {job: Tell, step_index: 1, arguments: {what: early}}
      - {job: Tell, step_index: 2, arguments: {what: late}}
"""
NOBODY = "nobody; DROP TABLE stg_region"
ENQUEUE = """
import django, json, sys
django.setup()
from datetime import timedelta
from django.db import transaction
from scheduling.runs.enqueue import enqueue, enqueue_many, given
from shop.jobs import flaky, letter
far = timedelta(hours=1)
try:
    with transaction.atomic():
        enqueue(letter, {"number": 99})
        1 / 0
except ZeroDivisionError:
    pass
with transaction.atomic():
    kept = enqueue(given(letter, 2), after=far, key="a")
    left = enqueue(given(letter, 3), after=far, key="a")
    new = enqueue(given(letter, 4), key="a", overlap="replace", queue="slow", priority=3)
    assert kept == left == new
    many = enqueue_many(given(letter, number) for number in range(100, 160))
    tried = [enqueue(given(flaky, kind)) for kind in ("OSError", "FileNotFoundError", "ValueError")]
    later = enqueue(given(letter, 5), after=far)
numbers = {name: [run.pk for run in runs] for name, runs in (("many", many), ("tried", tried))}
print(json.dumps({"one": new.pk, "later": later.pk, **numbers}))
"""


@pytest.fixture(
    params=[
        pytest.param("embedded", marks=pytest.mark.embedded),
        pytest.param("production", marks=pytest.mark.services),
    ]
)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Installation]:
    """Yield an installation at work, with jobs and plans of its own."""
    own = own_app(tmp_path, "shop", JOBS)
    is_embedded = request.param == "embedded"
    with (installed_on_sqlite if is_embedded else installed_for_production)(tmp_path, own) as installation:
        installation.sql("UPDATE scheduling_schedulerconfiguration SET processing_mode = 'manual'")
        installation.manage("sync_jobs")
        installation.load(MODEL)
        if is_embedded:
            installation.start(MANAGE, "run_local")
        else:
            installation.start(*CYCLE_WORKER)
            installation.start(*WORKER)
            installation.start(*CELERY, "beat", "--schedule", str(tmp_path / "beat"))
        yield installation


def shown(place: Installation, run: int) -> dict[str, Any]:
    """Return a run as `show_run` tells it."""
    return place.command("show_run", str(run))


def steps(place: Installation, run: int) -> dict[str, str]:
    """Return the state of each step of a run."""
    return dict(place.sql(f"SELECT key, status FROM scheduling_task WHERE run_id = {run}"))  # type: ignore[arg-type]


def wait_for(place: Installation, run: int, **expected: str) -> None:
    """Wait until steps of a run, by the beginning of their names, have these states."""
    so = lambda: all(  # noqa: E731
        status == expected[name] for step, status in steps(place, run).items() for name in expected if name in step
    )
    place.wait_until(so, f"run {run} is {expected}")


def ended(place: Installation, *runs: int) -> dict[int, str]:
    """Wait for the end of runs; return how each ended."""
    these = f"FROM scheduling_run WHERE id IN ({','.join(map(str, runs))})"
    over = f"SELECT count(*) {these} AND finished_at IS NOT NULL"
    place.wait_until(lambda: place.number(over) == len(runs), f"{runs} have ended", seconds=120)
    return dict(place.sql(f"SELECT id, status {these} ORDER BY id"))  # type: ignore[arg-type]


def started(place: Installation, *command: str) -> int:
    """Start a run by a command; return its number."""
    return int(place.command(*command)["run"])


def one_by_one(place: Installation, *commands: list[str]) -> None:
    """Run several commands in one process, which begins faster."""
    call = "import json, sys; from django.core.management import call_command; [call_command(*each) for each in {}]"
    place.python(f"import django; django.setup(); {call.format(commands)}")


def test_what_an_engineer_does_on_one_day(place: Installation) -> None:
    what_code_enqueues_is_done_once_and_as_given(place)
    parameters_and_slots_reach_scripts_and_jobs(place)
    what_fails_is_answered_as_the_plan_says(place)
    hands_on_a_live_run(place)
    steps_run_anew_while_another_is_at_work(place)
    a_schedule_gives_its_job_the_full_minute(place)


def what_code_enqueues_is_done_once_and_as_given(place: Installation) -> None:
    made = json.loads(place.python(ENQUEUE))
    one, many, tried, later = made["one"], made["many"], made["tried"], made["later"]
    assert list(ended(place, one, *many, *tried).values()) == ["completed"] * (len(many) + 2) + ["failed"] * 2
    assert (
        place.number("SELECT count(*) FROM scheduling_run WHERE kind = 'job' AND started_by = 'code'") == len(many) + 5
    )
    (task,) = shown(place, one)["tasks"]
    assert task["result"] == {"number": 4, "attempt": 1}
    attempts = (
        f"SELECT attempts_made FROM scheduling_task WHERE run_id IN ({','.join(map(str, tried))}) ORDER BY run_id"
    )
    assert place.sql(attempts) == [(2,), (1,), (1,)]
    said = "SELECT l.lines FROM scheduling_attemptlog l JOIN scheduling_attempt a ON a.id = l.attempt_id"
    ((log,),) = place.sql(f"{said} JOIN scheduling_task t ON t.id = a.task_id WHERE t.run_id = {one}")
    assert "printed" in log and "logged" in log
    hooks = (Path(place.environment["EXTRA_PATH"]) / "told").read_text().splitlines()
    assert sorted(hooks) == sorted(f"{number} completed 0" for number in (4, *range(100, 160)))
    assert steps(place, later) == {"job Letter": "queued"}
    assert place.command("cancel_all")["cancelled"] == [later]
    assert ended(place, later) == {later: "cancelled"}
    how = ("--arguments", '{"number": 6}', "--enqueue", '{"key": "a", "queue": "slow"}')
    by_hand = started(place, "run_job", "Letter", *how)
    assert ended(place, by_hand) == {by_hand: "completed"}


def parameters_and_slots_reach_scripts_and_jobs(place: Installation) -> None:
    first = started(place, "run_plan", "Daily")
    ended(place, first)
    second = started(place, "run_plan", "Daily", "--parameters", '{"code": "south"}')
    ended(place, second)
    told = shown(place, second)
    assert (told["status"], told["steps_done"], told["steps_total"]) == ("completed", 4, 4)
    windows = place.sql("SELECT result FROM scheduling_task WHERE key LIKE 'job Window%' ORDER BY id")
    (before, slot), (previous, last) = (json.loads(text) if isinstance(text, str) else text for (text,) in windows)
    assert before is None and previous == slot and datetime.fromisoformat(slot) < datetime.fromisoformat(last)
    put = place.sql("SELECT code, name, manager FROM stg_region ORDER BY id")
    assert put == [("o'north", slot, NOBODY), ("south", last, NOBODY)]
    assert place.number("SELECT count(*) FROM mdm_region") == 2
    assert sum(task.get("warnings", 0) for task in told["tasks"]) == 1 and told["critical_path"]
    queues = (
        "SELECT q.name, count(*) FROM scheduling_task t JOIN scheduling_queue q ON q.id = t.queue_id WHERE run_id ="
    )
    assert sorted(place.sql(f"{queues} {first} GROUP BY q.name")) == [("default", 1), ("slow", 3)]
    kept = f"SELECT warnings, expected IS NOT NULL, deadline_at IS NOT NULL FROM scheduling_run WHERE id = {first}"
    assert [tuple(map(int, row)) for row in place.sql(kept)] == [(1, 1, 1)]


def what_fails_is_answered_as_the_plan_says(place: Installation) -> None:
    rough, short = started(place, "run_plan", "Rough"), started(place, "run_plan", "Short")
    assert ended(place, rough, short) == {rough: "failed", short: "failed"}
    told = {task["task"]: (task["status"], task["attempts"]) for task in shown(place, rough)["tasks"]}
    assert told == {
        "job Flaky (kind=OSError)": ("completed", 2),
        "job Broken": ("failed", 1),
        "job Endless": ("failed", 1),
        "job Tell (what=blocked)": ("blocked", 0),
        "job Tell (what=failure)": ("completed", 1),
        "job Tell (what=whatever)": ("completed", 1),
        "job Tell (what=end)": ("completed", 1),
    }
    assert place.number(f"SELECT count(*) FROM scheduling_run WHERE id = {short} AND timed_out_at IS NOT NULL") == 1


def hands_on_a_live_run(place: Installation) -> None:
    run = started(place, "run_plan", "By hand")
    wait_for(place, run, Broken="failed", Flaky="failed")
    (Path(place.environment["EXTRA_PATH"]) / "mended").write_text("")
    one_by_one(place, ["complete_task", f"{run}/job Flaky (kind=OSError)"], ["retry_task", f"{run}/job Broken"])
    wait_for(place, run, Broken="completed", first="waiting", second="waiting")
    one_by_one(place, ["hold_task", f"{run}/job Tell (what=second)"], ["skip_task", f"{run}/wait 600 minutes"])
    wait_for(place, run, first="completed", second="waiting")
    assert place.number(f"SELECT count(*) FROM scheduling_task WHERE run_id = {run} AND held_at IS NOT NULL") == 1
    place.manage("resume_task", f"{run}/job Tell (what=second)")
    assert ended(place, run) == {run: "completed"}
    rest = started(place, "restart_run", str(run), "--from", "job Tell (what=first)")
    ended(place, rest)
    alone = started(place, "restart_run", str(run), "--only", "job Broken")
    assert set(ended(place, rest, alone).values()) == {"completed"}
    assert set(steps(place, rest)) == {"job Tell (what=first)", "job Tell (what=second)"}
    assert set(steps(place, alone)) == {"job Broken"}


def steps_run_anew_while_another_is_at_work(place: Installation) -> None:
    run = started(place, "run_plan", "Anew")
    early, late = "job Tell (what=early)", "job Tell (what=late)"
    wait_for(place, run, Patient="running", early="completed", late="waiting")
    place.manage("run_task", f"{run}/{late}")
    wait_for(place, run, Patient="running", late="completed")
    place.manage("run_task", f"{run}/{early}", "--on")
    wait_for(place, run, Patient="running", early="completed", late="waiting")
    (Path(place.environment["EXTRA_PATH"]) / "enough").write_text("")
    assert ended(place, run) == {run: "completed"}
    told = {task["task"]: (task["status"], task["attempts"]) for task in shown(place, run)["tasks"]}
    assert told == {"job Patient": ("completed", 1), early: ("completed", 2), late: ("completed", 2)}


def a_schedule_gives_its_job_the_full_minute(place: Installation) -> None:
    of_schedule = (
        "SELECT scheduled_for FROM scheduling_run WHERE kind = 'job' AND title = 'Often' AND status = 'completed'"
    )
    place.wait_until(lambda: bool(place.sql(of_schedule)), "the schedule has fired", seconds=90)
    ((slot,), *_) = place.sql(of_schedule)
    assert str(slot)[16:19] == ":00"
