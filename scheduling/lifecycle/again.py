"""Moves of a run that failed and waits for the next attempt of its plan. A guarded update decides who ends a wait.

While it waits it keeps its plans, as a run that has not ended does: nothing else of them begins. Whoever ends the wait
lets the next attempt take them over, or gives them back, in the same transaction.
"""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Count, F

from scheduling.lifecycle import events
from scheduling.lifecycle.guard import release_of_run
from scheduling.models import Plan, Run, SchedulerLog
from scheduling.states import EventType, RunStatus, Starter
from staging.transactions import in_transaction, note_lock, require_lock
from staging.wording import said_together, say

# What the event of an attempt that could not begin is about.
NOT_BEGUN = "attempt"


@in_transaction
def end_due_wait(run_id: int, *, now: datetime) -> bool:
    """End a wait that is over, for the attempt that begins with it; False when somebody was faster.

    The run is locked until the transaction ends.
    """
    note_lock("run", run_id)
    return bool(Run.objects.waiting().filter(pk=run_id, next_attempt_at__lte=now).update(next_attempt_at=None))


@in_transaction
def end_wait(run_id: int) -> bool:
    """End a wait, however long it still is, for a restart that takes its place; False when it does not wait."""
    note_lock("run", run_id)
    return bool(Run.objects.waiting().filter(pk=run_id).update(next_attempt_at=None))


@in_transaction
def be_the_last(run_id: int) -> bool:
    """Let no attempt come after a live run whose time is up: somebody cancels it, and it ends as failed all the same.

    False for every other run, which ends as cancelled. With the run locked.
    """
    require_lock("run", run_id)
    live = Run.objects.exclude(status__in=RunStatus.final()).filter(pk=run_id, timed_out_at__isnull=False)
    return bool(live.update(attempts_allowed=F("attempt_number")))


@in_transaction
def still_waits(run: Run) -> bool:
    """Return whether a run waits as it did when it was read; it is locked then until the transaction ends."""
    note_lock("run", run.pk)
    waiting = Run.objects.waiting().filter(pk=run.pk, next_attempt_at=run.next_attempt_at)
    return bool(waiting.update(next_attempt_at=F("next_attempt_at")))


@in_transaction
def put_off(run: Run, until: datetime, why: str, *, now: datetime) -> bool:
    """Let a run whose next attempt could not begin wait until then, and tell why; False when it does not wait."""
    note_lock("run", run.pk)
    if not Run.objects.waiting().filter(pk=run.pk).update(next_attempt_at=until):
        return False
    source, starter = run.trigger_source, Starter.of(run.fire_key, run.started_by)
    for plan in Plan.objects.filter(running_run=run.pk, is_running=True):
        events.record(
            EventType.RETRIED, now=now, message=why, trigger_source=source, starter=starter, run_id=run.pk,
            details={"of": NOT_BEGUN}, **plan.subject,
        )  # fmt: skip
    return True


def failed_begins(run: Run) -> int:
    """Return how often the next attempt of a run could not begin."""
    told = SchedulerLog.objects.filter(run_id=run.pk, event_type=EventType.RETRIED, details__of=NOT_BEGUN)
    plans = told.order_by().values("plan").annotate(times=Count("pk"))
    return max((each["times"] for each in plans), default=0)


@in_transaction
def give_up(run: Run, why: str, *, event: EventType, now: datetime) -> bool:
    """End the wait of a run for good: it has failed, and its plans are free. False when it does not wait.

    Where somebody or something decided so (`event` is cancelled) the plans do not back off: what ended the wait may
    begin at once. Where the attempt could not begin they do, as after every failure.
    """
    if not end_wait(run.pk):
        return False
    kept = Plan.objects.filter(running_run=run.pk, is_running=True)
    plans = list(kept) or Plan.objects.filter(name__in=run.plans)
    release_of_run(run.pk, RunStatus.FAILED, now=now, backs_off=event != EventType.CANCELLED)
    message = said_together(say("Run {run} of {title} is not tried again.", run=run.pk, title=run.title), why)
    source, starter = run.trigger_source, Starter.of(run.fire_key, run.started_by)
    for subject in [plan.subject for plan in plans] or [{}]:
        about = {**subject, "run_id": run.pk}
        events.record(event, now=now, message=message, trigger_source=source, starter=starter, **about)
    return True


@in_transaction
def give_up_of_plans(plan_ids: Collection[int], why: str, *, now: datetime) -> int:
    """End the waits for another attempt of these plans for good; return how many there were."""
    held = Plan.objects.filter(pk__in=plan_ids, is_running=True).values("running_run")
    waiting = Run.objects.waiting().filter(pk__in=held)
    return sum(give_up(run, why, event=EventType.CANCELLED, now=now) for run in waiting.order_by("pk"))
