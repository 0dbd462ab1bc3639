"""An entity with all that may be defined, and rows that bring about every statement that a batch may need."""

from typing import Any

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.models import Batch, Entity
from tests.staging.batches.bench import NOW, define, reference, stage, text
from tests.staging.batches.test_business_rules import rule

BEFORE: list[dict[str, Any]] = [
    {"code": "goes", "mail": "m3", "area": "EU"},
    {"code": "shut", "area": "EU"},
    {"code": "needed", "area": "EU"},
    {"code": "freed", "area": "US"},
    {"code": "old", "mail": "m1", "parent": "needed", "area": "EU", "staff": "5"},
    {"code": "heir", "mail": "m2", "parent": "freed", "area": "EU"},
    {"code": "left", "area": "EU"},
    {"code": "right", "area": "EU"},
    {"code": "same", "area": "EU", "rent": "1.5"},
]
ROWS: list[dict[str, Any]] = [
    {
        "code": "new",
        "mail": "m9",
        "area": "EU",
        "staff": "3",
        "rent": "12.50",
        "is_open": "yes",
        "opened": "2026-02-01",
    },
    {"code": "old", "mail": "m2", "opened": "2026-02-01", "seen": "2026-02-01T10:00:00Z"},
    {"code": "heir", "mail": "m1"},
    {"code": "same", "rent": "1.50"},
    {"code": "x", "parent": "y", "area": "EU", "kind": "a"},
    {"code": "y", "parent": "z", "area": "EU"},
    {"code": "z", "parent": "x", "area": "EU"},
    {"code": "bad", "staff": "many", "area": "nowhere"},
    {"code": "child", "parent": "bad", "area": "EU"},
    {"code": "copy", "area": "EU", "staff": "1"},
    {"code": "copy", "area": "EU", "staff": "1 "},
    {"code": "unlike", "area": "EU", "staff": "1"},
    {"code": "unlike", "area": "EU", "staff": "2"},
    {"code": "rival", "mail": "m7", "area": "EU"},
    {"code": "competitor", "mail": "m7", "area": "EU"},
    {"code": "ruled", "area": "EU", "opened": "2026-01-02", "closed": "2026-01-01"},
    {"code": "left", "new_code": "right"},
    {"code": "right", "new_code": "left"},
    {"code": "needed", "import_action": 4},
    {"code": "goes", "import_action": 4},
    {"code": "shut", "import_action": 3},
    {"code": "freed", "import_action": 6},
    {"code": "reader", "parent": "goes", "area": "EU"},
    {"code": "follower", "parent": "copy", "area": "EU"},
    {"code": "once", "import_action": 1, "area": "EU"},
    {"code": "nobody", "import_action": 2},
]


def rich_entity() -> Entity:
    """Define the entity and what it refers to, and give both members."""
    area = define("area", keep_history=True)
    stage(area, {"code": "EU"}, {"code": "US"})
    process(numbered_batch(area, 901), fence=NoFence(), now=NOW)
    part = define(
        "part",
        text("mail", unique=True, max_length=40),
        text("kind", pattern="^[a-z]+$", min_length=1, on_error="skip_field"),
        text("size", choices=["S", "M", "L"], merge_mode="fill_when_empty"),
        {"name": "staff", "data_type": "integer", "min_value": "0", "max_value": "1000"},
        {"name": "rent", "data_type": "decimal", "max_value": "99999.99", "merge_mode": "overwrite"},
        {"name": "is_open", "data_type": "boolean", "merge_mode": "keep_existing"},
        {"name": "opened", "data_type": "date", "min_value": "2000-01-01"},
        {"name": "closed", "data_type": "date", "merge_mode": "reject_change"},
        {"name": "seen", "data_type": "datetime"},
        reference("area", "area", required=True),
        reference("parent", "part"),
        reference("twin", "part", unique=True, on_error="skip_field"),
        keep_history=True,
        duplicates="reject_all",
        max_change_rate=1.0,
    )
    rule(
        part, {"attribute": "opened", "at_most": {"attribute": "closed"}}, when={"attribute": "closed", "empty": False}
    )
    rule(part, {"attribute": "staff", "at_least": 1}, name="Staffed", effect="warn")
    stage(part, *BEFORE)
    process(numbered_batch(part, 902), fence=NoFence(), now=NOW)
    return part


def numbered_batch(entity: Entity, number: int, **asked: Any) -> Batch:
    """Return a batch with a number that is the same in every run."""
    return Batch.objects.create(pk=number, entity=entity, created_at=NOW, **asked)
