"""Steps of plans, what they wait for, and the saved SQL scripts that they run; changed only through `plans`."""

from __future__ import annotations

import hashlib
from datetime import time
from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from scheduling.cadence.words import write_time
from scheduling.states import RunIf

LONGEST_KEY = 200
_LONGEST_KEY_OF_ITEMS = 190  # so that there is room for the number of an item
_NO_ITEMS = Q(for_each__isnull=True, for_each_result__isnull=True, for_each_query__isnull=True)
_NO_TARGET = Q(entity__isnull=True, job_name="", script__isnull=True, sub_plan__isnull=True)


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
    is_cancelled = models.BooleanField(_("cancelled"), default=False)

    class Meta:
        verbose_name = _("SQL script")
        ordering = ["name"]
        permissions = [("run_sqlscript", "Can run a SQL script and put it into plans")]

    def __str__(self) -> str:
        return self.name


def wait_key(
    *, until: str = "", days: int = 0, minutes: int | None = None, rows: int | None = None, of: str = "", name: str = ""
) -> str:
    """Return what people call a step that waits: "wait until 14:00", "wait for 100 rows of branch (of today)".

    `of`: the entity, or the script with its values; `name`: what tells it from other waits of the kind.
    """
    what = f"for {of}"
    if until:
        what = f"until {until} + {days}" if days else f"until {until}"
    elif minutes is not None:
        what = "1 minute" if minutes == 1 else f"{minutes} minutes"
    elif rows is not None:
        what = f"for rows of {of}" if rows == 1 else f"for {rows} rows of {of}"
    return f"wait {what} ({name})" if name else f"wait {what}"


class DeadlineFields(models.Model):
    """How long a plan or a step usually may take, and by when it must be done; nothing is stopped by either.

    Null: nothing is said.
    """

    expected_minutes = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(44_640)],
        help_text=_("It is shown as late when it takes longer; it is not stopped."),
    )
    due_by = models.TimeField(
        null=True, blank=True, help_text=_("The first such time of day after the slot, in the zone of the plan.")
    )
    due_after_minutes = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(44_640)],
        help_text=_("So many minutes after the slot."),
    )

    class Meta:
        abstract = True


class PlanStep(DeadlineFields):
    """One step: an entity's batch, a job, a SQL script, another plan, or a wait; exactly one of them.

    With `for_each`, or another list, its job or script runs once for each item. With `wait_rows` it waits for rows of
    its entity instead of processing them, with `wait_query` until the query of its script is true.
    """

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
    # [{"step": "job Load", "path": "rows.new", "is": ">", "value": 0}]; the version before knows no such column.
    only_when = models.JSONField(
        null=True, blank=True, default=None, help_text=_("What steps before it must have given; else it is skipped.")
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
    is_cancelled = models.BooleanField(_("cancelled"), default=False)
    # Once for each item of a list ([...], or "{{name}}" of a parameter), of what a step gave ({"step", "path"}), or of
    # a query. The version before knows no such columns.
    for_each = models.JSONField(null=True, blank=True, default=None)
    for_each_result = models.JSONField(null=True, blank=True, default=None)
    for_each_query = models.ForeignKey(
        "scheduling.SqlScript", on_delete=models.PROTECT, null=True, blank=True, related_name="listing_for"
    )
    side_by_side = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(1000)]
    )
    # What it waits for. The version before knows none of these: the database has the defaults, too.
    wait_until = models.TimeField(null=True, blank=True, help_text=_("A time of day in the zone of the plan."))
    wait_days = models.PositiveSmallIntegerField(
        default=0, db_default=0, validators=[MaxValueValidator(31)], help_text=_("So many days after that of the run.")
    )
    wait_minutes = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(44_640)]
    )
    wait_rows = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(2_147_483_647)]
    )
    wait_query = models.BooleanField(default=False, db_default=False)
    wait_name = models.CharField(max_length=60, blank=True, default="", db_default="")
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
                | Q(entity__isnull=True, job_name="", script__isnull=True, sub_plan__isnull=False)
                | _NO_TARGET & Q(wait_until__isnull=False, wait_minutes__isnull=True)
                | _NO_TARGET & Q(wait_until__isnull=True, wait_minutes__isnull=False),
                name="step_is_one_thing",
            ),
            models.CheckConstraint(
                condition=(Q(wait_until__isnull=True, wait_minutes__isnull=True) | _NO_TARGET)
                & (Q(wait_rows__isnull=True) | Q(wait_rows__gte=1, entity__isnull=False))
                & (Q(wait_query=False) | Q(script__isnull=False))
                & (Q(wait_days=0) | Q(wait_until__isnull=False))
                & (Q(wait_minutes__isnull=True) | Q(wait_minutes__gte=1)),
                name="step_waits_for_one_thing",
            ),
            models.CheckConstraint(condition=Q(attempts__gte=1), name="step_is_tried_at_least_once"),
            models.CheckConstraint(
                condition=Q(timeout_seconds__isnull=True) | Q(timeout_seconds__gte=1), name="step_time_out_positive"
            ),
            models.CheckConstraint(
                condition=Q(due_by__isnull=True) | Q(due_after_minutes__isnull=True), name="step_has_one_deadline"
            ),
            models.CheckConstraint(
                condition=_NO_ITEMS
                | Q(for_each__isnull=False, for_each_result__isnull=True, for_each_query__isnull=True)
                | Q(for_each__isnull=True, for_each_result__isnull=False, for_each_query__isnull=True)
                | Q(for_each__isnull=True, for_each_result__isnull=True, for_each_query__isnull=False),
                name="step_has_items_of_one_list",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def key(self) -> str:
        """Return what people call the step: "branch", "job Nightly maintenance", "script Refresh (year=2026)"."""
        if self.is_wait:
            return self._wait_key
        if self.entity is not None:
            return self.entity.code
        if self.sub_plan is not None:
            return f"plan {self.sub_plan.name}"
        return self._called

    @property
    def is_wait(self) -> bool:
        """Return whether it waits instead of working."""
        return self.waits_for_time or self.wait_rows is not None or self.wait_query

    @property
    def has_items(self) -> bool:
        """Return whether it runs once for each item of a list."""
        return self.for_each is not None or self.for_each_result is not None or self.for_each_query is not None

    @property
    def longest_key(self) -> int:
        """Return how many characters its name may have."""
        return _LONGEST_KEY_OF_ITEMS if self.has_items else LONGEST_KEY

    @property
    def waits_for_time(self) -> bool:
        """Return whether it waits for a time of day, or for a length of time: it has no target."""
        return self.wait_until is not None or self.wait_minutes is not None

    @property
    def until_text(self) -> str:
        """Return the time of day until which it waits as people write it, empty for none."""
        return write_time(self.wait_until) if isinstance(self.wait_until, time) else str(self.wait_until or "")

    @property
    def _called(self) -> str:
        what = f"job {self.job_name}" if self.script is None else f"script {self.script.name}"
        told = ", ".join(f"{name}={value}" for name, value in sorted(self.arguments.items()))
        name = f"{what} ({told})" if told else what
        if len(name) <= self.longest_key:
            return name
        mark = hashlib.sha256(name.encode()).hexdigest()[:8]  # two that begin alike are two all the same
        return f"{name[: self.longest_key - len(mark) - 4]}… #{mark})"

    @property
    def _wait_key(self) -> str:
        return wait_key(
            until=self.until_text,
            days=self.wait_days,
            minutes=self.wait_minutes,
            rows=self.wait_rows,
            of=self._called if self.entity is None else self.entity.code,
            name=self.wait_name,
        )

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
