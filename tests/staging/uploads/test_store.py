"""What is written is what was given, in its order, whichever way it takes into the table."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import settings as trying
from hypothesis import strategies as st

from staging.errors import BadFile
from staging.models import Entity
from staging.sql.dialect import dialect
from staging.uploads import store
from tests.depth import examples
from tests.staging.batches.bench import define, staged, text

pytestmark = pytest.mark.django_db
COLUMNS = ["code", "name", "country"]
# What COPY reads as something else than it is: its own null and end, separators, escapes; and what is no letter.
_TEXTS = st.text(alphabet="aé\\N.\t\n\r\b\v'\"{}%s😀", max_size=4) | st.sampled_from(["\\N", "\\.", "", "x" * 5_000])
_ROWS = st.lists(st.tuples(*[_TEXTS | st.none()] * 3), max_size=30)
WAYS = ("copied",) if connection.vendor == "postgresql" else ("written", "spooled")


@pytest.fixture
def city() -> Entity:
    return define("city", text("country"))


def put(way: str, rows: Sequence[Sequence[Any]]) -> int:
    """Write rows in one of the ways; return how many it counted."""
    act: Callable[..., Any] = getattr(store, way)
    with act("stg_city", COLUMNS, iter(rows)) as write:
        return int(write())


def stored(city: Entity) -> Iterator[tuple[Any, ...]]:
    """Take out what is in the table."""
    yield from [tuple(row[column] for column in COLUMNS) for row in staged(city)]
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM stg_city")


@pytest.mark.parametrize("way", WAYS)
def test_texts_come_out_as_they_went_in(city: Entity, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_VALUES_AT_ONCE", 9)

    @trying(max_examples=examples(40), deadline=None)
    @given(_ROWS, st.sampled_from([0, 30, 10**9]))
    def try_it(rows: list[tuple[str | None, ...]], at_hand: int) -> None:
        monkeypatch.setattr(store, "_MOST_VALUES_AT_HAND", at_hand)
        assert put(way, rows) == len(rows)
        assert list(stored(city)) == rows

    try_it()


@pytest.mark.parametrize("way", WAYS)
def test_many_rows_keep_their_order(city: Entity, way: str) -> None:
    rows = [(f"c{number}", None, "x" * (number % 7)) for number in range(12_345)]
    assert put(way, rows) == len(rows)
    assert list(stored(city)) == rows


@pytest.mark.skipif(not dialect().streams_rows, reason="PostgreSQL only")
@pytest.mark.parametrize("bad", ["\x00", "\ud800"])
def test_copy_tells_which_row_no_database_keeps(city: Entity, bad: str) -> None:
    rows = [*[("a", None, "b")] * 230, ("a", bad, None), *[("a", None, "b")] * 200]
    with pytest.raises(BadFile, match="Row 231 holds"):
        put("copied", rows)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite only")
def test_what_is_set_for_long_work_does_not_outlive_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "close_at", None)
    dialect().start()
    assert connection.close_at == 0


@pytest.mark.parametrize("way", WAYS)
def test_what_needs_a_closer_look_keeps_its_place_among_many(city: Entity, way: str) -> None:
    rows: list[tuple[str | None, ...]] = [(f"c{number}", None if number % 3 else "x", "NL") for number in range(1_203)]
    for place in (0, 249, 250, 700, 1_202):
        rows[place] = (f"c{place}", "a\\N\t\nb", "\\.")
    assert put(way, rows) == len(rows)
    assert list(stored(city)) == rows
