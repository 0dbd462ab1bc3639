"""Decides whether an entity's batch would fire now: one pure function for dispatcher, Test run and preview."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from scheduling import conf
from scheduling.decisions.decision import Decision, Gate, Statistics
from scheduling.decisions.triggers import trigger_gates
from scheduling.decisions.wording import duration, instant
from scheduling.models import SchedulerConfiguration
from scheduling.states import ProcessingMode


def decide(configuration: SchedulerConfiguration, statistics: Statistics, now: datetime) -> Decision:
    """Return the decision for this configuration at `now`, with every gate evaluated. Reads no table and no clock."""
    triggers = (
        tuple(trigger_gates(configuration, statistics.pending, now))
        if configuration.processing_mode == ProcessingMode.TRIGGERED
        else ()
    )
    gates = (*_standing_gates(configuration, statistics, now), _due_gate(configuration, triggers, now))
    refused = next((gate for gate in gates if not gate.passed), None)
    fired_by = next((gate for gate in triggers if gate.passed), None)
    if refused is not None:
        return Decision(False, refused.text, "", (*gates, *triggers))
    source = f"Trigger: {fired_by.value} ({fired_by.limit})" if fired_by else "Schedule"
    return Decision(True, gates[-1].text, source, (*gates, *triggers))


def _standing_gates(configuration: SchedulerConfiguration, statistics: Statistics, now: datetime) -> Iterator[Gate]:
    """Yield the gates that hold in every mode, in the order in which they name the reason."""
    enabled, mode = configuration.is_enabled, configuration.processing_mode
    yield Gate(
        "enabled",
        enabled,
        _yes_no(enabled),
        "yes",
        "Enabled." if enabled else "Switched off: it never starts by itself.",
    )
    manual = mode == ProcessingMode.MANUAL
    text = "Manual: people start it; the scheduler never does." if manual else f"Mode is {mode}."
    yield Gate("mode", not manual, mode, "scheduled or triggered", text)
    yield _overlap_gate(configuration, statistics.last_sign_of_life, now)
    yield _backoff_gate(configuration, now)
    broken = statistics.pending.error
    text = f"The staging table cannot be read: {broken}" if broken else "The staging table can be read."
    yield Gate("staging_table", not broken, broken or "readable", "readable", text)


def _overlap_gate(configuration: SchedulerConfiguration, last_sign: datetime | None, now: datetime) -> Gate:
    """Hold back while a batch runs; one that gave no sign of life for the zombie time-out does not count."""
    limit = f"no batch running, or silent for {duration(conf.zombie_timeout())}"
    if not configuration.is_running:
        return Gate("overlap", True, "not running", limit, "No batch is running.")
    started = configuration.run_started_at or now
    silence = now - max(last_sign or started, started)
    if is_zombie(silence):
        text = f"The running batch gave no sign of life for {duration(silence)}: it counts as dead and is released."
        return Gate("overlap", True, f"silent for {duration(silence)}", limit, text)
    text = (
        f"Batch already running (overlap guard): started {instant(started)} by {configuration.run_started_by or '?'}."
    )
    return Gate("overlap", False, f"running since {instant(started)}", limit, text)


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


def _due_gate(configuration: SchedulerConfiguration, triggers: tuple[Gate, ...], now: datetime) -> Gate:
    """Ask the mode's own question: is a slot due, or has a trigger's condition come true?"""
    if configuration.processing_mode == ProcessingMode.TRIGGERED:
        hit = next((gate for gate in triggers if gate.passed), None)
        text = hit.text if hit else " ".join(gate.text for gate in triggers) or "No trigger is configured."
        return Gate("due", hit is not None, hit.name if hit else "no trigger met", "one trigger met", text)
    if configuration.processing_mode == ProcessingMode.MANUAL:
        return Gate("due", False, "never", "a person starts it", "Nothing is due: people start it.")
    next_run = configuration.next_scheduled_run
    if next_run is None:
        return Gate("due", False, "none", instant(now), "The schedule has no next run.")
    due = next_run <= now
    text = f"Due since {instant(next_run)}." if due else f"Next run not due yet: {instant(next_run)}."
    return Gate("due", due, instant(next_run), f"at or before {instant(now)}", text)


def _yes_no(value: bool) -> str:
    """Return the word for a truth."""
    return "yes" if value else "no"
