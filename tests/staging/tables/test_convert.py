"""Promises of converting: every value is kept in the new type, or nothing changes and the reason shows values."""

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from staging.entities.save import save_entity, sync
from staging.errors import WouldLoseData
from staging.models import Attribute, Entity
from staging.tables.columns import real_columns, table_problems
from staging.tables.convert import conversion
from tests.depth import examples
from tests.staging.specification.values import READERS, WRONG, read, trim
from tests.staging.tables.conftest import Sql

# From, the stored value in SQL, to, and what it becomes as text; None where it cannot.
CASES = [
    ("text", "'12'", "integer", "12"),
    ("text", "'-0012'", "integer", "-12"),
    ("text", "'12.50'", "decimal", "12.5"),
    ("text", "'1e3'", "decimal", "1000"),
    ("text", "'Yes'", "boolean", "true"),
    ("text", "'2026-02-28'", "date", "2026-02-28"),
    ("text", "'2026-02-28T10:00:00+01:00'", "datetime", "2026-02-28T09:00:00.000000Z"),
    ("text", "'2026-02-30'", "date", None),
    ("text", "'12a'", "integer", None),
    ("text", "'99999999999999999999'", "integer", None),
    ("text", "'NL'", "reference", "NL"),
    ("text", "'XX'", "reference", None),
    ("integer", "12", "text", "12"),
    ("integer", "12", "decimal", "12"),
    ("integer", "1", "boolean", "true"),
    ("integer", "2", "boolean", None),
    ("decimal", "'12.5'", "text", "12.5"),
    ("decimal", "'12'", "integer", "12"),
    ("decimal", "'12.5'", "integer", None),
    ("boolean", "true", "text", "true"),
    ("boolean", "false", "integer", None),
    ("date", "'2026-02-28'", "text", "2026-02-28"),
    ("date", "'2026-02-28'", "datetime", "2026-02-28T00:00:00.000000Z"),
    ("datetime", "'2026-02-28 09:00:00.000000+00'", "text", "2026-02-28T09:00:00.000000Z"),
    ("datetime", "'2026-02-28 09:00:00.000000+00'", "date", None),
    ("reference", "(SELECT id FROM mdm_region WHERE code = 'NL')", "text", "NL"),
    ("reference", "(SELECT id FROM mdm_region WHERE code = 'NL')", "integer", None),
]


def _stored(value: str) -> str:
    """Return the value as this database keeps it."""
    return value.replace(".000000+00", ".000000") if connection.vendor == "sqlite" else value


def _of_type(region: Entity, data_type: str, **more: object) -> Attribute:
    return Attribute(name="x", data_type=data_type, reference=region if data_type == "reference" else None, **more)


@pytest.mark.parametrize(("old", "value", "new", "becomes"), CASES)
def test_a_value_converts_or_nothing_changes(
    region: Entity, sql: Sql, old: str, value: str, new: str, becomes: str | None
):
    sql("INSERT INTO mdm_region (code) VALUES ('NL')")
    entity = Entity(code="thing", name="Thing", keep_history=True)
    save_entity(entity, [_of_type(region, old)])
    sql(f"INSERT INTO mdm_thing (code, x) VALUES ('a', {_stored(value)}), ('b', NULL)")
    before = real_columns("mdm_thing")
    if becomes is None:
        with pytest.raises(WouldLoseData, match="1 cannot be read as"):
            save_entity(entity, [_of_type(region, new)])
        assert real_columns("mdm_thing") == before
        assert table_problems(Entity.objects.get(pk=entity.pk)) == []
        return
    save_entity(entity, [_of_type(region, new)])
    assert _shown(sql, new) == [becomes, None]
    assert table_problems(entity) == []
    assert "old_x_1" in real_columns("hst_thing")


def _shown(sql: Sql, data_type: str) -> list[str | None]:
    """Return the values as text, the same on both databases."""
    if data_type == "reference":
        return [
            row[0] for row in sql("SELECT r.code FROM mdm_thing t LEFT JOIN mdm_region r ON r.id = x ORDER BY t.id")
        ]
    texts = {
        "boolean": "CASE WHEN x THEN 'true' WHEN NOT x THEN 'false' END",
        "datetime": "to_char(x AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
    }
    if connection.vendor == "sqlite":
        texts["datetime"] = "replace(x, ' ', 'T') || 'Z'"
    kind = texts.get(data_type, "CAST(trim_scale(x) AS text)" if _is_numeric(data_type) else "CAST(x AS text)")
    return [row[0] for row in sql(f"SELECT {kind} FROM mdm_thing ORDER BY id")]


