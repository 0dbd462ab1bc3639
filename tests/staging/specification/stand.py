"""Puts a world of the model into the database, processes a batch there, and reads what came of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.db import connection

from staging.identifiers import production_table, quote, staging_table
from staging.models import Attribute, Batch, Entity
from staging.tables.create import create_tables
from tests.staging.batches.bench import counts, execute, run_batch
from tests.staging.specification.model import Model
from tests.staging.specification.world import Kind, Member, Rule, World

RULES = ("required", "unique", "max_length")


def build(world: World) -> None:
    """Create the entities of a world and their tables."""
    for kind in world.kinds.values():
        Entity.objects.create(code=kind.code, name=kind.code.capitalize())
    for kind in world.kinds.values():
        entity = Entity.objects.get(code=kind.code)
        for position, rule in enumerate(kind.rules):
            reference = Entity.objects.get(code=rule.target) if rule.target else None
            entity.attributes.create(
                name=rule.name, data_type=rule.data_type, reference=reference, position=position, unique=rule.unique
            )
        create_tables(entity)
        define(kind)


def define(kind: Kind) -> None:
    """Give a stored entity and its attributes the rules of this kind; their types, targets and uniqueness stay."""
    Entity.objects.filter(code=kind.code).update(
        default_import_action=kind.default_action,
        default_merge_mode=kind.mode,
        duplicates=kind.duplicates,
        sentinel_text=kind.sentinel_text,
        sentinel_number=kind.sentinel_number,
        sentinel_datetime=kind.sentinel_datetime,
    )
    for rule in kind.rules:
        Attribute.objects.filter(entity__code=kind.code, name=rule.name).update(
            required=rule.required,
            merge_mode=rule.mode,
            on_error="skip_field" if rule.skips else "reject_row",
            max_length=rule.max_length,
            min_value="" if rule.min_value is None else str(rule.min_value).replace(" ", "T"),
        )


def empty(world: World) -> None:
    """Delete every row of every table of a world."""
    for kind in world.kinds.values():
        execute(f"DELETE FROM {quote(staging_table(kind.code))}")
        references = [f"{quote(rule.name)} = NULL" for rule in kind.rules if rule.target]
        if references:
            execute(f"UPDATE {quote(production_table(kind.code))} SET {', '.join(references)}")
    for kind in world.kinds.values():
        execute(f"DELETE FROM {quote(production_table(kind.code))}")


def fill(world: World) -> None:
    """Store the members of a world as they are, without any batch."""
    for kind in world.kinds.values():
        plain = [rule for rule in kind.fields if not rule.target]
        columns = ["code", "is_active", *(rule.name for rule in plain)]
        _insert(
            production_table(kind.code),
            columns,
            [
                [m.code, _stored("boolean", m.active), *(_stored(r.data_type, m.values.get(r.name)) for r in plain)]
                for m in world.members[kind.code]
            ],
        )
    for kind in world.kinds.values():
        for rule in (rule for rule in kind.rules if rule.target):
            target = quote(production_table(rule.target))
            pairs = [(m.values[rule.name].code, m.code) for m in world.members[kind.code] if m.values.get(rule.name)]
            with connection.cursor() as cursor:
                cursor.executemany(
                    f"UPDATE {quote(production_table(kind.code))} SET {quote(rule.name)} ="
                    f" (SELECT id FROM {target} WHERE code = %s) WHERE code = %s",
                    pairs,
                )


def stage(kind: Kind, rows: Sequence[Mapping[str, Any]]) -> None:
    """Stage rows, each with whatever columns it has."""
    columns = ["code", "new_code", "import_action", *(rule.name for rule in kind.fields)]
    _insert(staging_table(kind.code), columns, [[row.get(column) for column in columns] for row in rows])


def staged(kind: Kind) -> list[dict[str, Any]]:
    """Return the staged rows in the order they came."""
    return _rows(f"SELECT * FROM {quote(staging_table(kind.code))} ORDER BY id")


def compare(world: World, entity: str, rows: Sequence[Mapping[str, Any]]) -> Batch:
    """Stage rows, process them, let the model do the same to `world`, and assert that both say the same."""
    stage(world.kinds[entity], rows)
    batch = run_batch(Entity.objects.get(code=entity))
    assert_agreement(world, entity, rows, batch)
    return batch


def assert_agreement(
    world: World, entity: str, rows: Sequence[Mapping[str, Any]], batch: Batch, before: Sequence[Batch] = ()
) -> None:
    """Let the model do to `world` what a batch did to the staged rows; assert that both say the same.

    `before` are the batches that ended too soon and left the rest of the delivery to this one.
    """
    model = Model(world, entity, rows)
    assert batch.status == "completed", batch.error
    batches = [*before, batch]
    keys = {one.pk for one in batches}
    for number, (row, expected) in enumerate(zip(staged(world.kinds[entity]), model.rows, strict=True)):
        shown = f"row {number} {_short(expected.staged)}: {row['error_message']}"
        assert row["error_code"] == expected.error, shown
        assert row["import_status"] == (2 if expected.error else 1), shown
        assert row["import_outcome"] == expected.outcome, shown
        assert row["batch_id"] in keys, shown
        _assert_told(row, expected.skipped if not expected.error and not expected.superseded else set(), shown)
    for code in world.kinds:
        assert look(world, code, keys) == view(world, code), code
    assert sum((Counter(counts(one)) for one in batches), Counter()) == Counter(row.outcome for row in model.rows)
    assert sum(one.rows_done for one in batches) == len(rows)
    warned = [row for row in model.rows if row.skipped and not row.error and not row.superseded]
    assert sum(one.warned for one in batches) == len(warned)
    assert batch.rows_total == batch.rows_done


def _short(row: Mapping[str, Any]) -> dict[str, Any]:
    return {column: value for column, value in row.items() if value is not None}


def _assert_told(row: Mapping[str, Any], skipped: set[str], shown: str) -> None:
    message = row["error_message"]
    if row["error_code"]:
        assert message, shown
    elif skipped:
        assert message.startswith("Warning: "), shown
        assert all(name in message for name in skipped), shown
    else:
        assert message is None, shown


def view(world: World, entity: str) -> dict[str, Any]:
    """Return the members of an entity as the model has them: activity, whether written, values."""
    return {
        member.code: (member.active, member.touched, {r.name: _shown(member, r) for r in world.kinds[entity].fields})
        for member in world.members[entity]
    }


def look(world: World, entity: str, batches: set[int]) -> dict[str, Any]:
    """Return the same from the database."""
    kind = world.kinds[entity]
    codes = {
        target: {row["id"]: row["code"] for row in _rows(f"SELECT id, code FROM {quote(production_table(target))}")}
        for target in {rule.target for rule in kind.rules if rule.target}
    }
    return {
        row["code"]: (
            bool(row["is_active"]),
            row["updated_batch_id"] in batches,
            {
                rule.name: codes[rule.target].get(row[rule.name])
                if rule.target
                else _read(rule.data_type, row[rule.name])
                for rule in kind.fields
            },
        )
        for row in _rows(f"SELECT * FROM {quote(production_table(kind.code))}")
    }


def _shown(member: Member, rule: Rule) -> Any:
    value = member.values.get(rule.name)
    return value.code if isinstance(value, Member) else value


def _insert(table: str, columns: list[str], rows: list[list[Any]]) -> None:
    marks = ", ".join(["%s"] * len(columns))
    names = ", ".join(map(quote, columns))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {quote(table)} ({names}) VALUES ({marks})", rows)


def _stored(data_type: str, value: Any) -> Any:
    """Return a value as the parameter that the database in use stores."""
    if connection.vendor == "postgresql" or value is None:
        return value
    if data_type == "decimal":
        text = f"{value:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    if data_type == "datetime":
        return value.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")
    return value.isoformat() if data_type == "date" else int(value) if data_type == "boolean" else value


def _read(data_type: str, value: Any) -> Any:
    """Return a stored value as Python's, whatever the database hands out."""
    if data_type == "boolean" and value is not None:
        return bool(value)
    if not isinstance(value, str) or data_type == "text":
        return value
    if data_type == "datetime":
        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    return Decimal(value) if data_type == "decimal" else date.fromisoformat(value)


def _rows(query: str) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
