"""Rows that wait for a code say for which, and the codes most rows wait for come first."""

import pytest

from staging.models import Attribute, Entity
from staging.tables.rows import staged_rows
from staging.tables.waiting import waited_codes, waits_for
from tests.staging.batches.bench import define, reference, run_batch, stage

pytestmark = pytest.mark.django_db


@pytest.fixture
def branch() -> Entity:
    region = define("region")
    stage(region, {"code": "US"})
    run_batch(region)
    entity = define("branch", reference("region", "region"), reference("second", "region"))
    stage(
        entity,
        {"code": "a", "region": " EU "},
        {"code": "b", "region": "EU", "second": "XX"},
        {"code": "c", "region": "US"},
        {"code": "d", "region": "~NULL~", "second": "XX"},
        {"code": None, "region": "EU"},
    )
    run_batch(entity)
    return entity


def test_each_row_says_what_it_waits_for(branch: Entity) -> None:
    rows = staged_rows(branch, status=2)
    codes = {row["id"]: row["code"] for row in rows}
    found = {
        codes[row_id]: [(target.code, code) for target, code in wanted]
        for row_id, wanted in waits_for(branch, rows).items()
    }
    assert found == {"a": [("region", "EU")], "b": [("region", "EU"), ("region", "XX")], "d": [("region", "XX")]}


def test_the_codes_most_rows_wait_for_come_first(branch: Entity) -> None:
    assert [(waited.code, waited.count) for waited in waited_codes(branch)] == [("EU", 2), ("XX", 2)]
    Attribute.objects.filter(name="second").update(on_error="skip_field")
    assert [(waited.code, waited.count) for waited in waited_codes(branch)] == [("EU", 2)]


def test_what_came_meanwhile_is_not_waited_for(branch: Entity) -> None:
    region = Entity.objects.get(code="region")
    stage(region, {"code": "EU"})
    run_batch(region)
    assert [waited.code for waited in waited_codes(branch)] == ["XX"]
