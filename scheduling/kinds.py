"""The kinds of schedules: the one entry by which cycles fire a kind, and forecast and simulation look ahead for it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from scheduling.decisions.decision import Statistics
from scheduling.decisions.measure import measure
from scheduling.lifecycle.guard import stamp_trigger_check
from scheduling.models import JobSchedule, Plan, Schedule, SchedulerConfiguration
from scheduling.models.schedule import ScheduleQuerySet
from scheduling.runs.fire import Answers, Cause, scheduled_batches, scheduled_jobs, scheduled_plans
from scheduling.states import ProcessingMode
from scheduling.usual_runs import Key, UsualRun, key_of, usual_batches, usual_jobs, usual_plans
from staging.rights import Entities, visible


def measured_alive(due: list[Schedule], now: datetime) -> dict[int, Statistics]:
    """Return that what runs is alive: a run that lost its workers is ended by recovery, and that frees its schedule."""
    return {schedule.pk: Statistics(last_sign_of_life=now) for schedule in due}


@dataclass(frozen=True)
class Kind:
    """One kind of schedule.

    `model` is its table. `fires` says what each of these starts, from why it fires. `measured` gathers what their
    decisions need, by primary key; what is of its own run counts as alive. `usual` says what their runs usually are;
    without it they are runs that nobody has seen. Each takes a few statements for all of them.
    """

    model: type[Schedule]
    fires: Callable[[Sequence[tuple[Any, Cause]]], Answers]
    measured: Callable[[list[Any], datetime], Mapping[int, Statistics]] = measured_alive
    usual: Callable[[list[Any]], Mapping[Key, UsualRun]] = lambda schedules: {}

    def due(self, now: datetime) -> list[Schedule]:
        """Return what a cycle at `now` decides; one query."""
        return list(self._schedules().due(now))

    def catching_up(self, now: datetime) -> list[Schedule]:
        """Return what is due at `now`, makes up for missed runs and has none that runs; one query."""
        return list(self._schedules().due(now).filter(late_runs_left__isnull=False, is_running=False))

    def automatic(self, of: Entities = None) -> list[Schedule]:
        """Return everything that cycles look at sooner or later, with what decisions read of it, in a lasting order.

        `of`: only what works on nothing but these entities.
        """
        return list(visible(self._schedules(), of).automatic().readable().order_by("pk"))

    def _schedules(self) -> ScheduleQuerySet:
        return cast(ScheduleQuerySet, self.model._default_manager.all())


def _measured_configurations(due: list[SchedulerConfiguration], now: datetime) -> dict[int, Statistics]:
    """Count the rows that wait for them, and note that the triggered ones were looked at."""
    stamp_trigger_check([c.pk for c in due if c.processing_mode == ProcessingMode.TRIGGERED], now=now)
    statistics = measure(due)
    return {configuration.pk: statistics[configuration.entity_id] for configuration in due}


# A kind is registered by an entry here; its cadence, guard and tracking are those of `models.Schedule`.
KINDS: list[Kind] = [
    Kind(SchedulerConfiguration, scheduled_batches, _measured_configurations, usual_batches),
    Kind(Plan, scheduled_plans, usual=usual_plans),
    Kind(JobSchedule, scheduled_jobs, usual=usual_jobs),
]


def usual_runs(schedules: Iterable[Schedule]) -> dict[Key, UsualRun]:
    """Return what a run of each schedule usually is, whatever its kind; a few statements for all of them."""
    schedules = list(schedules)
    found = {key_of(schedule): UsualRun() for schedule in schedules}
    for kind in KINDS:
        if mine := [schedule for schedule in schedules if type(schedule) is kind.model]:
            found.update(kind.usual(mine))
    return found
