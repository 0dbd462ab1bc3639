"""What batches write into rows is in the language of the entity: those who deliver read it, whoever is at work."""

import re

import pytest
from django.utils import translation

from staging.batches.judging import checks
from staging.batches.judging.checks import Problem
from staging.batches.shown.held import send_back
from staging.entities.definition import definition_errors
from staging.models import Entity
from staging.wording import in_language_of
from tests.staging.batches.bench import NOW, define, run_batch, stage, staged, text
from tests.staging.batches.test_business_rules import rule

pytestmark = pytest.mark.django_db
PROBLEMS = [one for one in vars(checks).values() if isinstance(one, Problem)]


def messages(entity: Entity) -> list[str]:
    return [row["error_message"] for row in staged(entity)]


def part(language: str) -> Entity:
    """An entity with a skipped number, a short text and a rule, and rows that break each."""
    entity = define(
        "part",
        {"name": "count", "data_type": "integer", "on_error": "skip_field"},
        text("kind", max_length=3),
        {"name": "is_new", "data_type": "boolean"},
        language=language,
    )
    rule(entity, {"all": [{"attribute": "is_new", "equals": True}, {"attribute": "kind", "empty": False}]}, name="New")
    stage(
        entity, {"code": "a", "count": "many", "kind": "x", "is_new": "1"}, {"kind": "x"}, {"code": "c", "kind": "long"}
    )
    stage(entity, {"code": "d", "is_new": "0"})
    return entity


ENGLISH = [
    "Warning: count: 'many' is not a whole number.",
    "code is missing.",
    "kind: 'long' is longer than 3 characters.",
    "New: this does not hold: is_new is ‘true’ and kind is not empty (is_new: no, kind: empty).",
]
DUTCH = [
    "Waarschuwing: count: 'many' is geen geheel getal.",
    "code ontbreekt.",
    "kind: 'long' is langer dan 3 tekens.",
]


@pytest.mark.parametrize("of_the_worker", ["en", "nl"])
def test_rows_speak_the_language_of_their_entity(of_the_worker: str) -> None:
    english = part("en")
    with translation.override(of_the_worker):
        run_batch(english)
    assert messages(english) == ENGLISH


@pytest.mark.parametrize("of_the_worker", ["en", "nl"])
def test_rows_of_a_dutch_entity_are_told_in_dutch(of_the_worker: str) -> None:
    dutch = part("nl")
    with translation.override(of_the_worker):
        run_batch(dutch)
    *told, by_the_rule = messages(dutch)
    assert told == DUTCH
    assert by_the_rule.startswith("New: ") and by_the_rule.endswith("(is_new: nee, kind: leeg).")
    assert "does not hold" not in by_the_rule


def test_a_warning_in_dutch_is_told_once_and_counted() -> None:
    dutch = part("nl")
    rule(dutch, {"attribute": "kind", "equals": "y"}, name="Kind", effect="warn")
    assert run_batch(dutch).warned == 1
    warned = messages(dutch)[0]
    assert warned.count("Waarschuwing: ") == 2 and "Warning" not in warned


def test_a_row_that_was_sent_back_says_so_in_its_language() -> None:
    dutch = define("part", language="nl", review="hold")
    stage(dutch, {"code": "a"})
    send_back(run_batch(dutch), comment="prijzen", by="ann", now=NOW)
    assert messages(dutch) == ["Teruggestuurd door ann: prijzen"]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.template)
def test_every_translation_can_be_put_together_by_the_database(problem: Problem) -> None:
    """The value stands between two texts, and a limit only behind it."""
    told = in_language_of("nl", problem.template)
    assert told != problem.template
    assert re.findall(r"\{\w+\}", told) == re.findall(r"\{\w+\}", problem.template)


def test_a_language_that_the_site_does_not_have_is_refused() -> None:
    errors = definition_errors(Entity(code="part", name="Part", language="xx"), [])
    assert errors == {"language": ["'xx' is no language of this site; use en or nl."]}
