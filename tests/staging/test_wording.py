"""Sentences are made from a code and its values, remember both, and are said again in another language."""

import copy
import json
import pickle
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from celery.utils.serialization import get_pickleable_exception
from django.db import connection
from django.utils import timezone as reader
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.errors import CannotRestart
from staging.states import BatchStatus
from staging.wording import (
    Said,
    counted,
    counted_later,
    duration,
    figure,
    instant,
    later,
    said_again,
    said_together,
    say,
)
from tests.catalogue import dutch_with
from tests.depth import examples

WHEN = datetime(2026, 6, 15, 9, 0, 5, tzinfo=UTC)
DUTCH = {
    "{rows} of {name!r} wait since {since}.": "Sinds {since} wachten {rows} van {name!r}.",
    "row": "rij",
    "rows": "rijen",
    "Broken {name}.": "Kapot {naam}.",
    "held": "vastgehouden",
}


@pytest.fixture
def dutch():
    """Make Dutch a language with a catalogue of its own."""
    with dutch_with(DUTCH) as language:
        yield language


def a_sentence() -> Said:
    """Return a sentence with a number, a name and an instant."""
    return say("{rows} of {name!r} wait since {since}.", rows=counted(1200, "row", "rows"), name="a{b}", since=WHEN)


def test_a_sentence_is_text_that_remembers():
    said = a_sentence()
    assert said == "1,200 rows of 'a{b}' wait since 2026-06-15 09:00:05 UTC." and isinstance(said, str)
    assert said.template == "{rows} of {name!r} wait since {since}." and said.values["name"] == "a{b}"
    assert said.stored() == {
        "say": "{rows} of {name!r} wait since {since}.",
        "values": {
            "rows": {"count": 1200, "one": "row", "many": "rows"},
            "name": "a{b}",
            "since": {"instant": "2026-06-15T09:00:05+00:00"},
        },
    }


def test_a_sentence_is_said_again_in_another_language(dutch):
    stored = json.loads(json.dumps(a_sentence().stored()))
    with translation.override(dutch):
        assert said_again(stored) == "Sinds 2026-06-15 09:00:05 UTC wachten 1.200 rijen van 'a{b}'."
        assert said_again(counted(1, "row", "rows").stored()) == "1 rij"
    assert said_again(stored) == a_sentence()


def test_a_translation_that_cannot_take_the_values_gives_way(dutch):
    with translation.override(dutch):
        assert say("Broken {name}.", name="x") == "Broken x."


def test_a_label_among_the_values_is_said_again_too(dutch):
    said = say("It is {status}.", status=BatchStatus.HELD.label)
    assert said == "It is held." and said.stored()["values"]["status"] == {"say": "held"}
    with translation.override(dutch):
        assert said_again(said.stored()) == say("It is {status}.", status=BatchStatus.HELD.label)
        assert said_again(said.stored()) == "It is vastgehouden."


def test_what_is_made_later_is_said_in_the_language_of_its_reader(dutch):
    rows = later("{rows} of {name!r} wait since {since}.", rows=counted_later(1, "row", "rows"), name="a", since=WHEN)
    assert rows().startswith("1 row of 'a'")
    with translation.override(dutch):
        assert rows() == "Sinds 2026-06-15 09:00:05 UTC wachten 1 rij van 'a'."


values = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.booleans(),
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40),
    st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=2))])),
    st.timedeltas(timedelta(0), timedelta(days=900)),
    st.decimals(allow_nan=False),
    st.lists(st.text("ab'{}", max_size=3), max_size=3),
    st.builds(lambda n: counted(n, "row", "rows"), st.integers(0, 10**9)),
    st.builds(lambda text: said_together(say("One {it}.", it=text), say("Two.")), st.text("{}a", max_size=4)),
)


@settings(max_examples=examples(200))
@given(values, values)
def test_what_is_stored_says_the_same(one, other):
    said = say("It was {one}, not {other!r}. {{Braces}} stay.", one=one, other=other)
    assert said_again(json.loads(json.dumps(said.stored()))) == said


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("{value:,} rows", 12345, "12,345 rows"),
        ("{value:.2f} MB", Decimal("1.239"), "1.24 MB"),
        ("{value:,} rows", Decimal(1200), "1,200 rows"),
        ("for {value}", timedelta(minutes=90), "for 1 h 30 min"),
        ("{value!r}", ["a"], "['a']"),
        ("{value}", UnicodeError("why"), "why"),
    ],
)
def test_a_placeholder_keeps_its_form(template, value, text):
    said = say(template, value=value)
    assert said == text and said_again(json.loads(json.dumps(said.stored()))) == text


