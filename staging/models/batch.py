"""The record of one batch: what it was asked to do and what became of every row."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, Self

from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Subquery, Value, When
from django.utils.translation import gettext_lazy as _

from staging.models.entity import Entity
from staging.states import OUTCOME_COUNTERS, WITH_WARNINGS, BatchStatus, shown_status
from staging.wording import say

# What a staged row may become; each is a counter on the batch.
OUTCOMES = tuple(OUTCOME_COUNTERS.values())
COMPLETED_WITH_WARNINGS = Q(status=BatchStatus.COMPLETED) & (Q(rejected__gt=0) | Q(warned__gt=0))
SHOWN_STATUS = Case(When(COMPLETED_WITH_WARNINGS, then=Value(WITH_WARNINGS)), default=F("status"))


class BatchQuerySet(models.QuerySet["Batch"]):
    """Reads that rooms share."""

    def ended(self) -> Self:
        """Return those to which nothing will happen any more."""
        return self.filter(status__in=BatchStatus.final())

    def standing(self) -> Self:
        """Return those that completed and whose work stands: none that was undone, and no undo.

        An undo that was itself undone counts for nothing.
        """
        undos = Batch.objects.filter(undoes=OuterRef("pk"), status=BatchStatus.COMPLETED)
        undone = Batch.objects.filter(undoes=OuterRef("pk"), status=BatchStatus.COMPLETED)
        done = self.filter(status=BatchStatus.COMPLETED, undoes__isnull=True)
        return done.exclude(Exists(undos.exclude(Exists(undone))))

    def beginning_at(self, begins: Mapping[int, int | None], *columns: str) -> dict[int, list[tuple[Any, ...]]]:
        """Return these columns of those of each of these entities from the one with this key on; one statement.

        The newest first. None stands for the first: see `nth_newest`.
        """
        found: dict[int, list[tuple[Any, ...]]] = {}
        for entity_id, *values in self._since(begins).order_by("-pk").values_list("entity_id", *columns):
            found.setdefault(entity_id, []).append(tuple(values))
        return found

    def nth_newest(self, entity: str, most: int) -> Subquery:
        """Return for a query of other rows the key of the oldest of so many newest of each one's entity, if there is.

        An index answers it, however many there are. `entity` is what that query calls the key of the entity.
        """
        return Subquery(self.filter(entity=OuterRef(entity)).order_by("-pk").values("pk")[most - 1 : most])

    def among_newest(self, entity_ids: Collection[int], most: int) -> Self:
        """Return the newest of each of these entities, of which there may be some hundreds; it asks a statement itself.

        That finds for each entity where its newest ones begin, which an index answers, however many there are.
        """
        if not entity_ids:
            return self.none()
        entities = Entity.objects.filter(pk__in=entity_ids).order_by()
        return self._since(dict(entities.values_list("pk", self.nth_newest("pk", most))))

    def _since(self, begins: Mapping[int, int | None]) -> Self:
        wanted = Q()
        for entity_id, begin in begins.items():
            wanted |= Q(entity_id=entity_id, pk__gte=begin or 0)
        return self.filter(wanted) if begins else self.none()


def waits_since(created_at: datetime, started_at: datetime | None, duration_ms: int | None) -> datetime:
    """Return when a held batch with these columns began to wait for a person: when its own work had ended."""
    return (started_at or created_at) + timedelta(milliseconds=duration_ms or 0)


class Batch(models.Model):
    """One claim-validate-merge of an entity's pending rows.

    Counters grow inside the transaction of each merged chunk, so they always agree with the rows.
    """

    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, related_name="batches")
    tag = models.CharField(max_length=200, blank=True, help_text=_("Only rows with this batch tag; empty: all rows."))
    status = models.CharField(max_length=20, choices=BatchStatus, default=BatchStatus.PENDING)
    trigger_source = models.CharField(max_length=200, blank=True)
    started_by = models.CharField(max_length=150, blank=True)
    task_id = models.BigIntegerField(null=True, blank=True, db_index=True, help_text=_("The scheduler's task."))
    rows_total = models.BigIntegerField(null=True, blank=True, help_text=_("Rows claimed, known after classification."))
    inserted = models.BigIntegerField(default=0)
    updated = models.BigIntegerField(default=0)
    unchanged = models.BigIntegerField(default=0)
    deactivated = models.BigIntegerField(default=0)
    deleted = models.BigIntegerField(default=0)
    rejected = models.BigIntegerField(default=0)
    superseded = models.BigIntegerField(default=0)
    # The database has the default, too: the version before opens batches beside us during an upgrade.
    warned = models.BigIntegerField(default=0, db_default=0, help_text=_("Rows that were processed with a warning."))
    # The record of the batch that is undone may be gone before that of the undo.
    undoes = models.ForeignKey(
        "self", on_delete=models.DO_NOTHING, db_constraint=False, null=True, blank=True, related_name="undone_by"
    )
    skip_changed = models.BooleanField(default=False, help_text=_("An undo that leaves alone what changed since."))
    hold_reason = models.TextField(blank=True, help_text=_("Why it was held instead of merged, in words."))
    # What people read is made of this, in their language; the text beside it is for programs.
    hold_reason_said = models.JSONField(null=True, blank=True, editable=False)
    foreseen = models.JSONField(null=True, blank=True, help_text=_("What merging would have done, by outcome."))
    approves = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="approvals",
        help_text=_("The held batch."),
    )
    selected_rows = models.JSONField(null=True, blank=True, help_text=_("Which held rows were approved; empty: all."))
    decisions = models.CharField(
        max_length=100, blank=True, help_text=_("The table of what was decided and is not carried out yet.")
    )
    decided_by = models.CharField(
        max_length=64,
        blank=True,
        help_text=_("Tells by which definitions that was decided; empty: it has to be afresh."),
    )
    error = models.TextField(blank=True)
    error_said = models.JSONField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    duration_ms = models.BigIntegerField(null=True, blank=True)
    came_home = models.BigIntegerField(
        null=True, blank=True, help_text=_("Rejected rows that wait again because of its codes; empty: not looked yet.")
    )

    objects = BatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = _("batches")
        ordering = ["-id"]
        permissions = [
            ("undo_batch", "Can undo a batch"),
            ("approve_batch", "Can approve, send back or discard held rows"),
        ]
        indexes = [
            # With the status, so that the newest ended ones are found in it however seldom an entity has one.
            models.Index(fields=["entity", "-id", "status"], name="batch_by_entity"),
            models.Index(fields=["entity"], condition=models.Q(status=BatchStatus.HELD), name="batch_held"),
            models.Index(
                fields=["id"],
                condition=models.Q(came_home__isnull=True, status__in=BatchStatus.final()),
                name="batch_codes_not_looked_at",
            ),
            models.Index(fields=["entity"], condition=~models.Q(decisions=""), name="batch_left_decisions"),
            models.Index(fields=["finished_at"], name="batch_by_end"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=(models.Q(status__in=BatchStatus.final()) & models.Q(finished_at__isnull=False))
                | (~models.Q(status__in=BatchStatus.final()) & models.Q(finished_at__isnull=True)),
                name="batch_final_state_has_a_time",
            )
        ]

    def __str__(self) -> str:
        return say("Batch {number}", number=self.pk)

    @property
    def held_since(self) -> datetime:
        """Return when a held batch began to wait for a person: when its own work had ended."""
        return waits_since(self.created_at, self.started_at, self.duration_ms)

    @property
    def warnings(self) -> int:
        """Return how many rows somebody should look at: those that were rejected, or processed with a warning."""
        return self.rejected + self.warned

    @property
    def shown_status(self) -> str:
        """Return the status as people see it."""
        return shown_status(self.status, self.warnings)

    @property
    def rows_done(self) -> int:
        """Return how many rows have an outcome so far."""
        return sum(getattr(self, outcome) for outcome in OUTCOMES)
