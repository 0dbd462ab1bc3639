"""One minute in a process of its own: what people wish, a cycle, then all the work that can be done."""

import logging
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import InterfaceError, OperationalError, close_old_connections, transaction

from scheduling import broker, clock, conf
from scheduling.dag.conditions import parsed
from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import SchedulingError
from scheduling.jobs.reconcile import sync_jobs
from scheduling.models import Backfill, Plan, PlanStep, Run, SqlScript, Task
from scheduling.plans.draft import PlanDraft, StepDraft
from scheduling.plans.save import save_plan
from scheduling.queues import claim_next
from scheduling.runs import execute
from scheduling.runs.backfill import start_backfill
from scheduling.runs.by_hand import approve, start_plans_now
from scheduling.runs.cancel import cancel_backfill, cancel_run
from scheduling.runs.fire import Cause, Fire, Subject
from scheduling.runs.foresee import Range
from scheduling.runs.intervene import run_from, run_only
from scheduling.runs.restart import restart_run
from scheduling.runs.start import start as start_run
from staging.errors import StagingError
from staging.models import Batch, Entity
from tests.acceptance.crash import letters

logger = logging.getLogger(__name__)

_DROPPED = (OperationalError, InterfaceError)
_MOST_DROPS = 5


def live(wish: str, time: clock.TimeSource) -> None:
    """Live one minute. A lost connection ends what was being done, as in a worker, and the next thing has a new one."""
    with _surviving():
        WISHES[wish](time)
    with _surviving():
        run_cycle(time())
    work = _claim_and_work if conf.is_embedded() else _answer_wake_ups
    for _ in range(_MOST_DROPS):
        with _surviving():
            work(time)
            return


def shared_time(file: Path) -> clock.TimeSource:
    """Return a time source that several processes share: the clock, moved by the seconds that the file holds.

    A process that slept sees what time it has become.
    """
    return lambda: clock.now() + timedelta(seconds=struct.unpack("d", file.read_bytes())[0])


@contextmanager
def _surviving() -> Iterator[None]:
    """Go on after a lost connection or a refusal."""
    try:
        yield
    except _DROPPED as error:
        logger.info("dropped: %s", error)
    except (SchedulingError, StagingError) as refusal:
        logger.info("refused: %s", refusal)
    close_old_connections()


def _claim_and_work(time: clock.TimeSource) -> None:
    """Work as the embedded profile does: claim from the table until nothing is left."""
    while attempt := claim_next(worker="test", now=time()):
        execute.run_attempt(attempt, time=time)


def _answer_wake_ups(time: clock.TimeSource) -> None:
    """Work as a Celery worker does: answer the messages that reach it, each acknowledged before the work."""
    with broker._sender().connection_for_read() as connection, connection.SimpleQueue("work") as messages:
        while True:
            try:
                message = messages.get(block=False)
            except messages.Empty:
                return
            message.ack()
            execute.work_off_line(int(message.payload[0][0]), worker="test", time=time)


def _start(
    attempts: int, asked: Mapping[str, str] | None = None, *, pause: int = 30, limit: int | None = None
) -> Callable[[clock.TimeSource], None]:
    """Return the wish for a diamond of scripts, each tried so often with such a pause; it is started once.

    Some ask what `a` gave; all of it may take as long as the limit says.
    """

    def start(time: clock.TimeSource) -> None:
        script = SqlScript.objects.get(name="note").pk
        manifest = tuple(
            ManifestTask(
                key,
                "script",
                script,
                depends_on=frozenset(after),
                arguments={"label": key},
                attempts=attempts,
                retry_interval_seconds=pause,
                only_when=(parsed(asked[key]),) if asked and key in asked else (),
            )
            for key, after in (("a", ()), ("b", "a"), ("c", "a"), ("join", "bc"))
        )
        cause = Cause("once", "Manual", "ann", time())
        start_run(Fire(Subject("plan", "Test"), manifest, cause, "Test started by ann.", timeout_seconds=limit))

    return start


