"""What is explained are the statements of the batch itself, and explaining changes nothing."""

from typing import Any

import pytest
from django.db import connection

from staging.batches.context import NoFence
from staging.batches.late import look
from staging.batches.pipeline import process
from staging.batches.shown.explain import Explained, explain_batch
from staging.errors import TableMismatch
from staging.models import Batch, Entity
from staging.sql.compose import Statement, instead, templates
from tests.staging.batches.bench import NOW, counts, execute, members, stage, staged
from tests.staging.sql.recorder import Recorder
from tests.staging.sql.rich import ROWS, numbered_batch, rich_entity

pytestmark = pytest.mark.django_db

# What belongs to an undo, to a preview, or to a batch that takes several transactions and was stopped.
ELSEWHERE = {"undo", "changes", "kept_preview", "decisions", "pieces", "settings"}
PLANNED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
# What the other database needs.
ONLY_ELSEWHERE = {"sqlite": {"insert_noted", "analyze_table"}, "postgresql": {"last_id", "note_new", "count_existing"}}


@pytest.fixture
def part() -> Entity:
    return rich_entity()


def _state(part: Entity) -> Any:
    return staged(part), members(part), list(Batch.objects.values()), connection.introspection.table_names()


def _names(statements: list[Explained]) -> list[str]:
    return [each.template.name for each in statements]


def test_without_rows_every_statement_of_a_batch_is_planned_and_nothing_is_changed(part: Entity) -> None:
    before = _state(part)

    found = explain_batch(part, analyze=False, now=NOW)

    assert _state(part) == before
    assert found.waiting is None
    told = set(_names(found.statements))
    own = {name for name, each in templates().items() if each.file not in ELSEWHERE and not _is_a_part(each.purpose)}
    assert own - told == ONLY_ELSEWHERE[connection.vendor] | {"settled", "hold_rows"}
    assert all(each.plan for each in found.statements if each.text.startswith(PLANNED))


def _is_a_part(purpose: str) -> bool:
    return purpose.startswith("Part of")


def test_analyzed_it_is_what_a_batch_then_sends_with_the_same_outcome(part: Entity) -> None:
    stage(part, *ROWS)
    before = _state(part)

    found = explain_batch(part, analyze=True, now=NOW)

    assert _state(part) == before
    recorder = Recorder()
    with instead(recorder):
        batch = process(numbered_batch(part, 910), fence=NoFence(), now=NOW)
        look(batch, lambda home: None)
    assert found.waiting == sum(counts(batch).values()) == len(ROWS)
    sent = [each.template.name for each in recorder.statements if isinstance(each, Statement)]
    settings = {name for name, each in templates().items() if each.file == "settings"}
    told = (name for name in _names(found.statements) if name not in settings)
    assert list(dict.fromkeys(told)) == [name for name in dict.fromkeys(sent) if name not in settings]
    marked = next(each for each in found.statements if each.template.name == "mark_staged")
    assert marked.rows == len(ROWS)
    assert marked.milliseconds and marked.plan
    if connection.vendor == "postgresql":
        assert any("Buffers:" in line for line in marked.plan) and "actual" in marked.plan[0]


def test_a_large_batch_is_explained_in_chunks(part: Entity, settings: Any) -> None:
    settings.MERGE_CHUNK_ROWS = 5
    stage(part, *({"code": f"c{number}", "area": "EU"} for number in range(23)))

    found = explain_batch(part, analyze=True, now=NOW)

    marked = [each for each in found.statements if each.template.name == "mark_staged"]
    assert [(each.times, each.rows) for each in marked] == [(5, 23)]


def test_an_entity_whose_batches_are_held_is_explained_with_the_holding(part: Entity) -> None:
    Entity.objects.filter(pk=part.pk).update(review="hold")
    part.refresh_from_db()
    assert "hold_rows" in _names(explain_batch(part, analyze=False, now=NOW).statements)
    stage(part, {"code": "x", "area": "EU"})
    assert _names(explain_batch(part, analyze=True, now=NOW).statements)[-1] == "hold_rows"


def test_tables_that_are_not_as_defined_are_refused(part: Entity) -> None:
    execute("ALTER TABLE stg_part DROP COLUMN mail")
    with pytest.raises(TableMismatch, match="mail"):
        explain_batch(part, analyze=False, now=NOW)
