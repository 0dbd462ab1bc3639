"""Plans, their steps, what entities depend on, and saved SQL scripts; changed only through `plans`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar, Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from scheduling.models.schedule import RunSchedule, ScheduleQuerySet
from scheduling.states import PlanOrder, RunIf
from staging.models import Owned, one_owner
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


class SqlScript(models.Model):
    """A saved statement that plans run. Values enter as parameters only, written %(name)s in the text."""

    name = models.CharField(max_length=100, unique=True)
    description = models.CharField(max_length=200, blank=True)
    sql = models.TextField(_("SQL"), help_text=_("Parameters are written %(name)s; a percent sign is written %%."))
    # {"region": "text"}: what each parameter of the text takes.
    parameters = models.JSONField(default=dict, blank=True)
    timeout_seconds = models.PositiveIntegerField(
        default=300, validators=[MinValueValidator(1), MaxValueValidator(86_400)]
    )
    is_cancelled = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("SQL script")
        ordering = ["name"]
        permissions = [("run_sqlscript", "Can run a SQL script and put it into plans")]

    def __str__(self) -> str:
        return self.name


class PlanQuerySet(ScheduleQuerySet):
    """Reads that doors and rooms share."""

    def of_entities(self, ids: Collection[int]) -> Self:
        """Return the plans that run nothing but batches of these entities, however deep in them.

        A cancelled step counts as the others do: a plan shows it, and may run it again.
        """
        steps: dict[int, list[tuple[int | None, int | None]]] = {}
        for plan, entity, sub_plan in PlanStep.objects.values_list("plan", "entity", "sub_plan"):
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


class Plan(Owned, RunSchedule):
    """Steps with an order, run together as one run."""

    KIND = "plan"
    IN_FORCE = RunSchedule.IN_FORCE & Q(is_cancelled=False)

    name = models.CharField(max_length=100, unique=True)
    description = models.CharField(max_length=2000, blank=True)
    # "Finance,Month end"; the database has the default, too: the version before stores plans beside us.
    categories = models.CharField(
        max_length=600, blank=True, default="", db_default="", help_text=_("Words to find it by, with commas between.")
    )
    order = models.CharField(max_length=20, choices=PlanOrder, default=PlanOrder.STEPS)
    # {"day": "text", "factor": {"type": "integer", "default": 1}}; the version before knows no such column.
    parameters = models.JSONField(null=True, blank=True, help_text=_("What a run of it may be given."))
    is_cancelled = models.BooleanField(default=False, help_text=_("Plans are cancelled, never deleted."))

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

    objects = PlanQuerySet.as_manager()

    class Meta(RunSchedule.Meta):
        ordering = ["name"]
        permissions = [("run_plan", "Can run and check a plan")]
        indexes = [models.Index(fields=["next_scheduled_run"], condition=Q(is_enabled=True), name="plan_due")]
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
    def subject(self) -> dict[str, int]:
        """Return the column of the log that says whom an event is about."""
        return {"plan_id": self.pk}

    def believed(self) -> dict[str, Any]:
        """Return the columns a decision was made on."""
        return super().believed() | {"is_cancelled": False}


class PlanStep(models.Model):
    """One step: an entity's batch, a job, a SQL script or another plan; exactly one of them."""

    # What its plan says, where the step says nothing; and what is usual, where nobody does.
    BY_PLAN: ClassVar[dict[str, int]] = {"attempts": 1, "retry_interval_seconds": 60}

    plan = models.ForeignKey("scheduling.Plan", on_delete=models.CASCADE, related_name="steps")
    step_index = models.PositiveIntegerField(
        _("number"), default=1, help_text=_("Steps of one number run together; the next number waits for all of it.")
    )
    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    job_name = models.CharField(_("job"), max_length=200, blank=True)
    script = models.ForeignKey(
        "scheduling.SqlScript", on_delete=models.PROTECT, null=True, blank=True, related_name="steps"
    )
    sub_plan = models.ForeignKey(
        "scheduling.Plan", on_delete=models.PROTECT, null=True, blank=True, related_name="used_in"
    )
    depends_on = models.ManyToManyField("self", symmetrical=False, blank=True, related_name="dependants")

    queue = models.ForeignKey("scheduling.Queue", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    priority = models.SmallIntegerField(default=0, help_text=_("Higher goes first when a queue is full."))
    run_if = models.CharField(
        max_length=20,
        choices=RunIf,
        default=RunIf.ALL_SUCCEEDED,
        db_default=RunIf.ALL_SUCCEEDED,
        help_text=_("What must have become of all before it; else it is blocked, or skipped."),
    )
    continue_on_failure = models.BooleanField(
        default=False, help_text=_("What depends on this step runs although it failed.")
    )
    attempts = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1), MaxValueValidator(100)])
    retry_interval_seconds = models.PositiveIntegerField(default=60)
    retry_backoff = models.BooleanField(default=False, help_text=_("Each wait is twice as long as the one before."))
    retry_on = models.CharField(
        max_length=200, blank=True, help_text=_("Classes of errors that are tried again, for example TimeoutError.")
    )
    timeout_seconds = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    arguments = models.JSONField(default=dict, blank=True)
    is_cancelled = models.BooleanField(default=False)
    # ["attempts", "queue"]: what the step says itself, also where that is the usual. The version before knows no such
    # column: of its steps, what is not the usual was said.
    insists_on = models.JSONField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["plan", "step_index", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(entity__isnull=False, job_name="", script__isnull=True, sub_plan__isnull=True)
                | Q(entity__isnull=True, script__isnull=True, sub_plan__isnull=True) & ~Q(job_name="")
                | Q(entity__isnull=True, job_name="", script__isnull=False, sub_plan__isnull=True)
                | Q(entity__isnull=True, job_name="", script__isnull=True, sub_plan__isnull=False),
                name="step_is_one_thing",
            ),
            models.CheckConstraint(condition=Q(attempts__gte=1), name="step_is_tried_at_least_once"),
            models.CheckConstraint(
                condition=Q(timeout_seconds__isnull=True) | Q(timeout_seconds__gte=1), name="step_time_out_positive"
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def key(self) -> str:
        """Return what people call the step: "branch", "job Nightly maintenance", "script Refresh (year=2026)"."""
        if self.entity is not None:
            return self.entity.code
        if self.sub_plan is not None:
            return f"plan {self.sub_plan.name}"
        what = f"job {self.job_name}" if self.script is None else f"script {self.script.name}"
        told = ", ".join(f"{name}={value}" for name, value in sorted(self.arguments.items()))
        return f"{what} ({told})" if told else what

    def own(self, name: str) -> int | None:
        """Return the number that the step itself says for one of BY_PLAN; None where its plan says it."""
        value: int = getattr(self, name)
        is_said = name in (self.insists_on or ()) or value != self.BY_PLAN[name]
        return value if is_said and self.sub_plan is None else None

    @property
    def own_queue(self) -> str:
        """Return the name of the queue that the step itself says; empty where its plan says it."""
        if self.queue is not None:
            return self.queue.name
        return "default" if "queue" in (self.insists_on or ()) and self.sub_plan is None else ""

    @property
    def retry_on_classes(self) -> list[str]:
        """Return the classes of errors that are tried again; empty for all."""
        return [name.strip() for name in self.retry_on.split(",") if name.strip()]
