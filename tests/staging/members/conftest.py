"""A few members of every type of value, and a way to read codes."""

from typing import Any

import pytest

from staging.members.browse import MemberQuery, member_page
from staging.members.filters import parse_filter
from staging.models import Entity
from tests.staging.batches.bench import define, reference, run_batch, stage, text


@pytest.fixture
def area(db: None) -> Entity:
    entity = define("area", text("kind"), keep_history=True)
    stage(entity, {"code": "n", "name": "North"}, {"code": "s", "name": "South"})
    run_batch(entity)
    return entity


@pytest.fixture
def site(area: Entity) -> Entity:
    typed = [{"name": kind, "data_type": kind} for kind in ("integer", "decimal", "boolean", "date", "datetime")]
    entity = define("site", text("note"), *typed, reference("area", "area"), keep_history=True)
    stage(
        entity,
        {"code": "a", "name": "Alpha", "note": "50% off_", "integer": "-5", "decimal": "9.5", "boolean": "yes",
         "date": "2026-01-31", "datetime": "2026-01-31T12:00:00Z", "area": "n"},
        {"code": "b", "name": "beta", "note": "Plain", "integer": "10", "decimal": "10.25", "boolean": "no",
         "date": "2026-02-01", "datetime": "2026-02-01T00:00:00Z", "area": "s"},
        {"code": "c", "name": None},
    )  # fmt: skip
    batch = run_batch(entity)
    assert batch.rejected == 0
    return entity


def codes(entity: Entity, *filters: str, **wanted: Any) -> list[str]:
    """Return the codes of the members that pass these filters."""
    asked = MemberQuery(filters=tuple(parse_filter(entity, text) for text in filters), **wanted)
    return [row["code"] for row in member_page(entity, asked).rows]
