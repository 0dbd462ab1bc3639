"""Writes what members were before a batch changes them: one row per change, in the transaction of the change.

Nothing is computed per row that the database does not have at hand, and nothing is written while an entity keeps no
history.
"""

from dataclasses import dataclass
from datetime import datetime

from staging.identifiers import before_column, history_table, production_table
from staging.models import Batch, Entity
from staging.sql.choose import dialect
from staging.sql.compose import Sql, column, fetch, join, name, run, sql
from staging.sql.statement import statement
from staging.states import HistoryAction
from staging.tables.inspect import real_columns

_ALWAYS = ("code", "name", "is_active", "updated_at", "updated_batch_id")
_AT_BIRTH = ("created_at", "created_batch_id")  # they never change, so only a member that goes has to leave them
_LONGEST_NAME = 200


@dataclass(frozen=True)
class History:
    """The history table of one entity, and the attributes of which it keeps the values."""

    entity: Entity
    attributes: tuple[str, ...]

    @property
    def table(self) -> Sql:
        """Return the history table."""
        return name(history_table(self.entity.code))

    @property
    def production(self) -> Sql:
        """Return the table of the members."""
        return name(production_table(self.entity.code))

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the production columns that are kept, the attributes last."""
        return (*_ALWAYS, *_AT_BIRTH, *self.attributes)


def stored_history(entity: Entity) -> History | None:
    """Return the entity's history, whether it is still kept or not; None when there is no table of it."""
    kept = real_columns(history_table(entity.code))
    if not kept:
        return None
    typed = real_columns(production_table(entity.code))
    both = [a.name for a in entity.attributes.all() if a.name in typed and before_column(a.name) in kept]
    return History(entity, tuple(both))


def kept_history(entity: Entity) -> History | None:
    """Return the history that a change of this entity's members must write; None while it keeps none."""
    return stored_history(entity) if entity.keep_history else None


def note(
    history: History, batch: Batch, at: datetime, action: HistoryAction, members: Sql, restored: Sql | None = None
) -> int:
    """Keep members as they are, right before they change, or that they are new; return how many.

    They are `SELECT ... FROM <production> p {members}`. `restored` is, for an undo, the batch whose values will hold
    again.
    """
    kept = [c for c in history.columns if action == HistoryAction.DELETED or c not in _AT_BIRTH]
    if action == HistoryAction.INSERTED:
        kept = []
    own = ["member_id", "action", "batch_id", "restored_batch_id", "changed_at", "changed_by"]
    return run(
        statement(
            "note",
            history=history.table,
            columns=join(", ", map(name, [*own, *map(before_column, kept)])),
            action=action.value,
            batch=batch.pk,
            restored=restored or Sql("NULL"),
            at=dialect().instant(at),
            before=join(", ", [sql("{by}", by=changed_by(batch)), *(column("p", c) for c in kept)]),
            production=history.production,
            members=members,
        )
    )


def insert_noted(history: History, batch: Batch, at: datetime, insertion: Sql) -> None:
    """Run an INSERT of new members and keep that they are new, without looking them up again."""
    if dialect().nests_inserts:
        note = _note_new(history, batch, at, Sql("new born"))
        run(statement("insert_noted", insertion=insertion, note=note))
        return
    # SQLite gives ascending ids and has one writer: what is above the last id is new.
    last = fetch(statement("last_id", production=history.production))[0][0]
    run(insertion)
    members = sql("{production} born WHERE born.id > {last}", production=history.production, last=last)
    run(_note_new(history, batch, at, members))


def _note_new(history: History, batch: Batch, at: datetime, members: Sql) -> Sql:
    own = ("member_id", "action", "batch_id", "changed_at", "changed_by")
    return statement(
        "note_new",
        history=history.table,
        columns=join(", ", map(name, own)),
        action=HistoryAction.INSERTED.value,
        batch=batch.pk,
        at=dialect().instant(at),
        by=changed_by(batch),
        members=members,
    )


def changed_by(batch: Batch) -> str:
    """Return who changed the members, and because of what: the record of the batch may be gone before the history."""
    who = [batch.started_by or "unknown", f"({batch.trigger_source})" if batch.trigger_source else ""]
    return " ".join(filter(None, who))[:_LONGEST_NAME]