def test_an_instant_has_one_form_also_where_an_earlier_release_stored_another():
    stored = {"say": "Not before {at:%H:%M:%S %Z}.", "values": {"at": {"instant": WHEN.isoformat()}}}
    assert said_again(stored) == say("Not before {at}.", at=WHEN) and said_again(stored).template == "Not before {at}."


def test_an_instant_is_said_with_the_name_of_its_zone():
    with reader.override(ZoneInfo("America/Sao_Paulo")):
        assert instant(datetime(2026, 11, 20, 12, 0, 5, tzinfo=UTC)) == "2026-11-20 09:00:05 America/Sao_Paulo"


def test_a_moment_that_clocks_show_twice_says_which_it_is():
    twice = [datetime(2026, 10, 25, hour, 30, tzinfo=UTC) for hour in (0, 1, 2)]
    with reader.override(ZoneInfo("Europe/Amsterdam")):
        assert [str(instant(each)).partition(" ")[2] for each in twice] == [
            "02:30:00 CEST Europe/Amsterdam", "02:30:00 CET Europe/Amsterdam", "03:30:00 Europe/Amsterdam"]  # fmt: skip


def test_a_stored_sentence_fills_only_what_has_a_value():
    forged = {"say": "{rows.__class__.__init__.__globals__}", "values": {"rows": {"count": 1, "one": "a", "many": "b"}}}
    assert said_again(forged) == "{rows.__class__.__init__.__globals__}"


@pytest.mark.parametrize("text", ['{"a": 1}', "{0} {} {{", "${7*6}", "a {b", "{:d"])
@pytest.mark.parametrize("values", [{}, {"values": {"x": 1}}])
def test_braces_of_a_row_that_is_not_ours_are_only_text(text, values):
    assert said_again({"say": text, **values}) == text


def test_a_long_value_and_odd_characters_are_stored_as_databases_take_them():
    said = say("It failed: {error}", error="\x00\ud800" + "x" * 5000)
    assert len(said) > 5000
    stored = json.dumps(said.stored())
    assert len(stored) < 1200 and "\\u0000" not in stored


def test_text_made_of_sentences_remembers_when_put_together():
    both = said_together(say("One."), "", later("Two."), by="; ")
    assert both == "One.; Two." and both.stored() == {"together": [{"say": "One."}, {"say": "Two."}], "by": "; "}


def test_lengths_of_time_and_instants_stand_alone_too():
    assert duration(timedelta(seconds=61)).stored() == {"seconds": 61}
    assert instant(WHEN) == "2026-06-15 09:00:05 UTC"


def test_an_error_carries_its_sentence_through_text_copies_and_processes():
    error = CannotRestart(a_sentence())
    for again in (error, pickle.loads(pickle.dumps(error)), get_pickleable_exception(error), copy.deepcopy(error)):
        assert str(again) == str(error) and str(again).stored() == a_sentence().stored()


@pytest.mark.django_db
def test_every_database_stores_a_sentence_as_text():
    with connection.cursor() as cursor:
        cursor.execute("SELECT CAST(%s AS varchar(90)), CAST(%s AS varchar(9))", (a_sentence(), counted(1, "a", "b")))
        assert cursor.fetchone() == (str.__str__(a_sentence()), "1 a")


def test_numbers_are_written_as_the_language_does():
    words = {"At most {most:,} rows, {share:.1f} %.": "Ten hoogste {most:,} rijen, {share:.1f} %."}
    with dutch_with(words) as language, translation.override(language):
        assert (
            say("At most {most:,} rows, {share:.1f} %.", most=10_000, share=0.5) == "Ten hoogste 10.000 rijen, 0,5 %."
        )
        assert say("{n:,} untold", n=1_234_567) == "1.234.567 untold" and counted(12_345, "a", "b") == "12.345 b"
        assert figure(1_000) == "1.000"
        kept = say("{n:,} of {n!r} in {year}", n=1_000, year=2026)
        assert kept == "1.000 of 1000 in 2026", "what has no form is no amount"
    assert said_again(kept.stored()) == "1,000 of 1000 in 2026" and figure(1_000) == "1,000"
