"""The kinds of schedules: the one entry by which a kind is measured, decided, fired and looked ahead for.

What decisions are made from is gathered in few statements for any number of schedules; a Test run is one of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, cast

from django.db.models import Max, Q, prefetch_related_objects

from scheduling.decisions.decide import decide
from scheduling.decisions.decision import EVERYTHING_PAUSED, Awaited, DueSlots, Gate, Statistics, pause_sentence
from scheduling.lifecycle.guard import stamp_trigger_check
from scheduling.models import (
    Attempt,
    JobSchedule,
    Plan,
    PlanAfter,
    RunSchedule,
    Schedule,
    SchedulerConfiguration,
    SchedulerState,
    Task,
)
from scheduling.models.figures import usual_times
from scheduling.models.schedule import ScheduleQuerySet
from scheduling.runs.fire import Answers, Cause, scheduled_batches, scheduled_jobs, scheduled_plans
from scheduling.statements import referred_to, sharing
from scheduling.states import BY_ITSELF, AttemptOutcome, ProcessingMode, TaskStatus
from scheduling.usual_runs import Key, Usually, UsualRun, key_of, usual_batches, usual_jobs, usual_plans
from staging.rights import Entities, visible
from staging.tables.columns import pending_statistics, table_problems_of
from staging.wording import said_together


def measured_alive(due: list[Schedule], now: datetime) -> dict[int, Statistics]:
    """Return that what runs is alive: a run that lost its workers is ended by recovery, and that frees its schedule."""
    return {schedule.pk: Statistics(last_sign_of_life=now) for schedule in due}


@dataclass(frozen=True)
class Kind:
    """One kind of schedule.

    `model` is its table. `fires` says what each of these starts, from why it fires. `measured` gathers what their
    decisions need, by primary key; what is of its own run counts as alive. `usual` says what their runs usually are;
    without it they are runs that nobody has seen. Each takes a few statements for all of them. `again` is the condition
    that a run, which a person began, waits for its next attempt.
    """

    model: type[Schedule]
    fires: Callable[[Sequence[tuple[Any, Cause]]], Answers]
    measured: Callable[[list[Any], datetime], Mapping[int, Statistics]] = measured_alive
    usual: Callable[[list[Any]], Usually] = lambda schedules: Usually(lambda times: {})
    again: Q | None = None

    def due(self, now: datetime) -> list[Schedule]:
        """Return what a cycle at `now` decides; one query."""
        return list(self._schedules().due(now))

    def startable_at_an_end(self, now: datetime) -> list[Schedule]:
        """Return what the end of something may start at `now`: late runs, and what runs after others; one query."""
        return list(self._schedules().may_start_at_an_end(now))

    def automatic(self, of: Entities = None) -> list[Schedule]:
        """Return everything that cycles look at sooner or later, with what decisions read of it, in a lasting order.

        `of`: only what works on nothing but these entities.
        """
        return list(visible(self._schedules(), of).automatic().readable().order_by("pk"))

    def foreseen(self, of: Entities = None) -> list[Schedule]:
        """Return the automatic ones, and those of which a run by hand waits for its next attempt, each with its run."""
        rows = visible(self._schedules(), of)
        found, along = rows.automatic(), self.model.READ_ALONG
        if self.again is not None:
            found, along = found | rows.filter(self.again), ("running_run", "default_queue", *along)
        columns = {key: [each.attname for each in referred_to(self.model, key)._meta.concrete_fields] for key in along}
        key = ("foreseen", self.model) if of is None else None
        schedules = [schedule for schedule, _ in sharing(found.order_by("pk"), columns, key=key)]
        prefetch_related_objects([one for one in schedules if one.calendar_id], "calendar__periods")
        return schedules

    def _schedules(self) -> ScheduleQuerySet:
        return cast(ScheduleQuerySet, self.model._default_manager.all())


def _measured_configurations(due: list[SchedulerConfiguration], now: datetime) -> dict[int, Statistics]:
    """Count the rows that wait for them, and note that the triggered ones were looked at."""
    stamp_trigger_check([c.pk for c in due if c.processing_mode == ProcessingMode.TRIGGERED], now=now)
    statistics = measure(due)
    return {configuration.pk: statistics[configuration.entity_id] for configuration in due}


def _measured_plans(due: list[Plan], now: datetime) -> dict[int, Statistics]:
    """Gather what those that run after others wait for."""
    others = awaited_by(due)
    return {plan.pk: Statistics(last_sign_of_life=now, others=others.get(plan.pk, ())) for plan in due}


def awaited_by(plans: Iterable[Plan]) -> dict[int, tuple[Awaited, ...]]:
    """Return what each of these plans runs after; one statement, and none where no plan does."""
    ids = [plan.pk for plan in plans if plan.processing_mode == ProcessingMode.TRIGGERED]
    found: dict[int, tuple[Awaited, ...]] = {}
    for row in PlanAfter.objects.filter(plan__in=ids).with_completion().by_name() if ids else ():
        known = found.get(row.plan_id, ())
        found[row.plan_id] = (*known, Awaited(row.what, row.completed_at, row.used_at, row.is_gone))
    return found


_AGAIN = Q(is_running=True, is_cancelled=False, running_run__next_attempt_at__isnull=False)
_AGAIN &= ~Q(running_run__started_by=BY_ITSELF)

# A kind is registered by an entry here; its cadence, guard and tracking are those of `models.Schedule`.
KINDS: list[Kind] = [
    Kind(SchedulerConfiguration, scheduled_batches, _measured_configurations, usual_batches),
    Kind(Plan, scheduled_plans, _measured_plans, usual_plans, _AGAIN),
    Kind(JobSchedule, scheduled_jobs, usual=usual_jobs),
]


def usual_runs(schedules: Iterable[Schedule]) -> dict[Key, UsualRun]:
    """Return what a run of each schedule usually is, whatever its kind; a few statements for all of them."""
    schedules = list(schedules)
    found = dict.fromkeys(map(key_of, schedules), UsualRun())
    of_kinds = [[schedule for schedule in schedules if type(schedule) is kind.model] for kind in KINDS]
    asked = [kind.usual(mine) for kind, mine in zip(KINDS, of_kinds, strict=True) if mine]
    times = iter(usual_times([whose for each in asked for whose in each.whose]))
    for each in asked:
        found.update(each.made_of(list(islice(times, len(each.whose)))))
    return found


def measure(
    configurations: Iterable[SchedulerConfiguration], everything: SchedulerState | None = None
) -> dict[int, Statistics]:
    """Return the statistics of each configuration by entity id; `everything` where it was read before."""
    configurations = list(configurations)
    if not configurations:
        return {}
    pending = pending_statistics([c.entity for c in configurations])
    paused = _everything_paused(everything)
    running = [c.running_task_id for c in configurations if c.running_task_id]
    signs, unclaimed = _signs_of_life(running), _unclaimed(running)
    return {
        c.entity_id: Statistics(
            pending[c.entity_id],
            signs.get(c.running_task_id or 0),
            paused,
            c.running_task_id in unclaimed,
            unclaimed.get(c.running_task_id or 0, ""),
        )
        for c in configurations
    }


def measured(schedule: Schedule, now: datetime, everything: SchedulerState | None = None) -> Statistics:
    """Return the statistics of one schedule of any kind, outside a cycle; `everything` where it was read before.

    What runs as a run of its own counts as alive: one that lost its workers is ended by recovery.
    """
    if schedule.READS_ROWS:
        configuration = cast(SchedulerConfiguration, schedule)
        return inspected([(configuration, measure([configuration], everything)[configuration.entity_id])])[0]
    held_by = _holder(schedule.running_run_id) if isinstance(schedule, RunSchedule) else ""
    others = awaited_by([schedule]).get(schedule.pk, ()) if isinstance(schedule, Plan) else ()
    return Statistics(
        last_sign_of_life=now, everything_paused=_everything_paused(everything), held_by=held_by, others=others
    )


def inspected(known: Sequence[tuple[SchedulerConfiguration, Statistics]]) -> list[Statistics]:
    """Return these statistics with what others altered about the entities' tables; a cycle asks for what would fire."""
    looked = [configuration.entity for configuration, of in known if not of.pending.error]
    problems = table_problems_of(looked) if looked else {}
    return [
        of._replace(altered=said_together(*problems.get(configuration.entity_id, ()))) for configuration, of in known
    ]


