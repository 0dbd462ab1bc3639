"""Decides whether a schedule would fire now: one pure function for dispatcher, Test run, preview and forecast.

The data conditions of a triggered entity have an order of priority: the first that passes is the source.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from itertools import filterfalse
from operator import attrgetter
from typing import cast

from scheduling import conf
from scheduling.cadence.blackout import Blackout
from scheduling.decisions.decision import (
    Awaited,
    Decision,
    DueSlots,
    Gate,
    Statistics,
    due_slots,
    held_sentence,
    missed_sentence,
    pauses_of,
)
from scheduling.decisions.origins import origin
from scheduling.decisions.triggers import trigger_gates
from scheduling.models import Schedule, SchedulerConfiguration
from scheduling.states import Overlap, ProcessingMode
from staging.wording import Later, Said, duration, later, said_together, together_later

# What most gates say, made once: a decision says two dozen of these, and a simulated year makes a million decisions.
_IS_ENABLED = later("Enabled.")
_YES = later("yes")
_SCHEDULED_OR_TRIGGERED = later("scheduled or triggered")
_NOT_PAUSED = later("not paused")
_IS_NOT_PAUSED = later("Not paused.")
_OUTSIDE_BLACKOUTS = later("outside blackouts")
_NO_CALENDAR = later("no calendar")
_HAS_NO_CALENDAR = later("No blackout calendar.")
_NOT_RUNNING = later("not running")
_SILENT_TOO_LONG = later("silent for more than {timeout}", timeout=Later(lambda: duration(conf.zombie_timeout())))
_NOTHING_COULD_BE_DEAD = later("Nothing runs that could be dead.")
_NONE = later("none")
_HAS_NO_BACK_OFF = later("No back-off after failures.")
_READABLE = later("readable")
_CAN_BE_READ = later("The staging table can be read.")
_ONE_TRIGGER_MET = later("one trigger met")
_NO_TRIGGER_MET = later("no trigger met")
_BY_SCHEDULE = later("Schedule")

# Gates that pass in most decisions, and say the same in all of them.
_ENABLED = Gate("enabled", True, _YES, _YES, _IS_ENABLED)
_DISABLED = Gate("enabled", False, later("no"), _YES, later("Switched off: it never starts by itself."))
_PAUSE = Gate("pause", True, _NOT_PAUSED, _NOT_PAUSED, _IS_NOT_PAUSED)
_BLACKOUT = Gate("blackout", True, _NO_CALENDAR, _OUTSIDE_BLACKOUTS, _HAS_NO_CALENDAR)
_BACK_OFF = Gate("back_off", True, _NONE, _NONE, _HAS_NO_BACK_OFF)
_STAGING_TABLE = Gate("staging_table", True, _READABLE, _READABLE, _CAN_BE_READ)

_passed = attrgetter("passed")


def decide(schedule: Schedule, statistics: Statistics, now: datetime) -> Decision:
    """Return the decision for this schedule at `now`, with every gate evaluated. Reads no clock.

    Of the database it reads at most the calendar's periods, unless they were prefetched.
    """
    mode = schedule.processing_mode
    blackout = schedule.blackout()
    scheduled = mode == ProcessingMode.SCHEDULED
    slots = due_slots(schedule, now, blackout) if scheduled else DueSlots()
    triggers: tuple[Gate, ...] = ()
    if mode == ProcessingMode.TRIGGERED and schedule.READS_ROWS:
        triggers = tuple(trigger_gates(cast(SchedulerConfiguration, schedule), statistics.pending, now))
    elif mode == ProcessingMode.TRIGGERED:
        triggers = tuple(_other_gate(other, schedule.armed_from) for other in statistics.others)
    gates = (
        *_standing_gates(schedule, statistics, now),
        _blackout_gate(blackout, slots, now),
        _due_gate(schedule, triggers, slots, now),
    )
    refused = next(filterfalse(_passed, gates), None)
    fired_by = next(filter(_passed, triggers), None)
    if refused is not None:
        return Decision(False, refused.kept("text"), "", (*gates, *triggers), slots)
    source = _BY_SCHEDULE
    if fired_by and statistics.others:
        source = later("After {others}", others=Later(_listed, statistics.others))
    elif fired_by:
        source = later("Trigger: {value} ({limit})", value=fired_by.kept("value"), limit=fired_by.kept("limit"))
    return Decision(True, gates[-1].kept("text"), source, (*gates, *triggers), slots)


def _standing_gates(schedule: Schedule, statistics: Statistics, now: datetime) -> tuple[Gate, ...]:
    """Return the gates that hold in every mode, in the order in which they name the reason."""
    gates = (
        _ENABLED if schedule.is_enabled else _DISABLED,
        _pause_gate(schedule, statistics),
        _mode_gate(schedule.processing_mode),
        *_overlap_gates(schedule, statistics, now),
        _backoff_gate(schedule, now),
    )
    return (*gates, _table_gate(statistics)) if schedule.READS_ROWS else gates


@cache
def _mode_gate(mode: str) -> Gate:
    """Hold back what people start."""
    if mode == ProcessingMode.MANUAL:
        text = later("Manual: people start it; the scheduler never does.")
        return Gate("mode", False, mode, _SCHEDULED_OR_TRIGGERED, text)
    return Gate("mode", True, mode, _SCHEDULED_OR_TRIGGERED, later("Mode is {mode}.", mode=later(mode)))


def _table_gate(statistics: Statistics) -> Gate:
    """Hold back while the tables cannot be read, or differ from their definition."""
    unreadable, readable = statistics.pending.error, _READABLE
    if unreadable:
        text = later("The staging table cannot be read: {error}", error=unreadable)
    elif statistics.altered:
        text = later("Stopped: its tables differ from their definition. {how}", how=statistics.altered)
    else:
        return _STAGING_TABLE
    return Gate("staging_table", False, unreadable or statistics.altered, readable, text)


def _pause_gate(schedule: Schedule, statistics: Statistics) -> Gate:
    """Hold back while this schedule, its job, or everything is paused."""
    if statistics.everything_paused:
        return Gate("pause", False, later("everything is paused"), _NOT_PAUSED, statistics.everything_paused)
    if not schedule.is_paused:
        return _PAUSE
    began = [pause.paused_at for pause in (schedule, schedule.paused_with) if pause and pause.paused_at]
    text = said_together(*pauses_of(schedule))
    return Gate("pause", False, later("since {instant}", instant=min(began)), _NOT_PAUSED, text)


def _blackout_gate(blackout: Blackout | None, slots: DueSlots, now: datetime) -> Gate:
    """Hold back inside a blackout: judged at the slot for one that is on time, now for everything else."""
    limit = _OUTSIDE_BLACKOUTS
    if blackout is None:
        return _BLACKOUT
    at = slots.fire if slots.fire and not slots.late else now
    end = blackout.end_of(at)
    if end is None:
        text = later("Outside the blackouts of {calendar}.", calendar=blackout.name)
        return Gate("blackout", True, later("outside"), limit, text)
    text = later("Blackout of {calendar} until {end}.", calendar=blackout.name, end=end)
    return Gate("blackout", False, later("inside until {end}", end=end), limit, text)


def _overlap_gates(schedule: Schedule, statistics: Statistics, now: datetime) -> tuple[Gate, Gate]:
    """Hold back while a batch runs or waits for a worker; one silent for the zombie time-out does not count.

    The second gate never holds back: it says what the first one is to make of a batch that runs.
    """
    if not schedule.is_running:
        return _gates_of_idle(schedule.NOUN)
    limit, noun = _SILENT_TOO_LONG, later(schedule.NOUN)
    none_lives = later("no living {noun}", noun=noun)
    started = schedule.run_started_at or now
    silence = now - max(statistics.last_sign_of_life or started, started)
    dead = is_zombie(silence) and not statistics.waits_for_worker
    value = later("running since {instant}", instant=started)
    overlap = Gate("overlap", dead, value, none_lives, _overlap(schedule, statistics, dead))
    return overlap, _zombie_gate(silence, noun, limit, statistics, dead=dead)


@cache
def _gates_of_idle(noun: str) -> tuple[Gate, Gate]:
    """Return the two gates of what nothing runs of."""
    what = later(noun)
    return (
        Gate(
            "overlap",
            True,
            _NOT_RUNNING,
            later("no living {noun}", noun=what),
            later("No {noun} is running.", noun=what),
        ),
        Gate("zombie", True, _NOT_RUNNING, _SILENT_TOO_LONG, _NOTHING_COULD_BE_DEAD),
    )


def _zombie_gate(silence: timedelta, noun: Later, limit: Later, statistics: Statistics, *, dead: bool) -> Gate:
    """Say whether what runs is alive."""
    if statistics.held_by:
        text = later("It is held by {user}, and may be for any time.", user=statistics.held_by)
        return Gate("zombie", True, later("held by {user}", user=statistics.held_by), limit, text)
    if statistics.waits_for_worker:
        text = later("It waits for a worker, and may do so for any time.")
        return Gate("zombie", True, later("waits for a worker"), limit, text)
    if dead:
        text = later(
            "The running {noun} gave no sign of life for {silence}: it counts as dead and is released.",
            noun=noun,
            silence=silence,
        )
    else:
        text = later("The running {noun} gave a sign of life {silence} ago: it is alive.", noun=noun, silence=silence)
    return Gate("zombie", True, later("silent for {silence}", silence=silence), limit, text)


def _overlap(schedule: Schedule, statistics: Statistics, dead: bool) -> Later:
    """Return the sentence about a batch that runs."""
    if dead:
        return later("The {noun} that runs counts as dead and does not hold back.", noun=later(schedule.NOUN))
    noun, started = later(schedule.NOUN_FIRST), schedule.run_started_at or "?"
    if statistics.held_by:
        guard = later(
            "{noun} already running (overlap guard): {user} holds it back.", noun=noun, user=statistics.held_by
        )
    elif statistics.waits_for_worker:
        guard = later(
            "{noun} already running (overlap guard): it waits for a worker since {started}.", noun=noun, started=started
        )
    else:
        guard = later(
            "{noun} already running (overlap guard): started {started} by {user}.",
            noun=noun,
            started=started,
            user=_started_by(schedule),
        )
    if schedule.overlap == Overlap.QUEUE_ONE:
        return together_later(guard, later("The new one waits for its end."))
    if schedule.overlap == Overlap.CANCEL_RUNNING:
        return together_later(guard, later("It is cancelled, then the new one starts."))
    return guard


def _started_by(schedule: Schedule) -> str | Later:
    """Return what started the run that goes on, as whoever reads it says it."""
    source = schedule.run_started_by or "?"
    if not isinstance(source, str):
        return source
    return Later(origin, source)  # type: ignore[arg-type]  # a name stays the text that it is


def is_zombie(silence: timedelta) -> bool:
    """Return whether a silence this long means the work is dead: strictly longer than the time-out."""
    return silence > conf.zombie_timeout()


def _backoff_gate(schedule: Schedule, now: datetime) -> Gate:
    """Hold back after failures until the back-off is over."""
    until = schedule.backoff_until
    if until is None or until <= now:
        return _BACK_OFF
    failures = schedule.consecutive_failures
    if failures == 1:
        text = later("Failed once; not tried again before {until}.", until=until)
    else:
        text = later(
            "Failed {failures} times in a row; not tried again before {until}.", failures=failures, until=until
        )
    return Gate("back_off", False, later("{instant}", instant=until), later("{instant}", instant=now), text)


def _due_gate(schedule: Schedule, triggers: tuple[Gate, ...], slots: DueSlots, now: datetime) -> Gate:
    """Ask the mode's own question: is a slot due, or has a trigger's condition come true?"""
    if schedule.processing_mode == ProcessingMode.TRIGGERED:
        return _triggered_gate(triggers) if schedule.READS_ROWS else _after_gate(triggers)
    if schedule.processing_mode == ProcessingMode.MANUAL:
        limit, text = later("a person starts it"), later("Nothing is due: people start it.")
        return Gate("due", False, later("never"), limit, text)
    limit = later("at or before {instant}", instant=now)
    if slots.fire is not None:
        return Gate("due", True, later("{instant}", instant=slots.fire), limit, _due(schedule, slots))
    passed = list(_passed_slots(slots))
    if slots.following is None:
        text = together_later(*passed) if passed else later("The schedule has no next run.")
        return Gate("due", False, _NONE, limit, text)
    text = later("Next run not due yet: {instant}.", instant=slots.following)
    if passed:
        text = together_later(*passed, later("Next run: {instant}.", instant=slots.following))
    return Gate("due", False, later("{instant}", instant=slots.following), limit, text)


def _triggered_gate(triggers: tuple[Gate, ...]) -> Gate:
    """Say which trigger's condition came true, or why none did."""
    limit, hit = _ONE_TRIGGER_MET, next((gate for gate in triggers if gate.passed), None)
    if hit is not None:
        return Gate("due", True, hit.name, limit, hit.kept("text"))
    text = together_later(*(gate.kept("text") for gate in triggers)) if triggers else later("No trigger is configured.")
    return Gate("due", False, _NO_TRIGGER_MET, limit, text)