def _wait(limit: int | None) -> Callable[[clock.TimeSource], None]:
    """Return the wish for a run that waits for rows, for a query and for a time, between two scripts; started once."""

    def start(time: clock.TimeSource) -> None:
        script = SqlScript.objects.get(name="note").pk
        ready, _ = SqlScript.objects.get_or_create(name="ready", sql="SELECT count(*) > 0 FROM stg_region")
        region = Entity.objects.get(code="region").pk
        waits: dict[str, dict[str, Any]] = {
            "rows": {"rows": 1, "entity": region},
            "query": {"script": ready.pk, "arguments": {}},
            "minutes": {"minutes": 1},
        }
        manifest = (
            ManifestTask("a", "script", script, arguments={"label": "a"}, attempts=3),
            *(
                ManifestTask(
                    key, "wait", None, depends_on=frozenset("a"), arguments=asked, attempts=5, timeout_seconds=limit
                )
                for key, asked in waits.items()
            ),
            ManifestTask(
                "join", "script", script, depends_on=frozenset(waits), arguments={"label": "join"}, attempts=3
            ),
        )
        start_run(
            Fire(Subject("plan", "Test"), manifest, Cause("once", "Manual", "ann", time()), "Test started by ann.")
        )

    return start


def _cancel(time: clock.TimeSource) -> None:
    cancel_run(Run.objects.get(kind="plan"), by="ann", now=time())


def _restart(time: clock.TimeSource) -> None:
    if Run.objects.filter(kind="plan").count() == 1:
        restart_run(Run.objects.get(kind="plan"), only_failed=True, started_by="ann", now=time())


def _run_anew(verb: Callable[..., None], key: str) -> Callable[[clock.TimeSource], None]:
    """Return the wish to run a step of the live run anew; it is granted once."""

    def run(time: clock.TimeSource) -> None:
        if not Task.objects.filter(runs_anyway=True).exists():
            verb(Task.objects.select_related("run").get(key=key), by="ann", now=time())

    return run


def _jobs(time: clock.TimeSource) -> None:
    sync_jobs(time(), also=["tests.acceptance.crash.slots"])


def _order(time: clock.TimeSource) -> None:
    sync_jobs(time(), also=["tests.acceptance.crash.letters"])
    letters.order(time)


def _approve(time: clock.TimeSource) -> None:
    for batch in Batch.objects.filter(status="held"):
        approve(batch, by="ben", now=time())


def _after(time: clock.TimeSource) -> None:
    """Let a plan run after Nightly, and start that: once."""
    if Plan.objects.filter(name="Report").exists():
        return
    note = PlanStep(script=SqlScript.objects.get(name="note"), arguments={"label": "report"})
    with transaction.atomic():
        Plan.objects.filter(name="Nightly").update(default_attempts=3)  # what its worker dies over is tried again
        draft = PlanDraft(Plan(name="Report"), {}, [StepDraft(note)], after=[Plan.objects.get(name="Nightly")])
        save_plan(draft, now=time())
        start_plans_now(["Nightly"], started_by="ann", now=time())


def _backfill(side_by_side: int | None) -> Callable[[clock.TimeSource], None]:
    """Return the wish for a backfill of three nights of a plan that notes its slot; begun once."""

    def begin(time: clock.TimeSource) -> None:
        if Backfill.objects.exists():
            return
        if not Plan.objects.filter(name="Filled").exists():
            note = PlanStep(script=SqlScript.objects.get(name="note"), arguments={"label": "{{slot}}"})
            nightly = {"schedule_type": "daily", "run_times": "02:00"}
            save_plan(PlanDraft(Plan(name="Filled", default_attempts=3), nightly, [StepDraft(note)]), now=time())
        until = time().replace(hour=3, minute=0, second=0, microsecond=0)
        wanted = Range(until - timedelta(days=3), until, side_by_side)
        start_backfill(Plan.objects.get(name="Filled"), wanted, started_by="ann", now=time())

    return begin


def _cancel_backfill(time: clock.TimeSource) -> None:
    cancel_backfill(Backfill.objects.get(), by="ann", now=time())


WISHES: dict[str, Callable[[clock.TimeSource], None]] = {
    "": lambda time: None,
    "after": _after,
    "start": _start(1),
    "start with retries": _start(3),
    "wait": _wait(None),
    "wait a minute": _wait(90),
    "start with a limit": _start(3, pause=7200, limit=30),
    "start asking": _start(3, {"b": "a: rows > 0", "c": "a: rows > 5"}),
    "cancel": _cancel,
    "backfill": _backfill(None),
    "backfill side by side": _backfill(2),
    "cancel the backfill": _cancel_backfill,
    "restart": _restart,
    "run join": _run_anew(run_only, "join"),
    "run a and all after it": _run_anew(run_from, "a"),
    "jobs": _jobs,
    "order": _order,
    "approve": _approve,
}
