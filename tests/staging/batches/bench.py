"""A small workbench for batches: define an entity, stage rows by plain SQL, process them, look at what came out."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import connection

from staging.batches.context import Fence, NoFence
from staging.batches.pipeline import process
from staging.batches.record import open_batch
from staging.identifiers import production_table, quote, staging_table
from staging.models import OUTCOMES, Attribute, Batch, Entity
from staging.tables.alter import sync_tables

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = datetime(2026, 3, 2, 12, tzinfo=UTC)


def define(code: str, *attributes: Mapping[str, Any], **settings: Any) -> Entity:
    """Create an entity with attributes and its tables; a reference names the target's code, perhaps its own."""
    entity = Entity.objects.create(code=code, name=code.capitalize(), **settings)
    for position, rules in enumerate(attributes):
        target = rules.get("reference")
        reference = Entity.objects.get(code=target) if target else None
        Attribute.objects.create(entity=entity, position=position, **{**rules, "reference": reference})
    sync_tables(entity)
    return entity


def text(name: str, **rules: Any) -> dict[str, Any]:
    """Return a text attribute."""
    return {"name": name, "data_type": "text", **rules}


def reference(name: str, target: str, **rules: Any) -> dict[str, Any]:
    """Return a reference."""
    return {"name": name, "data_type": "reference", "reference": target, **rules}


def stage(entity: Entity, *rows: Mapping[str, Any]) -> None:
    """Insert staged rows as external systems do: only the columns they have."""
    with connection.cursor() as cursor:
        for row in rows:
            columns = ", ".join(quote(column) for column in row)
            marks = ", ".join(["%s"] * len(row))
            cursor.execute(
                f"INSERT INTO {quote(staging_table(entity.code))} ({columns}) VALUES ({marks})", list(row.values())
            )


def run_batch(entity: Entity, *, tag: str = "", fence: Fence | None = None, now: datetime = NOW) -> Batch:
    """Open and process a batch."""
    return process(open_batch(entity, tag=tag, now=now), fence=fence or NoFence(), now=now)


def counts(batch: Batch) -> dict[str, int]:
    """Return the outcomes that are not zero."""
    return {outcome: n for outcome in OUTCOMES if (n := getattr(batch, outcome))}


def staged(entity: Entity) -> list[dict[str, Any]]:
    """Return the staged rows in the order they came."""
    return _rows(f"SELECT * FROM {quote(staging_table(entity.code))} ORDER BY id")


def members(entity: Entity) -> dict[str, dict[str, Any]]:
    """Return the production rows by code; references as the target's code."""
    found = {row["code"]: row for row in _rows(f"SELECT * FROM {quote(production_table(entity.code))}")}
    for attribute in entity.attributes.exclude(reference=None).select_related("reference"):
        target = _rows(f"SELECT id, code FROM {quote(production_table(attribute.reference.code))}")
        codes = {row["id"]: row["code"] for row in target}
        for row in found.values():
            row[attribute.name] = codes.get(row[attribute.name])
    return found


def errors(entity: Entity) -> dict[str | None, int]:
    """Return the error code of each staged row by its code."""
    return {row["code"]: row["error_code"] for row in staged(entity)}


def execute(statement: str, params: Iterable[Any] = ()) -> None:
    """Execute one statement."""
    with connection.cursor() as cursor:
        cursor.execute(statement, list(params))


def fetch(query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with connection.cursor() as cursor:
        cursor.execute(query)
        return list(cursor.fetchall())


def _rows(query: str) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
