"""Evaluates the schedules of a cycle: decide, fire or say why not; the errors of each stay its own.

Between two cycles the end of a late run starts the next one that waits, without a wait for the next minute.
"""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

from scheduling.decisions.decide import decide
from scheduling.decisions.decision import (
    Decision,
    DueSlots,
    Statistics,
    aftermath,
    held_sentence,
    missed_event,
    past_slots,
)
from scheduling.errors import AlreadyRunning, NotStarted, SchedulingError
from scheduling.kinds import KINDS, Kind, inspected
from scheduling.lifecycle import events
from scheduling.lifecycle.guard import back_off, pass_slots
from scheduling.models import Backfill, Run, RunSchedule, Schedule, SchedulerConfiguration, SchedulerLog, SchedulerState
from scheduling.runs.backfill import move_backfills_on
from scheduling.runs.cancel import cancel_run
from scheduling.runs.fire import Cause, Fire, slot_key
from scheduling.runs.start import Started, raise_if_lost, start_many, together
from scheduling.states import BY_ITSELF, AttemptOutcome, EventType, GateName, ProcessingMode, RunStatus
from staging.errors import TableMismatch
from staging.wording import one_line, said_together, say

logger = logging.getLogger(__name__)

_SOONER = timedelta(seconds=2)  # so much sooner after its tick the next cycle may come than this one did
_MOST_LOSSES = 60  # of one slot, each after a longer back-off: the slot is long past its catch-up window


