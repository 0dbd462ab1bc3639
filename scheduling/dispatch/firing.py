"""Evaluates one schedule of a cycle: decide, fire or say why not; its errors stay its own."""

import logging
from datetime import datetime, timedelta

from django.db import InterfaceError, OperationalError, connection

from scheduling import events
from scheduling.decisions.aftermath import aftermath, moved_on
from scheduling.decisions.decide import decide
from scheduling.decisions.decision import Decision, Statistics
from scheduling.decisions.measure import inspected
from scheduling.decisions.slots import DueSlots
from scheduling.decisions.wording import span_sentence
from scheduling.dispatch.kinds import Kind
from scheduling.dispatch.report import CycleReport
from scheduling.lifecycle.guard import back_off, pass_slots
from scheduling.models import Run, RunSchedule, Schedule, SchedulerLog
from scheduling.runs.cancel import cancel_run
from scheduling.runs.fire import Fire
from scheduling.states import AttemptOutcome, EventType, Overlap, ProcessingMode
from staging.errors import TableMismatch

logger = logging.getLogger(__name__)

_MOST_LOSSES = 60  # of one slot, each after a longer back-off: the slot is long past its catch-up window


def evaluate(kind: Kind, schedule: Schedule, statistics: Statistics, now: datetime, report: CycleReport) -> None:
    """Decide this schedule and act on it; note the result in the report.

    An error is logged, backed off and stays with this schedule. Only a lost database connection ends the cycle:
    every further one would fail for the same reason.
    """
    what = schedule.what
    try:
        decision = decide(schedule, statistics, now)
        if decision.would_fire and schedule.READS_ROWS:
            statistics = inspected(schedule, statistics)
            decision = decide(schedule, statistics, now) if statistics.altered else decision
        if decision.would_fire:
            if _fire(kind, schedule, decision, statistics, now):
                report.fired.append(what)
        elif _hold_back(schedule, decision, statistics, now):
            report.skipped.append(what)
        if statistics.pending.error:
            raise RuntimeError(statistics.pending.error)
        if statistics.altered:
            raise TableMismatch(f"Stopped: its tables differ from their definition. {statistics.altered}")
    except Exception as error:
        if isinstance(error, (OperationalError, InterfaceError)) and not connection.is_usable():
            raise
        report.errors.append(what)
        _note_error(schedule, error, now)


def _fire(kind: Kind, schedule: Schedule, decision: Decision, statistics: Statistics, now: datetime) -> bool:
    """Claim the fire and create its run; False when another dispatcher, an edit or a person was faster."""
    slot = decision.slots.fire
    moved = moved_on(schedule, decision.slots, now, fires=True) if slot else {}
    decided = Fire(
        fire_key=_fire_key(schedule, slot),
        trigger_source=decision.trigger_source,
        reason=decision.reason,
        now=now,
        slot=slot,
        slots=moved,
        rows_queued=statistics.pending.count,
        details={"gates": decision.gates_as_json(), "reason": decision.reason},
    )
    started = kind.fire(schedule, decided)
    # Without a start, the slot's run may exist already (the schedule was set back by hand): then it just moves on.
    if slot is not None and (started or pass_slots(schedule, moved)):
        _tell_passed_slots(schedule, decision.slots, now)
    return started


def _fire_key(schedule: Schedule, slot: datetime | None) -> str:
    """Return what makes this fire unique: the slot, or the number of the fire for a trigger.

    A slot whose worker died is due again; each such loss gives it one more key, and no more than one.
    """
    own = f"{schedule.KIND}:{schedule.pk}"
    if slot is None:
        return f"{own}:fire:{schedule.fire_count + 1}"
    key = f"{own}:slot:{slot.isoformat()}"
    # Keys by name, for an index leads to each of them; a beginning of a key has none everywhere.
    runs = Run.objects.filter(fire_key__in=[key, *(f"{key}:again:{number}" for number in range(1, _MOST_LOSSES))])
    lost = runs.filter(tasks__attempts__outcome=AttemptOutcome.LOST).count()
    return f"{key}:again:{lost}" if lost else key


