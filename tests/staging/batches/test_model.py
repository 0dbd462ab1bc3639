"""Random whole batches against a slow model that is obviously right."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from staging.models import Entity
from staging.tables.create import create_tables
from tests.staging.batches.bench import counts, define, execute, members, run_batch, stage, staged

pytestmark = pytest.mark.django_db

CODES = [None, "", "a", "b", "c", "d", " a "]
ROW = st.fixed_dictionaries(
    {
        "code": st.sampled_from(CODES),
        "name": st.sampled_from([None, " ", "N", "~NULL~"]),
        "kind": st.sampled_from(["k", "k", "", "~NULL~", "long"]),
        "n": st.sampled_from([None, "", "1", "01", "-1", "x", "-98765432101234567890"]),
        "mail": st.sampled_from([None, None, None, "m1", "m2", "~NULL~"]),
        "parent": st.sampled_from([None, None, "a", "b", "c", "d", "nowhere", "~NULL~"]),
        "place": st.sampled_from([None, "here", "closed", "nowhere"]),
    }
)
VALUES = ("name", "kind", "n", "mail", "parent", "place")


@dataclass
class Row:
    """A staged row as the model sees it."""

    text: dict[str, str | None]
    error: int = 0
    superseded: bool = False
    late: set[str] = field(default_factory=set)

    @property
    def code(self) -> str | None:
        """Return the trimmed code."""
        return self.text["code"]


def model(stored: dict[str, dict[str, Any]], rows: list[dict[str, Any]]) -> list[Row]:
    """Return what becomes of the rows; `stored` is changed to what production holds afterwards."""
    found = [Row({column: (value or "").strip() or None for column, value in row.items()}) for row in rows]
    for row in found:
        _look_at(row, stored, {other.code for other in found})
    _duplicates(found)
    _unique(found, stored)
    _cascade(found)
    for row in found:
        if not row.error and not row.superseded:
            stored[str(row.code)] = {column: _final(row, column, stored) for column in VALUES}
    return found


def _final(row: Row, column: str, stored: dict[str, dict[str, Any]]) -> Any:
    value = row.text[column]
    if value is None:
        return stored.get(str(row.code), {}).get(column)
    if value in ("~NULL~", "-98765432101234567890"):
        return None
    return int(value) if column == "n" and value.lstrip("-").isdigit() else value


def _look_at(row: Row, stored: dict[str, dict[str, Any]], codes: set[str | None]) -> None:
    text = row.text
    row.error |= 1 if row.code is None else 0
    row.error |= 4 if _final(row, "kind", stored) is None else 0
    row.error |= 16 if text["kind"] == "long" or text["n"] == "-1" else 0
    row.error |= 8 if text["n"] == "x" else 0
    row.error |= 32 if text["place"] in ("closed", "nowhere") else 0
    parent = text["parent"]
    if parent not in (None, "~NULL~") and parent not in stored:
        if parent in codes:
            row.late.add(str(parent))
        else:
            row.error |= 32


def _duplicates(rows: list[Row]) -> None:
    for code in {row.code for row in rows} - {None}:
        copies = [row for row in rows if row.code == code]
        alike = all(copy.text == copies[0].text for copy in copies)
        for copy in copies[1:] if alike else copies if len(copies) > 1 else []:
            if alike:
                copy.superseded, copy.error = True, 0
            else:
                copy.error |= 2


def _unique(rows: list[Row], stored: dict[str, dict[str, Any]]) -> None:
    def wanted(row: Row) -> Any:
        value = _final(row, "mail", stored)
        return None if value == stored.get(str(row.code), {}).get("mail") else value

    counted = [row for row in rows if not row.superseded and wanted(row) is not None]
    taken = {member["mail"] for member in stored.values()}
    for row in counted:
        if wanted(row) in taken or sum(wanted(other) == wanted(row) for other in counted) > 1:
            row.error |= 4096


def _cascade(rows: list[Row]) -> None:
    changed = True
    while changed:
        good = {row.code for row in rows if not row.error and not row.superseded}
        changed = False
        for row in rows:
            lost = {code for code in row.late if code not in good and code != row.code}
            if lost and not row.superseded and not row.error & 16384:
                row.error |= 16384
                changed = True


@pytest.fixture
def part() -> Entity:
    """Return an entity with every kind of rule, and one it refers to."""
    place = define("place")
    stage(place, {"code": "here"}, {"code": "closed"})
    run_batch(place)
    execute("UPDATE mdm_place SET is_active = %s WHERE code = 'closed'", [False])
    entity = Entity.objects.create(code="part", name="Part")
    rules: list[dict[str, Any]] = [
        {"name": "kind", "data_type": "text", "required": True, "max_length": 3},
        {"name": "n", "data_type": "integer", "min_value": "0"},
        {"name": "mail", "data_type": "text", "unique": True},
        {"name": "parent", "data_type": "reference", "reference": entity},
        {"name": "place", "data_type": "reference", "reference": place},
    ]
    for rule in rules:
        entity.attributes.create(**rule)
    create_tables(entity)
    return entity


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(ROW, min_size=1, max_size=8), min_size=1, max_size=3), st.sampled_from([1, 3, 1000]))
def test_any_batches_end_as_the_model_says(part: Entity, deliveries: list[list[dict[str, Any]]], rows: int) -> None:
    execute("DELETE FROM stg_part")
    execute("UPDATE mdm_part SET parent = NULL")
    execute("DELETE FROM mdm_part")
    stored: dict[str, dict[str, Any]] = {}
    for delivery in deliveries:
        execute("DELETE FROM stg_part")
        before = {code: dict(member) for code, member in stored.items()}
        stage(part, *delivery)
        expected = model(stored, delivery)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("django.conf.settings.MERGE_CHUNK_ROWS", rows)
            batch = run_batch(part)

        assert [row["error_code"] for row in staged(part)] == [row.error for row in expected]
        assert {code: {column: m[column] for column in VALUES} for code, m in members(part).items()} == stored
        assert counts(batch) == _counted(expected, before, stored)


def _counted(rows: list[Row], before: dict[str, Any], after: dict[str, Any]) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows:
        code = str(row.code)
        outcome = (
            "rejected" if row.error
            else "superseded" if row.superseded
            else "inserted" if code not in before
            else "unchanged" if before[code] == after[code]
            else "updated"
        )  # fmt: skip
        found[outcome] = found.get(outcome, 0) + 1
    return found
