"""Evaluates one configuration of a cycle: decide, fire or say why not; its errors stay its own."""

import logging
from datetime import datetime

from django.db import InterfaceError, OperationalError, connection

from scheduling import events
from scheduling.decisions.decide import decide
from scheduling.decisions.decision import Decision, Statistics
from scheduling.dispatch.report import CycleReport
from scheduling.lifecycle.guard import back_off, pass_slot
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
        elif _refuse(configuration, decision, statistics, now):
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
    scheduled = configuration.processing_mode == ProcessingMode.SCHEDULED
    slot = configuration.next_scheduled_run if scheduled else None
    next_run = advance(configuration, now) if scheduled else None
    started = fire(
        configuration,
        fire_key=_fire_key(configuration, slot),
        trigger_source=decision.trigger_source,
        reason=decision.reason,
        slot=slot,
        next_run=next_run,
        now=now,
        rows_queued=statistics.pending.count,
        details={"gates": decision.gates_as_json(), "reason": decision.reason},
    )
    if started is None and slot is not None:
        # The slot's run exists already (this schedule was set back by hand, or a dispatcher died in between).
        pass_slot(configuration, next_run=next_run)
    return started is not None


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


def _refuse(configuration: SchedulerConfiguration, decision: Decision, statistics: Statistics, now: datetime) -> bool:
    """Log a fire that was due but held back; False when nothing was due, which needs no event."""
    scheduled = configuration.processing_mode == ProcessingMode.SCHEDULED
    if not decision.would_fire_but_for("overlap", "back_off"):
        return False
    if scheduled and not pass_slot(configuration, next_run=advance(configuration, now)):
        return False
    # A triggered entity stays due for as long as its batch runs: one event a batch, not one a minute.
    if not scheduled and _said_before(configuration):
        return False
    events.record(
        EventType.SKIPPED,
        now=now,
        entity_id=configuration.entity_id,
        message=decision.reason,
        rows_queued=statistics.pending.count,
        details={"gates": decision.gates_as_json(), "reason": decision.reason},
    )
    return True


def _said_before(configuration: SchedulerConfiguration) -> bool:
    """Return whether a skip was logged since the last fire."""
    since = configuration.run_started_at or configuration.last_fired_at
    events_so_far = SchedulerLog.objects.filter(entity_id=configuration.entity_id, event_type=EventType.SKIPPED)
    return events_so_far.filter(event_time__gte=since).exists() if since else events_so_far.exists()


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
