"""The statements of a batch are pinned: a change of the SQL shows as a difference of the files in `golden/`.

`make golden` writes them afresh, for SQLite and for PostgreSQL; look at the difference before you commit it.
"""

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from staging.batches import context as batch_context
from staging.batches.context import NoFence
from staging.batches.late import bring_home
from staging.batches.pipeline import process
from staging.batches.shown.preview import preview_batch
from staging.models import OUTCOMES, Batch, ChangeSet, Entity
from staging.sql import postgresql
from staging.sql.compose import instead
from staging.states import BatchStatus, ImportStatus
from tests.staging.batches.bench import LATER, NOW, counts, stage, staged
from tests.staging.batches.test_crash import StopAt, Stopped
from tests.staging.sql.recorder import Recorder, read, written
from tests.staging.sql.rich import ROWS, numbered_batch, rich_entity

pytestmark = pytest.mark.django_db

GOLDEN = Path(__file__).parent / "golden"
RENEW = os.environ.get("GOLDEN") == "renew"
Scenario = Callable[[Entity, Any], object]


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Entity:
    """The entity; its days are looked up, as those of a large batch."""
    monkeypatch.setattr(postgresql, "CALENDAR_ROWS", 10)
    ids = count(9200)
    monkeypatch.setattr(batch_context, "_create", lambda entity, row: _change_set(next(ids), entity, row))
    return rich_entity()


def _change_set(set_id: int, entity: Entity, row: int) -> int:
    """Open a change set with an id that stands in the golden files."""
    return ChangeSet.objects.create(id=set_id, entity=entity, first_row=row).pk


def _in_one_transaction(part: Entity, settings: Any) -> None:
    """A batch that fits one transaction."""
    batch = process(numbered_batch(part, 910), fence=NoFence(), now=NOW)
    assert set(counts(batch)) == set(OUTCOMES)


def _in_chunks(part: Entity, settings: Any) -> None:
    """A batch that takes several transactions, its rows in tiles and its days looked up, where a database does that."""
    settings.MERGE_CHUNK_ROWS = 1
    batch = process(numbered_batch(part, 910), fence=NoFence(), now=NOW)
    assert set(counts(batch)) == set(OUTCOMES)


def _carried_on(part: Entity, settings: Any) -> None:
    """A batch that died half way, the next attempt of it, and the one that judges afresh what this one left."""
    settings.MERGE_CHUNK_ROWS = 5
    batch = numbered_batch(part, 910)
    for passes in (6, 4):
        with pytest.raises(Stopped):
            process(batch, fence=StopAt(passes), now=NOW)
    Entity.objects.filter(pk=part.pk).update(default_merge_mode="overwrite")
    batch = process(Batch.objects.get(pk=batch.pk), fence=NoFence(), now=LATER)
    assert batch.status == BatchStatus.COMPLETED


def _held_and_approved(part: Entity, settings: Any) -> None:
    """A batch that is held, and the one that merges what a person chose of it."""
    Entity.objects.filter(pk=part.pk).update(review="hold")
    part.refresh_from_db()
    stage(part, {"code": "monday", "area": "EU", "batch_tag": "monday"})
    held = process(numbered_batch(part, 910, tag="monday"), fence=NoFence(), now=NOW)
    assert held.status == BatchStatus.HELD
    first = min(row["id"] for row in staged(part) if row["import_status"] == ImportStatus.HELD)
    approved = numbered_batch(part, 911, approves=held, selected_rows=[first])
    assert counts(process(approved, fence=NoFence(), now=LATER)) == {"inserted": 1}


def _taken_back(part: Entity, settings: Any) -> None:
    """The undo of a batch."""
    process(numbered_batch(part, 910), fence=NoFence(), now=NOW)
    undo = process(numbered_batch(part, 911, undoes_id=910, skip_changed=True), fence=NoFence(), now=LATER)
    assert {"inserted", "updated", "deleted"} <= set(counts(undo))


def _shown(part: Entity, settings: Any) -> None:
    """A preview, and the changes it shows."""
    with preview_batch(part, now=NOW) as made:
        assert made.changes.read() and made.changes.read(changed="mail")


def _brought_home(part: Entity, settings: Any) -> None:
    """What a batch does for rows that wait for its codes."""
    process(numbered_batch(part, 910), fence=NoFence(), now=NOW)
    area = Entity.objects.get(code="area")
    stage(area, {"code": "nowhere"})
    process(numbered_batch(area, 911), fence=NoFence(), now=LATER)
    bring_home(lambda home: None)


SCENARIOS: tuple[Scenario, ...] = (
    _in_one_transaction, _in_chunks, _carried_on, _held_and_approved, _taken_back, _shown, _brought_home,
)  # fmt: skip


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__.strip("_"))
def test_the_statements_are_those_of_the_golden_file(part: Entity, settings: Any, scenario: Scenario) -> None:
    stage(part, *ROWS)
    recorder = Recorder()
    with instead(recorder):
        scenario(part, settings)
    golden = _golden(scenario)
    found = written(recorder.statements, _known() if scenario is not SCENARIOS[0] else {})
    if RENEW:
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8"), f"The SQL is not that of {golden}; `make golden` renews it."


def _golden(scenario: Scenario) -> Path:
    return GOLDEN / connection.vendor / f"{scenario.__name__.strip('_')}.sql"


def _known() -> dict[str, str]:
    """Return what the first file has, so that the others tell only what differs from it."""
    first = _golden(SCENARIOS[0])
    return read(first.stem, first.read_text(encoding="utf-8"))
