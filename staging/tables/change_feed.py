"""Keeps the record of an entity's feed in line: since when all changes are there, and what retention took."""

from datetime import datetime

from django.db.models import F, Max, Q
from django.db.models.functions import Now

from staging.identifiers import production_table
from staging.models import ChangeFeed, ChangeSet, Entity
from staging.sql.compose import Database, Sql, name, sql
from staging.tables.columns import table_exists


def sync_feed(entity: Entity) -> None:
    """Note that changes are noted, or no longer: what happens between an end and a new beginning is in no feed.

    Whoever followed the feed before such a gap is told to start again. Called last: a batch that numbers its changes
    holds the tables and waits for this row.
    """
    feed = ChangeFeed.objects.filter(entity=entity).first()
    if feed is None and entity.keep_history:
        is_whole = not _has_members(entity)
        ChangeFeed.objects.create(entity=entity, is_whole=is_whole, since=None if is_whole else Now())
    elif feed and feed.is_kept != entity.keep_history:
        behind = F("last_number") + 1
        gap = {"last_number": behind, "floor": behind, "is_whole": False, "since": Now()}
        ChangeFeed.objects.filter(pk=feed.pk).update(
            is_kept=entity.keep_history, **(gap if entity.keep_history else {})
        )


def raise_floor(entity: Entity, before: datetime, last_deleted: int, first_left: int | None) -> None:
    """Note that rows of the history up to an id, from before an instant, are gone.

    The change sets that lost all of theirs go, too.
    """
    ChangeFeed.objects.filter(Q(since=None) | Q(since__lt=before), entity=entity).update(since=before, is_whole=False)
    touched = ChangeSet.objects.filter(entity=entity, first_row__lt=last_deleted, number__isnull=False)
    floor = touched.aggregate(floor=Max("number"))["floor"]
    if floor is None:
        return
    ChangeFeed.objects.filter(entity=entity, floor__lt=floor).update(floor=floor)
    gone = touched if first_left is None else touched.filter(last_row__lt=first_left)
    gone.delete()


def _has_members(entity: Entity) -> bool:
    table = production_table(entity.code)
    return table_exists(table) and bool(Database().fetch(sql("SELECT 1 FROM {table} LIMIT 1", table=name(table))))


def highest_row(history: Sql) -> int:
    """Return the highest id among the rows of a history table that this transaction sees, 0 without any."""
    return int(Database().fetch(sql("SELECT COALESCE(max(h.id), 0) FROM {history} h", history=history))[0][0])
