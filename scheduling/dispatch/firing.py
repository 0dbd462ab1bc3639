"""Evaluates one configuration of a cycle: decide, fire or say why not; its errors stay its own."""

import logging
from datetime import datetime, timedelta

from django.db import InterfaceError, OperationalError, connection

from scheduling import events
from scheduling.decisions.aftermath import aftermath
from scheduling.decisions.decide import decide
from scheduling.decisions.decision import Decision, Statistics
from scheduling.decisions.slots import DueSlots
from scheduling.decisions.wording import span_sentence
from scheduling.dispatch.report import CycleReport
from scheduling.lifecycle.guard import back_off, pass_slots
from scheduling.models import Run, SchedulerConfiguration, SchedulerLog
from scheduling.runs.start import fire
from scheduling.schedules.change import advance
from scheduling.states import AttemptOutcome, EventType, ProcessingMode

logger = logging.getLogger(__name__)


def evaluate(configuration: SchedulerConfiguration, statistics: Statistics, now: datetime, report: CycleReport) -> None:
    """Decide this configuration and act on it; note the result in the report.

    An error is logged, backed off and stays with this entity. Only a lost database connection ends the cycle:
    every further entity would fail for the same reason.
    """
    code = configuration.entity.code
    try:
        decision = decide(configuration, statistics, now)
        if decision.would_fire:
            if _fire(configuration, decision, statistics, now):
                report.fired.append(code)
        elif _hold_back(configuration, decision, statistics, now):
            report.skipped.append(code)
        if statistics.pending.error:
            raise RuntimeError(statistics.pending.error)
    except Exception as error:
        if isinstance(error, (OperationalError, InterfaceError)) and not connection.is_usable():
            raise
        report.errors.append(code)
        _note_error(configuration, error, now)


def _fire(configuration: SchedulerConfiguration, decision: Decision, statistics: Statistics, now: datetime) -> bool:
    """Claim the fire and create its run; False when another dispatcher, an edit or a person was faster."""
    slot = decision.slots.fire
    moved = _moved(configuration, decision.slots, now) if slot else {}
    started = fire(
        configuration,
        fire_key=_fire_key(configuration, slot),
        trigger_source=decision.trigger_source,
        reason=decision.reason,
        slot=slot,
        slots=moved,
        now=now,
        rows_queued=statistics.pending.count,
        details={"gates": decision.gates_as_json(), "reason": decision.reason},
    )
    # Without a start, the slot's run may exist already (the schedule was set back by hand): then it just moves on.
    if slot is not None and (started is not None or pass_slots(configuration, moved)):
        _tell_passed_slots(configuration, decision.slots, now)
    return started is not None


def _moved(
    configuration: SchedulerConfiguration, slots: DueSlots, now: datetime, *, keep: datetime | None = None
) -> dict[str, datetime | None]:
    """Return the columns by which a schedule moves on; `keep` is a slot that goes on waiting for its run."""
    following = keep or slots.following or advance(configuration, now)
    return {"next_scheduled_run": following, "caught_up_through": slots.through}


def _fire_key(configuration: SchedulerConfiguration, slot: datetime | None) -> str:
    """Return what makes this fire unique: the slot, or the number of the fire for a trigger.

    A slot whose worker died is due again; each such loss gives it one more key, and no more than one.
    """
    if slot is None:
        return f"configuration:{configuration.pk}:fire:{configuration.fire_count + 1}"
    lost = Run.objects.filter(
        entity_id=configuration.entity_id, scheduled_for=slot, tasks__attempts__outcome=AttemptOutcome.LOST
    ).count()
    again = f":again:{lost}" if lost else ""
    return f"configuration:{configuration.pk}:slot:{slot.isoformat()}{again}"


def _hold_back(
    configuration: SchedulerConfiguration, decision: Decision, statistics: Statistics, now: datetime
) -> bool:
    """Act on a decision not to fire: move past slots that will not run, and log what was due but held back.

    Returns whether something was due.
    """
    after = aftermath(configuration, decision)
    if after.moves_on:
        if not pass_slots(configuration, _moved(configuration, decision.slots, now, keep=after.keep)):
            return False
        _tell_passed_slots(configuration, decision.slots, now)
    if not after.held_back:
        return False
    # A triggered entity stays due for as long as its batch runs: one event a batch, not one a minute.
    if configuration.processing_mode == ProcessingMode.TRIGGERED and _said_before(configuration, now):
        return False
    events.record(
        after.held_back,
        now=now,
        entity_id=configuration.entity_id,
        message=decision.reason,
        rows_queued=statistics.pending.count,
        details=_details(decision),
    )
    return True


def _details(decision: Decision) -> dict[str, object]:
    """Return what a log event keeps of a decision not to fire: every gate, the one that refused, and the slot."""
    refused = next((gate.name for gate in decision.blocking() if not gate.passed), "")
    slot = {"slot": decision.slots.fire.isoformat()} if decision.slots.fire else {}
    return {"gates": decision.gates_as_json(), "reason": decision.reason, "gate": refused, **slot}


def _tell_passed_slots(configuration: SchedulerConfiguration, slots: DueSlots, now: datetime) -> None:
    """Log, once, the slots that were missed while nothing ran, and those that a blackout held."""
    for span, kind, what in (
        (slots.missed, EventType.MISSED, "missed while no scheduler ran"),
        (slots.held, EventType.HELD, "held by a blackout"),
    ):
        if span is not None:
            details = {"first": span.first.isoformat(), "last": span.last.isoformat(), "count": span.count}
            message = f"{span_sentence(span, what)}."
            events.record(kind, now=now, entity_id=configuration.entity_id, message=message, details=details)


def _said_before(configuration: SchedulerConfiguration, now: datetime) -> bool:
    """Return whether this holding back was logged before: since the last fire, and within the last hour."""
    since = max(filter(None, (configuration.last_fired_at, now - timedelta(hours=1))))
    kinds = (EventType.SKIPPED, EventType.HELD)
    return SchedulerLog.objects.filter(
        entity_id=configuration.entity_id, event_type__in=kinds, event_time__gte=since
    ).exists()


def _note_error(configuration: SchedulerConfiguration, error: Exception, now: datetime) -> None:
    """Log an error and back off; a failure of this note itself must not stop the cycle."""
    logger.error("evaluating %s failed", configuration.entity.code, exc_info=error)
    try:
        if configuration.backoff_until and configuration.backoff_until > now:
            return
        failures = configuration.consecutive_failures + 1
        until = back_off(configuration.pk, now=now, failures=failures)
        text = " ".join(str(error).split()) or type(error).__name__
        message = f"{text} Not tried again before {until:%H:%M:%S} UTC."
        events.record(EventType.ERROR, now=now, entity_id=configuration.entity_id, message=message)
    except Exception:
        logger.exception("could not note the error of %s", configuration.entity.code)