def _is_numeric(data_type: str) -> bool:
    return data_type == "decimal" and connection.vendor == "postgresql"


def test_the_reason_counts_all_and_shows_some(branch: Entity, sql: Sql):
    sql("INSERT INTO mdm_branch (code, label) VALUES ('a', '1'), ('b', 'two'), ('c', 'three'), ('d', NULL)")
    label = branch.attributes.get(name="label")
    label.data_type = "integer"
    found = conversion(branch, label, real_columns("mdm_branch")["label"])
    assert found is not None
    assert (found.values, found.unfit, found.examples) == (3, 2, ("two", "three"))


def test_values_that_become_equal_are_refused_where_they_must_be_unique(branch: Entity, sql: Sql):
    sql("INSERT INTO mdm_branch (code, label) VALUES ('a', '1'), ('b', '01')")
    with pytest.raises(WouldLoseData, match="'label' is unique, but as whole number more than one row would have 1"):
        save_entity(branch, [Attribute(name="label", data_type="integer", unique=True)])


def test_a_unique_column_stays_unique_with_its_values(branch: Entity, sql: Sql):
    save_entity(branch, [Attribute(name="label", data_type="text", unique=True)])
    sql("INSERT INTO mdm_branch (code, label) VALUES ('a', '1'), ('b', '2')")
    save_entity(branch, [Attribute(name="label", data_type="integer", unique=True)])
    with pytest.raises(Exception, match=r"(?i)unique"):
        sql("INSERT INTO mdm_branch (code, label) VALUES ('c', 2)")


def test_an_alien_type_is_not_guessed_at(branch: Entity, sql: Sql):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite cannot change a column's type in place")
    sql("INSERT INTO mdm_branch (code, label) VALUES ('a', '1')")
    sql("ALTER TABLE mdm_branch ALTER COLUMN label TYPE varchar(50)")
    with pytest.raises(WouldLoseData, match="which others made of it"):
        sync(branch)


def test_the_history_is_converted_and_the_old_one_stays(branch: Entity, sql: Sql):
    branch.keep_history = True
    save_entity(branch, [])
    sql("INSERT INTO mdm_branch (code, label) VALUES ('a', '1')")
    for was in ("'7'", "'seven'", "NULL"):
        sql(
            "INSERT INTO hst_branch (member_id, action, batch_id, changed_at, changed_by, was_label)"
            f" VALUES (1, 'updated', 1, CURRENT_TIMESTAMP, '', {was})"
        )
    save_entity(branch, [Attribute(name="label", data_type="integer")])
    rows = sql("SELECT was_label, old_label_1 FROM hst_branch ORDER BY id")
    assert rows == [(7, "7"), (None, "seven"), (None, None)]
    assert table_problems(branch) == []


_TEXTS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
    st.dates().map(str),
    st.datetimes().map(lambda instant: instant.isoformat()),
    st.sampled_from(["yes", "N", "TRUE", "0", "1e3", "Infinity", "NaN", "2026-02-29", "0000-01-01", " 12 ", "12a"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=12),
)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(_TEXTS, min_size=1, max_size=6))
def test_what_converts_is_what_a_batch_would_accept(branch: Entity, sql: Sql, texts: list[str]):
    sql("DELETE FROM mdm_branch")
    kept = [text for text in texts if trim(text)]  # a blank text is never stored
    for number, text in enumerate(kept):
        sql("INSERT INTO mdm_branch (code, label) VALUES (%s, %s)", str(number), text)
    label, real = branch.attributes.get(name="label"), real_columns("mdm_branch")["label"]
    for data_type in [kind for kind in READERS if kind != "text"]:
        label.data_type = data_type
        found = conversion(branch, label, real)
        assert found is not None
        unfit = [text for text in kept if read(data_type, trim(text)) is WRONG]
        assert (found.values, found.unfit) == (len(kept), len(unfit)), (data_type, unfit)
