"""Reads, mends and thins out staged rows; every change is guarded by the status it believes in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from staging.errors import StagingError
from staging.identifiers import check_column, quote, staging_table
from staging.models import Batch, Entity
from staging.sql.compose import name
from staging.sql.dialect import dialect, from_database, to_database
from staging.states import ImportAction, ImportStatus, error_meaning
from staging.tables.columns import named_problems, staging_columns
from staging.tables.create import live_names
from staging.wording import say

EDITABLE = ("code", "name", "new_code", "batch_tag", "import_action")

_STATUS = f"s.{quote('import_status')}"
_ERROR = f"s.{quote('error_code')}"
_REJECTED = f"{quote('import_status')} = {ImportStatus.REJECTED.value}"
PENDING_AGAIN = ", ".join(
    f"{quote(name)} = {value}"
    for name, value in (
        ("import_status", ImportStatus.PENDING.value),
        ("error_code", 0),
        ("error_message", "NULL"),
        ("import_outcome", "NULL"),
        ("batch_id", "NULL"),
    )
)


@dataclass(frozen=True)
class RejectedGroup:
    """The rejected rows that share one error; a row with several errors is counted in each of their groups."""

    bit: int
    meaning: str
    count: int
    example_id: int
    example_message: str


def rejected_groups(entity: Entity) -> list[RejectedGroup]:
    """Return the rejected rows grouped by single error bit, largest group first, each with its newest row."""
    table = quote(staging_table(entity.code))
    with named_problems(entity), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {_ERROR}, count(*), max(s.{quote('id')}) FROM {table} s"
            f" WHERE {_STATUS} = {ImportStatus.REJECTED.value} GROUP BY {_ERROR}"
        )
        groups: dict[int, tuple[int, int]] = {}
        for code, count, newest in cursor.fetchall():
            for bit in _bits(code):
                known, example = groups.get(bit, (0, 0))
                groups[bit] = (known + count, max(example, newest))
        messages = _messages(entity, sorted({example for _, example in groups.values()}))
    return [
        RejectedGroup(bit, error_meaning(bit), count, example, messages.get(example) or "")
        for bit, (count, example) in sorted(groups.items(), key=lambda item: (-item[1][0], item[0]))
    ]


def staged_rows(
    entity: Entity,
    *,
    status: int | None = None,
    bit: int | None = None,
    batch_id: int | None = None,
    before_id: int | None = None,
    after_id: int | None = None,
    limit: int = 50,
) -> list[dict[str, Any]]:
    """Return staged rows newest first, at most `limit`; the next page starts with `before_id` = the last row's id.

    The page before one is asked for with `after_id` = its first row's id.
    `status` keeps one import status, `bit` rows that show this error (0: none), `batch_id` those a batch wrote
    last. Keys are the columns of staging.
    """
    where, parameters = [], []
    if status is not None:
        where.append(f"{_STATUS} = {int(status)}")  # in the text, so that the partial indexes are used
    if bit is not None:
        where.append(has_bit(_ERROR, bit))
    if batch_id is not None:
        where.append(f"s.{quote('batch_id')} = %s")
        parameters.append(batch_id)
    if before_id is not None:
        where.append(f"s.{quote('id')} < %s")
        parameters.append(before_id)
    if after_id is not None:
        where.append(f"s.{quote('id')} > %s")
        return _select(entity, where, [*parameters, after_id], limit, upwards=True)[::-1]
    return _select(entity, where, parameters, limit)


def get_row(entity: Entity, row_id: int) -> dict[str, Any] | None:
    """Return one staged row by its id, or None."""
    rows = _select(entity, [f"s.{quote('id')} = %s"], [row_id], 1)
    return rows[0] if rows else None


def rows_by_id(entity: Entity, ids: Sequence[int]) -> list[dict[str, Any]]:
    """Return the staged rows with these ids, those that exist."""
    condition, parameter = id_in(ids)
    return _select(entity, [condition], [parameter], len(ids))


def edit_row(entity: Entity, row_id: int, values: Mapping[str, str | None]) -> bool:
    """Store staged values of a rejected row and set it pending again, its errors cleared.

    Only the columns external systems fill may be given: EDITABLE and the attributes. Returns False, changing nothing,
    when the row is no longer rejected: somebody was faster. Raises StagingError for another column or a bad value.
    """
    allowed = {*EDITABLE, *map(check_column, live_names(entity))}
    if unknown := [name for name in values if name not in allowed]:
        raise StagingError(say("These columns may not be edited: {unknown}.", unknown=", ".join(sorted(unknown))))
    assignments = "".join(f"{quote(name)} = %s, " for name in values)
    parameters = [staged_value(name, value) for name, value in values.items()]
    return _update(entity, f"{assignments}{PENDING_AGAIN}", f"{quote('id')} = %s", [*parameters, row_id]) == 1


def retry_rows(
    entity: Entity, *, ids: Sequence[int] | None = None, bit: int | None = None, limit: int | None = None
) -> int:
    """Set rejected rows pending again, their errors cleared; return how many.

    `ids` keeps these rows, `bit` those that show this error; without either, all rejected rows. At most `limit`: fewer
    than that are also returned when others took some of them at the same moment.
    """
    where: list[str] = []
    parameters: list[Any] = []
    if ids is not None:
        condition, parameter = id_in(ids)
        where.append(condition)
        parameters.append(parameter)
    if bit is not None:
        where.append(has_bit(quote("error_code"), bit))
    if limit is not None:
        table = quote(staging_table(entity.code))
        some = " AND ".join([_REJECTED, *where])
        where = [f"{quote('id')} IN (SELECT {quote('id')} FROM {table} WHERE {some} LIMIT {int(limit)})"]
    return _update(entity, PENDING_AGAIN, " AND ".join(where) or "1 = 1", parameters)


def delete_processed(entity: Entity, before: datetime, limit: int) -> int:
    """Delete at most `limit` processed rows that landed before `before`; return how many.

    A row stays as long as its batch has not ended before `before` too: what was processed yesterday can be looked at,
    however long it had waited.
    """
    table, batches = quote(staging_table(entity.code)), quote(Batch._meta.db_table)
    instant = to_database(before)
    with named_problems(entity), connection.cursor() as cursor:
        # Found first, deleted after: the search holds no lock, and on SQLite keeps no other writer waiting.
        cursor.execute(
            f"SELECT s.{quote('id')} FROM {table} s"
            f" WHERE {_STATUS} = {ImportStatus.PROCESSED.value} AND s.{quote('created_at')} < %s"
            f" AND NOT EXISTS (SELECT 1 FROM {batches} b WHERE b.id = s.{quote('batch_id')}"
            " AND (b.finished_at IS NULL OR b.finished_at >= %s)) LIMIT %s",
            [instant, instant, limit],
        )
        condition, parameter = id_in([row_id for (row_id,) in cursor.fetchall()])
        cursor.execute(
            f"DELETE FROM {table} WHERE {condition} AND {quote('import_status')} = {ImportStatus.PROCESSED.value}",
            [parameter],
        )
        return cursor.rowcount


def _select(
    entity: Entity, where: list[str], parameters: list[Any], limit: int, *, upwards: bool = False
) -> list[dict[str, Any]]:
    """Select rows newest first, or `upwards`. All names have `s.`: SQLite reads an unknown one alone as a string."""
    names = ["id", *(c.name for c in staging_columns()), *map(check_column, live_names(entity))]
    columns = ", ".join(f"s.{quote(name)}" for name in names)
    condition = f" WHERE {' AND '.join(where)}" if where else ""
    with named_problems(entity), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {columns} FROM {quote(staging_table(entity.code))} s{condition}"
            f" ORDER BY s.{quote('id')} {'ASC' if upwards else 'DESC'} LIMIT %s",
            [*parameters, limit],
        )
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return [{**row, "created_at": from_database(row["created_at"])} for row in rows]


def _update(entity: Entity, assignments: str, condition: str, parameters: list[Any]) -> int:
    """Update rows that are still rejected and return how many; the race is with other people and with batches."""
    with named_problems(entity), connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {quote(staging_table(entity.code))} SET {assignments} WHERE {_REJECTED} AND {condition}",
            parameters,
        )
        return cursor.rowcount


def _messages(entity: Entity, ids: list[int]) -> dict[int, str | None]:
    condition, parameter = id_in(ids)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {quote('id')}, {quote('error_message')} FROM {quote(staging_table(entity.code))}"
            f" WHERE {condition}",
            [parameter],
        )
        return dict(cursor.fetchall())


def id_in(ids: Sequence[int]) -> tuple[str, Any]:
    """Return a condition on `id` and its single parameter, however many ids there are."""
    found = dialect().among(name("id"), [int(row_id) for row_id in ids])
    return found.text, found.params[0]


def has_bit(column: str, bit: int) -> str:
    """Return the condition on an error column to show this error; 0: none."""
    return f"({column} & {int(bit)}) <> 0" if bit else f"{column} = 0"


def _bits(code: int) -> list[int]:
    return [1 << position for position in range(code.bit_length()) if code >> position & 1] or [0]


def staged_value(name: str, value: str | None) -> str | int | None:
    """Return a value that a person gave for a staged column as it is stored; raises StagingError when it cannot be."""
    if value is None or (name == "import_action" and not value.strip()):
        return None
    if "\x00" in value:
        raise StagingError(say("The value of {name} holds a NUL character, which no column can keep.", name=name))
    if name != "import_action":
        return value
    if value.strip() not in {str(action) for action in ImportAction.values}:
        raise StagingError(
            say(
                "{value!r} is not an import action; use 0 to {values} or leave it empty.",
                value=value,
                values=max(ImportAction.values),
            )
        )
    return int(value)
