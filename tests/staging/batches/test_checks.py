"""Each error bit of a single row, what it says, and what a row may do without one."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from staging.identifiers import quote
from staging.models import Entity
from staging.states import BatchStatus
from staging.tables.create import create_tables
from tests.staging.batches.bench import (
    LATER,
    NOW,
    counts,
    define,
    errors,
    execute,
    members,
    reference,
    run_batch,
    stage,
    staged,
    text,
)

pytestmark = pytest.mark.django_db


def _number(name: str, **rules: Any) -> dict[str, Any]:
    return {"name": name, "data_type": "integer", **rules}


@pytest.mark.parametrize(
    ("rules", "good", "bad", "sentence"),
    [
        (text("x", min_length=2), "ab", "a", "x: 'a' is shorter than 2 characters."),
        (text("x", max_length=2), "éé", "ééé", "x: 'ééé' is longer than 2 characters."),
        (text("x", pattern="^[A-Z]\\d$"), "A1", "a1", "x: 'a1' does not match ^[A-Z]\\d$."),
        (text("x", choices=["red", "50%"]), "50%", "Red", "x: 'Red' is not one of red, 50%."),
        (_number("x", min_value="-5"), "-5", "-6", "x: '-6' is below -5."),
        (_number("x", max_value="5"), "5", "6", "x: '6' is above 5."),
        (_number("x", choices=[1, 2]), "02", "3", "x: '3' is not one of 1, 2."),
        ({"name": "x", "data_type": "decimal", "min_value": "0.5"}, ".50", "0.49", "x: '0.49' is below 0.5."),
        ({"name": "x", "data_type": "decimal", "max_value": "10"}, "9.5", "10.5", "x: '10.5' is above 10."),
        (
            {"name": "x", "data_type": "decimal", "max_value": "12345678901234567890.1"},
            "12345678901234567890.1",
            "12345678901234567890.2",
            "x: '12345678901234567890.2' is above 12345678901234567890.1.",
        ),
        ({"name": "x", "data_type": "decimal", "choices": ["1.5"]}, "1.50", "1.6", "x: '1.6' is not one of 1.5."),
        ({"name": "x", "data_type": "date", "min_value": "2024-01-01"}, "2024-01-01", "2023-12-31", "is below"),
        (
            {"name": "x", "data_type": "datetime", "max_value": "2024-01-01T10:00:00"},
            "2024-01-01T12:00:00+02:00",
            "2024-01-01T10:00:01",
            "is above",
        ),
    ],
)
def test_a_value_outside_what_is_allowed_is_bit_16(rules: dict[str, Any], good: str, bad: str, sentence: str) -> None:
    entity = define("thing", rules)
    stage(entity, {"code": "good", "x": good}, {"code": "bad", "x": bad}, {"code": "blank", "x": " "})

    run_batch(entity)

    assert errors(entity) == {"good": 0, "bad": 16, "blank": 0}
    assert sentence in staged(entity)[1]["error_message"]


def test_a_row_shows_at_once_all_that_is_wrong_with_it() -> None:
    define("place")
    entity = define("thing", text("a", required=True), _number("b"), text("c", max_length=1), reference("d", "place"))
    stage(entity, {"import_action": 9, "new_code": "new", "b": "x", "c": "long", "d": "nowhere"})

    run_batch(entity)

    row = staged(entity)[0]
    assert row["error_code"] == 1 + 4 + 8 + 16 + 32 + 1024
    assert row["error_message"] == (
        "code is missing. import_action: '9' is not an import action. a is required and would have no value."
        " b: 'x' is not a whole number. c: 'long' is longer than 1 characters."
        " d: 'nowhere' is not an active member of Place."
    )


def test_an_action_that_there_is_not_is_1024() -> None:
    entity = define("thing")
    stage(entity, *({"code": f"c{action}", "import_action": action} for action in (0, 7, -1)))

    run_batch(entity)

    assert errors(entity) == {"c0": 0, "c7": 1024, "c-1": 1024}
    assert staged(entity)[1]["error_message"] == "import_action: '7' is not an import action."


def test_required_means_a_value_afterwards() -> None:
    entity = define("thing", text("x", required=True), _number("n", required=True))
    stage(entity, {"code": "a", "x": "1", "n": "1"})
    run_batch(entity)
    stage(
        entity,
        {"code": "a", "x": "", "n": None},
        {"code": "b", "x": "x", "n": " "},
        {"code": "c", "x": "~NULL~", "n": "1"},
    )

    batch = run_batch(entity)

    assert counts(batch) == {"unchanged": 1, "rejected": 2}
    assert errors(entity) == {"a": 0, "b": 4, "c": 4}
    assert staged(entity)[3]["error_message"] == "x is required and would have no value."


def test_a_sentinel_clears_and_a_blank_keeps() -> None:
    define("place")
    stage(place := define("spot"), {"code": "p"})
    run_batch(place)
    kinds = {"number": "integer", "amount": "decimal", "flag": "boolean", "day": "date", "at": "datetime"}
    entity = define(
        "thing",
        text("note"),
        *({"name": name, "data_type": kind} for name, kind in kinds.items()),
        reference("spot", "spot"),
    )
    full = {"name": "N", "note": "x", "number": "1", "amount": "1.5", "flag": "y", "day": "2024-01-01"}
    full |= {"at": "2024-01-01T00:00", "spot": "p"}
    stage(entity, {"code": "a", **full}, {"code": "b", **full})
    run_batch(entity)
    number, instant = "-98765432101234567890", "5555-11-22T12:34:56"
    cleared = dict.fromkeys(("name", "note", "flag", "spot"), "~NULL~")
    cleared |= {"number": number, "amount": number, "day": instant, "at": instant}
    stage(entity, {"code": "a", **cleared}, {"code": "b", **dict.fromkeys(full, "  ")})

    batch = run_batch(entity)

    assert counts(batch) == {"updated": 1, "unchanged": 1}
    assert {members(entity)["a"][column] for column in full} == {None}
    assert None not in {members(entity)["b"][column] for column in full}


def test_an_entity_may_have_other_sentinels() -> None:
    entity = define("thing", text("x"), _number("n"), sentinel_text="-", sentinel_number="0")
    stage(entity, {"code": "a", "x": "x", "n": "5"})
    run_batch(entity)
    stage(entity, {"code": "a", "x": "-", "n": "0"})
    run_batch(entity)

    assert (members(entity)["a"]["x"], members(entity)["a"]["n"]) == (None, None)


def test_what_is_written_carries_batch_and_instant_and_what_is_not_keeps_them() -> None:
    entity = define("thing", text("x"))
    stage(entity, {"code": "a", "x": "1"}, {"code": "b", "x": "1"})
    first = run_batch(entity, now=NOW)
    stage(entity, {"code": "a", "x": "2"}, {"code": "b", "x": "1"})
    second = run_batch(entity, now=LATER)

    a, b = members(entity)["a"], members(entity)["b"]
    assert (a["created_batch_id"], a["updated_batch_id"]) == (first.pk, second.pk)
    assert (b["created_batch_id"], b["updated_batch_id"]) == (first.pk, first.pk)
    assert (_instant(a["created_at"]), _instant(a["updated_at"])) == (NOW, LATER)
    assert _instant(b["updated_at"]) == NOW
    assert [row["batch_id"] for row in staged(entity)] == [first.pk, first.pk, second.pk, second.pk]


def test_an_upsert_reactivates_an_inactive_member() -> None:
    entity = define("thing", text("x"))
    stage(entity, {"code": "a", "x": "1"})
    run_batch(entity)
    execute("UPDATE mdm_thing SET is_active = %s", [False])
    stage(entity, {"code": "a"})

    assert counts(run_batch(entity)) == {"updated": 1}
    assert members(entity)["a"]["is_active"] in (True, 1)


def test_a_tag_limits_a_batch_to_its_rows() -> None:
    entity = define("thing")
    stage(entity, {"code": "a", "batch_tag": "x"}, {"code": "b", "batch_tag": "y"}, {"code": "c"})

    assert run_batch(entity, tag="x").inserted == 1
    assert set(members(entity)) == {"a"}
    assert run_batch(entity).inserted == 2


def test_a_code_too_long_for_an_index_is_rejected() -> None:
    entity = define("thing", text("mail", unique=True))
    stage(entity, {"code": "x" * 501}, {"code": "y" * 1_000_000}, {"code": "é" * 500, "mail": "é" * 500})
    stage(entity, {"code": "m", "mail": "z" * 1_000_000})

    assert counts(run_batch(entity)) == {"inserted": 1, "rejected": 3}
    assert {row["error_code"] for row in staged(entity)} == {0, 16}


def test_a_unique_value_belongs_to_one_member() -> None:
    entity = define("thing", text("mail", unique=True), _number("nr", unique=True))
    stage(entity, {"code": "a", "mail": "a@x", "nr": "1"}, {"code": "b", "mail": "b@x"})
    run_batch(entity)
    stage(
        entity,
        {"code": "a", "mail": "a@x"},
        {"code": "b", "mail": "a@x"},
        {"code": "c", "mail": "c@x", "nr": "01"},
        {"code": "d", "mail": "d@x"},
        {"code": "e", "mail": "d@x"},
        {"code": "f", "mail": ""},
        {"code": "g"},
    )

    run_batch(entity)

    assert errors(entity) == {"a": 0, "b": 4096, "c": 4096, "d": 4096, "e": 4096, "f": 0, "g": 0}


def test_a_table_that_was_changed_by_others_fails_the_batch_with_its_name() -> None:
    entity = define("thing", text("x"))
    stage(entity, {"code": "a"})
    execute(f"ALTER TABLE mdm_thing DROP COLUMN {quote('x')}")

    batch = run_batch(entity)

    assert batch.status == BatchStatus.FAILED
    assert "mdm_thing.x is missing" in batch.error
    assert staged(entity)[0]["import_status"] == 0


def test_nothing_pending_is_a_batch_of_nothing() -> None:
    batch = run_batch(define("thing"))

    assert (batch.status, batch.rows_total, counts(batch)) == (BatchStatus.COMPLETED, 0, {})


def _instant(value: Any) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(value).replace(tzinfo=UTC)


def test_names_behave_like_text() -> None:
    entity = define("thing", {"name": "day", "data_type": "date"})
    stage(entity, {"code": "a", "name": " First "})
    run_batch(entity)
    stage(entity, {"code": "a", "name": "", "day": "2024-01-01"})
    run_batch(entity)

    assert members(entity)["a"]["name"] == "First"
    assert str(members(entity)["a"]["day"]) == str(date(2024, 1, 1))


def test_a_reference_that_only_one_member_may_have_is_not_given_to_two_newcomers() -> None:
    team = Entity.objects.create(code="team", name="Team")
    team.attributes.create(name="lead", data_type="reference", reference=team, unique=True)
    create_tables(team)
    stage(team, {"code": "a", "lead": "new"}, {"code": "b", "lead": "new"}, {"code": "c", "lead": "c"}, {"code": "new"})
    run_batch(team)
    stage(team, {"code": "d", "lead": "c"})
    run_batch(team)

    assert errors(team) == {"a": 4096, "b": 4096, "c": 0, "new": 0, "d": 4096}
    assert staged(team)[4]["error_message"] == "lead: 'c' is taken by another member or row."
