"""Which texts each type accepts, what is stored for them, and which are refused."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from staging.sql import postgresql
from staging.states import DataType
from tests.staging.batches.bench import define, errors, execute, fetch, members, run_batch, stage, staged

pytestmark = pytest.mark.django_db

KINDS = [kind for kind in DataType.values if kind != DataType.REFERENCE]
BIG = 9223372036854775807
GOOD: list[tuple[str, str, Any]] = [
    ("text", "  a b\t\r\n", "a b"),
    ("text", "\xa0a\xa0b \xa0", "a\xa0b"),
    ("integer", "\xa012\xa0", 12),
    ("date", "\xa02026-01-31\xa0", date(2026, 1, 31)),
    ("text", "100% 'x' \"y\" <b>", "100% 'x' \"y\" <b>"),
    ("text", "x" * 100_000, "x" * 100_000),
    ("text", "Ærø ✓ 🙂", "Ærø ✓ 🙂"),
    ("integer", "12", 12),
    ("integer", " -12\n", -12),
    ("integer", "-0", 0),
    ("integer", "007", 7),
    ("integer", str(BIG), BIG),
    ("integer", f"-{BIG + 1}", -BIG - 1),
    ("integer", "0" * 50 + "5", 5),
    ("decimal", "1.50", Decimal("1.5")),
    ("decimal", "-.5", Decimal("-0.5")),
    ("decimal", "5.", Decimal(5)),
    ("decimal", "0010", Decimal(10)),
    ("decimal", "1e3", Decimal(1000)),
    ("decimal", "12.5E-2", Decimal("0.125")),
    ("decimal", "-0.00", Decimal(0)),
    ("decimal", "9" * 40 + "." + "1" * 40, Decimal("9" * 40 + "." + "1" * 40)),
    ("decimal", "100", Decimal(100)),
    ("boolean", "TRUE", True),
    ("boolean", "y", True),
    ("boolean", "Yes", True),
    ("boolean", "1", True),
    ("boolean", "t", True),
    ("boolean", "False", False),
    ("boolean", "no", False),
    ("boolean", "N", False),
    ("boolean", "0", False),
    ("boolean", "f", False),
    ("date", "2024-02-29", date(2024, 2, 29)),
    ("date", "2000-02-29", date(2000, 2, 29)),
    ("date", "0001-01-01", date(1, 1, 1)),
    ("date", "9999-12-31", date(9999, 12, 31)),
    ("date", "1899-12-31", date(1899, 12, 31)),
    ("datetime", "2024-02-29T10:20:30", datetime(2024, 2, 29, 10, 20, 30, tzinfo=UTC)),
    ("datetime", "2024-02-29 10:20:30Z", datetime(2024, 2, 29, 10, 20, 30, tzinfo=UTC)),
    ("datetime", "2024-02-29T00:20+02:00", datetime(2024, 2, 28, 22, 20, tzinfo=UTC)),
    ("datetime", "2024-02-29T10:20:30.5-0330", datetime(2024, 2, 29, 13, 50, 30, 500000, tzinfo=UTC)),
    ("datetime", "2024-02-29T10:20:30.123456+14", datetime(2024, 2, 28, 20, 20, 30, 123456, tzinfo=UTC)),
    ("datetime", "2024-02-29", datetime(2024, 2, 29, tzinfo=UTC)),
    ("datetime", "0001-01-01T00:00:00", datetime(1, 1, 1, tzinfo=UTC)),
    ("datetime", "9999-12-31T23:59:59.999999", datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)),
    ("datetime", "1850-05-05T23:30:00-01:00", datetime(1850, 5, 6, 0, 30, tzinfo=UTC)),
]
BAD: list[tuple[str, str]] = [
    *(("integer", value) for value in ("12a", "1.0", "+5", "--5", "-", "1 2", "٣", "1e3", "0x1F", "NaN", "Infinity")),
    *(("integer", value) for value in (str(BIG + 1), f"-{BIG + 2}", "9" * 5000, "1_000", "½")),
    *(("decimal", value) for value in ("1,5", "NaN", "Infinity", "-inf", "1e400", "1e99", "1e-99", "1.2.3", ".", "")),
    *(("decimal", value) for value in ("e5", "+1", "1e", "9" * 41, "0." + "1" * 41, "9" * 100_000, "-", "1.-2")),
    *(("boolean", value) for value in ("2", "on", "ja", "tru", "yes no", "01")),
    *(("date", value) for value in ("2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "2024-00-10", "2024-1-1")),
    *(("date", value) for value in ("0000-01-01", "10000-01-01", "20240101", "now", "2024-01-01T00:00", "2024-02-30")),
    *(("date", value) for value in ("infinity", "2024/01/01", "-2024-01-01", "epoch", "2024-01-00", "2024-01-32")),
    *(("datetime", value) for value in ("2024-02-30T10:00:00", "2024-01-01T24:00:00", "2024-01-01T10:60", "noon")),
    *(("datetime", value) for value in ("2024-01-01T10:00:60", "2024-01-01T10:00:00.1234567", "2024-01-01T10", "now")),
    *(("datetime", value) for value in ("0001-01-01T00:00:00+02:00", "9999-12-31T23:59:59-02:00", "2023-02-29T10:00")),
    *(("datetime", value) for value in ("2024-01-01T10:00:00+15:00", "2024-01-01X10:00:00", "infinity", "0000-01-01")),
]


@pytest.fixture(params=[False, True], ids=["few rows", "many rows"])
def calendar(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the batch take the way for few rows, then the way for many."""
    monkeypatch.setattr(postgresql, "CALENDAR_ROWS", 0 if request.param else 1_000_000)


