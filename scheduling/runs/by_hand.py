"""Starts what a person asked for, outside its schedule and under the same guards: work, an approval, an undo."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.db import transaction
from django.db.models import Count

from scheduling.dag.conditions import stored_conditions
from scheduling.dag.manifest import Manifest
from scheduling.errors import AlreadyRunning, CannotRestart, EntityCancelled, InvalidManifest, UnknownPlan
from scheduling.jobs.discover import arguments_for, switched_off
from scheduling.jobs.options import Options
from scheduling.lifecycle import events
from scheduling.lifecycle.again import end_wait
from scheduling.models import Job, Plan, Run, SchedulerConfiguration, Task
from scheduling.plans.compile import Compiled, compile_plans
from scheduling.runs.enqueue import enqueue_by_hand
from scheduling.runs.fire import Cause, batch_fire, job_fire, plan_fire, plan_title, values_for
from scheduling.runs.start import start
from scheduling.states import BY_ITSELF, EventType, RunKind, Starter, TaskStatus
from staging.batches.shown.held import check_approval, discard, record_approval, send_back
from staging.batches.undo.undo import UndoOutlook, foresee
from staging.errors import UndoRefused
from staging.models import Batch
from staging.rights import Person
from staging.states import AuditKind, ReviewVerb
from staging.versions.audit import note
from staging.wording import Said, say

_BY_HAND = "Manual"
_ATTEMPT = ":attempt:"  # in the key of what is no first attempt, behind the key of the first

_ACTS = {ReviewVerb.SEND_BACK: send_back, ReviewVerb.DISCARD: discard}


@dataclass(frozen=True)
class StartedBatch:
    """A run of one batch, as it was created."""

    run: Run
    task: Task
    batch: Batch


def start_batch_now(
    configuration: SchedulerConfiguration,
    *,
    tag: str = "",
    started_by: str,
    trigger_source: str = _BY_HAND,
    message: str = "",
    opening: Mapping[str, Any] | None = None,
    restart_of: Run | None = None,
    now: datetime,
) -> StartedBatch:
    """Start a batch because a person asked, outside the schedule.

    `opening` says what is unusual about the batch; the task keeps it for a restart. `restart_of` is the run that this
    one repeats.

    Raises AlreadyRunning when a batch of this entity runs (manual starts obey the same guard), and EntityCancelled.
    """
    if configuration.entity.is_cancelled:
        raise EntityCancelled(say("{entity} is retired: nothing of it is processed.", entity=configuration.entity.name))
    cause = Cause(_key("configuration", configuration.pk), trigger_source[:200], started_by, now, restart_of=restart_of)
    opening = {**({"tag": tag} if tag else {}), **(opening or {})}
    started = start(
        batch_fire(
            configuration, cause, message or say("Batch started by {started_by}.", started_by=started_by), opening
        )
    )
    return StartedBatch(started.run, started.tasks[0], cast(Batch, started.batch))


def start_plans_now(
    names: Sequence[str],
    parameters: Mapping[str, Any] | None = None,
    *,
    started_by: str,
    made: Compiled | None = None,
    person: Person | None = None,
    now: datetime,
) -> Run:
    """Start one run of these plans because a person asked, outside their schedules; what they share runs once.

    `made` is what they were compiled to, when somebody looked at it before. Raises UnknownPlan, InvalidPlan,
    InvalidArguments with each wrong parameter by its name, NotAllowed when `person`, who asked, may not start something
    of it, and AlreadyRunning when one of them runs: manual starts obey the same guard.
    """
    names = list(dict.fromkeys(names))
    made = compile_plans(names) if made is None else made
    values = values_for(made, names, parameters or {}, now)
    plans = _plans(names)
    cause = Cause(_key("plan", plans[0].pk), _BY_HAND, started_by, now, person=person)
    message = _started(names, started_by, "")
    return start(plan_fire(plans, made.with_values(values), cause, message, values)).run


def restart_plans_now(run: Run, manifest: Manifest, *, is_partial: bool, started_by: str, now: datetime) -> Run:
    """Start these tasks as a repetition of a run of plans, with its parameters. Raises as `start_plans_now`.

    While the run, or a restart of it, waits for the next attempt of its plan, this takes the place of that attempt: it
    repeats what waits, so that what it makes good has no gap.
    """
    plans = _plans(run.plans)
    over = _in_place_of(run, plans)
    cause = Cause(
        _key("plan", plans[0].pk), _BY_HAND, started_by, now, restart_of=over or run, is_partial=is_partial,
        over_from=over,
    )  # fmt: skip
    message = _started(run.plans, started_by, say(", again: run {run} {status}", run=run.pk, status=run.status))
    return start(plan_fire(plans, manifest, cause, message, run.parameters)).run


def _in_place_of(run: Run, plans: Sequence[Plan]) -> Run | None:
    """End the wait for the next attempt of a run, or of a restart of it; return which waited, None when none does."""
    held = [plan.running_run_id for plan in plans if plan.running_run_id is not None]
    waiting = Run.objects.waiting().filter(pk__in=held).order_by("-pk").first() if held else None
    if waiting is None or waiting.pk not in Run.objects.repeating(run.pk) or not end_wait(waiting.pk):
        return None
    return waiting


def try_plans_again(run: Run, manifest: Manifest, *, is_partial: bool, now: datetime) -> Run:
    """Start these tasks of a run of plans, whose wait was just ended, as the next attempt of its plans.

    It is begun by whoever began the first one, for the same slot. Raises AlreadyRunning when the run does not keep its
    plans any more, CannotRestart when one was cancelled, ChangedMeanwhile when one that began by itself was changed or
    switched off since it was read, and as `start_plans_now` else.
    """
    plans = list(Plan.objects.filter(running_run=run.pk, is_running=True))
    plans.sort(key=lambda plan: run.plans.index(plan.name) if plan.name in run.plans else 0)
    if not plans:
        raise AlreadyRunning(say("Another run has taken its place."))
    if any(plan.is_cancelled for plan in plans):
        raise CannotRestart(say("Its plan was cancelled."))
    number = run.attempt_number + 1
    cause = Cause(
        f"{run.fire_key.partition(_ATTEMPT)[0]}{_ATTEMPT}{number}", run.trigger_source, run.started_by, now,
        by_itself=run.started_by == BY_ITSELF, slot=run.scheduled_for, restart_of=run, is_partial=is_partial,
        over_from=run,
    )  # fmt: skip
    facts = {"plan": plan_title([plan.name for plan in plans]), "run": run.pk}
    message = say(
        "{plan} is tried again: run {run} failed. Attempt {number} of {allowed}.",
        **facts, number=number, allowed=run.attempts_allowed,
    )  # fmt: skip
    return start(plan_fire(plans, manifest, cause, message, run.parameters)).run


def _started(names: Sequence[str], started_by: str, again: str) -> Said:
    return say("{plan} started by {started_by}{again}.", plan=plan_title(names), started_by=started_by, again=again)


def start_job_now(
    job: Job,
    arguments: Mapping[str, Any] | None = None,
    *,
    started_by: str,
    options: Options | None = None,
    now: datetime,
) -> Run:
    """Start a job because a person asked, outside its schedules; none of their slots is used up by it.

    With `options`, also empty ones, it is enqueued as code does it: it works beside other runs of its job, when and
    where they say. Raises AlreadyRunning while it runs (manual starts obey the same guard, what is enqueued does not),
    InvalidArguments and InvalidOptions, with each fault by its name, and InvalidManifest when it cannot start.
    """
    if job.removed_at is not None:
        raise InvalidManifest(switched_off(job.path) or say("The code does not declare {job} any more.", job=job.name))
    stored = arguments_for(job, arguments or {})
    if options is not None:
        return enqueue_by_hand(job, stored, options, by=started_by, now=now)
    cause = Cause(_key("job", job.pk), _BY_HAND, started_by, now)
    message = say("Job {job} started by {started_by}.", job=job.name, started_by=started_by)
    return start(job_fire(job, cause, message, arguments=stored)).run


def _key(kind: str, pk: int) -> str:
    return f"{kind}:{pk}:manual:{uuid.uuid4()}"


def _plans(names: Sequence[str]) -> list[Plan]:
    """Return the plans of these names, in their order. Raises UnknownPlan: a plan of an earlier run may be gone."""
    found = {plan.name: plan for plan in Plan.objects.filter(name__in=names)}
    if gone := [name for name in names if name not in found]:
        raise UnknownPlan(say("There is no plan {name!r} any more; it may have another name now.", name=gone[0]))
    return [found[name] for name in names]


_MOMENTS = ("held_at", "next_attempt_at", "started_at", "finished_at")


def run_document(run: Run) -> dict[str, Any]:
    """Return a run with its tasks in their order, as it is stored now."""
    run.refresh_from_db()
    columns = ("key", "status", "attempts_made", "message", "warnings", "result", "held_by", "held_at", "only_when")
    more = ("deadline_at", "workload", "waits_since", "next_attempt_at")
    tasks = list(run.tasks.steps().order_by("step_index", "id").values_list(*columns, *more))
    items = items_of(run)
    return {
        "run": run.pk,
        "status": run.status,
        **({"error": run.error} if run.error else {}),
        "steps_done": sum(status in TaskStatus.final() for _, status, *_ in tasks),
        "steps_total": len(tasks),
        **({"warnings": run.warnings} if run.warnings else {}),
        **({"parameters": run.parameters} if run.parameters else {}),
        **(run.attempts_document() if run.has_attempts else {}),
        "tasks": [
            {"task": key, "status": status, "attempts": attempts, "message": message}
            | ({"warnings": warnings} if warnings else {})
            | ({} if result is None else {"result": result})
            | ({"held_by": held_by, "held_at": held_at.isoformat()} if held_at else {})
            | ({"only_when": [each.line for each in stored_conditions(only_when)]} if only_when else {})
            | ({"items": items[key]} if key in items else {})
            | ({"deadline_at": due.isoformat()} if due else {})
            | (_awaited(*awaits) if status == TaskStatus.QUEUED else {})
            for key, status, attempts, message, warnings, result, held_by, held_at, only_when, due, *awaits in tasks
        ],
    }


def items_of(run: Run) -> dict[str, dict[str, int]]:
    """Return how many items each step of a run has, and how many are in each state, by the name of the step.

    Of a restart those are counted that run in it.
    """
    found: dict[str, dict[str, int]] = {}
    items = run.tasks.filter(mapped_by__isnull=False).order_by("mapped_by", "status")
    for key, status, number in items.values_list("mapped_by__key", "status").annotate(number=Count("pk")):
        counts = found.setdefault(key, {"total": 0})
        counts["total"] += number
        counts[status] = number
    return found


def item_document(task: Task) -> dict[str, Any]:
    """Return one item of a step that runs for each, with the step, as what works on it is stored."""
    return {
        "step": task.mapped_by.key if task.mapped_by else "",
        "task": task.key,
        "number": task.item_number,
        "item": task.item,
        "status": task.status,
        "attempts": task.attempts_made,
        "message": task.message,
        "warnings": task.warnings,
        "result": task.result,
        "held_by": task.held_by if task.is_held else None,
        **{name: at and at.isoformat() for name in _MOMENTS for at in [getattr(task, name)]},
    }


def _awaited(kind: str, since: datetime | None, again: datetime | None) -> dict[str, str]:
    """Return since when a wait waits, and when it is looked at again; nothing of other work."""
    if since is None or kind != RunKind.WAIT:
        return {}
    return {"waits_since": since.isoformat()} | ({"looks_again_at": again.isoformat()} if again else {})


def _approved(held: Batch, by: str, comment: str) -> Said:
    if not comment:
        return say("Held batch {batch} approved by {by}.", batch=held.pk, by=by)
    return say("Held batch {batch} approved by {by}: {comment}", batch=held.pk, by=by, comment=comment)


def approve(
    held: Batch, *, ids: Sequence[int] | None = None, comment: str = "", by: str, now: datetime
) -> StartedBatch:
    """Start a batch of exactly the held rows (all, or these ids), judged afresh when it runs, and record who said so.

    Raises ReviewRefused when the batch is not held any more or the two-person rule forbids it, AlreadyRunning when a
    batch of the entity runs, EntityCancelled. Several approvals at one time: one wins.
    """
    configuration = SchedulerConfiguration.objects.select_related("entity").get(entity_id=held.entity_id)
    with transaction.atomic():
        check_approval(held, by=by, ids=ids)
        started = start_batch_now(
            configuration,
            tag=held.tag,
            started_by=by,
            trigger_source=say("Approved by {by}", by=by),
            message=_approved(held, by, comment),
            opening={"approves_id": held.pk, "selected_rows": None if ids is None else sorted(ids)},
            now=now,
        )
        record_approval(held, started.batch, by=by, comment=comment, now=now)
        note(AuditKind.APPROVED, person=by, about=_approved(held, by, comment))
    return started


def review(held: Batch, verb: ReviewVerb, *, ids: Sequence[int] | None, comment: str, by: str, now: datetime) -> int:
    """Send held rows back or discard them (all, or these ids); return how many. Raises ReviewRefused."""
    rows = _ACTS[verb](held, ids=ids, comment=comment, by=by, now=now)
    message = say(
        "Held batch {held}: {rows:,} rows {verb} by {by}", held=held.pk, rows=rows, verb=verb.label, by=by
    ) + (f": {comment}" if comment else ".")
    if verb == ReviewVerb.DISCARD:
        note(AuditKind.DISCARDED, person=by, about=message)
    events.record(
        EventType.REVIEW,
        now=now,
        entity_id=held.entity_id,
        trigger_source=held.trigger_source,
        starter=Starter.PERSON,
        message=message,
        rows_queued=rows,
        batch_id=held.pk,
    )
    return rows


@dataclass(frozen=True)
class UndoAnswer:
    """What an undo will do, and the run that does it; None when members stand in its way and nothing was started."""

    foreseen: UndoOutlook
    started: StartedBatch | None


def start_undo(of: Batch, *, skip_changed: bool = False, by: str, now: datetime) -> UndoAnswer:
    """Start the undo of a batch, unless members that cannot be taken back stand in its way and are not to be skipped.

    Raises UndoRefused when the batch cannot be undone at all, AlreadyRunning when a batch of the entity runs, and
    EntityCancelled.
    """
    configuration = SchedulerConfiguration.objects.select_related("entity").filter(entity_id=of.entity_id).first()
    if configuration is None:
        raise UndoRefused(say("{entity} has no configuration, so nothing of it can be started.", entity=of.entity.name))
    foreseen = foresee(of, now)
    if foreseen.conflicts and not skip_changed:
        return UndoAnswer(foreseen, None)
    started = start_batch_now(
        configuration,
        started_by=by,
        trigger_source=say("Undo of batch {batch}", batch=of.pk),
        message=say("Undo of batch {batch} started by {by}.", batch=of.pk, by=by),
        opening={"undoes_id": of.pk, "skip_changed": skip_changed},
        now=now,
    )
    return UndoAnswer(foreseen, started)
