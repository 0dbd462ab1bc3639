"""Mends many rejected rows at once: one value replaced wherever it stands, or corrected rows stored by their id."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.db import connection

from staging.errors import StagingError
from staging.identifiers import check_column, quote, staging_table
from staging.models import Entity
from staging.sql.dialect import dialect
from staging.states import ImportStatus
from staging.tables.columns import named_problems
from staging.tables.create import live_names
from staging.tables.rows import EDITABLE, PENDING_AGAIN, has_bit, id_in, rows_by_id, staged_value
from staging.wording import say

_REJECTED = f"s.{quote('import_status')} = {ImportStatus.REJECTED.value}"


@dataclass(frozen=True)
class CommonValue:
    """A value that rejected rows have in a column, and how many have it; blank is ""."""

    value: str
    count: int


def replaceable_columns(entity: Entity) -> list[str]:
    """Return the columns in which a value can be replaced, in reading order."""
    attributes = [check_column(each) for each in live_names(entity)]
    return ["code", "name", *attributes, "new_code", "import_action", "batch_tag"]


def common_values(entity: Entity, column: str, bit: int, limit: int = 50) -> list[CommonValue]:
    """Return the values that rejected rows with this error have in a column, the most frequent first."""
    value = _as_text(_checked(entity, column))
    with named_problems(entity), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {value}, count(*) FROM {quote(staging_table(entity.code))} s"
            f" WHERE {_REJECTED} AND {has_bit(_error(), bit)} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %s",
            [limit],
        )
        return [CommonValue(str(text), count) for text, count in cursor.fetchall()]


def count_value(entity: Entity, column: str, value: str, bit: int) -> int:
    """Return how many rejected rows with this error have exactly this value in a column; "" counts blank ones."""
    found = _as_text(_checked(entity, column))
    with named_problems(entity), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FROM {quote(staging_table(entity.code))} s"
            f" WHERE {_REJECTED} AND {has_bit(_error(), bit)} AND {found} = %s",
            [value],
        )
        return int(cursor.fetchone()[0])


def replace_value(entity: Entity, column: str, old: str, new: str, bit: int) -> int:
    """Put `new` in the place of `old` in all rejected rows with this error, and set them pending; return how many.

    "" is blank on either side. Raises StagingError for a column that may not be changed or a value it cannot hold.
    """
    found = _as_text(_checked(entity, column))
    with named_problems(entity), connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {quote(staging_table(entity.code))} AS s SET {quote(column)} = %s, {PENDING_AGAIN}"
            f" WHERE {_REJECTED} AND {has_bit(_error(), bit)} AND {found} = %s",
            [staged_value(column, new or None), old],
        )
        return cursor.rowcount


def row_check(row: Mapping[str, Any]) -> str:
    """Return a short digest of what a staged row brings, to notice later that somebody changed it meanwhile.

    Blank columns do not count, so an attribute that is added meanwhile changes nothing.
    """
    theirs = {"id", "import_status", "batch_id", "error_code", "error_message", "import_outcome", "created_at"}
    brought = sorted((name, str(value)) for name, value in row.items() if name not in theirs and value is not None)
    return sha256(repr(brought).encode(errors="surrogatepass")).hexdigest()[:16]


def lock_rejected(entity: Entity, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return those of these rows that are rejected, by id, held until the end of the transaction."""
    condition, parameter = id_in(ids)
    if dialect().locks_rows:
        with named_problems(entity), connection.cursor() as cursor:
            cursor.execute(
                f"SELECT s.{quote('id')} FROM {quote(staging_table(entity.code))} s WHERE {condition}"
                f" ORDER BY s.{quote('id')} FOR UPDATE",
                [parameter],
            )
    rows = rows_by_id(entity, ids)
    return {row["id"]: row for row in rows if row["import_status"] == ImportStatus.REJECTED}


def store_corrections(entity: Entity, corrections: Iterable[tuple[int, Mapping[str, Any]]]) -> int:
    """Store new values of rejected rows and set these pending; return how many. No values: the row is only retried.

    Raises StagingError for a column that may not be changed.
    """
    allowed = {*EDITABLE, *live_names(entity)}
    groups: dict[tuple[str, ...], list[list[Any]]] = defaultdict(list)
    for row_id, values in corrections:
        if strange := set(values) - allowed:
            raise StagingError(say("These columns may not be changed: {strange}.", strange=", ".join(sorted(strange))))
        groups[tuple(sorted(values))].append([*(values[name] for name in sorted(values)), row_id])
    with named_problems(entity), connection.cursor() as cursor:
        for names, parameters in groups.items():
            assignments = "".join(f"{quote(name)} = %s, " for name in names)
            cursor.executemany(
                f"UPDATE {quote(staging_table(entity.code))} AS s SET {assignments}{PENDING_AGAIN}"
                f" WHERE s.{quote('id')} = %s AND {_REJECTED}",
                parameters,
            )
    return sum(map(len, groups.values()))


def _checked(entity: Entity, column: str) -> str:
    if column not in replaceable_columns(entity):
        raise StagingError(
            say("{entity} has no column {column!r} that may be changed.", entity=entity.name, column=column)
        )
    return column


def _as_text(column: str) -> str:
    return f"COALESCE(CAST(s.{quote(column)} AS text), '')"


def _error() -> str:
    return f"s.{quote('error_code')}"