@dataclass
class CycleReport:
    """The entities a cycle fired, skipped and failed on, and what it could not mend.

    `ran` is False when another cycle held the lock, or when `trouble` says why this host runs none.
    """

    now: datetime
    ran: bool = True
    trouble: str = ""
    fired: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    zombies: int = 0
    resent: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the document of `dispatch --json`."""
        if not self.ran:
            trouble = {"reason": self.trouble} if self.trouble else {}
            return {"ran": False, "now": self.now.isoformat(), **trouble}
        return {
            "ran": True,
            "now": self.now.isoformat(),
            "fired": self.fired,
            "skipped": self.skipped,
            "errors": self.errors,
            "zombies": self.zombies,
            "resent": self.resent,
        }


@dataclass(frozen=True)
class _Judged:
    """A schedule, what is known of it, and the decision; or the error that stands in place of one."""

    schedule: Schedule
    statistics: Statistics
    decision: Decision | None = None
    error: Exception | None = None

    @property
    def trouble(self) -> Exception | None:
        """Return what has to be told beside the decision: its rows cannot be counted, or its tables were altered."""
        if self.statistics.pending.error:
            return RuntimeError(self.statistics.pending.error)
        if self.statistics.altered:
            return TableMismatch(
                say("Stopped: its tables differ from their definition. {how}", how=self.statistics.altered)
            )
        return None


def evaluate(
    kind: Kind, schedules: Sequence[Schedule], statistics: Mapping[int, Statistics], now: datetime, report: CycleReport
) -> None:
    """Decide these schedules, by their primary keys' statistics, and act on each; note the results in the report.

    Those that fire one after the other start together. An error is logged, backed off and stays with its schedule. Only
    a lost database connection ends the cycle: every further one would fail for the same reason.
    """
    fires: list[_Judged] = []
    for judged in _judge([(schedule, statistics[schedule.pk]) for schedule in schedules], now):
        will_fire = judged.decision is not None and judged.decision.would_fire
        if will_fire:
            fires.append(judged)
            if judged.trouble is None:
                continue
        _fire(kind, fires, now, report)
        fires = []
        with _apart(judged.schedule, now, report):
            if judged.error is not None:
                raise judged.error
            if not will_fire and _hold_back(judged, now):
                report.skipped.append(judged.schedule.what)
            if judged.trouble is not None:
                raise judged.trouble
    _fire(kind, fires, now, report)


def _judge(found: Sequence[tuple[Schedule, Statistics]], now: datetime) -> list[_Judged]:
    """Decide each of them; the tables of those that would fire are looked at before, in few statements."""
    judged = [_decided(schedule, statistics, now) for schedule, statistics in found]
    would = [each for each in judged if each.decision is not None and each.decision.would_fire]
    looked = _inspected(would)
    return [
        _decided(each.schedule, statistics, now) if (statistics := looked.get(each.schedule.pk)) else each
        for each in judged
    ]


def _decided(schedule: Schedule, statistics: Statistics | Exception, now: datetime) -> _Judged:
    """Decide one; its error stands in place of the decision."""
    if isinstance(statistics, Exception):
        return _Judged(schedule, Statistics(), error=statistics)
    try:
        return _Judged(schedule, statistics, decide(schedule, statistics, now))
    except Exception as error:
        return _Judged(schedule, statistics, error=error)


def _inspected(would: Sequence[_Judged]) -> dict[int, Statistics | Exception]:
    """Return what is known now of those whose tables were altered, or cannot be looked at; by primary key."""
    reading = [each for each in would if each.schedule.READS_ROWS]
    seen = together(inspected, [(cast(SchedulerConfiguration, each.schedule), each.statistics) for each in reading])
    found = {each.schedule.pk: known for each, known in zip(reading, seen, strict=True)}
    return {pk: known for pk, known in found.items() if isinstance(known, Exception) or known.altered}


@contextmanager
def _apart(schedule: Schedule, now: datetime, report: CycleReport) -> Iterator[None]:
    """Let an error stay with this schedule: it is logged and backed off."""
    try:
        yield
    except Exception as error:
        raise_if_lost(error)
        report.errors.append(schedule.what)
        _note_error(schedule, error, now)


def _fire(kind: Kind, judged: Sequence[_Judged], now: datetime, report: CycleReport) -> None:
    """Start what was decided to fire, together; another dispatcher, an edit or a person may have been faster."""
    if not judged:
        return
    losses = _losses([_key(each) for each in judged])
    causes: list[tuple[Schedule, Cause]] = []
    for each in judged:
        with _apart(each.schedule, now, report):
            causes.append((each.schedule, _cause(each, losses, now)))
    fires = together(kind.fires, causes)
    answers = iter(start_many([fire for fire in fires if isinstance(fire, Fire)]))
    for (schedule, cause), fire in zip(causes, fires, strict=True):
        with _apart(schedule, now, report):
            _note_start(schedule, cause, next(answers) if isinstance(fire, Fire) else fire, report)


def _note_start(schedule: Schedule, cause: Cause, answer: Started | Exception, report: CycleReport) -> None:
    """Note that a schedule fired, or act on why it did not. Raises what kept it from starting."""
    if isinstance(answer, Started):
        report.fired.append(schedule.what)
        return
    if not isinstance(answer, NotStarted):
        raise answer
    if isinstance(answer, AlreadyRunning):  # in a plan, or begun by a person since the decision
        details = {"slot": cause.slot.isoformat()} if cause.slot else {}
        told: dict[str, Any] = {"message": str(answer), "reason": GateName.OVERLAP, "details": details}
        events.record(EventType.SKIPPED, now=cause.now, **schedule.subject, **told)
    # The slot's run may exist already (the schedule was set back by hand): then it just moves on.
    if cause.slot is not None and pass_slots(schedule, cause.slots):
        events.record_all(cause.passed)


def _cause(judged: _Judged, losses: Mapping[str, int], now: datetime) -> Cause:
    """Return why this schedule fires."""
    schedule, decision = judged.schedule, cast(Decision, judged.decision)
    slot = decision.slots.fire
    key = _key(judged)
    return Cause(
        fire_key=f"{key}:again:{losses[key]}" if losses.get(key) else key,
        trigger_source=decision.trigger_source,
        started_by=BY_ITSELF,
        now=now,
        reason=decision.reason,
        by_itself=True,
        slot=slot,
        slots=past_slots(schedule, decision.slots, now, fires=True) if slot else {},
        passed=_passed_slots(schedule, decision.slots, now) if slot else (),
        rows_queued=judged.statistics.pending.count,
        details={"gates": decision.gates_as_logged(), "reason": decision.reason},
    )


def _key(judged: _Judged) -> str:
    """Return what makes this fire unique: the slot, or the number of the fire for a trigger."""
    schedule, slot = judged.schedule, cast(Decision, judged.decision).slots.fire
    if slot is None:
        return f"{schedule.KIND}:{schedule.pk}:fire:{schedule.fire_count + 1}"
    return slot_key(schedule, slot)


def _losses(keys: Collection[str]) -> dict[str, int]:
    """Return how many workers died over each of these fires, those that none did left out.

    A slot whose worker died is due again; each such loss gives it one more key, and no more than one.
    """
    fired = Run.objects.filter(fire_key__in=keys).values_list("fire_key", flat=True)
    found = {}
    for key in fired:
        # Keys by name, for an index leads to each of them; a beginning of a key has none everywhere.
        again = Run.objects.filter(fire_key__in=[key, *(f"{key}:again:{number}" for number in range(1, _MOST_LOSSES))])
        found[key] = again.filter(tasks__attempts__outcome=AttemptOutcome.LOST).count()
    return found


def _hold_back(judged: _Judged, now: datetime) -> bool:
    """Act on a decision not to fire: move past slots that will not run, and log what was due but held back.

    Returns whether something was due.
    """
    schedule, decision = judged.schedule, cast(Decision, judged.decision)
    after = aftermath(schedule, decision)
    if after.moves_on:
        if not pass_slots(schedule, past_slots(schedule, decision.slots, now, after=after)):
            return False
        events.record_all(_passed_slots(schedule, decision.slots, now))
    if after.replaces and isinstance(schedule, RunSchedule):
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
        rows_queued=judged.statistics.pending.count,
        reason=_refused(decision),
        details=_details(decision, after.left_out or decision.slots.fire),
    )
    return True


def _cancel_running(schedule: RunSchedule, now: datetime) -> None:
    """Cancel the run that a new one replaces; the new one starts when it has ended."""
    run = schedule.running_run
    if run is not None:
        cancel_run(run, by=say("the next run of {schedule}", schedule=schedule.what), now=now)


def _details(decision: Decision, about: datetime | None) -> dict[str, object]:
    """Return what a log event keeps of a decision not to fire: every gate, the one that refused, and the slot."""
    slot = {"slot": about.isoformat()} if about else {}
    return {"gates": decision.gates_as_logged(), "reason": decision.reason, "gate": _refused(decision) or "", **slot}


def _refused(decision: Decision) -> str | None:
    """Return the name of the first gate that refused."""
    return next((gate.name for gate in decision.blocking() if not gate.passed), None)


def _passed_slots(schedule: Schedule, slots: DueSlots, now: datetime) -> list[SchedulerLog]:
    """Return the events that tell the slots that were missed while nothing ran, and those that a blackout held."""
    told = []
    for span, kind, reason, sentence in (
        (slots.missed, EventType.MISSED, None, missed_event),
        (slots.held, EventType.HELD, GateName.BLACKOUT, held_sentence),
    ):
        if span is not None:
            details: dict[str, Any] = {"first": span.first.isoformat(), "last": span.last.isoformat()}
            details |= {"count": span.count, **({"schedule": schedule.own_name} if schedule.own_name else {})}
            message = sentence(span)
            facts: dict[str, Any] = {"message": message, "reason": reason, "details": details}
            told.append(events.event(kind, now=now, **schedule.subject, **facts))
    return told


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
    logger.error(
        "evaluating %s failed: %s",
        schedule.what,
        error,
        exc_info=None if known or isinstance(error, SchedulingError) else error,  # whose text says all
        extra={"event": "schedule_failed", **schedule.subject},
    )
    try:
        if schedule.backoff_until and schedule.backoff_until > now:
            return
        failures = schedule.consecutive_failures + 1
        until = back_off(schedule, now=now - _SOONER, failures=failures)
        text = one_line(error) or type(error).__name__
        if known and _told_last(schedule, text):
            return
        message = said_together(text, say("Not tried again before {until}.", until=until))
        events.record(EventType.ERROR, now=now, **schedule.subject, message=message, details={"error": text})
    except Exception:
        logger.exception(
            "could not note the error of %s", schedule.what, extra={"event": "error_not_logged", **schedule.subject}
        )


def start_late_runs(now: datetime) -> list[str]:
    """Decide what the end of something may start: what catches up, plans after others, backfills. Never raises.

    Returns what was fired. The workers call it when they end something. Safe beside a cycle: each fire is claimed by
    its own key.
    """
    report = CycleReport(now=now)
    try:
        for kind in KINDS:
            waiting = kind.startable_at_an_end(now)
            if not waiting or SchedulerState.current().paused_at is not None:
                continue
            statistics = kind.measured(waiting, now)
            evaluate(kind, waiting, statistics, now, report)
        report.fired += go_on_with_backfills(now)
    except Exception as error:
        logger.warning(
            "could not start late runs; the next cycle does: %s", error, extra={"event": "late_runs_not_started"}
        )
    return report.fired


def go_on_with_backfills(now: datetime) -> list[str]:
    """Start what is next of the backfills that are under way; return what was fired."""
    return move_backfills_on(now) if Backfill.objects.filter(status=RunStatus.RUNNING).exists() else []