@pytest.mark.usefixtures("calendar")
def test_every_accepted_form_is_stored_as_its_value() -> None:
    entity = _entity_of_every_type()
    stage(entity, *({"code": f"c{n}", kind: value} for n, (kind, value, _) in enumerate(GOOD)))

    batch = run_batch(entity)

    assert batch.inserted == len(GOOD), [row["error_message"] for row in staged(entity)]
    found = members(entity)
    for n, (kind, value, expected) in enumerate(GOOD):
        assert _read(kind, found[f"c{n}"][kind]) == expected, (kind, value[:80])


@pytest.mark.usefixtures("calendar")
def test_every_other_form_is_bit_8_and_names_column_and_value() -> None:
    entity = _entity_of_every_type()
    bad = [(kind, value) for kind, value in BAD if value]
    stage(entity, *({"code": f"c{n}", kind: value} for n, (kind, value) in enumerate(bad)))

    batch = run_batch(entity)

    assert batch.rejected == len(bad), [(r["code"], r["error_code"]) for r in staged(entity) if not r["error_code"]]
    for row, (kind, value) in zip(staged(entity), bad, strict=True):
        assert (row["import_status"], row["error_code"]) == (2, 8), (kind, value[:80])
        assert row["error_message"].startswith(f"{kind}: '{value[:80]}")
        assert len(row["error_message"]) < 250


@pytest.mark.usefixtures("calendar")
def test_the_same_values_again_change_nothing() -> None:
    entity = _entity_of_every_type()
    rows = [{"code": f"c{n}", kind: value} for n, (kind, value, _) in enumerate(GOOD)]
    stage(entity, *rows)
    run_batch(entity)
    stage(entity, *rows)

    assert run_batch(entity).unchanged == len(GOOD)


def test_a_number_beyond_what_can_be_stored_is_told_from_a_wrong_one() -> None:
    entity = define("thing", {"name": "staff", "data_type": "integer"})
    stage(entity, {"code": "a", "staff": "12a"}, {"code": "b", "staff": str(BIG + 1)})

    run_batch(entity)

    assert [row["error_message"] for row in staged(entity)] == [
        "staff: '12a' is not a whole number.",
        f"staff: '{BIG + 1}' is a larger whole number than can be stored.",
    ]


@pytest.mark.skipif("sqlite" not in connection.settings_dict["ENGINE"], reason="PostgreSQL holds no such text")
def test_text_that_no_client_could_read_back_is_rejected() -> None:
    entity = _entity_of_every_type()
    broken = ["x'6100'", "x'ff'", "x'eda080'", "x'00'", "x'31003200'"]
    for n, value in enumerate(broken):
        for kind in (*KINDS, "name"):
            execute(f'INSERT INTO stg_thing (code, "{kind}") VALUES (%s, CAST({value} AS TEXT))', [f"{kind}{n}"])
        execute(f"INSERT INTO stg_thing (code) VALUES (CAST({value} AS TEXT))")
    execute("INSERT INTO stg_thing (code, text) VALUES ('blob', x'616263'), (x'636f6465', 'code as blob')")

    batch = run_batch(entity)

    assert batch.rejected == len(broken) * (len(KINDS) + 2)
    rejected = fetch("SELECT error_code, error_message FROM stg_thing WHERE import_status = 2")
    assert {code for code, _ in rejected} == {8}
    assert all("\x00" not in message for _, message in rejected)
    assert members(entity)["blob"]["text"] == "abc"


