"""Says in one sentence when an entity is processed, whatever its mode."""

from datetime import timedelta

from scheduling.models import SchedulerConfiguration
from scheduling.states import ProcessingMode


def processing_sentence(configuration: SchedulerConfiguration) -> str:
    """Return the sentence of the lists: when, or on which condition, a batch starts by itself."""
    if configuration.processing_mode == ProcessingMode.MANUAL:
        return "Started by people."
    if configuration.processing_mode == ProcessingMode.SCHEDULED:
        return configuration.describe()
    return trigger_sentence(configuration)


def trigger_sentence(configuration: SchedulerConfiguration) -> str:
    """Return the conditions as alternatives: "When 500 rows wait, or the oldest waits 15 min."."""
    conditions = []
    if configuration.trigger_row_threshold:
        rows = configuration.trigger_row_threshold
        conditions.append("a row waits" if rows == 1 else f"{rows:,} rows wait")
    if configuration.trigger_idle_minutes:
        minutes = configuration.trigger_idle_minutes
        conditions.append(f"the oldest row waits {minutes} minute{'' if minutes == 1 else 's'}")
    if configuration.trigger_on_new_rows:
        conditions.append(_new_rows(configuration))
    return f"When {', or '.join(conditions)}." if conditions else "No trigger is set."


def _new_rows(configuration: SchedulerConfiguration) -> str:
    """Return the new-rows condition with its two waits, where they are not zero."""
    words = "new rows arrive"
    if configuration.trigger_debounce_seconds:
        words += f" (at most once every {_length(configuration.trigger_debounce_seconds)})"
    if configuration.trigger_settle_seconds:
        words += f" and none for {_length(configuration.trigger_settle_seconds)}"
    return words


def _length(seconds: int) -> str:
    """Return seconds in words, in minutes where they are whole."""
    if seconds % 60 == 0:
        minutes = seconds // 60
        return "minute" if minutes == 1 else f"{minutes} minutes"
    return str(timedelta(seconds=seconds)) if seconds > 3600 else f"{seconds} seconds"
