"""What one installation knows of itself: retention, the last cycle, the workers seen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, ClassVar

from django.core.validators import MinValueValidator
from django.db import DEFAULT_DB_ALIAS, connection, models
from django.db.models import Value
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from scheduling.models.figures import FiguresMark
from staging.sql.dialect import from_database
from staging.wording import say


class RetentionPolicy(models.Model):
    """How many days things are kept; one row, edited in the admin."""

    log_days = models.PositiveIntegerField(default=30, validators=[MinValueValidator(1)])
    processed_rows_days = models.PositiveIntegerField(default=7, validators=[MinValueValidator(1)])
    history_days = models.PositiveIntegerField(
        default=365,
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_("How long the history of members is kept, and batches can be undone; empty: for ever."),
    )
    runs_days = models.PositiveIntegerField(default=90, validators=[MinValueValidator(1)])
    audit_days = models.PositiveIntegerField(
        default=365, db_default=365, validators=[MinValueValidator(1)], help_text=_("Sign-ins, exports, approvals.")
    )
    changes_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_("How long old versions of what is defined are kept; the newest always stays; empty: for ever."),
    )

    class Meta:
        verbose_name_plural = _("retention policy")
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="retention_policy_is_one_row")]

    def __str__(self) -> str:
        return say("Retention policy")

    @classmethod
    def current(cls) -> RetentionPolicy:
        """Return the installation's policy: the stored row, or the defaults when none was saved."""
        return cls.objects.filter(pk=1).first() or cls(pk=1)


class SchedulerState(models.Model):
    """What holds for the whole scheduler: whether everything is paused, the time zone data, the model file. One row."""

    paused_at = models.DateTimeField(null=True, blank=True)
    paused_by = models.CharField(max_length=150, blank=True)
    pause_reason = models.CharField(max_length=200, blank=True)
    paused_until = models.DateTimeField(null=True, blank=True)
    database_back_at = models.DateTimeField(null=True, blank=True, help_text=_("After its last outage."))
    tzdata_version = models.CharField(max_length=20, blank=True)
    release = models.TextField(blank=True, help_text=_("Of the model file that was loaded last."))

    PER_ENTITY: ClassVar = {"pause": True}  # of entities and plans, too

    class Meta:
        permissions = [
            ("pause", "Can pause and resume schedules"),
            ("oversee", "Can see how well the installation is: its metrics and what the doctor finds"),
        ]
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="scheduler_state_is_one_row")]

    def __str__(self) -> str:
        return say("Scheduler state")

    @classmethod
    def current(cls) -> SchedulerState:
        """Return the one row; an unsaved one with nothing paused before it exists."""
        return cls.objects.filter(pk=1).first() or cls(pk=1)


class Heartbeat(models.Model):
    """The last sign of life of a part of the installation: the dispatcher, each worker."""

    DISPATCHER = "dispatcher"
    WORKER = "worker"

    name = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=20)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    trouble = models.CharField(max_length=300, blank=True, help_text=_("Why it takes no work although it is alive."))

    class Meta:
        ordering = ["kind", "name"]
        verbose_name_plural = _("scheduler and workers")

    def __str__(self) -> str:
        return self.name

    @classmethod
    def note(cls, name: str, kind: str, now: datetime, trouble: str = "") -> None:
        """Record that this part of the installation is alive at `now`, and what keeps it from working."""
        told = {"kind": kind, "seen_at": now, "trouble": trouble}
        if not cls.objects.filter(name=name).update(**told):
            cls.objects.update_or_create(name=name, defaults=told, create_defaults={**told, "started_at": now})

    @classmethod
    def troubles(cls, since: datetime) -> models.QuerySet[Heartbeat, str]:
        """Return what keeps parts of the installation from working that were seen since then."""
        troubled = cls.objects.filter(seen_at__gte=since).exclude(trouble="").order_by("trouble")
        return troubled.values_list("trouble", flat=True).distinct()


@dataclass(frozen=True)
class SiteFacts:
    """What pages need of the whole installation: the last cycle, whether all is paused, for how many days the log is
    kept, for how many runs are, and from when on figures are counted live."""

    last_cycle: datetime | None
    state: SchedulerState
    log_days: int
    runs_days: int
    mark: FiguresMark

    @classmethod
    def of(cls, request: HttpRequest) -> SiteFacts:
        """Return them as they were read for this request; one statement, whatever of it asks for them."""
        known: SiteFacts | None = getattr(request, "site_facts", None)
        if known is None:
            known = request.site_facts = cls.read()  # type: ignore[attr-defined]
        return known

    @classmethod
    def read(cls) -> SiteFacts:
        """Return them as they are stored, else as they are before anything is; one statement."""
        with connection.cursor() as cursor:
            cursor.execute(*_stored_facts())
            found = {
                what: (from_database(at), by, why, from_database(until), *days)
                for what, at, by, why, until, *days in cursor.fetchall()
            }
        state, stored = SchedulerState(pk=1), found.get("state")
        if stored is not None:
            state = SchedulerState.from_db(DEFAULT_DB_ALIAS, ("id", *_PAUSE), (1, *stored[:-2]))
        rolled_before, _, _, deleted_before, *_ = found.get("mark", (None, "", "", None))
        never_set = RetentionPolicy(pk=1)
        log_days, runs_days = found["kept"][-2:] if "kept" in found else (never_set.log_days, never_set.runs_days)
        mark = FiguresMark(pk=1, rolled_before=rolled_before, deleted_before=deleted_before)
        return cls(found["cycle"][0] if "cycle" in found else None, state, log_days, runs_days, mark)


_PAUSE = ("paused_at", "paused_by", "pause_reason", "paused_until")


@cache  # every page asks it: to write it takes longer than to ask it
def _stored_facts() -> tuple[str, tuple[Any, ...]]:
    """Return the statement that asks what is stored of them, each told by its name."""
    never = Value(None, models.DateTimeField())
    nothing: dict[str, Any] = {"by": Value(""), "why": Value(""), "until": never}
    days = {"days": Value(0), "more": Value(0)}
    cycle = Heartbeat.objects.order_by().filter(name=Heartbeat.DISPATCHER).annotate(**nothing, **days)
    state = SchedulerState.objects.filter(pk=1).annotate(**days)
    kept = RetentionPolicy.objects.filter(pk=1).annotate(at=never, **nothing)
    mark = FiguresMark.objects.filter(pk=1).annotate(by=Value(""), why=Value(""), **days)
    asked = cycle.values_list(Value("cycle"), "seen_at", "by", "why", "until", *days).union(
        state.values_list(Value("state"), *_PAUSE, *days),
        kept.values_list(Value("kept"), "at", "by", "why", "until", "log_days", "runs_days"),
        mark.values_list(Value("mark"), "rolled_before", "by", "why", "deleted_before", *days),
        all=True,
    )
    return asked.query.sql_with_params()
