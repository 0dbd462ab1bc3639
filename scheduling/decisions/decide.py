"""Decides whether an entity's batch would fire now: one pure function for dispatcher, Test run and preview."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from scheduling import conf
from scheduling.cadence.blackout import Blackout
from scheduling.decisions.decision import Decision, Gate, Statistics
from scheduling.decisions.slots import DueSlots, due_slots
from scheduling.decisions.triggers import trigger_gates
from scheduling.decisions.wording import duration, instant, pause_sentence, span_sentence
from scheduling.models import SchedulerConfiguration
from scheduling.states import ProcessingMode


def decide(configuration: SchedulerConfiguration, statistics: Statistics, now: datetime) -> Decision:
    """Return the decision for this configuration at `now`, with every gate evaluated. Reads no clock.

    Of the database it reads at most the calendar's periods, unless they were prefetched.
    """
    mode = configuration.processing_mode
    blackout = configuration.calendar.blackout() if configuration.calendar else None
    scheduled = mode == ProcessingMode.SCHEDULED
    slots = due_slots(configuration, now, blackout) if scheduled else DueSlots()
    triggers = tuple(trigger_gates(configuration, statistics.pending, now)) if mode == ProcessingMode.TRIGGERED else ()
    gates = (
        *_standing_gates(configuration, statistics, now),
        _blackout_gate(blackout, slots, now),
        _due_gate(configuration, triggers, slots, now),
    )
    refused = next((gate for gate in gates if not gate.passed), None)
    fired_by = next((gate for gate in triggers if gate.passed), None)
    if refused is not None:
        return Decision(False, refused.text, "", (*gates, *triggers), slots)
    source = f"Trigger: {fired_by.value} ({fired_by.limit})" if fired_by else "Schedule"
    return Decision(True, gates[-1].text, source, (*gates, *triggers), slots)


def _standing_gates(configuration: SchedulerConfiguration, statistics: Statistics, now: datetime) -> Iterator[Gate]:
    """Yield the gates that hold in every mode, in the order in which they name the reason."""
    enabled, mode = configuration.is_enabled, configuration.processing_mode
    text = "Enabled." if enabled else "Switched off: it never starts by itself."
    yield Gate("enabled", enabled, _yes_no(enabled), "yes", text)
    yield _pause_gate(configuration, statistics)
    manual = mode == ProcessingMode.MANUAL
    text = "Manual: people start it; the scheduler never does." if manual else f"Mode is {mode}."
    yield Gate("mode", not manual, mode, "scheduled or triggered", text)
    yield from _overlap_gates(configuration, statistics, now)
    yield _backoff_gate(configuration, now)
    broken = statistics.pending.error
    text = f"The staging table cannot be read: {broken}" if broken else "The staging table can be read."
    yield Gate("staging_table", not broken, broken or "readable", "readable", text)


def _pause_gate(configuration: SchedulerConfiguration, statistics: Statistics) -> Gate:
    """Hold back while this configuration, or everything, is paused."""
    if statistics.everything_paused:
        return Gate("pause", False, "everything is paused", "not paused", statistics.everything_paused)
    if configuration.paused_at is None:
        return Gate("pause", True, "not paused", "not paused", "Not paused.")
    text = pause_sentence("Paused", configuration)
    return Gate("pause", False, f"since {instant(configuration.paused_at)}", "not paused", text)


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


def _overlap_gates(configuration: SchedulerConfiguration, statistics: Statistics, now: datetime) -> Iterator[Gate]:
    """Hold back while a batch runs or waits for a worker; one silent for the zombie time-out does not count.

    The second gate never holds back: it says what the first one is to make of a batch that runs.
    """
    limit = f"silent for more than {duration(conf.zombie_timeout())}"
    if not configuration.is_running:
        yield Gate("overlap", True, "not running", "no living batch", "No batch is running.")
        yield Gate("zombie", True, "not running", limit, "Nothing runs that could be dead.")
        return
    started = configuration.run_started_at or now
    silence = now - max(statistics.last_sign_of_life or started, started)
    dead = is_zombie(silence) and not statistics.waits_for_worker
    yield Gate(
        "overlap",
        dead,
        f"running since {instant(started)}",
        "no living batch",
        _overlap(configuration, statistics, dead),
    )
    if statistics.waits_for_worker:
        yield Gate("zombie", True, "waits for a worker", limit, "It waits for a worker, and may do so for any time.")
    elif dead:
        text = f"The running batch gave no sign of life for {duration(silence)}: it counts as dead and is released."
        yield Gate("zombie", True, f"silent for {duration(silence)}", limit, text)
    else:
        text = f"The running batch gave a sign of life {duration(silence)} ago: it is alive."
        yield Gate("zombie", True, f"silent for {duration(silence)}", limit, text)


def _overlap(configuration: SchedulerConfiguration, statistics: Statistics, dead: bool) -> str:
    """Return the sentence about a batch that runs."""
    if dead:
        return "The batch that runs counts as dead and does not hold back."
    started = instant(configuration.run_started_at) if configuration.run_started_at else "?"
    if statistics.waits_for_worker:
        return f"Batch already running (overlap guard): it waits for a worker since {started}."
    return f"Batch already running (overlap guard): started {started} by {configuration.run_started_by or '?'}."


def is_zombie(silence: timedelta) -> bool:
    """Return whether a silence this long means the work is dead: strictly longer than the time-out."""
    return silence > conf.zombie_timeout()


def _backoff_gate(configuration: SchedulerConfiguration, now: datetime) -> Gate:
    """Hold back after failures until the back-off is over."""
    until = configuration.backoff_until
    if until is None or until <= now:
        return Gate("back_off", True, "none", "none", "No back-off after failures.")
    failures = configuration.consecutive_failures
    times = "once" if failures == 1 else f"{failures} times in a row"
    text = f"Failed {times}; not tried again before {instant(until)}."
    return Gate("back_off", False, instant(until), instant(now), text)


def _due_gate(
    configuration: SchedulerConfiguration, triggers: tuple[Gate, ...], slots: DueSlots, now: datetime
) -> Gate:
    """Ask the mode's own question: is a slot due, or has a trigger's condition come true?"""
    if configuration.processing_mode == ProcessingMode.TRIGGERED:
        hit = next((gate for gate in triggers if gate.passed), None)
        text = hit.text if hit else " ".join(gate.text for gate in triggers) or "No trigger is configured."
        return Gate("due", hit is not None, hit.name if hit else "no trigger met", "one trigger met", text)
    if configuration.processing_mode == ProcessingMode.MANUAL:
        return Gate("due", False, "never", "a person starts it", "Nothing is due: people start it.")
    limit = f"at or before {instant(now)}"
    if slots.fire is not None:
        text = f"Due since {instant(slots.fire)}." + (" It runs late (catch-up)." if slots.late else "")
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


def _passed_slots(slots: DueSlots) -> Iterator[str]:
    """Yield a sentence for slots that were missed and for those that a blackout held."""
    if slots.missed:
        yield f"{span_sentence(slots.missed, 'missed')}; catch-up drops them."
    if slots.held:
        yield f"{span_sentence(slots.held, 'held by a blackout')}."


def _yes_no(value: bool) -> str:
    """Return the word for a truth."""
    return "yes" if value else "no"
