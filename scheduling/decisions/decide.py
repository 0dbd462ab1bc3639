"""Decides whether a schedule would fire now: one pure function for dispatcher, Test run, preview and forecast."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import cast

from scheduling import conf
from scheduling.cadence.blackout import Blackout
from scheduling.decisions.decision import Decision, Gate, Statistics
from scheduling.decisions.slots import DueSlots, due_slots
from scheduling.decisions.triggers import trigger_gates
from scheduling.decisions.wording import pauses_of, span_sentence
from scheduling.models import Schedule, SchedulerConfiguration
from scheduling.states import Overlap, ProcessingMode
from staging.wording import duration, instant


def decide(schedule: Schedule, statistics: Statistics, now: datetime) -> Decision:
    """Return the decision for this schedule at `now`, with every gate evaluated. Reads no clock.

    Of the database it reads at most the calendar's periods, unless they were prefetched.
    """
    mode = schedule.processing_mode
    blackout = schedule.calendar.blackout() if schedule.calendar else None
    scheduled = mode == ProcessingMode.SCHEDULED
    slots = due_slots(schedule, now, blackout) if scheduled else DueSlots()
    triggers: tuple[Gate, ...] = ()
    if mode == ProcessingMode.TRIGGERED:
        triggers = tuple(trigger_gates(cast(SchedulerConfiguration, schedule), statistics.pending, now))
    gates = (
        *_standing_gates(schedule, statistics, now),
        _blackout_gate(blackout, slots, now),
        _due_gate(schedule, triggers, slots, now),
    )
    refused = next((gate for gate in gates if not gate.passed), None)
    fired_by = next((gate for gate in triggers if gate.passed), None)
    if refused is not None:
        return Decision(False, refused.text, "", (*gates, *triggers), slots)
    source = f"Trigger: {fired_by.value} ({fired_by.limit})" if fired_by else "Schedule"
    return Decision(True, gates[-1].text, source, (*gates, *triggers), slots)


def _standing_gates(schedule: Schedule, statistics: Statistics, now: datetime) -> Iterator[Gate]:
    """Yield the gates that hold in every mode, in the order in which they name the reason."""
    enabled, mode = schedule.is_enabled, schedule.processing_mode
    text = "Enabled." if enabled else "Switched off: it never starts by itself."
    yield Gate("enabled", enabled, _yes_no(enabled), "yes", text)
    yield _pause_gate(schedule, statistics)
    manual = mode == ProcessingMode.MANUAL
    text = "Manual: people start it; the scheduler never does." if manual else f"Mode is {mode}."
    yield Gate("mode", not manual, mode, "scheduled or triggered", text)
    yield from _overlap_gates(schedule, statistics, now)
    yield _backoff_gate(schedule, now)
    if not schedule.READS_ROWS:
        return
    yield _table_gate(statistics)


def _table_gate(statistics: Statistics) -> Gate:
    """Hold back while the tables cannot be read, or differ from their definition."""
    if unreadable := statistics.pending.error:
        text = f"The staging table cannot be read: {unreadable}"
    elif statistics.altered:
        text = f"Stopped: its tables differ from their definition. {statistics.altered}"
    else:
        return Gate("staging_table", True, "readable", "readable", "The staging table can be read.")
    return Gate("staging_table", False, unreadable or statistics.altered, "readable", text)


def _pause_gate(schedule: Schedule, statistics: Statistics) -> Gate:
    """Hold back while this schedule, its job, or everything is paused."""
    if statistics.everything_paused:
        return Gate("pause", False, "everything is paused", "not paused", statistics.everything_paused)
    began = [pause.paused_at for pause in (schedule, schedule.paused_with) if pause and pause.paused_at]
    if not began:
        return Gate("pause", True, "not paused", "not paused", "Not paused.")
    text = " ".join(pauses_of(schedule))
    return Gate("pause", False, f"since {instant(min(began))}", "not paused", text)


def _blackout_gate(blackout: Blackout | None, slots: DueSlots, now: datetime) -> Gate:
    """Hold back inside a blackout: judged at the slot for one that is on time, now for everything else."""
    if blackout is None:
        return Gate("blackout", True, "no calendar", "outside blackouts", "No blackout calendar.")
    at = slots.fire if slots.fire and not slots.late else now
    end = blackout.end_of(at)
    if end is None:
        return Gate("blackout", True, "outside", "outside blackouts", f"Outside the blackouts of {blackout.name}.")
    text = f"Blackout of {blackout.name} until {instant(end)}."
    return Gate("blackout", False, f"inside until {instant(end)}", "outside blackouts", text)


def _overlap_gates(schedule: Schedule, statistics: Statistics, now: datetime) -> Iterator[Gate]:
    """Hold back while a batch runs or waits for a worker; one silent for the zombie time-out does not count.

    The second gate never holds back: it says what the first one is to make of a batch that runs.
    """
    limit, noun = f"silent for more than {duration(conf.zombie_timeout())}", schedule.NOUN
    if not schedule.is_running:
        yield Gate("overlap", True, "not running", f"no living {noun}", f"No {noun} is running.")
        yield Gate("zombie", True, "not running", limit, "Nothing runs that could be dead.")
        return
    started = schedule.run_started_at or now
    silence = now - max(statistics.last_sign_of_life or started, started)
    dead = is_zombie(silence) and not statistics.waits_for_worker
    yield Gate(
        "overlap",
        dead,
        f"running since {instant(started)}",
        f"no living {noun}",
        _overlap(schedule, statistics, dead),
    )
    if statistics.waits_for_worker:
        yield Gate("zombie", True, "waits for a worker", limit, "It waits for a worker, and may do so for any time.")
    elif dead:
        text = f"The running {noun} gave no sign of life for {duration(silence)}: it counts as dead and is released."
        yield Gate("zombie", True, f"silent for {duration(silence)}", limit, text)
    else:
        text = f"The running {noun} gave a sign of life {duration(silence)} ago: it is alive."
        yield Gate("zombie", True, f"silent for {duration(silence)}", limit, text)


def _overlap(schedule: Schedule, statistics: Statistics, dead: bool) -> str:
    """Return the sentence about a batch that runs."""
    if dead:
        return f"The {schedule.NOUN} that runs counts as dead and does not hold back."
    started = instant(schedule.run_started_at) if schedule.run_started_at else "?"
    running, then = f"{schedule.NOUN.capitalize()} already running (overlap guard)", _THEN.get(schedule.overlap, "")
    if statistics.waits_for_worker:
        return f"{running}: it waits for a worker since {started}.{then}"
    return f"{running}: started {started} by {schedule.run_started_by or '?'}.{then}"


_THEN: dict[str, str] = {
    Overlap.QUEUE_ONE: " The new one waits for its end.",
    Overlap.CANCEL_RUNNING: " It is cancelled, then the new one starts.",
}


def is_zombie(silence: timedelta) -> bool:
    """Return whether a silence this long means the work is dead: strictly longer than the time-out."""
    return silence > conf.zombie_timeout()


def _backoff_gate(schedule: Schedule, now: datetime) -> Gate:
    """Hold back after failures until the back-off is over."""
    until = schedule.backoff_until
    if until is None or until <= now:
        return Gate("back_off", True, "none", "none", "No back-off after failures.")
    failures = schedule.consecutive_failures
    times = "once" if failures == 1 else f"{failures} times in a row"
    text = f"Failed {times}; not tried again before {instant(until)}."
    return Gate("back_off", False, instant(until), instant(now), text)


def _due_gate(schedule: Schedule, triggers: tuple[Gate, ...], slots: DueSlots, now: datetime) -> Gate:
    """Ask the mode's own question: is a slot due, or has a trigger's condition come true?"""
    if schedule.processing_mode == ProcessingMode.TRIGGERED:
        hit = next((gate for gate in triggers if gate.passed), None)
        text = hit.text if hit else " ".join(gate.text for gate in triggers) or "No trigger is configured."
        return Gate("due", hit is not None, hit.name if hit else "no trigger met", "one trigger met", text)
    if schedule.processing_mode == ProcessingMode.MANUAL:
        return Gate("due", False, "never", "a person starts it", "Nothing is due: people start it.")
    limit = f"at or before {instant(now)}"
    if slots.fire is not None:
        text = f"Due since {instant(slots.fire)}." + (
            _LATE.get(schedule.overlap, " It runs late.") if slots.late else ""
        )
        return Gate("due", True, instant(slots.fire), limit, text)
    text = " ".join(_passed_slots(slots))
    if slots.following is None:
        return Gate("due", False, "none", limit, text or "The schedule has no next run.")
    text = (
        f"{text} Next run: {instant(slots.following)}."
        if text
        else f"Next run not due yet: {instant(slots.following)}."
    )
    return Gate("due", False, instant(slots.following), limit, text)


_LATE: dict[str, str] = {Overlap.SKIP: " It runs late (catch-up)."}


def _passed_slots(slots: DueSlots) -> Iterator[str]:
    """Yield a sentence for slots that were missed and for those that a blackout held."""
    if slots.missed:
        yield f"{span_sentence(slots.missed, 'missed')}; catch-up drops them."
    if slots.held:
        yield f"{span_sentence(slots.held, 'held by a blackout')}."


def _yes_no(value: bool) -> str:
    """Return the word for a truth."""
    return "yes" if value else "no"
