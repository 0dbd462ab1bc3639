"""Texts of pure code are English, remember what they were made from, and are said aloud in the language of people."""

import copy
import json
import pickle
from datetime import UTC, date, datetime

import pytest
from django.utils import translation

from staging.phrases import Phrase, joined, listed, numbered, phrase
from staging.wording import Said, aloud, one_line, said_again, said_together, say
from tests.catalogue import dutch_with

DUTCH = {
    "{what} fires {how_often} on {days}": "{what} vuurt {how_often} op {days}",
    "every minute": "elke minuut",
    "every {number} minutes": "elke {number} minuten",
    "Monday": "maandag",
    "Friday": "vrijdag",
    "{some} and {last}": "{some} en {last}",
    "Broken: {error}": "Kapot: {error}",
}


@pytest.fixture
def dutch():
    """Speak Dutch."""
    with dutch_with(DUTCH) as language, translation.override(language):
        yield


def a_phrase(number: int = 15) -> Phrase:
    """Return a phrase with a name, a number and a list."""
    return phrase(
        "{what} fires {how_often} on {days}",
        what="a{b}",
        how_often=numbered(number, "every minute", "every {number} minutes"),
        days=listed((phrase("Monday"), phrase("Friday"))),
    )


def test_a_phrase_is_english_text_that_remembers():
    made = a_phrase()
    assert made == "a{b} fires every 15 minutes on Monday and Friday"
    assert made.template == "{what} fires {how_often} on {days}" and made.values["what"] == "a{b}"
    assert a_phrase(1) == "a{b} fires every minute on Monday and Friday"


def test_words_are_listed_as_people_do():
    assert [listed(""), listed("a"), listed("ab"), listed("abc", "or")] == ["", "a", "a and b", "a, b or c"]


def test_empty_texts_are_left_out():
    assert joined(("a", "", "b"), by=", ") == "a, b" and joined(()) == ""


def test_aloud_it_is_in_the_language_of_people_and_says_the_same(dutch):
    said = aloud(a_phrase())
    assert said == "a{b} vuurt elke 15 minuten op maandag en vrijdag" and isinstance(said, Said)
    assert aloud(a_phrase(1)) == "a{b} vuurt elke minuut op maandag en vrijdag"
    assert aloud(joined((phrase("Monday"), "", phrase("Friday")), by="; ")) == "maandag; vrijdag"
    with translation.override("en"):
        assert said_again(json.loads(json.dumps(said.stored()))) == a_phrase()


def test_what_was_said_and_plain_text_stay_as_they_are(dutch):
    said = say("{some} and {last}", some="x", last="y")
    assert aloud(said) is said and aloud("Monday") == "Monday" and aloud(ValueError("Monday")) == "Monday"


def test_a_sentence_says_the_phrases_and_errors_in_it(dutch):
    for told in (say("Broken: {error}", error=ValueError(a_phrase(1))), say("Broken: {error}", error=a_phrase(1))):
        assert told == "Kapot: a{b} vuurt elke minuut op maandag en vrijdag"
        assert said_again(json.loads(json.dumps(told.stored()))) == told
    assert said_together(phrase("Monday"), phrase("Friday")) == "maandag vrijdag"
    assert aloud(ValueError(phrase("Monday"))) == one_line(ValueError(phrase("Monday"))) == "maandag"


@pytest.mark.parametrize("value", [date(2026, 1, 31), datetime(2026, 1, 31, 6, tzinfo=UTC), None, ["{x}"], 12345, 1.5])
def test_a_value_stands_in_a_sentence_as_in_its_phrase(value):
    assert aloud(phrase("It was {value}.", value=value)) == phrase("It was {value}.", value=value)


def test_an_error_carries_its_phrase_through_text_copies_and_processes():
    error = ValueError(a_phrase())
    for again in (error, pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert str(again) == a_phrase() and str(again).stored() == a_phrase().stored()
