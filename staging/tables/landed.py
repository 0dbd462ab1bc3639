"""What landed in the staging tables of many entities, and what became of it: few statements for thousands of tables."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from staging.identifiers import quote
from staging.models import Entity
from staging.sql.dialect import from_database
from staging.states import ImportStatus
from staging.tables.columns import Tabled, of_each

_MOST_PARTS = 500  # of a UNION, where each part counts by an index


def oldest_pending(entities: Iterable[Entity | Tabled]) -> dict[int, datetime | None]:
    """Return since when the oldest pending row of each entity waits, by its pk; None without any, or where unknown.

    One statement for 200 entities. Raises DatabaseError when the database itself is gone.
    """
    asked = f"min(s.{quote('created_at')})", ImportStatus.PENDING, ""
    return of_each(entities, *asked, from_database, lambda error: None)


def rejected_counts(entities: Iterable[Entity]) -> dict[int, int | None]:
    """Return the number of rejected rows of each entity by its pk; None where a broken table cannot be counted.

    One statement for 500 entities. Raises DatabaseError when the database itself is gone.
    """
    asked = "count(*)", ImportStatus.REJECTED, ""
    return of_each(entities, *asked, lambda count: count, lambda error: None, at_once=_MOST_PARTS)


def newest_landed(entities: Iterable[Entity | Tabled]) -> dict[int, datetime | None]:
    """Return when the last row landed for each entity by its pk, whatever became of it; None without any, or unknown.

    One statement for 200 entities, which the key of each table answers. Raises DatabaseError when the database itself
    is gone.
    """
    newest = f"(SELECT s.{quote('created_at')} FROM {{table}} s ORDER BY s.{quote('id')} DESC LIMIT 1)"
    return of_each(entities, newest, None, "", from_database, lambda error: None)
