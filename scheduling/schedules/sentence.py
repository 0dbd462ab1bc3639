"""The sentence a business user reads about a schedule, whatever its kind and mode."""

from typing import cast

from scheduling.cadence.errors import CadenceError
from scheduling.models import Plan, PlanAfter, Schedule, SchedulerConfiguration
from scheduling.states import ProcessingMode, ScheduleType
from staging.phrases import listed
from staging.wording import counted, say


def describe(schedule: Schedule) -> str:
    """Return "Every weekday at 06:00, Europe/Amsterdam", "When 500 rows wait" or "Started by people"; never raises.

    A single moment that has passed is told as such.
    """
    if schedule.processing_mode == ProcessingMode.MANUAL:
        return say("Started by people")
    if schedule.processing_mode == ProcessingMode.TRIGGERED:
        return _after(schedule) if isinstance(schedule, Plan) else _triggers(cast(SchedulerConfiguration, schedule))
    try:
        sentence = schedule.describe() or say("No schedule")
        return (
            say("{sentence}. This has passed: it does not run again", sentence=sentence)
            if _has_passed(schedule)
            else sentence
        )
    except CadenceError as error:
        return say("This schedule cannot be read: {error}", error=error)


def _has_passed(schedule: Schedule) -> bool:
    """Return whether the one moment of `once` belongs to the past, as far as the stored instants tell."""
    if schedule.schedule_type != ScheduleType.ONCE or schedule.next_scheduled_run is not None:
        return False
    if schedule.pk is not None and schedule.is_enabled and not schedule.is_paused:
        return True  # one that is still to come would be planned
    cadence = schedule.cadence()
    seen = [instant for instant in (schedule.armed_from, schedule.last_fired_at) if instant is not None]
    return cadence is not None and bool(seen) and cadence.next_after(max(seen)) is None


def _after(plan: Plan) -> str:
    """Return what a plan runs after; one statement, none where that was read with the plan."""
    if plan.pk is None:
        return say("After others")
    is_read = "after" in getattr(plan, "_prefetched_objects_cache", ())
    rows = plan.after.all() if is_read else PlanAfter.objects.filter(plan=plan.pk).by_name()
    return say("After {others}", others=listed([row.what for row in rows]))


def _triggers(configuration: SchedulerConfiguration) -> str:
    words: list[str] = []
    if configuration.trigger_row_threshold:
        words.append(counted(configuration.trigger_row_threshold, "row waits", "rows wait"))
    if configuration.trigger_idle_minutes:
        words.append(
            say("a row has waited {minutes}", minutes=counted(configuration.trigger_idle_minutes, "minute", "minutes"))
        )
    if configuration.trigger_on_new_rows:
        words.append(say("new rows arrive"))
    return say("When {conditions}", conditions=listed(words, "or")) if words else say("No trigger")