@pytest.mark.skipif("sqlite" not in connection.settings_dict["ENGINE"], reason="PostgreSQL holds no bytes in a text")
def test_bytes_in_a_text_column_are_read_as_the_text_they_hold() -> None:
    entity = _entity_of_every_type()
    stage(entity, {"code": "clears", "text": "old"}, {"code": "blank", "text": "old"})
    run_batch(entity)
    held = {"clears": b" ~NULL~ ", "blank": b" ", "kept": b" abc ", "broken": b"\xff"}
    for code, value in held.items():
        execute("INSERT INTO stg_thing (code, text) VALUES (%s, %s)", [code, value])
    execute("INSERT INTO stg_thing (code) VALUES (x'ff')")

    assert run_batch(entity).rejected == 2

    assert {code: row["text"] for code, row in members(entity).items()} == {
        "clears": None, "blank": "old", "kept": "abc",
    }  # fmt: skip


CLEARING = {"text": "no", "integer": "-77", "decimal": "-77", "boolean": "no", "date": "2020-01-01",
            "datetime": "2020-01-01"}  # fmt: skip


@pytest.mark.parametrize("around", ["{}", " {}", "{}\t", "\r\n{} "])
def test_a_sentinel_clears_also_when_it_is_a_good_value_or_has_blanks_around_it(around: str) -> None:
    kinds = [{"name": kind, "data_type": kind} for kind in CLEARING]
    entity = define("thing", *kinds, sentinel_text="no", sentinel_number="-77", sentinel_datetime="2020-01-01")
    full = {"text": "north", "integer": "-7", "decimal": "-7.5", "boolean": "yes", "date": "2020-01-02",
            "datetime": "2020-01-02"}  # fmt: skip
    stage(entity, {"code": "a", **full})
    run_batch(entity)
    assert None not in [members(entity)["a"][kind] for kind in CLEARING]

    stage(entity, {"code": "a", **{kind: around.format(value) for kind, value in CLEARING.items()}})

    assert run_batch(entity).updated == 1
    assert [members(entity)["a"][kind] for kind in CLEARING] == [None] * len(CLEARING)


def test_codes_are_trimmed_and_kept_as_they_are() -> None:
    entity = define("thing", {"name": "note", "data_type": "text"})
    odd = ["O'Brien", "100%", '"quoted"', "<b>", "ümlaut", "a b", "~NULL~", "A", "a"]
    stage(entity, *({"code": f" {code}\t", "note": "x"} for code in odd))

    assert run_batch(entity).inserted == len(odd)
    assert set(members(entity)) == set(odd)
    assert set(errors(entity).values()) == {0}


def _entity_of_every_type() -> Any:
    return define("thing", *({"name": kind, "data_type": kind} for kind in KINDS))


def _read(kind: str, value: Any) -> Any:
    """Return a stored value as Python's, whatever the database hands out."""
    if not isinstance(value, str | int) or kind in ("text", "integer"):
        return value
    readers = {
        "decimal": Decimal,
        "boolean": bool,
        "date": date.fromisoformat,
        "datetime": lambda stored: datetime.fromisoformat(stored).replace(tzinfo=UTC),
    }
    return readers[kind](value)


@pytest.mark.parametrize("blank", ["\xa0", " \xa0\t", "\xa0~NULL~", "~NULL~\xa0", "\xa0 ~NULL~ \xa0"])
def test_a_no_break_space_is_a_blank_wherever_texts_are_trimmed(blank: str) -> None:
    entity = define("thing", {"name": "x", "data_type": "text"})
    stage(entity, {"code": "a", "x": "1"}, {"code": "b", "x": "1"})
    run_batch(entity)
    stage(entity, {"code": "\xa0a", "x": blank}, {"code": blank, "x": "2"})
    run_batch(entity)
    cleared = "NULL" in blank
    assert members(entity)["a"]["x"] == (None if cleared else "1")
    assert staged(entity)[3]["error_code"] == (0 if cleared else 1)
