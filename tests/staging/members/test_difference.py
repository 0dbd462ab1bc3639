"""What a batch made of members is told as a preview would have told it: fields before and after."""

from datetime import UTC, datetime

import pytest

from staging.batches.shown.preview import preview_batch
from staging.members.difference import difference
from staging.models import Entity
from tests.staging.batches.bench import NOW, define, reference, run_batch, stage, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def part() -> Entity:
    typed = [{"name": kind, "data_type": kind} for kind in ("integer", "decimal", "boolean", "date", "datetime")]
    return define("part", text("kind"), *typed, reference("parent", "part"), keep_history=True)


def test_it_is_what_the_preview_showed(part: Entity) -> None:
    stage(part, {"code": "a", "decimal": "1.10"}, {"code": "b", "kind": "x"}, {"code": "c"}, {"code": "d"})
    run_batch(part)
    stage(
        part,
        {"code": "a", "name": "A", "decimal": "2.50", "integer": "7", "boolean": "no", "date": "2026-01-31"},
        {"code": "b", "new_code": "z"},
        {"code": "c", "import_action": 3},
        {"code": "d", "import_action": 4},
        {"code": "e", "datetime": "2026-01-31T12:00:00Z", "parent": "a", "kind": "new"},
    )
    with preview_batch(part, now=NOW) as made:
        foreseen = {each.code: (each.outcome, each.before, each.after) for each in made.changes.read()}
    batch = run_batch(part, now=datetime(2026, 4, 1, tzinfo=UTC))
    stage(part, {"code": "a", "name": "later"}, {"code": "e", "kind": "later"})
    run_batch(part)
    assert {each.code: (each.outcome, each.before, each.after) for each in difference(batch)} == foreseen
    assert len(foreseen) == 5


def test_pages_follow_one_another(part: Entity) -> None:
    stage(part, *({"code": code} for code in "abcde"))
    batch = run_batch(part)
    found, after = [], 0
    while page := difference(batch, after=after, limit=2):
        found += [each.code for each in page]
        after = page[-1].number
    assert sorted(found) == list("abcde")
