"""The kinds of schedules a cycle fires: what is due of each, what its decisions are made from, how it fires."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from scheduling.decisions.decision import Statistics
from scheduling.decisions.measure import measure
from scheduling.lifecycle.guard import stamp_trigger_check
from scheduling.models import JobSchedule, Plan, Schedule, SchedulerConfiguration
from scheduling.models.schedule import ScheduleQuerySet
from scheduling.runs.fire import Cause
from scheduling.runs.subjects import Answers, scheduled_batches, scheduled_jobs, scheduled_plans
from scheduling.states import ProcessingMode


@dataclass(frozen=True)
class Kind:
    """One kind of schedule.

    `model` is its table; `measured` gathers what the decisions need, by primary key, in few statements for all of them;
    `fires` says what each of them starts, from why it fires; a few statements for all.
    """

    model: type[Schedule]
    measured: Callable[[list[Any], datetime], Mapping[int, Statistics]]
    fires: Callable[[Sequence[tuple[Any, Cause]]], Answers]

    def due(self, now: datetime) -> list[Schedule]:
        """Return what a cycle at `now` decides; one query."""
        return list(self._schedules().due(now))

    def catching_up(self, now: datetime) -> list[Schedule]:
        """Return what is due at `now`, makes up for missed runs and has none that runs; one query."""
        return list(self._schedules().due(now).filter(late_runs_left__isnull=False, is_running=False))

    def automatic(self) -> list[Schedule]:
        """Return everything that cycles look at sooner or later, with what decisions read of it, in a lasting order."""
        return list(self._schedules().automatic().readable().order_by("pk"))

    def _schedules(self) -> ScheduleQuerySet:
        return cast(ScheduleQuerySet, self.model._default_manager.all())


def _measured_configurations(due: list[SchedulerConfiguration], now: datetime) -> dict[int, Statistics]:
    """Count the rows that wait for them, and note that the triggered ones were looked at."""
    stamp_trigger_check([c.pk for c in due if c.processing_mode == ProcessingMode.TRIGGERED], now=now)
    statistics = measure(due)
    return {configuration.pk: statistics[configuration.entity_id] for configuration in due}


def _measured_alive(due: list[Schedule], now: datetime) -> dict[int, Statistics]:
    """Take what runs for alive: a run that lost its workers is ended by recovery, and that frees its schedule."""
    return {schedule.pk: Statistics(last_sign_of_life=now) for schedule in due}


# A kind is registered by an entry here; its cadence, guard and tracking are those of `models.Schedule`.
KINDS: tuple[Kind, ...] = (
    Kind(SchedulerConfiguration, _measured_configurations, scheduled_batches),
    Kind(Plan, _measured_alive, scheduled_plans),
    Kind(JobSchedule, _measured_alive, scheduled_jobs),
)
