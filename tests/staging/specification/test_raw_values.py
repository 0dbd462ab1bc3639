"""Whatever text a foreign program manages to stage, the batch ends, and says what the model says."""

from typing import Any

import pytest
from django.db import connection

from staging.identifiers import quote
from staging.models import Entity
from tests.staging.batches.bench import execute, fetch, run_batch
from tests.staging.specification.stand import build, compare, staged
from tests.staging.specification.values import BLANKS, READERS
from tests.staging.specification.world import Kind, Rule, World

pytestmark = pytest.mark.django_db

TYPES = tuple(READERS)
MEGABYTE = 1_000_000
TEXTS = [
    "",
    " \t\r\n",
    "\u00a0",
    "\u00a05\t\u00a0",
    "\u00a1x",
    "\u200b\u200e",
    "\ufeffbom",
    "a\x01b\x1b[31m\x7f",
    "\x85\u2028",
    "مرحبا بالعالم",
    "שלום\u202e olleh",
    "e\u0301 é",  # two spellings of one letter are two texts
    "🙂👩‍👩‍👧",
    "\U0010ffff\uffff",
    "<script>alert(1)</script>&amp;&#0;",
    "'",
    "''",
    '"',
    '"; DROP TABLE mdm_thing; --',
    "\\",
    "\\x41\\'",
    "%",
    "%s %(x)s %% %d 100%",
    "{}",
    "{value} {column} {0} {work}",
    "$1 $$ :x ? ?1",
    "NULL",
    "null",
    "~NULL~x",
    "=1+1",
    "x'6162'",
    "--",
    "/* */",
    "Infinity",
    "-Infinity",
    "NaN",
    "-NaN",
    "1e400",
    "1e-400",
    "-1e99999999999999999999",
    "9" * 100,
    "9" * 101,
    "-" + "0" * 99,
    "0" * 101,
    "1." + "0" * 98,
    "9" * MEGABYTE,
    "x" * MEGABYTE,
    " " * MEGABYTE + "1",
    "é" * (MEGABYTE // 2),
    "٣",
    "１２",
    "Ⅷ",
    "1_000",
    "0x10",
    "1e5",
    "+1",
    "-0",
    "1,5",
    "T",
    "ＹＥＳ",
    "İ",
    "now",
    "today",
    "infinity",
    "epoch",
    "2024-02-29 BC",
    "J2451187",
    "0000-00-00",
    "2024-02-30",
    "99999-01-01",
    "2024-01-01T00:00:00+99:99",
    "2024-01-01T00:00:00 Europe/Amsterdam",
]
BROKEN = ["00", "6100", "610062", "ff", "c3", "eda080", "edb080", "f4908080", "c080", "2020ff61", "31ff"]


def _kind(**rules: Any) -> Kind:
    return Kind("thing", tuple(Rule(name, name, **rules) for name in TYPES))


def _world(kind: Kind) -> World:
    world = World({"thing": kind}, {"thing": []})
    build(world)
    return world


@pytest.mark.parametrize("skips", [False, True], ids=["reject the row", "skip the field"])
def test_any_text_in_any_column_is_its_value_or_told_to_be_none(skips: bool) -> None:
    world = _world(_kind(skips=skips))
    rows = [{"code": f"{name}{number}", name: text} for name in ("name", *TYPES) for number, text in enumerate(TEXTS)]

    compare(world, "thing", rows)

    messages = [row["error_message"] for row in staged(world.kinds["thing"]) if row["error_message"]]
    assert max(map(len, messages)) < 300
    assert members_of("thing")["text" + str(TEXTS.index("%s %(x)s %% %d 100%"))] == "%s %(x)s %% %d 100%"


def test_any_text_may_be_a_code_that_others_refer_to() -> None:
    rule = Rule("parent", "reference", "thing")
    world = _world(Kind("thing", (rule,)))
    codes = [text for text in TEXTS if text.strip(BLANKS)]

    compare(world, "thing", [*({"code": text, "parent": text} for text in codes), {"code": "x", "parent": "nobody"}])

    assert max(len(row["error_message"] or "") for row in staged(world.kinds["thing"])) < 300


def test_any_text_may_be_a_new_code() -> None:
    world = _world(Kind("thing"))
    codes = [text for text in TEXTS if 0 < len(text.strip(BLANKS)) <= 500]
    rows = [{"code": f"c{number}"} for number, _ in enumerate(codes)]
    compare(world, "thing", rows)
    execute("DELETE FROM stg_thing")

    compare(world, "thing", [{"code": f"c{n}", "new_code": text} for n, text in enumerate(codes)])

    assert {member.code for member in world.members["thing"]} == {text.strip(BLANKS) for text in codes}


def test_the_sentinel_clears_also_between_blanks_of_any_kind() -> None:
    world = _world(_kind())
    compare(world, "thing", [{"code": str(n), "text": "filled", "date": "2024-02-29"} for n in range(4)])
    execute("DELETE FROM stg_thing")

    blanks = ["\u00a0{}", "{}\u00a0", "\t\u00a0{}\r\n", "{}"]
    cleared = {"text": "~NULL~", "date": world.kinds["thing"].sentinel_datetime}
    rows = [{name: around.format(text) for name, text in cleared.items()} for around in blanks]
    compare(world, "thing", [{"code": str(n), **row} for n, row in enumerate(rows)])

    assert fetch("SELECT count(*) FROM mdm_thing WHERE text IS NULL AND date IS NULL") == [(4,)]


def test_any_text_may_be_the_sentinel() -> None:
    for number, text in enumerate(["'", '"', "%s", "{}", "\\", "<b>", "שלום", "🙂", "0", "NULL", "true"]):
        kind = Kind(f"thing{number}", (Rule("note"), Rule("flag", "boolean")), sentinel_text=text)
        world = World({kind.code: kind}, {kind.code: []})
        build(world)
        compare(world, kind.code, [{"code": "a", "note": "old", "flag": "yes"}, {"code": "b", "note": f"{text}x"}])
        execute(f"DELETE FROM stg_{kind.code}")

        compare(world, kind.code, [{"code": "a", "note": f" {text} ", "flag": text}])

        assert world.members[kind.code][0].values == {"name": None, "note": None, "flag": None}


@pytest.mark.skipif("sqlite" not in connection.settings_dict["ENGINE"], reason="PostgreSQL holds no such text")
@pytest.mark.parametrize("column", ["code", "new_code", "name", "note", "parent"])
def test_bytes_that_are_no_text_are_refused_wherever_they_are(column: str) -> None:
    """NUL and half surrogates: the driver of PostgreSQL refuses to send them; into SQLite they get as raw bytes."""
    world = _world(Kind("thing", (Rule("note"), Rule("parent", "reference", "thing"))))
    compare(world, "thing", [{"code": f"c{number}"} for number, _ in enumerate(BROKEN)])
    execute("DELETE FROM stg_thing")
    for number, raw in enumerate(BROKEN):
        given = {"code": f"'c{number}'", column: f"CAST(x'{raw}' AS TEXT)"}
        execute(f"INSERT INTO stg_thing ({', '.join(map(quote, given))}) VALUES ({', '.join(given.values())})")

    rows = _processed()

    assert {status for status, _, _ in rows} == {2}
    assert {error for _, error, _ in rows} == {32 if column == "parent" else 8}
    assert all("\x00" not in message for _, _, message in rows)
    assert set(members_of("thing", "code")) == {member.code for member in world.members["thing"]}


def _processed() -> list[tuple[Any, ...]]:
    assert run_batch(Entity.objects.get(code="thing")).status == "completed"
    return fetch("SELECT import_status, error_code, error_message FROM stg_thing")


def members_of(entity: str, column: str = "text") -> dict[str, Any]:
    """Return one column of the production rows by code."""
    return dict(fetch(f"SELECT code, {quote(column)} FROM mdm_{entity}"))