def _everything_paused(known: SchedulerState | None = None) -> str:
    """Return the sentence that says so, empty when not everything is paused."""
    state = known or SchedulerState.current()
    return pause_sentence(EVERYTHING_PAUSED, state) if state.paused_at else ""


def _signs_of_life(task_ids: list[int]) -> dict[int, datetime]:
    """Return the last heartbeat of each task's live attempt."""
    if not task_ids:
        return {}
    live = Attempt.objects.filter(task_id__in=task_ids, outcome=AttemptOutcome.RUNNING)
    return dict(live.values_list("task_id").annotate(Max("heartbeat_at")))


def _holder(run_id: int | None) -> str:
    """Return who holds what is left of a run; empty when something of it moves, or nobody does."""
    tasks = Task.objects.filter(run=run_id or 0)
    if run_id is None or tasks.filter(status__in=[TaskStatus.QUEUED, TaskStatus.RUNNING]).exists():
        return ""
    return tasks.held().values_list("held_by", flat=True).first() or ""


def _unclaimed(task_ids: list[int]) -> dict[int, str]:
    """Return the tasks that still wait, of which nothing can have died, with who holds them; empty: for a worker."""
    if not task_ids:
        return {}
    unclaimed = Task.objects.filter(pk__in=task_ids, status__in=[TaskStatus.WAITING, TaskStatus.QUEUED])
    return dict(unclaimed.values_list("pk", "held_by"))


@dataclass(frozen=True)
class TestRun:
    """The answer of a Test run (docs/commands.md). Ages are whole minutes of true elapsed time."""

    __test__ = False  # not a test class, whatever its name looks like

    entity: str
    would_fire: bool
    reason: str
    pending_rows: int
    oldest_row_age: int
    next_scheduled_run: datetime | None
    gates: tuple[Gate, ...]
    slots: DueSlots = field(default_factory=DueSlots)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON document of the command and the API."""
        return {
            "entity": self.entity,
            "would_fire": self.would_fire,
            "reason": self.reason,
            "pending_rows": self.pending_rows,
            "oldest_row_age": self.oldest_row_age,
            "next_scheduled_run": self.next_scheduled_run.isoformat() if self.next_scheduled_run else None,
            "gates": [gate.as_json() for gate in self.gates],
        }


def test_run(configuration: SchedulerConfiguration, now: datetime) -> TestRun:
    """Return what the dispatcher would decide at `now`. Writes nothing; the configuration need not be saved."""
    statistics = measured(configuration, now)
    decision = decide(configuration, statistics, now)
    oldest = statistics.pending.oldest_at
    return TestRun(
        entity=configuration.entity.code,
        would_fire=decision.would_fire,
        reason=decision.reason,
        pending_rows=statistics.pending.count,
        oldest_row_age=max(int((now - oldest).total_seconds() // 60), 0) if oldest else 0,
        next_scheduled_run=configuration.next_scheduled_run,
        gates=decision.gates,
        slots=decision.slots,
    )
