"""What does not move: what recovery would release or advance, and what it leaves to people."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Min, QuerySet

from scheduling.dispatch.recover import abandoned_guards, silent_attempts, stuck_runs
from scheduling.doctor.finding import DoctorFinding, command, error, warning
from scheduling.doctor.patient import Look, LookedAt, Patient
from scheduling.models import Attempt, Job, Plan, PlanAfter, PlanStep, Run, SchedulerConfiguration, Task
from scheduling.models.plan import PlanAfterQuerySet
from scheduling.models.schedule import ScheduleQuerySet, all_schedules
from scheduling.plans.parameters import known_jobs, no_job
from scheduling.states import TaskStatus
from staging.tables.compared import Defined, known_problems_of
from staging.wording import counted, said_together, say

_DAY = timedelta(days=1)
_WAITS_LONG = timedelta(hours=1)
_IN_A_ROW = 3  # failures of a schedule
_NAMED = 10  # of one kind; the rest is as many lines of the same


def looks(patient: Patient) -> Iterator[Look]:
    """Look at what is dead or stands still, queues that do not get on, what fails again and again, what cannot run."""
    now = patient.now
    in_line = Task.objects.filter(status=TaskStatus.QUEUED, next_attempt_at__isnull=True, queue__paused_at__isnull=True)
    waits = in_line.order_by().values("queue__name").annotate(since=Min("queued_at"))
    held = Task.objects.held().filter(held_at__lt=now - _DAY)
    awaiting = Task.objects.awaiting().filter(waits_since__lt=now - _DAY, timeout_seconds__isnull=True)
    after_others = Plan.objects.automatic().filter(after_others=True, schedule_type="")
    declared = Job.objects.filter(removed_at__isnull=True).values("name")
    jobs = PlanStep.objects.filter(is_cancelled=False, plan__is_cancelled=False).exclude(job_name="")
    yield Look(_silent, silent_attempts(now))
    yield Look(_abandoned, abandoned_guards(now))
    yield Look(_unmoved, stuck_runs())
    yield Look(lambda rows: _waiting(rows, now), waits.filter(since__lt=now - _WAITS_LONG))
    yield Look(lambda tasks: _held(tasks, now), held)
    yield Look(lambda tasks: _awaiting(tasks, now), awaiting)
    yield Look(lambda _: _altered(patient.live_entities))
    for rows in all_schedules():
        yield Look(_failing, rows.automatic().filter(consecutive_failures__gte=_IN_A_ROW))
    yield Look(_failed, Run.objects.still_failed().filter(finished_at__gte=now - _DAY))
    yield Look(_after, PlanAfter.objects.filter(plan__in=after_others))
    yield Look(_after_nothing, after_others.filter(after__isnull=True))
    yield Look(_without_job, jobs.exclude(job_name__in=declared))


def _silent(attempts: QuerySet[Attempt]) -> Iterator[DoctorFinding]:
    """Find attempts that the next cycle would release; where no cycle runs, they stay so."""
    silent = counted(attempts.count(), "attempt has given no sign of life", "attempts have given no sign of life")
    text = say("{attempts} for longer than ZOMBIE_TIMEOUT_MINUTES.", attempts=silent)
    yield error("stuck.attempts", text, command("dispatch"))


def _abandoned(guards: QuerySet[SchedulerConfiguration]) -> Iterator[DoctorFinding]:
    """Find guards that the next cycle would release."""
    codes = ", ".join(guards.values_list("entity__code", flat=True)[:_NAMED])
    text = say("Marked as running, and nothing runs: {entities}.", entities=codes)
    yield error("stuck.guards", text, command("dispatch"))


def _unmoved(stuck: QuerySet[Run]) -> Iterator[DoctorFinding]:
    """Find runs that the next cycle would advance."""
    runs = counted(stuck.count(), "run has not ended", "runs have not ended")
    yield error("stuck.runs", say("{runs} though nothing of it can move.", runs=runs), command("dispatch"))


def _waiting(rows: QuerySet[Task, dict[str, Any]], now: datetime) -> Iterator[DoctorFinding]:
    """Find queues in which something that could start has waited for long; a paused one is told apart."""
    for row in rows:
        text = say(
            "In the queue {queue} a task has waited for {wait}.", queue=row["queue__name"], wait=now - row["since"]
        )
        yield warning(
            "queue.slow", text, say("Start more workers, or let more of the queue run at once (max_running).")
        )


def _held(tasks: QuerySet[Task], now: datetime) -> Iterator[DoctorFinding]:
    """Find steps that somebody has held for long: their runs do not end."""
    for task in tasks.order_by("held_at")[:_NAMED]:
        text = say(
            "{by} has held {task} of run {run} for {wait}.",
            by=task.held_by,
            task=task.key,
            run=task.run_id,
            wait=now - (task.held_at or now),
        )
        yield warning("stuck.held", text, command(f"resume_task {task.pk}"))


def _awaiting(tasks: QuerySet[Task], now: datetime) -> Iterator[DoctorFinding]:
    """Find steps that have waited for long without a time-out: their runs may never end."""
    for task in tasks.order_by("waits_since")[:_NAMED]:
        text = say(
            "{task} of run {run} has waited for {wait}, and has no time-out.",
            task=task.key,
            run=task.run_id,
            wait=now - (task.waits_since or now),
        )
        yield warning("stuck.awaiting", text, command(f"skip_task {task.pk}"))


def _altered(entities: list[LookedAt]) -> Iterator[DoctorFinding]:
    """Find entities that stand because their tables differ from their definition."""
    problems = known_problems_of([Defined(each.tabled, each.attributes) for each in entities])
    for entity in [each for each in entities if problems[each.tabled.pk]][:_NAMED]:
        differs = said_together(*problems[entity.tabled.pk])
        text = say("{entity} is stopped: {problems}", entity=entity.name, problems=differs)
        mend = say("Take back what was altered by hand; saving the entity adds what is missing.")
        yield error("entity.altered", text, mend)


def _failing(schedules: ScheduleQuerySet) -> Iterator[DoctorFinding]:
    """Find schedules that fail again and again."""
    for schedule in schedules.readable().order_by("-consecutive_failures", "pk")[:_NAMED]:
        text = say("{what} failed {times} times in a row.", what=schedule.what, times=schedule.consecutive_failures)
        yield warning("schedule.fails", text, command(f'why_not "{_called(schedule.what, schedule.own_name)}"'))


def _failed(failed: QuerySet[Run]) -> Iterator[DoctorFinding]:
    """Find failed runs that nobody made good."""
    # Not the first one by id: a database goes back through all runs for it, not only through those of a day.
    found = failed.order_by().aggregate(number=Count("pk"), newest=Max("pk"))
    if newest := found["newest"]:
        runs = counted(found["number"], "run failed", "runs failed")
        text = say(
            "{runs} in the last 24 hours without being made good; the newest is {newest}.", runs=runs, newest=newest
        )
        yield warning("runs.failed", text, command(f"restart_run {newest} --failed"))


def _after(rows: PlanAfterQuerySet) -> Iterator[DoctorFinding]:
    """Find plans that run after what is cancelled, switched off or has never completed."""
    for row in rows.with_completion().by_name().select_related("plan", "other", "entity__configuration"):
        if finding := _after_one(row):
            yield finding


def _after_nothing(plans: QuerySet[Plan]) -> Iterator[DoctorFinding]:
    """Find plans that run after nothing any more."""
    for plan in plans.order_by("name"):
        text = say("{plan} runs after others, and names none any more: it never starts by itself.", plan=plan.what)
        yield warning("after.nothing", text, say("Choose on its page what it runs after, or give it a schedule."))


def _after_one(row: Any) -> DoctorFinding | None:
    """Return why the plan of a row may wait for ever."""
    names = {"plan": row.plan.what, "other": row.what}
    starts = row.other or getattr(row.entity, "configuration", None)
    if row.is_gone:
        text = say("{plan} runs after {other}, which is cancelled: it does not start by itself any more.", **names)
        return warning("after.cancelled", text, say("Choose something else on the page of {plan}.", **names))
    if starts is not None and not starts.is_enabled:
        text = say("{plan} runs after {other}, which is switched off: only people start that.", **names)
        return warning("after.off", text, say("Switch {other} on, or choose something else.", **names))
    if row.completed_at is None:
        text = say("{plan} runs after {other}, which has never completed.", **names)
        return warning("after.never", text, command(f'why_not "{row.other.what if row.other else row.entity.code}"'))
    return None


def _without_job(steps: QuerySet[PlanStep]) -> Iterator[DoctorFinding]:
    """Find plans that cannot run because a job of theirs is switched off, or is not declared any more."""
    known = known_jobs()
    for step in steps.select_related("plan").order_by("plan__name", "pk")[:_NAMED]:
        text = say("{plan} cannot run. {why}", plan=step.plan.what, why=no_job(step.job_name, known))
        yield error("plan.job", text, say("Bring the job back, or cancel the step on the page of the plan."))


def _called(what: str, own_name: str) -> str:
    """Return what `why_not` calls a schedule."""
    return f"{what}: {own_name}" if own_name else what