def _after_gate(others: tuple[Gate, ...]) -> Gate:
    """Say whether all that a plan runs after has completed, or what has not."""
    limit, missing = later("all of them completed"), [gate for gate in others if not gate.passed]
    if missing or not others:
        text = together_later(*(gate.kept("text") for gate in missing)) if missing else later("It runs after nothing.")
        value = later("{number} of {total} completed", number=len(others) - len(missing), total=len(others))
        return Gate("due", False, value, limit, text)
    return Gate("due", True, limit, limit, together_later(*(gate.kept("text") for gate in others)))


def _other_gate(other: Awaited, armed_from: datetime | None) -> Gate:
    """Pass when a plan or an entity completed since the run before began, and since this one was armed."""
    name, what, since, last = f"after:{other.what}", other.what, other.since(armed_from), other.completed_at
    limit = later("since {instant}", instant=since) if since else later("once")
    if last and other.is_met(armed_from):
        text = later("{other}: completed {instant}.", other=what, instant=last)
        return Gate(name, True, later("completed {instant}", instant=last), limit, text)
    value = later("not since {instant}", instant=since) if since else later("never completed")
    text = later("{other}: {state}.", other=what, state=value)
    if other.is_gone:
        text = later("{other}: {state}; it is cancelled, and completes no more.", other=what, state=value)
    return Gate(name, False, value, limit, text)


def _listed(others: tuple[Awaited, ...]) -> Said:
    """Return "plan Morning, entity branch"."""
    return said_together(*(other.what for other in others), by=", ")


def _due(schedule: Schedule, slots: DueSlots) -> Later:
    """Return the sentence about a slot that is due."""
    due = later("Due since {slot}.", slot=slots.fire)
    if not slots.late:
        return due
    by_policy = schedule.overlap == Overlap.SKIP
    return together_later(due, later("It runs late (catch-up).") if by_policy else later("It runs late."))


def _passed_slots(slots: DueSlots) -> Iterator[Later]:
    """Yield a sentence for slots that were missed and for those that a blackout held."""
    if slots.missed:
        yield Later(missed_sentence, slots.missed)
    if slots.held:
        yield Later(held_sentence, slots.held)
