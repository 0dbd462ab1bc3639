"""What does not move: what recovery would release or advance, and what it leaves to people."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Min

from scheduling.dispatch.recover import abandoned_guards, silent_attempts, stuck_runs
from scheduling.doctor.finding import DoctorFinding, command, error, warning
from scheduling.models import Job, Plan, PlanAfter, PlanStep, Run, Task
from scheduling.models.schedule import all_schedules
from scheduling.plans.parameters import known_jobs, no_job
from scheduling.states import TaskStatus
from staging.models import Entity
from staging.tables.columns import table_problems_of
from staging.wording import counted, said_together, say

_DAY = timedelta(days=1)
_WAITS_LONG = timedelta(hours=1)
_FAILURES_IN_A_ROW = 3
_NAMED = 10  # of one kind; the rest is as many lines of the same


def examine(now: datetime) -> Iterator[DoctorFinding]:
    """Find what is dead or stands still, queues that do not get on, what fails again and again, and what cannot run."""
    yield from _for_recovery(now)
    yield from _queues(now)
    yield from _held(now)
    yield from _awaiting(now)
    yield from _altered()
    yield from _failing(now)
    yield from _after()
    yield from _without_job()


def _for_recovery(now: datetime) -> Iterator[DoctorFinding]:
    """Find what the next cycle would mend; where no cycle runs, it stays so."""
    if count := silent_attempts(now).count():
        attempts = counted(count, "attempt has given no sign of life", "attempts have given no sign of life")
        text = say("{attempts} for longer than ZOMBIE_TIMEOUT_MINUTES.", attempts=attempts)
        yield error("stuck.attempts", text, command("dispatch"))
    if codes := list(abandoned_guards(now).values_list("entity__code", flat=True)[:_NAMED]):
        text = say("Marked as running, and nothing runs: {entities}.", entities=", ".join(codes))
        yield error("stuck.guards", text, command("dispatch"))
    if count := stuck_runs().count():
        runs = counted(count, "run has not ended", "runs have not ended")
        yield error("stuck.runs", say("{runs} though nothing of it can move.", runs=runs), command("dispatch"))


def _queues(now: datetime) -> Iterator[DoctorFinding]:
    """Find queues in which something that could start has waited for long; a paused one is told apart."""
    in_line = Task.objects.filter(status=TaskStatus.QUEUED, next_attempt_at__isnull=True, queue__paused_at__isnull=True)
    waits = in_line.order_by().values("queue__name").annotate(since=Min("queued_at"))
    for row in waits.filter(since__lt=now - _WAITS_LONG):
        text = say(
            "In the queue {queue} a task has waited for {wait}.", queue=row["queue__name"], wait=now - row["since"]
        )
        yield warning(
            "queue.slow", text, say("Start more workers, or let more of the queue run at once (max_running).")
        )


def _held(now: datetime) -> Iterator[DoctorFinding]:
    """Find steps that somebody has held for long: their runs do not end."""
    held = Task.objects.held().filter(held_at__lt=now - _DAY).order_by("held_at")
    for task in held[:_NAMED]:
        text = say(
            "{by} has held {task} of run {run} for {wait}.",
            by=task.held_by,
            task=task.key,
            run=task.run_id,
            wait=now - (task.held_at or now),
        )
        yield warning("stuck.held", text, command(f"resume_task {task.pk}"))


def _awaiting(now: datetime) -> Iterator[DoctorFinding]:
    """Find steps that have waited for long without a time-out: their runs may never end."""
    awaiting = Task.objects.awaiting().filter(waits_since__lt=now - _DAY, timeout_seconds__isnull=True)
    for task in awaiting.order_by("waits_since")[:_NAMED]:
        text = say(
            "{task} of run {run} has waited for {wait}, and has no time-out.",
            task=task.key,
            run=task.run_id,
            wait=now - (task.waits_since or now),
        )
        yield warning("stuck.awaiting", text, command(f"skip_task {task.pk}"))


def _altered() -> Iterator[DoctorFinding]:
    """Find entities that stand because their tables differ from their definition."""
    problems = table_problems_of(list(entities := Entity.objects.filter(is_cancelled=False)))
    for entity in [one for one in entities if problems[one.pk]][:_NAMED]:
        text = say("{entity} is stopped: {problems}", entity=entity, problems=said_together(*problems[entity.pk]))
        mend = say("Take back what was altered by hand; saving the entity adds what is missing.")
        yield error("entity.altered", text, mend)


def _failing(now: datetime) -> Iterator[DoctorFinding]:
    """Find schedules that fail again and again, and failed runs that nobody made good."""
    for schedules in all_schedules():
        failing = schedules.automatic().filter(consecutive_failures__gte=_FAILURES_IN_A_ROW).readable()
        for schedule in failing.order_by("-consecutive_failures", "pk")[:_NAMED]:
            text = say("{what} failed {times} times in a row.", what=schedule.what, times=schedule.consecutive_failures)
            yield warning("schedule.fails", text, command(f'why_not "{_called(schedule.what, schedule.own_name)}"'))
    failed = Run.objects.still_failed().filter(finished_at__gte=now - _DAY)
    # Not the first one by id: a database goes back through all runs for it, not only through those of a day.
    found = failed.order_by().aggregate(number=Count("pk"), newest=Max("pk"))
    if newest := found["newest"]:
        runs = counted(found["number"], "run failed", "runs failed")
        text = say(
            "{runs} in the last 24 hours, and was not made good; the newest is {newest}.", runs=runs, newest=newest
        )
        yield warning("runs.failed", text, command(f"restart_run {newest} --failed"))


def _after() -> Iterator[DoctorFinding]:
    """Find plans that run after what is cancelled, switched off or has never completed; and after nothing any more."""
    plans = Plan.objects.automatic().filter(after_others=True, schedule_type="")
    rows = PlanAfter.objects.filter(plan__in=plans).with_completion().by_name()
    for row in rows.select_related("plan", "other", "entity__configuration"):
        if finding := _after_one(row):
            yield finding
    for plan in plans.filter(after__isnull=True).order_by("name"):
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


def _without_job() -> Iterator[DoctorFinding]:
    """Find plans that cannot run because a job of theirs is switched off, or is not declared any more."""
    declared = Job.objects.filter(removed_at__isnull=True).values("name")
    named = PlanStep.objects.filter(is_cancelled=False, plan__is_cancelled=False).exclude(job_name="")
    without = list(named.exclude(job_name__in=declared).select_related("plan").order_by("plan__name", "pk")[:_NAMED])
    known = known_jobs() if without else {}
    for step in without:
        text = say("{plan} cannot run. {why}", plan=step.plan.what, why=no_job(step.job_name, known))
        yield error("plan.job", text, say("Bring the job back, or cancel the step on the page of the plan."))


def _called(what: str, own_name: str) -> str:
    """Return what `why_not` calls a schedule."""
    return f"{what}: {own_name}" if own_name else what
