"""What an undo has to do in one entity: one row for each member that the batch changed and that is not as before.

The batch's own entity is the main part. Entities whose references it cleared are parts too, when they keep a history.

Which state a member is in is told by `updated_batch_id`: an undo gives back the one from before, so an undone batch
is as if it had never been, for the undo of an earlier one as well as for the undo of the undo.
"""

from dataclasses import dataclass

from staging.batches import worktable
from staging.batches.context import BatchContext, History, stored_history
from staging.identifiers import before_column, production_table
from staging.models import Attribute, Batch, Entity
from staging.sql.compose import Sql, column, fetch, run, sql, statement
from staging.states import HistoryAction
from staging.tables.columns import real_columns


@dataclass(frozen=True)
class Part:
    """One entity of an undo: `of` is the batch that is taken back."""

    context: BatchContext
    of: Batch
    history: History
    suffix: str

    @property
    def work(self) -> Sql:
        """Return the table with a row for each member that has to change."""
        return self.context.table(self.suffix)

    @property
    def production(self) -> Sql:
        """Return the table of the members."""
        return self.history.production

    @property
    def entity(self) -> Entity:
        """Return the entity whose members change."""
        return self.history.entity

    @property
    def attributes(self) -> list[Attribute]:
        """Return the attributes of which the history keeps the values."""
        return [a for a in self.entity.attributes.select_related("reference") if a.name in self.history.attributes]

    def differs(self, history: str, member: str, attribute: str) -> Sql:
        """Return whether a value was another one before than the member has now."""
        was, now = was_value(history, attribute), column(member, attribute)
        return sql("NOT {same}", same=self.context.sql.same(was, now))


def was_value(history: str, attribute: str) -> Sql:
    """Return the column of a history row that holds what a production column held before."""
    return column(history, before_column(attribute))


def gather(context: BatchContext, of: Batch) -> list[Part]:
    """Note what has to change to take the batch back, the main part first; empty when there is no history at all."""
    history = stored_history(of.entity)
    if history is None:
        return []
    parts = [Part(context, of, history, "_undo")]
    for number, entity in enumerate(_referring(of.entity)):
        other = stored_history(entity)
        if other is not None and count_kept(other, of):
            parts.append(Part(context, of, other, f"_undo{number}"))
    for part in parts:
        _fill(part)
    return parts


def count_kept(history: History, batch: Batch) -> int:
    """Return how many members the history says that a batch changed."""
    return int(fetch(statement("count_kept", history=history.table, batch=batch.pk))[0][0])


def referring_columns(entity: Entity) -> list[tuple[Entity, str]]:
    """Return the columns that refer to the entity's members, those of cancelled attributes included."""
    found = Attribute.objects.filter(reference=entity).select_related("entity").order_by("entity__code", "name")
    return [(a.entity, a.name) for a in found if a.name in real_columns(production_table(a.entity.code))]


def _referring(entity: Entity) -> list[Entity]:
    found = Entity.objects.filter(attributes__reference=entity).exclude(pk=entity.pk)
    return list(found.distinct().order_by("code"))


def _fill(part: Part) -> None:
    """Note the members that are not as they were before; those not as the batch left them are in conflict at once."""
    worktable.create_beside(
        part.context,
        part.suffix,
        [
            *((column, "bigint") for column in ("seq", "member_id", "history_id", "left_batch_id")),
            *((column, "smallint") for column in ("kind", "conflict")),
        ],
    )
    run(
        statement(
            "find_undone",
            work=part.work,
            compared=_compared(part),
        )
    )
    worktable.index(part.context, part.suffix, "member_id")
    worktable.analyze(part.context, part.suffix)


def _compared(part: Part) -> Sql:
    """Return the members the batch changed, beside what they are now.

    The first of a batch's changes of a member holds what was before, the last one what the batch left.
    """
    same = part.context.sql.same
    left = sql("last.restored_batch_id") if part.of.undoes_id else sql("{of}", of=part.of.pk)
    return statement(
        "compared",
        left=left,
        inserted=HistoryAction.INSERTED.value,
        deleted=HistoryAction.DELETED.value,
        is_before=same(Sql("p.updated_batch_id"), Sql("h.was_updated_batch_id")),
        is_left=same(Sql("p.updated_batch_id"), left),
        history=part.history.table,
        of=part.of.pk,
        production=part.production,
    )
