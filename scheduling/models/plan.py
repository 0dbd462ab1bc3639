"""Plans, what they run after, and what entities depend on; changed only through `plans`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from functools import cache
from typing import Any, Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce, Greatest
from django.utils.translation import gettext_lazy as _

from scheduling.models.run import Task
from scheduling.models.schedule import RunSchedule, ScheduleQuerySet
from scheduling.models.step import DeadlineFields, PlanStep
from scheduling.states import PlanOrder, ProcessingMode, TaskStatus
from staging.models import Batch, Owned, one_owner
from staging.wording import say


class EntityDependency(models.Model):
    """One line of the hierarchy: `entity` depends on `depends_on`, whose batch comes first."""

    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, related_name="dependencies")
    depends_on = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, related_name="dependants")

    class Meta:
        verbose_name = _("entity dependency")
        verbose_name_plural = _("entity dependencies")
        ordering = ["entity__code", "depends_on__code"]
        constraints = [
            models.UniqueConstraint(fields=["entity", "depends_on"], name="dependency_once"),
            models.CheckConstraint(condition=~Q(entity=F("depends_on")), name="dependency_not_on_itself"),
        ]

    def __str__(self) -> str:
        return say("{entity} depends on {other}", entity=self.entity.code, other=self.depends_on.code)


class PlanQuerySet(ScheduleQuerySet):
    """Reads that doors and rooms share."""

    def of_entities(self, ids: Collection[int]) -> Self:
        """Return the plans that run nothing but batches of these entities, however deep in them.

        A cancelled step counts as the others do: a plan shows it, and may run it again. A wait for a time is nobody's.
        """
        steps: dict[int, list[tuple[int | None, int | None]]] = {}
        timed = Q(wait_until__isnull=False) | Q(wait_minutes__isnull=False)
        for plan, entity, sub_plan in PlanStep.objects.exclude(timed).values_list("plan", "entity", "sub_plan"):
            steps.setdefault(plan, []).append((entity, sub_plan))
        known: dict[int, bool] = {}

        def only_theirs(plan: int) -> bool:
            if plan not in known:
                known[plan] = False  # a circle
                known[plan] = plan in steps and all(
                    only_theirs(sub_plan) if sub_plan else entity in ids for entity, sub_plan in steps[plan]
                )
            return known[plan]

        return self.filter(pk__in=[plan for plan in steps if only_theirs(plan)])


class Plan(DeadlineFields, Owned, RunSchedule):
    """Steps with an order, run together as one run."""

    KIND = "plan"
    AFTER_OTHERS = Q(schedule_type="", after_others=True)
    IN_FORCE = (RunSchedule.IN_FORCE | Q(after_others=True)) & Q(is_cancelled=False)

    name = models.CharField(max_length=100, unique=True)
    description = models.CharField(max_length=2000, blank=True)
    # "Finance,Month end"; the database has the default, too: the version before stores plans beside us.
    categories = models.CharField(
        max_length=600, blank=True, default="", db_default="", help_text=_("Words to find it by, with commas between.")
    )
    order = models.CharField(max_length=20, choices=PlanOrder, default=PlanOrder.STEPS)
    # {"day": "text", "factor": {"type": "integer", "default": 1}}; the version before knows no such column.
    parameters = models.JSONField(null=True, blank=True, help_text=_("What a run of it may be given."))
    is_cancelled = models.BooleanField(
        _("cancelled"), default=False, help_text=_("Plans are cancelled, never deleted.")
    )
    run_timeout_seconds = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(2_147_483_647)],
        help_text=_("A run that has not ended so long after it began is cancelled and ends as failed."),
    )

    # How often a run of it is tried that fails; the version before knows no such columns.
    run_attempts = models.PositiveSmallIntegerField(
        default=1,
        db_default=1,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=_("A run that failed is tried again by a linked run of what failed, so often in all."),
    )
    run_retry_interval_seconds = models.PositiveIntegerField(
        default=60, db_default=60, validators=[MaxValueValidator(86_400)]
    )
    run_retry_backoff = models.BooleanField(default=False, db_default=False, help_text=_("Up to a day."))

    # What its steps take that say nothing of their own; null: the plan says nothing either.
    default_queue = models.ForeignKey(
        "scheduling.Queue", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    default_attempts = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    default_retry_interval_seconds = models.PositiveIntegerField(
        null=True, blank=True, validators=[MaxValueValidator(86_400)]
    )
    default_timeout_seconds = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(2_147_483_647)]
    )

    # Whether it names what it runs after, which starts it where it has no schedule type.
    after_others = models.BooleanField(default=False, db_default=False, editable=False)
    # When a whole run of it last completed; a restart of a part of one moves only `last_completed_at`.
    last_whole_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = PlanQuerySet.as_manager()

    class Meta(RunSchedule.Meta):
        ordering = ["name"]
        permissions = [("run_plan", "Can run and check a plan")]
        indexes = [
            models.Index(fields=["next_scheduled_run"], condition=Q(is_enabled=True), name="plan_due"),
            models.Index(fields=["id"], condition=Q(is_enabled=True, after_others=True), name="plan_after_others"),
        ]
        constraints = [
            *RunSchedule.Meta.constraints,
            one_owner("plan_has_one_owner"),
            models.CheckConstraint(
                condition=Q(default_attempts__isnull=True) | Q(default_attempts__gte=1),
                name="plan_tries_its_steps_at_least_once",
            ),
            models.CheckConstraint(
                condition=Q(default_timeout_seconds__isnull=True) | Q(default_timeout_seconds__gte=1),
                name="plan_time_out_positive",
            ),
            models.CheckConstraint(
                condition=Q(run_timeout_seconds__isnull=True) | Q(run_timeout_seconds__gte=1),
                name="plan_run_time_out_positive",
            ),
            models.CheckConstraint(condition=Q(run_attempts__gte=1), name="plan_runs_at_least_once"),
            models.CheckConstraint(
                condition=Q(due_by__isnull=True) | Q(due_after_minutes__isnull=True), name="plan_has_one_deadline"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def what(self) -> str:
        """Return what reports and forecasts call it."""
        return f"plan {self.name}"

    @property
    def run_title(self) -> str:
        return say("Plan {plan}", plan=self.name)

    @property
    def busy(self) -> str:
        """Return the same, or how to end the wait of its run for the next attempt."""
        if (run := self.running_run) and run.next_attempt_at:
            return say("Run {run} failed and is tried again: restart it, or cancel its next attempt.", run=run.pk)
        return super().busy

    @property
    def tries(self) -> dict[str, Any]:
        """Return the columns of a run of it that say how often it is tried."""
        return {
            "attempts_allowed": self.run_attempts,
            "retry_interval_seconds": self.run_retry_interval_seconds,
            "retry_backoff": self.run_retry_backoff,
        }

    @property
    def subject(self) -> dict[str, int]:
        """Return the column of the log that says whom an event is about."""
        return {"plan_id": self.pk}

    @property
    def processing_mode(self) -> str:  # type: ignore[override]
        """Return whether a cadence starts it, the end of others does, or people do."""
        is_triggered = self.after_others and not self.schedule_type
        return ProcessingMode.TRIGGERED if is_triggered else super().processing_mode

    def believed(self) -> dict[str, Any]:
        """Return the columns a decision was made on."""
        return super().believed() | {"is_cancelled": False}

    @staticmethod
    @cache
    def due_besides() -> Q:
        """Return the condition that a plan runs after others, and each of them completed since.

        "Since" is after what its last run began with, and after it was armed: created, changed, switched on or
        resumed. A plan that still waits for one of them is not read by a cycle: nothing comes of looking at it.
        """
        never = Value(_NEVER, output_field=models.DateTimeField())
        others = PlanAfter.objects.filter(plan=OuterRef("pk"))
        since = Greatest(Coalesce("used_at", never), Coalesce(OuterRef("armed_from"), never))
        open_ones = others.alias(at=Coalesce(completion(), never), since=since).filter(at__lte=F("since"))
        return Plan.AFTER_OTHERS & Q(Exists(others), ~Exists(open_ones))


_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class PlanAfterQuerySet(models.QuerySet["PlanAfter"]):
    """Reads that doors and rooms share."""

    def by_name(self) -> Self:
        """Return them with what they name: plans first, each by name."""
        return self.select_related("other", "entity").order_by(
            "plan", F("entity__code").asc(nulls_first=True), "other__name"
        )

    def with_completion(self) -> Self:
        """Return the same with when what each names completed last, as `completed_at`."""
        return self.annotate(completed_at=completion())


class PlanAfter(models.Model):
    """One thing that a plan runs after: a plan, or an entity.

    `used_at` is the completion that the plan's last run began with: that one, and all before it, start it no more.
    """

    plan = models.ForeignKey("scheduling.Plan", on_delete=models.CASCADE, related_name="after")
    other = models.ForeignKey(
        "scheduling.Plan", on_delete=models.PROTECT, null=True, blank=True, related_name="awaited_by"
    )
    entity = models.ForeignKey(
        "staging.Entity", on_delete=models.CASCADE, null=True, blank=True, related_name="awaited_by"
    )
    used_at = models.DateTimeField(null=True, blank=True, editable=False)

    completed_at: datetime | None  # of rows that are read `with_completion`

    objects = PlanAfterQuerySet.as_manager()

    class Meta:
        verbose_name = _("what a plan runs after")
        verbose_name_plural = _("what plans run after")
        ordering = ["plan", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(other__isnull=False, entity__isnull=True) | Q(other__isnull=True, entity__isnull=False),
                name="plan_after_one_thing",
            ),
            models.CheckConstraint(condition=~Q(plan=F("other")), name="plan_not_after_itself"),
            models.UniqueConstraint(fields=["plan", "other"], name="plan_after_plan_once"),
            models.UniqueConstraint(fields=["plan", "entity"], name="plan_after_entity_once"),
        ]

    def __str__(self) -> str:
        return self.what

    @property
    def what(self) -> str:
        """Return what reports and gates call it: "plan Morning", "entity branch"."""
        return (
            f"plan {self.other.name}" if self.other is not None else f"entity {self.entity.code if self.entity else ''}"
        )

    @property
    def is_gone(self) -> bool:
        """Return whether what it names is cancelled, so that it completes no more."""
        return any(one is not None and one.is_cancelled for one in (self.other, self.entity))


def others_along() -> models.Prefetch[str]:
    """Return what reads, with plans of a list, what each runs after, for their sentences; one statement."""
    return models.Prefetch("after", PlanAfter.objects.by_name())


def completion() -> Coalesce:
    """Return when what a row of PlanAfter names last completed; null before the first time.

    Of a plan that is a whole run of it; of an entity a batch, in whatever run, whose task ended well and whose work
    stands. Indexes lead to the newest of each, however many there were.
    """
    plans = Plan.objects.filter(pk=OuterRef("other")).values("last_whole_at")
    unended = Task.objects.filter(pk=OuterRef("task_id")).exclude(status=TaskStatus.COMPLETED)
    batches = Batch.objects.standing().filter(entity=OuterRef("entity")).exclude(Exists(unended))
    newest = batches.order_by("-id").values("finished_at")[:1]
    return Coalesce(Subquery(plans), Subquery(newest), output_field=models.DateTimeField())
