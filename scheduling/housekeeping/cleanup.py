"""Applies the retention policy in small deletes, so that no lock is held for long and no table stops anybody."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.contrib.sessions.models import Session
from django.db import DatabaseError
from django.db.models import Exists, Model, OuterRef, QuerySet

from scheduling.figures.roll_up import free_for_deletion, roll_up
from scheduling.metrics.tallies import settle_tallies, tallied
from scheduling.models import Alert, AlertDelivery, Backfill, Heartbeat, RetentionPolicy, Run, SchedulerLog
from staging.batches.shown.held import close_settled_reviews
from staging.batches.shown.preview import drop_old_previews
from staging.models import AuditEntry, Batch, Entity, Handling, KeptAnswer, Version
from staging.models.answer import KEPT_FOR
from staging.models.append_only import AppendOnlyQuerySet
from staging.states import BatchStatus
from staging.tables.history import delete_history
from staging.tables.rows import delete_processed

logger = logging.getLogger(__name__)

_STEP = 2000
_WORKER_SILENT_FOR = timedelta(days=1)


def cleanup(now: datetime) -> dict[str, int]:
    """Delete what the policy keeps no longer: return how many of each kind of thing that people know of.

    Pending, rejected and held rows are never deleted, nor anything that goes on: what has not ended, and a run that
    waits for the next attempt of its plan. Runs go by full hours, and only once their figures are rolled up.
    """
    policy = RetentionPolicy.current()
    runs_before = _counted_before(now, now - timedelta(days=policy.runs_days))
    _our_own(now, runs_before)
    log_ago, log_before = now - timedelta(days=policy.log_days), tallied(now - timedelta(days=policy.log_days))
    audit_before = now - timedelta(days=policy.audit_days)
    counts = {
        "log": _in_steps(SchedulerLog.objects.filter(event_time__lt=log_before)),
        "rows": sum(_processed_rows(entity, policy, now) for entity in Entity.objects.all()),
        "history": sum(_history(entity, policy, now) for entity in Entity.objects.all()),
        "runs": _in_steps(Run.objects.over().filter(finished_at__lt=runs_before)),
        "audit": _in_steps(AuditEntry.objects.filter(happened_at__lt=audit_before)),
        "versions": _in_steps(_old_versions(policy, now)),
        "alerts": _in_steps(Alert.objects.filter(ended_at__lt=log_ago)),
        "messages": _in_steps(AlertDelivery.objects.filter(finished_at__lt=log_ago)),
    }
    _in_steps(Backfill.objects.filter(finished_at__lt=runs_before))
    _in_steps(Batch.objects.filter(status__in=BatchStatus.final(), finished_at__lt=tallied(runs_before)))
    return counts


def _our_own(now: datetime, runs_before: datetime) -> None:
    """Delete what nobody counts: signs of life, previews, sessions, kept answers, and who took care of ended runs."""
    Heartbeat.objects.exclude(name=Heartbeat.DISPATCHER).filter(seen_at__lt=now - _WORKER_SILENT_FOR).delete()
    drop_old_previews(now)
    close_settled_reviews(now)
    _in_steps(Session.objects.filter(expire_date__lt=now))
    _in_steps(KeptAnswer.objects.filter(started_at__lt=now - KEPT_FOR))
    Handling.objects.filter(handled_at__lt=runs_before).delete()


def _old_versions(policy: RetentionPolicy, now: datetime) -> QuerySet[Version]:
    """Return the versions that are older than the policy keeps them; the newest of each thing is not among them."""
    if policy.changes_days is None:
        return Version.objects.none()
    newer = Version.objects.filter(
        subject_type=OuterRef("subject_type"), subject_id=OuterRef("subject_id"), number__gt=OuterRef("number")
    )
    return Version.objects.filter(Exists(newer), made_at__lt=now - timedelta(days=policy.changes_days))


def _counted_before(now: datetime, before: datetime) -> datetime:
    """Return up to when ended runs may go: what is not in the figures yet stays until it is."""
    try:
        roll_up(now)
        settle_tallies(now, at_least=timedelta())
    except DatabaseError:
        logger.exception(
            "could not roll up the figures; only what was rolled up before is deleted",
            extra={"event": "figures_not_counted"},
        )
    return free_for_deletion(before)


def _processed_rows(entity: Entity, policy: RetentionPolicy, now: datetime) -> int:
    """Delete one entity's old processed rows; a staging table that cannot be read costs the others nothing."""
    days = entity.processed_retention_days or policy.processed_rows_days
    try:
        return _repeat(lambda: delete_processed(entity, now - timedelta(days=days), _STEP))
    except Exception:
        logger.exception(
            "could not clean up the staging table of %s",
            entity.code,
            extra={"event": "cleanup_failed", "entity_id": entity.pk},
        )
        return 0


def _history(entity: Entity, policy: RetentionPolicy, now: datetime) -> int:
    """Delete what one entity's members were long ago; without a number of days it is kept for ever."""
    days = policy.history_days
    if days is None:
        return 0
    try:
        return _repeat(lambda: delete_history(entity, now - timedelta(days=days), _STEP))
    except Exception:
        logger.exception(
            "could not clean up the history of %s",
            entity.code,
            extra={"event": "cleanup_failed", "entity_id": entity.pk},
        )
        return 0


def _in_steps(old: QuerySet) -> int:
    """Delete the rows of a query a few at a time, each step its own transaction."""
    model: type[Model] = old.model

    def step() -> int:
        keys = list(old.order_by("pk").values_list("pk", flat=True)[:_STEP])
        rows = model._default_manager.filter(pk__in=keys)
        rows.forget() if isinstance(rows, AppendOnlyQuerySet) else rows.delete()
        return len(keys)

    return _repeat(step)


def _repeat(step: Callable[[], int]) -> int:
    """Repeat a step until it deletes less than a full one; return the sum."""
    total = deleted = step()
    while deleted == _STEP:
        deleted = step()
        total += deleted
    return total
