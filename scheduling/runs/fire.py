"""A fire as one frozen value, whoever wants it: what the run is of, what it does, why it starts, and who may.

A run needs the right for each kind of work in it, however deep in its plans that was found.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models.functions import Coalesce
from django.utils.translation import gettext_noop

from scheduling.dag.manifest import Manifest, ManifestTask
from scheduling.errors import InvalidArguments, InvalidPlan, NotAllowed
from scheduling.lifecycle import events
from scheduling.lifecycle.guard import Bid
from scheduling.lifecycle.whole import is_whole
from scheduling.models import (
    BackfillSlot,
    Job,
    JobSchedule,
    Plan,
    Run,
    Schedule,
    SchedulerConfiguration,
    SchedulerLog,
    Task,
)
from scheduling.plans.compile import Compiled, compile_each
from scheduling.plans.parameters import PREVIOUS_SLOT, SLOT, values_of
from scheduling.schedules.deadlines import dated, due_at, due_of, expected_of, with_deadlines_of
from scheduling.states import EventType, RunKind, RunStatus, ScheduleType, Starter
from staging.models import Batch
from staging.rights import Entities, Person, reach
from staging.wording import say


def slot_key(schedule: Schedule, slot: datetime) -> str:
    """Return what makes the fire of a slot unique, whoever lets it run: the scheduler, or a person after the event."""
    return f"{slots_key(schedule)}{slot.isoformat()}"


def slots_key(schedule: Schedule) -> str:
    """Return what the keys of all slots of a schedule begin with."""
    return f"{schedule.KIND}:{schedule.pk}:slot:"


@dataclass(frozen=True)
class Cause:
    """Why a run starts. `fire_key` is unique to it: what fires twice with one key starts once.

    `by_itself`: the scheduler decided it, on what it had read of the schedule; `slot` is None for a trigger. `slots`
    are the columns by which the schedule moves on together with the fire, and `passed` the events that tell of those
    that came to nothing. `details` is what the log keeps of the decision, and `rows_queued` the rows it saw waiting.
    `person`: who asked for it, when somebody did. `backfilled`: the slot is one of a backfill. `over_from`: the run
    whose wait for the next attempt of its plan it ends; it takes over what that one held, and its deadline.
    """

    fire_key: str
    trigger_source: str
    started_by: str
    now: datetime
    reason: str = ""
    by_itself: bool = False
    slot: datetime | None = None
    slots: Mapping[str, Any] = field(default_factory=dict)
    passed: Sequence[SchedulerLog] = ()
    rows_queued: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)
    restart_of: Run | None = None
    is_partial: bool = False  # a restart that leaves out what has not completed
    person: Person | None = None
    backfilled: BackfillSlot | None = None
    over_from: Run | None = None

    @property
    def is_beside_others(self) -> bool:
        """Return whether the run works beside others of the same, and holds no guard against them."""
        return self.backfilled is not None and self.backfilled.backfill.side_by_side is not None


@dataclass(frozen=True)
class Subject:
    """What a run is a run of, and the guards that let it run once at a time: those of its schedules and of its job.

    The schedules stand as they were read. A job is guarded also against runs that none of its schedules started. A run
    that may work `side_by_side` with others of the same takes none of these guards.
    """

    kind: str
    title: str = ""
    plans: Sequence[str] = ()
    entity_id: int | None = None
    schedules: Sequence[Schedule] = ()
    job: Job | None = None
    side_by_side: bool = False

    @property
    def guarded_job(self) -> Job | None:
        """Return the job that may have no other run meanwhile."""
        return None if self.side_by_side else self.job

    @property
    def guarded_schedules(self) -> Sequence[Schedule]:
        """Return the schedules that may have no other run meanwhile."""
        return () if self.side_by_side else self.schedules

    def about(self) -> list[dict[str, int]]:
        """Return the columns of the log that say whom an event is about, one for each event that tells the fire."""
        if self.job is not None:
            return [{"job_id": self.job.pk}]
        return [schedule.subject for schedule in self.schedules] or [{}]

    def guards(self) -> set[tuple[str, int]]:
        """Return what no two fires of one transaction may share."""
        return {(schedule.KIND, schedule.pk) for schedule in self.guarded_schedules} | (
            {("job", self.guarded_job.pk)} if self.guarded_job is not None else set()
        )


@dataclass(frozen=True)
class Fire:
    """One run that is to start. `message` is what the log says of it; `event` adds to the log event, or replaces."""

    subject: Subject
    manifest: Manifest
    cause: Cause
    message: str
    event: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] | None = None  # the values that its plans' parameters have
    timeout_seconds: int | None = None  # how long the run may take
    expected: timedelta | None = None  # how long it usually may take
    deadline_at: datetime | None = None
    tries: Mapping[str, Any] = field(default_factory=dict)  # which attempt of its plans it is, of how many

    def bids(self) -> list[Bid]:
        """Return what it wants of the guards of its schedules."""
        cause = self.cause
        return [
            Bid(seen, cause.trigger_source, cause.by_itself, cause.slots, cause.over_from)
            for seen in self.subject.guarded_schedules
        ]

    def events(self, run: Run, batch: Batch | None) -> list[SchedulerLog]:
        """Return what the log keeps of it, and of the slots that it passed."""
        by = {"trigger_source": run.trigger_source, "starter": Starter.of(run.fire_key, run.started_by)}
        facts = {**by, "message": self.message, "run_id": run.pk}
        if batch is not None:
            facts["batch_id"] = batch.pk
        about, *others = self.subject.about()
        told = [{**about, **facts, **self.event}, *({**other, **facts} for other in others)]
        return [*(events.event(EventType.FIRED, now=self.cause.now, **each) for each in told), *self.cause.passed]


def batch_fire(
    configuration: SchedulerConfiguration, cause: Cause, message: str, opening: Mapping[str, Any] | None = None
) -> Fire:
    """Return the fire of an entity: a run of one task, and its batch; `opening` says what is unusual about that."""
    entity = configuration.entity
    manifest = (ManifestTask(entity.code, RunKind.BATCH, entity.pk, arguments=dict(opening or {})),)
    subject = Subject(RunKind.BATCH, entity_id=entity.pk, schedules=[configuration])
    return Fire(subject, manifest, cause, message)


def plan_fire(
    plans: Sequence[Plan],
    manifest: Manifest,
    cause: Cause,
    message: str,
    parameters: Mapping[str, Any] | None = None,
) -> Fire:
    """Return the fire of one or several plans as one run; `parameters` are the values that its tasks were given.

    It may take as long as the plan named first says that says so; what the plans say that are steps is theirs alone.
    """
    names = [plan.name for plan in plans]
    subject = Subject(
        RunKind.PLAN, plan_title(names), plans=names, schedules=plans, side_by_side=cause.is_beside_others
    )
    limit = next((plan.run_timeout_seconds for plan in plans if plan.run_timeout_seconds is not None), None)
    # What is repeated, or caught up with, is late anyway.
    slot = (cause.slot or cause.now) if cause.restart_of is None and cause.backfilled is None else None
    due = next((due for plan in plans if (due := due_of(plan, plan.timezone))), None)
    by, items = due_at(due, slot) if slot else None, dated(manifest, slot)
    if cause.over_from is not None:
        by, items = cause.over_from.deadline_at, with_deadlines_of(cause.over_from, items)
    return Fire(
        subject, items, cause, message, parameters=parameters or None, timeout_seconds=limit,
        expected=next((usual for plan in plans if (usual := expected_of(plan))), None),
        deadline_at=by, tries=_tries(plans, cause),
    )  # fmt: skip


def _tries(plans: Sequence[Plan], cause: Cause) -> Mapping[str, Any]:
    """Return which attempt of its plans a run is, and how many there may be: as the plan named first says that says so.

    A run of a backfill is tried once: whoever began it sees its end, and may restart it.
    """
    if cause.over_from is not None:
        return cause.over_from.tries_of_the_next()
    if cause.backfilled is not None:
        return {}
    return next((plan.tries for plan in plans if plan.run_attempts > 1), {})


def values_for(
    made: Compiled,
    names: Sequence[str],
    given: Mapping[str, Any],
    slot: datetime,
    backfilled: BackfillSlot | None = None,
) -> dict[str, Any]:
    """Return the values of all that a run of plans may name: its parameters, and what is there by itself and named.

    `slot`: the planned time, or that of its start. The slot before one of a backfill is that of the schedule: of side
    by side runs none has completed yet. Raises InvalidArguments, with every fault by its name.
    """
    values, named = values_of(made.parameters, given), made.named
    if named & {SLOT, PREVIOUS_SLOT}:
        values[SLOT] = slot.isoformat()
    if PREVIOUS_SLOT in named:
        previous = backfilled.previous_slot if backfilled else _last_slot(plan_title(names), slot)
        values[PREVIOUS_SLOT] = previous and previous.isoformat()
    return values


def _last_slot(title: str, before: datetime) -> datetime | None:
    """Return the latest slot before this one of the runs of plans with this title that completed; None for none.

    Slots come in the order of their runs, but for restarts, each of which stands for the slot of the run that it
    repeats, and for backfills.
    """
    of_plans = Run.objects.titled(title).filter(kind=RunKind.PLAN)
    completed = of_plans.filter(status=RunStatus.COMPLETED, is_partial=False)
    earlier = completed.annotate(at=Coalesce("scheduled_for", "created_at")).filter(at__lt=before)
    last = earlier.filter(restart_of__isnull=True, backfilled__isnull=True).order_by("-id").first()
    restarts = completed.filter(restart_of__isnull=False, pk__gt=last.pk if last else 0)
    filled = earlier.filter(restart_of__isnull=True, backfilled__isnull=False).order_by("-at").first()
    slots = map(_slot_of, [*filter(is_whole, restarts), *(run for run in (last, filled) if run)])
    return max((slot for slot in slots if slot < before), default=None)


def _slot_of(run: Run) -> datetime:
    given = (run.parameters or {}).get(SLOT)
    return datetime.fromisoformat(given) if given else run.scheduled_for or run.created_at


def plan_title(names: Sequence[str]) -> str:
    """Return what a run of these plans is called."""
    return f"Plan {names[0]}" if len(names) == 1 else f"Plans {', '.join(names)}"


def job_fire(
    job: Job,
    cause: Cause,
    message: str,
    schedule: JobSchedule | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Fire:
    """Return the fire of a job: a run of one task; `schedule` is what started it, None when a person did."""
    task = ManifestTask(
        key=f"job {job.name}",
        workload=RunKind.JOB,
        target_id=job.pk,
        queue=job.queue_name,
        priority=job.priority,
        attempts=job.attempts,
        retry_interval_seconds=job.retry_interval_seconds,
        retry_backoff=job.retry_backoff,
        timeout_seconds=job.timeout_seconds,
        arguments=arguments or {},
        side_by_side=cause.is_beside_others,
    )
    schedules = [] if schedule is None else [schedule]
    subject = Subject(RunKind.JOB, job.name, schedules=schedules, job=job, side_by_side=cause.is_beside_others)
    return Fire(subject, (task,), cause, message)


# What the scheduler fires: one function for each kind of schedule, from the schedules of a cycle and why each fires.
# An answer is a fire, or why there can be none.
Answers = list[Fire | Exception]


def scheduled_batches(found: Sequence[tuple[SchedulerConfiguration, Cause]]) -> Answers:
    """Return the fires of entities; the log says how many rows were waiting."""
    return [
        replace(
            batch_fire(configuration, cause, say("Batch started. {reason}", reason=cause.reason)),
            event={"rows_queued": cause.rows_queued, "details": dict(cause.details)},
        )
        for configuration, cause in found
    ]


def scheduled_plans(found: Sequence[tuple[Plan, Cause]]) -> Answers:
    """Return the fires of plans, a run for each; InvalidPlan for one that cannot run as it stands.

    Raises UnknownPlan when one was deleted since it was read.
    """
    compiled = compile_each([plan.name for plan, _ in found])
    return [_scheduled_plan(plan, compiled[plan.name], cause) for plan, cause in found]


def _scheduled_plan(plan: Plan, made: Compiled | InvalidPlan, cause: Cause) -> Fire | InvalidPlan:
    if isinstance(made, InvalidPlan):
        return made
    try:
        values = values_for(made, [plan.name], {}, cause.slot or cause.now, cause.backfilled)
    except InvalidArguments as error:  # of a plan that is a step: its own have their defaults
        return InvalidPlan({"parameters": [str(error)]})
    message = say("Plan started. {reason}", reason=cause.reason)
    fire = plan_fire([plan], made.with_values(values), cause, message, values)
    return replace(fire, event={"details": dict(cause.details)})


def scheduled_jobs(found: Sequence[tuple[JobSchedule, Cause]]) -> Answers:
    """Return the fires of schedules of jobs; one of a single moment switches itself off with its fire."""
    fires: Answers = []
    for schedule, cause in found:
        is_used_up = schedule.schedule_type == ScheduleType.ONCE and cause.by_itself
        once = {"is_enabled": False} if is_used_up else {}
        source = f"{cause.trigger_source} {schedule.name}"
        own = replace(cause, trigger_source=source, slots={**cause.slots, **once})
        fire = job_fire(
            schedule.job, own, say("Job {job} started. {reason}", job=schedule.job.name, reason=cause.reason), schedule
        )
        fires.append(replace(fire, event={"details": dict(cause.details)}))
    return fires


# What starting work of a kind needs, and how it is told. Functions declared with @task are started by code only.
_NEEDED = {
    RunKind.BATCH: ("scheduling.process_batch", gettext_noop("process an entity")),
    RunKind.JOB: ("scheduling.run_job", gettext_noop("run a job")),
    RunKind.SCRIPT: ("scheduling.run_sqlscript", gettext_noop("run a SQL script")),
}
_NAMED = 3
# A restart repeats what started the run, and what was unusual about its batch.
_STARTED = {RunKind.BATCH: "process_batch", RunKind.JOB: "run_job", RunKind.PLAN: "run_plan"}
_OPENED = {"undoes_id": "staging.undo_batch", "approves_id": "staging.approve_batch"}


def needed_to_start(run: Run, tasks: Iterable[Task] | None = None) -> list[str]:
    """Return the permissions to start what a run is made of: a restart is no way around one.

    `tasks`: all tasks of the run, where they were read already.
    """
    needed = [f"scheduling.{_STARTED[RunKind(run.kind)]}"] if run.kind in _STARTED else []
    if run.kind == RunKind.BATCH:
        known = run.tasks.values_list("arguments", flat=True) if tasks is None else [one.arguments for one in tasks]
        given = set().union(*known)
        needed += [permission for name, permission in _OPENED.items() if name in given]
    return needed


def refuse_without_right(manifest: Iterable[ManifestTask], person: Person | None) -> None:
    """Raise NotAllowed when the person lacks the right for something in it. Nobody is the machine itself: it may all.

    The scheduler is refused nothing: what a schedule may start was checked when somebody saved it. Of who may start
    anything the manifest is not looked at.
    """
    if person is None:
        return
    reached = {kind: reach(person, permission) for kind, (permission, _) in _NEEDED.items()}
    if all(ids is None for ids in reached.values()):
        return
    by_kind: dict[str, list[tuple[str, int | None]]] = {}
    for item in manifest:
        for kind in _needed_kinds(item):
            by_kind.setdefault(kind, []).append((item.key, item.target_id))
    for kind, (_, words) in _NEEDED.items():
        lacking = [key for key, target_id in by_kind.get(kind, ()) if not _is_within(reached[kind], kind, target_id)]
        if lacking:
            raise NotAllowed(
                say("It needs the right to {do}, which you do not have: {tasks}.", do=say(words), tasks=_few(lacking))
            )


def _needed_kinds(item: ManifestTask) -> set[str]:
    """Return the kinds of work whose right it takes: whoever waits for a query runs it, or takes items of one."""
    if item.workload == RunKind.WAIT and "script" in item.arguments:
        return {RunKind.SCRIPT}
    if item.workload == RunKind.MAP:
        query = {RunKind.SCRIPT} if "query" in item.arguments else set()
        return {item.arguments["work"]["workload"], *query}
    return {item.workload}


def _is_within(ids: Entities, kind: str, target_id: int | None) -> bool:
    """Return whether whoever reaches these entities may start such work: only batches are of an entity."""
    return ids is None or (kind == RunKind.BATCH and target_id in ids)


def _few(keys: Collection[str]) -> str:
    """Return the first of the names."""
    shown = sorted(keys)[:_NAMED]
    more = len(keys) - len(shown)
    return say("{tasks} and {more} more", tasks=", ".join(shown), more=more) if more else ", ".join(shown)
