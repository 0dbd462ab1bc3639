"""The wait workload: looks once whether what a step waits for has come, and says when to look again.

It holds no worker in between: who runs it puts the task back until then. A look changes nothing, so that one that is
lost with its worker is made again.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo

from django.db import InterfaceError, OperationalError

from scheduling import clock
from scheduling.cadence.until import until_time
from scheduling.cadence.words import read_time
from scheduling.errors import EntityCancelled, FatalJobError, SchedulingError, TimedOut
from scheduling.models import SqlScript, Task
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Judged, Outcome, failure
from scheduling.workloads.pulse import Pulse
from scheduling.workloads.script import ask
from staging.models import Entity
from staging.tables.columns import pending_statistics
from staging.wording import counted, said_together, say

LOOKS_EVERY = timedelta(minutes=1)

_YES, _NO = ("true", "t"), ("false", "f")


@dataclass(frozen=True)
class _Look:
    """What a look found: `waits` says for what, and what there is now; `until` is the instant, where it is known."""

    is_over: bool
    waits: str
    until: datetime | None = None


def execute(task: Task, pulse: Pulse, time: clock.TimeSource) -> Outcome:
    """Look whether the wait is over. Completed when it is, failed when its time is; else queued again, `again_at`.

    What keeps it from looking for good (a query that fails, an entity that is gone) fails the step at once. A lost
    connection and a query that takes too long do not: the next attempt looks again. Raises AttemptLost and
    AttemptCancelled.
    """
    pulse.check_late_start()
    since = task.waits_since or task.queued_at or time()
    try:
        found = _look_of(task)(task, pulse, since, time())
    except (OperationalError, InterfaceError, SchedulingError):
        raise
    except Exception as error:
        raise Judged(error, is_fatal=True) from error
    now = time()
    if found.is_over:
        done = said_together(found.waits, say("Waited {wait}.", wait=now - since))
        return Outcome(TaskStatus.COMPLETED, done)
    return _not_yet(task, found, since, now)


def ended(task: Task, outcome: Outcome, *, now: datetime) -> str:
    """Nothing is left behind: a look changes nothing."""
    return ""


def is_true(answer: Any) -> bool:
    """Return whether what a query answered means yes: true, or a number other than 0; nothing means no.

    Raises FatalJobError for any other text.
    """
    if answer is None or isinstance(answer, bool | int | float):
        return bool(answer)
    text = str(answer).strip().lower()
    if text in _YES or text in _NO:
        return text in _YES
    with suppress(InvalidOperation):
        number = Decimal(text)
        if not number.is_nan():
            return bool(number)
    raise FatalJobError(
        say("The query has to answer true, false or a number; it answered {answer!r}.", answer=text[:100])
    )


def _not_yet(task: Task, found: _Look, since: datetime, now: datetime) -> Outcome:
    """Return that it waits on until the next look; or that its time is up."""
    gives_up = since + timedelta(seconds=task.timeout_seconds) if task.timeout_seconds else None
    if gives_up is not None and gives_up <= now:
        late = TimedOut(
            say("It waited since {since} for {limit}, and gave up. {waits}", since=since, limit=now - since,
                waits=found.waits)
        )  # fmt: skip
        return failure(late, is_fatal=True)
    again = now + LOOKS_EVERY if found.until is None else found.until
    again = again if gives_up is None else min(again, gives_up)
    message = found.waits
    if found.until is None:
        message = said_together(message, say("Looks again at {again}.", again=again))
    if gives_up is not None:
        message = said_together(message, say("Gives up at {gives_up}.", gives_up=gives_up))
    return Outcome(TaskStatus.QUEUED, message, again_at=again)


def _until(task: Task, pulse: Pulse, since: datetime, now: datetime) -> _Look:
    """Wait for a time of day of the day of the run."""
    told = task.arguments
    slot, zone = datetime.fromisoformat(told["slot"]), ZoneInfo(told["zone"])
    until = until_time(slot, zone, read_time(told["until"]), int(told.get("days", 0)))
    return _timed(until, now)


def _for_minutes(task: Task, pulse: Pulse, since: datetime, now: datetime) -> _Look:
    """Wait for a length of time."""
    until = since + timedelta(minutes=int(task.arguments["minutes"]))
    return _timed(until, now)


def _timed(until: datetime, now: datetime) -> _Look:
    if until <= now:
        return _Look(True, say("It was to wait until {until}.", until=until))
    return _Look(False, say("Waits until {until}.", until=until), until)


def _for_rows(task: Task, pulse: Pulse, since: datetime, now: datetime) -> _Look:
    """Wait for pending rows of an entity."""
    wanted = int(task.arguments["rows"])
    entity = Entity.objects.filter(pk=task.arguments["entity"]).first()
    if entity is None:
        raise FatalJobError(say("The entity does not exist any more."))
    if entity.is_cancelled:
        raise EntityCancelled(say("{entity} is retired: nothing of it is processed.", entity=entity.name))
    pending = pending_statistics([entity])[entity.pk]
    if pending.error:
        raise FatalJobError(say("Its rows cannot be counted: {error}", error=pending.error))
    rows = counted(pending.count, "row", "rows")
    if pending.count >= wanted:
        return _Look(True, say("Found {rows} of {entity}.", rows=rows, entity=entity.name))
    waits = say(
        "Waits for {wanted} of {entity} since {since}; found {rows} so far.",
        wanted=counted(wanted, "row", "rows"), entity=entity.name, since=since, rows=rows,
    )  # fmt: skip
    return _Look(False, waits)


def _for_query(task: Task, pulse: Pulse, since: datetime, now: datetime) -> _Look:
    """Wait until the query of a saved script is true."""
    script = SqlScript.objects.filter(pk=task.arguments["script"]).first()
    answer = ask(script, task.arguments.get("arguments", {}), pulse)
    name = script.name if script is not None else ""
    if is_true(answer):
        return _Look(True, say("The query of script {script} is true.", script=name))
    return _Look(
        False, say("Waits until the query of script {script} is true, since {since}.", script=name, since=since)
    )


_Looks = Callable[[Task, Pulse, datetime, datetime], _Look]
_LOOKS: dict[str, _Looks] = {"until": _until, "minutes": _for_minutes, "rows": _for_rows, "script": _for_query}


def _look_of(task: Task) -> _Looks:
    """Return how to look for what the arguments of a task name."""
    for name, look in _LOOKS.items():
        if name in task.arguments:
            return look
    raise FatalJobError(say("It does not say what it waits for."))
