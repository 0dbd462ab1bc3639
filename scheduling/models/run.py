"""Runs, their tasks and the order of these; `lifecycle` is the only writer of any status here."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Self

from django.db import models
from django.db.models import Case, Count, Exists, F, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from scheduling.models.attempt import IS_TRIED_AGAIN, RunTries, TaskTries, TriedQuerySet
from scheduling.models.figures import medians
from scheduling.states import RunIf, RunKind, RunStatus, TaskStatus
from staging.states import WITH_WARNINGS, shown_status
from staging.wording import say


def _final_has_a_time(field: str, final: list[str], name: str) -> models.CheckConstraint:
    """Return the law that a row is in a final state exactly when it has a finished time."""
    is_final = Q(**{f"{field}__in": final})
    return models.CheckConstraint(
        condition=(is_final & Q(finished_at__isnull=False)) | (~is_final & Q(finished_at__isnull=True)), name=name
    )


def steps_of(run: str) -> dict[str, Any]:
    """Return columns for rows that lead to a run: how many steps it has, how many have ended, whether one is held."""

    def number(steps: models.QuerySet[Task]) -> Coalesce:
        return Coalesce(Subquery(steps.values("run").annotate(number=Count("*")).values("number")), 0)

    steps = Task.objects.steps().filter(run=OuterRef(run)).order_by()
    live = steps.exclude(status__in=TaskStatus.final())
    held = Exists(live.filter(IS_HELD))
    return {"steps_total": number(steps), "steps_done": number(steps) - number(live), "has_held": held}


# A run that says what is usual; a restart, which most often is of a part, says nothing. In SQL, of a run `r`, the same.
IS_USUAL = Q(status=RunStatus.COMPLETED, restart_of__isnull=True)
IS_USUAL_SQL = f"r.status = '{RunStatus.COMPLETED.value}' AND r.restart_of_id IS NULL"

AWAITING = "awaiting"  # what people read of a wait that is not over: for a time, for rows, for a query
IS_AWAITING = Q(status=TaskStatus.QUEUED, waits_since__isnull=False, items__isnull=True)
HELD = "held"  # what people read of a task that waits because somebody holds it
IS_HELD = Q(status=TaskStatus.WAITING, held_at__isnull=False)
IS_STEP = Q(mapped_by__isnull=True)  # an item is a part of one
# One word for each task: its status, unless it is held or awaits something.
# So is work a step that waits for its items: they are at it.
IS_SPREAD = Q(status=TaskStatus.WAITING, items__isnull=False, waits_since__isnull=False)
STATE = Case(
    When(IS_HELD, then=Value(HELD)),
    When(IS_SPREAD, then=Value(TaskStatus.RUNNING)),
    When(IS_AWAITING, then=Value(AWAITING)),
    default="status",
)
COMPLETED_WITH_WARNINGS = Q(status=RunStatus.COMPLETED, warnings__gt=0)
SHOWN_STATUS = Case(When(COMPLETED_WITH_WARNINGS, then=Value(WITH_WARNINGS)), default=F("status"))


class RunQuerySet(TriedQuerySet["Run"]):
    """Reads that rooms share."""

    def of_entities(self, ids: Collection[int]) -> Self:
        """Return the runs all of whose work is batches of these entities."""
        tasks, theirs = Task.objects.filter(run=OuterRef("pk")), Q(workload=RunKind.BATCH, entity__in=ids)
        # Not only "has tasks": of an entity that ran seldom, and long ago, the database begins with its tasks.
        return self.filter(Exists(tasks.filter(theirs)), ~Exists(tasks.exclude(theirs)))

    def like(self, run: Run) -> Self:
        """Return the runs of the same: of its kind, and of its entity or under its title."""
        if run.entity_id is not None:
            return self.filter(kind=run.kind, entity_id=run.entity_id)
        return self.titled(run.title).filter(kind=run.kind)

    def titled(self, title: str) -> Self:
        """Return the runs of no single entity with this title; through an index, however seldom it ran."""
        return self.filter(entity__isnull=True, title=title)

    def with_restarts(self) -> Self:
        """Say of each as `was_restarted` whether it was."""
        return self.annotate(was_restarted=Exists(self.model.objects.filter(restart_of=OuterRef("pk")).order_by()))

    def with_steps(self) -> Self:
        """Count the steps of each as `steps_total`, those that have ended as `steps_done`; `has_held`: one is held."""
        return self.annotate(**steps_of("pk"))

    def repeating(self, run_id: int) -> set[int]:
        """Return this run and all restarts of it, however deep; a statement for each level."""
        found, ahead = set[int](), {run_id}
        while ahead:
            found |= ahead
            ahead = set(self.filter(restart_of__in=ahead).values_list("pk", flat=True)) - found
        return found

    def with_a_held_step(self) -> Self:
        """Return the runs that have not ended and of which a person holds a step."""
        held = Task.objects.held().filter(run=OuterRef("pk"))
        return self.exclude(status__in=RunStatus.final()).filter(Exists(held))

    def usual_of_each(self, *columns: str, of_each: int, at_least: int) -> dict[tuple[Any, ...], timedelta]:
        """Return the median duration of the last completed of these that share values of the columns; one statement.

        Of fewer than `at_least` nothing is usual.
        """
        return medians(self.filter(IS_USUAL), columns, of_each, at_least)


class Run(RunTries):
    """One instance of a batch, a job, a plan or ordered work. `fire_key` makes a slot fire once, whoever decides it."""

    kind = models.CharField(max_length=10, choices=RunKind)
    title = models.CharField(max_length=200, blank=True, help_text=_("What people call it; empty: its entity."))
    plans = models.JSONField(default=list, blank=True, help_text=_("The names of the plans it was made of."))
    parameters = models.JSONField(
        null=True, blank=True, editable=False, help_text=_("The values that its plans' parameters had.")
    )
    restart_of = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="restarts")
    made_good_by = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+",
        help_text=_("The restart of it, or of its restarts, that completed."),
    )  # fmt: skip
    is_partial = models.BooleanField(
        _("partial"), default=False, db_default=False, editable=False,
        help_text=_("A restart that leaves out what has not completed: it makes nothing good."),
    )  # fmt: skip
    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    status = models.CharField(max_length=20, choices=RunStatus, default=RunStatus.PENDING)
    fire_key = models.CharField(max_length=200, unique=True)
    scheduled_for = models.DateTimeField(
        null=True, blank=True, help_text=_("The slot, for runs that a cadence started.")
    )
    trigger_source = models.CharField(max_length=200, blank=True)
    started_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    timeout_seconds = models.PositiveIntegerField(
        null=True, blank=True, editable=False, help_text=_("How long it may take from its begin.")
    )
    timed_out_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text=_("When that time was up, and it was ended.")
    )
    expected = models.DurationField(null=True, blank=True, editable=False, help_text=_("How long it usually may take."))
    deadline_at = models.DateTimeField(null=True, blank=True, editable=False, help_text=_("When it must be done."))
    warnings = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text=_("Of all its tasks; what completed may have given some.")
    )
    error = models.TextField(blank=True)
    # What people read is made of this, in their language; the text beside it is for programs.
    error_said = models.JSONField(null=True, blank=True, editable=False)
    # The database has the default, too: processes of the version before store runs beside us during an upgrade.
    trace = models.CharField(
        max_length=100, blank=True, default="", db_default="", editable=False, help_text=_("The span that started it.")
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        permissions = [
            ("cancel_run", "Can cancel a run"),
            ("restart_run", "Can start a run, or a failed task of it, again"),
        ]
        indexes = [
            models.Index(fields=["status"], condition=~Q(status__in=RunStatus.final()), name="run_live"),
            models.Index(fields=["finished_at"], name="run_by_finish"),
            models.Index(fields=["created_at", "id"], name="run_by_creation"),
            models.Index(fields=["kind", "created_at", "id"], name="run_by_kind"),
            models.Index(fields=["finished_at"], condition=Q(warnings__gt=0), name="run_warned"),
            models.Index(fields=["next_attempt_at"], condition=IS_TRIED_AGAIN, name="run_tried_again"),
            models.Index(fields=["title", "-id"], condition=Q(kind=RunKind.ORDERED), name="run_of_ordered_work"),
            models.Index(fields=["title", "id"], condition=Q(entity__isnull=True), name="run_by_title"),
            models.Index(fields=["entity", "-id", "started_at", "finished_at"], name="run_of_entity_usual",
                         condition=Q(kind=RunKind.BATCH) & IS_USUAL),
        ]  # fmt: skip
        constraints = [_final_has_a_time("status", RunStatus.final(), "run_final_state_has_a_time")]

    def __str__(self) -> str:
        return say("Run {run}", run=self.pk)

    @property
    def shown_status(self) -> str:
        """Return the status as people see it."""
        return shown_status(self.status, self.warnings)

    @property
    def is_usual(self) -> bool:
        """Return whether it is one that says what is usual: `IS_USUAL`."""
        return self.status == RunStatus.COMPLETED and self.restart_of_id is None

    @property
    def has_to_end_by(self) -> datetime | None:
        """Return when its time is up; None for one that has not begun, or may take any time."""
        if self.started_at is None or self.timeout_seconds is None:
            return None
        return self.started_at + timedelta(seconds=self.timeout_seconds)


class TaskQuerySet(models.QuerySet["Task"]):
    """Reads that rooms share."""

    def held(self) -> Self:
        """Return the tasks that wait because a person holds them."""
        return self.filter(IS_HELD)

    def steps(self) -> Self:
        """Return the tasks that are steps of their run."""
        return self.filter(IS_STEP)

    def awaiting(self) -> Self:
        """Return the waits that are not over."""
        return self.filter(IS_AWAITING)

    def usual_durations(
        self, targets: Collection[tuple[str, int | None]], of_each: int = 20
    ) -> dict[tuple[str, int], timedelta]:
        """Return the median duration of the last completed tasks of each target, whatever run they were part of.

        A target is a workload and the id of its entity, job or script. One that never completed is not in it. One
        statement for all of them.
        """
        by_workload: dict[str, list[int]] = {}
        for workload, target_id in targets:
            if target_id is not None:
                by_workload.setdefault(workload, []).append(target_id)
        if not by_workload:
            return {}
        wanted = Q()
        for workload, ids in by_workload.items():
            wanted |= Q(workload=workload, target_id__in=ids)
        completed = self.filter(wanted, status=TaskStatus.COMPLETED)
        found = medians(completed, ["workload", "target_id"], of_each)
        return {(workload, target_id): lasted for (workload, target_id), lasted in found.items()}


class Task(TaskTries):
    """One piece of work of a run. The database is the truth; a message in the broker is only a wake-up."""

    run = models.ForeignKey("scheduling.Run", on_delete=models.CASCADE, related_name="tasks")
    key = models.CharField(max_length=200, help_text=_("What people see; unique in its run."))
    workload = models.CharField(max_length=20, choices=RunKind)
    target_id = models.BigIntegerField(null=True, blank=True, help_text=_("The entity, job or script, by workload."))
    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    arguments = models.JSONField(default=dict, blank=True)
    # Of these the database has the default, too: the version before stores tasks beside us during an upgrade.
    side_by_side = models.BooleanField(
        default=False, db_default=False, help_text=_("Other runs of its job may work meanwhile.")
    )
    unique_key = models.CharField(  # noqa: DJ001 (no key is not an empty one)
        max_length=200, null=True, blank=True, help_text=_("Of its job one task of this key lives at a time.")
    )
    key_place = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text=_("0: it is the one of its key; 1: it waits behind that one.")
    )
    queue = models.ForeignKey("scheduling.Queue", on_delete=models.PROTECT, related_name="tasks")
    priority = models.SmallIntegerField(default=0)
    turn = models.BigIntegerField(default=0, help_text=_("Its place among equals of its queue."))
    step_index = models.PositiveIntegerField(default=0)
    status = models.CharField(max_length=20, choices=TaskStatus, default=TaskStatus.QUEUED)
    blocked_by = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    run_if = models.CharField(
        max_length=20,
        choices=RunIf,
        default=RunIf.ALL_SUCCEEDED,
        db_default=RunIf.ALL_SUCCEEDED,
        help_text=_("What must have become of all before it."),
    )
    only_when = models.JSONField(
        null=True, blank=True, editable=False, help_text=_("What steps before it must have given; else it is skipped.")
    )
    continue_on_failure = models.BooleanField(
        default=False, help_text=_("Its failure does not stop what depends on it.")
    )
    waits_for_entity = models.BooleanField(default=False, help_text=_("Its entity or job is at work in another run."))
    timeout_seconds = models.PositiveIntegerField(null=True, blank=True)
    waits_since = models.DateTimeField(
        null=True, blank=True, help_text=_("Since when it waits for a time, for rows or for a query.")
    )
    held_at = models.DateTimeField(
        null=True, blank=True, help_text=_("Since when a person holds it: it waits until somebody lets it go on.")
    )
    held_by = models.CharField(max_length=150, blank=True, default="", db_default="", help_text=_("Who holds it."))
    cancel_requested = models.BooleanField(default=False)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    queued_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True, help_text=_("When the last wake-up was sent."))
    started_at = models.DateTimeField(
        null=True, blank=True, help_text=_("Of its last attempt; empty where a person ended it by hand.")
    )
    finished_at = models.DateTimeField(null=True, blank=True)
    expected = models.DurationField(null=True, blank=True, editable=False, help_text=_("How long it usually may take."))
    deadline_at = models.DateTimeField(null=True, blank=True, editable=False, help_text=_("When it must be done."))
    rows_total = models.BigIntegerField(null=True, blank=True)
    rows_done = models.BigIntegerField(default=0)
    message = models.TextField(blank=True)
    message_said = models.JSONField(null=True, blank=True, editable=False)
    warnings = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text=_("Of its last attempt; rows, where it is a batch.")
    )
    result = models.JSONField(null=True, blank=True, editable=False, help_text=_("The value that its job returned."))
    # Of a step that runs for each item: the list, once decided. Of an item: whose it is, its place from 1, and itself.
    items = models.JSONField(null=True, blank=True, editable=False)
    mapped_by = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="mapped", db_index=False, editable=False
    )
    item_number = models.PositiveIntegerField(null=True, blank=True, editable=False)
    item = models.JSONField(null=True, blank=True, editable=False)

    objects = TaskQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                fields=["queue", "-priority", "turn", "id"],
                condition=Q(status=TaskStatus.QUEUED, next_attempt_at__isnull=True),
                name="task_in_line",
            ),
            models.Index(
                fields=["next_attempt_at"],
                condition=Q(status=TaskStatus.QUEUED, next_attempt_at__isnull=False),
                name="task_delayed",
            ),
            models.Index(fields=["queue"], condition=Q(status=TaskStatus.RUNNING), name="task_running"),
            models.Index(fields=["run"], condition=~Q(status__in=TaskStatus.final()), name="task_live"),
            models.Index(fields=["run", "queue", "-turn"], name="task_last_turn"),
            models.Index(
                fields=["workload", "target_id", "-id", "started_at", "finished_at"],
                name="task_of_target_done",
                condition=Q(status=TaskStatus.COMPLETED),
            ),
            models.Index(fields=["target_id", "-id"], condition=Q(workload=RunKind.JOB), name="task_of_job"),
            models.Index(
                fields=["target_id", "finished_at"], condition=Q(workload=RunKind.JOB), name="task_of_job_ended"
            ),
            models.Index(
                fields=["finished_at"],
                condition=Q(workload__in=[RunKind.JOB, RunKind.BATCH], finished_at__isnull=False),
                name="task_ended",
            ),
            models.Index(
                fields=["mapped_by", "item_number"], condition=Q(mapped_by__isnull=False), name="task_of_step"
            ),
        ]
        constraints = [
            _final_has_a_time("status", TaskStatus.final(), "task_final_state_has_a_time"),
            models.UniqueConstraint(fields=["run", "key"], name="task_key_once_per_run"),
            models.UniqueConstraint(
                fields=["target_id", "unique_key", "key_place"],
                condition=Q(unique_key__isnull=False, status__in=TaskStatus.live()),
                name="task_lives_once_by_its_key",
            ),
            models.CheckConstraint(condition=Q(attempts_allowed__gte=1), name="task_may_be_tried"),
        ]

    def __str__(self) -> str:
        return say("Task {task}", task=self.pk)

    @property
    def is_held(self) -> bool:
        """Return whether it waits because a person holds it. One that is blocked meanwhile is held again afterwards."""
        return self.held_at is not None and self.status == TaskStatus.WAITING

    @property
    def is_awaiting(self) -> bool:
        """Return whether it is a wait that is not over: it holds no worker, and is looked at now and then."""
        return self.waits_since is not None and self.status == TaskStatus.QUEUED and self.items is None

    @property
    def shown_status(self) -> str:
        """Return the status as people see it."""
        if self.is_awaiting:
            return AWAITING
        if self.status == TaskStatus.WAITING and self.items is not None and self.waits_since and not self.is_held:
            return str(TaskStatus.RUNNING)
        return HELD if self.is_held else shown_status(self.status, self.warnings)


class TaskDependency(models.Model):
    """`task` starts only after `depends_on` ended, and as a rule well (or failed and may be passed over)."""

    task = models.ForeignKey("scheduling.Task", on_delete=models.CASCADE, related_name="dependencies", db_index=False)
    depends_on = models.ForeignKey("scheduling.Task", on_delete=models.CASCADE, related_name="dependants")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["task", "depends_on"], name="task_dependency_once"),
            models.CheckConstraint(condition=~Q(task=F("depends_on")), name="task_dependency_on_another"),
        ]

    def __str__(self) -> str:
        return say("Task {task} after task {other}", task=self.task_id, other=self.depends_on_id)
