"""Creates and alters the table that keeps what members were; nothing that it holds is ever dropped."""

from datetime import datetime

from django.db import connection, transaction

from staging.identifiers import before_column, history_table, production_table, quote
from staging.models import Entity
from staging.sql.dialect import dialect, to_database
from staging.tables.change_feed import raise_floor, sync_feed
from staging.tables.columns import history_columns, kept_column, real_columns, table_exists
from staging.tables.create import add_column, create_table, index_name, run_ddl


def has_history(entity: Entity) -> bool:
    """Return whether there is a history of the entity's members, kept on or not."""
    return table_exists(history_table(entity.code))


def sync_history(entity: Entity) -> None:
    """Create the entity's history table when its history is to be kept, and give it a column for each attribute.

    A table that exists is kept in line even while no history is written. Cancelled attributes have their column too:
    a member that is deleted has values in it. A column of another type is set aside under another name.
    """
    table = history_table(entity.code)
    typed = real_columns(production_table(entity.code))
    attributes = [attribute for attribute in entity.attributes.all() if attribute.name in typed]
    if not table_exists(table):
        if not entity.keep_history:
            return
        create_table(table, [*history_columns(), *map(kept_column, attributes)])
        _create_indexes(table)
        sync_feed(entity)
        return
    kept = real_columns(table)
    for attribute in attributes:
        column = kept_column(attribute)
        if column.name in kept and kept[column.name].type != typed[attribute.name].type:
            set_aside(entity, attribute.name)
        if column.name not in kept or kept[column.name].type != typed[attribute.name].type:
            add_column(table, column)
    sync_feed(entity)


def set_aside(entity: Entity, column: str) -> str:
    """Rename the history of a column that is made anew or dropped, so that its values stay and are not misread.

    Returns the name it has now, empty when there is no history of the column.
    """
    table = history_table(entity.code)
    kept = real_columns(table)
    if before_column(column) not in kept:
        return ""
    number = 1
    while f"old_{column}_{number}" in kept:
        number += 1
    aside = f"old_{column}_{number}"
    run_ddl(f"ALTER TABLE {quote(table)} RENAME COLUMN {quote(before_column(column))} TO {quote(aside)}")
    return aside


@transaction.atomic
def delete_history(entity: Entity, before: datetime, limit: int) -> int:
    """Delete at most `limit` changes that happened before `before`, oldest first; return how many.

    They were written in the order of their ids, near enough: the search ends where the oldest few are younger.
    """
    table = history_table(entity.code)
    if not table_exists(table):
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT max(o.id) FROM (SELECT h.id, h.changed_at FROM {quote(table)} h ORDER BY h.id LIMIT %s) o"
            " WHERE o.changed_at < %s",
            [limit, to_database(before)],
        )
        last = cursor.fetchone()[0]
        if last is None:
            return 0
        cursor.execute(f"DELETE FROM {quote(table)} WHERE id <= %s AND changed_at < %s", [last, to_database(before)])
        deleted = cursor.rowcount
        cursor.execute(f"SELECT min(id) FROM {quote(table)}")
        raise_floor(entity, before, last, cursor.fetchone()[0])
        return deleted


def _create_indexes(table: str) -> None:
    """Index what is asked: the changes of a member, and those of a batch.

    A batch writes its changes one after another, so PostgreSQL gets a summary of each stretch of pages for them,
    which costs next to nothing.
    """
    run_ddl(f"CREATE INDEX {quote(index_name('at', table, 'member_id'))} ON {quote(table)} ({quote('member_id')})")
    label = index_name("by", table, "batch_id")
    by_pages = dialect().index_by_pages(label, table, "batch_id", pages=32)
    run_ddl(by_pages or f"CREATE INDEX {quote(label)} ON {quote(table)} ({quote('batch_id')})")
