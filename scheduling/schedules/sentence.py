"""The sentence a business user reads about a configuration, whatever its mode."""

from scheduling.cadence.errors import CadenceError
from scheduling.cadence.sentences import listed
from scheduling.models import SchedulerConfiguration
from scheduling.states import ProcessingMode


def describe(configuration: SchedulerConfiguration) -> str:
    """Return "Every weekday at 06:00, Europe/Amsterdam", "When 500 rows wait" or "Started by people"; never raises."""
    if configuration.processing_mode == ProcessingMode.MANUAL:
        return "Started by people"
    if configuration.processing_mode == ProcessingMode.TRIGGERED:
        return _triggers(configuration)
    try:
        return configuration.describe() or "No schedule"
    except CadenceError as error:
        return f"This schedule cannot be read: {error}"


def _triggers(configuration: SchedulerConfiguration) -> str:
    words = []
    if configuration.trigger_row_threshold:
        verb = "waits" if configuration.trigger_row_threshold == 1 else "wait"
        words.append(f"{_counted(configuration.trigger_row_threshold, 'row')} {verb}")
    if configuration.trigger_idle_minutes:
        words.append(f"a row has waited {_counted(configuration.trigger_idle_minutes, 'minute')}")
    if configuration.trigger_on_new_rows:
        words.append("new rows arrive")
    return f"When {listed(words, 'or')}" if words else "No trigger"


def _counted(number: int, unit: str) -> str:
    return f"{number:,} {unit}{'' if number == 1 else 's'}"