def _hold_back(schedule: Schedule, decision: Decision, statistics: Statistics, now: datetime) -> bool:
    """Act on a decision not to fire: move past slots that will not run, and log what was due but held back.

    Returns whether something was due.
    """
    after = aftermath(schedule, decision)
    if after.moves_on:
        if not pass_slots(schedule, moved_on(schedule, decision.slots, now, after=after)):
            return False
        _tell_passed_slots(schedule, decision.slots, now)
    if after.keep is not None and isinstance(schedule, RunSchedule) and schedule.overlap == Overlap.CANCEL_RUNNING:
        _cancel_running(schedule, now)
    if not after.held_back:
        return False
    # A triggered entity stays due for as long as its batch runs: one event a batch, not one a minute.
    if schedule.processing_mode == ProcessingMode.TRIGGERED and _said_before(schedule, now):
        return False
    events.record(
        after.held_back,
        now=now,
        **schedule.subject,
        message=decision.reason,
        rows_queued=statistics.pending.count,
        details=_details(decision, after.left_out or decision.slots.fire),
    )
    return True


def _cancel_running(schedule: RunSchedule, now: datetime) -> None:
    """Cancel the run that a new one replaces; the new one starts when it has ended."""
    run = schedule.running_run
    if run is not None:
        cancel_run(run, by=f"the next run of {schedule.what}", now=now)


def _details(decision: Decision, about: datetime | None) -> dict[str, object]:
    """Return what a log event keeps of a decision not to fire: every gate, the one that refused, and the slot."""
    refused = next((gate.name for gate in decision.blocking() if not gate.passed), "")
    slot = {"slot": about.isoformat()} if about else {}
    return {"gates": decision.gates_as_json(), "reason": decision.reason, "gate": refused, **slot}


def _tell_passed_slots(schedule: Schedule, slots: DueSlots, now: datetime) -> None:
    """Log, once, the slots that were missed while nothing ran, and those that a blackout held."""
    for span, kind, what in (
        (slots.missed, EventType.MISSED, "missed while no scheduler ran"),
        (slots.held, EventType.HELD, "held by a blackout"),
    ):
        if span is not None:
            details = {"first": span.first.isoformat(), "last": span.last.isoformat(), "count": span.count}
            message = f"{span_sentence(span, what)}."
            events.record(kind, now=now, **schedule.subject, message=message, details=details)


def _said_before(schedule: Schedule, now: datetime) -> bool:
    """Return whether this holding back was logged before: since the last fire, and within the last hour."""
    since = max(filter(None, (schedule.last_fired_at, now - timedelta(hours=1))))
    kinds = (EventType.SKIPPED, EventType.HELD)
    return SchedulerLog.objects.filter(**schedule.subject, event_type__in=kinds, event_time__gte=since).exists()


def _told_last(schedule: Schedule, error: str) -> bool:
    """Return whether this is the last error told since something fired: tables that stay altered are told once."""
    errors = SchedulerLog.objects.filter(**schedule.subject, event_type=EventType.ERROR)
    if schedule.last_fired_at:
        errors = errors.filter(event_time__gte=schedule.last_fired_at)
    last = errors.order_by("-event_time", "-pk").first()
    return last is not None and last.details.get("error") == error


def _note_error(schedule: Schedule, error: Exception, now: datetime) -> None:
    """Log an error and back off; a failure of this note itself must not stop the cycle."""
    known = isinstance(error, TableMismatch)
    logger.error("evaluating %s failed: %s", schedule.what, error, exc_info=None if known else error)
    try:
        if schedule.backoff_until and schedule.backoff_until > now:
            return
        failures = schedule.consecutive_failures + 1
        until = back_off(schedule, now=now, failures=failures)
        text = " ".join(str(error).split()) or type(error).__name__
        if known and _told_last(schedule, text):
            return
        message = f"{text} Not tried again before {until:%H:%M:%S} UTC."
        events.record(EventType.ERROR, now=now, **schedule.subject, message=message, details={"error": text})
    except Exception:
        logger.exception("could not note the error of %s", schedule.what)
