"""The statements of a batch are pinned: a change of the SQL shows as a difference of the files in `golden/`.

`make golden` writes them afresh, for SQLite and for PostgreSQL; look at the difference before you commit it.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from staging.batches.fence import NoFence
from staging.batches.late import bring_home
from staging.batches.pipeline import process
from staging.batches.preview import preview
from staging.models import OUTCOMES, Batch, Entity
from staging.sql import postgresql
from staging.sql.compose import instead
from staging.states import BatchStatus, ImportStatus
from tests.staging.batches.bench import LATER, NOW, counts, define, reference, stage, staged, text
from tests.staging.batches.test_business_rules import rule
from tests.staging.batches.test_crash import StopAt, Stopped
from tests.staging.sql.recorder import Recorder, read, written

pytestmark = pytest.mark.django_db

GOLDEN = Path(__file__).parent / "golden"
RENEW = os.environ.get("GOLDEN") == "renew"
Scenario = Callable[[Entity, Any], object]

# Members there are before, and rows that bring about every statement that a batch may need.
BEFORE: list[dict[str, Any]] = [
    {"code": "goes", "mail": "m3", "area": "EU"},
    {"code": "shut", "area": "EU"},
    {"code": "needed", "area": "EU"},
    {"code": "freed", "area": "US"},
    {"code": "old", "mail": "m1", "parent": "needed", "area": "EU", "staff": "5"},
    {"code": "heir", "mail": "m2", "parent": "freed", "area": "EU"},
    {"code": "left", "area": "EU"},
    {"code": "right", "area": "EU"},
    {"code": "same", "area": "EU", "rent": "1.5"},
]
ROWS: list[dict[str, Any]] = [
    {
        "code": "new",
        "mail": "m9",
        "area": "EU",
        "staff": "3",
        "rent": "12.50",
        "is_open": "yes",
        "opened": "2026-02-01",
    },
    {"code": "old", "mail": "m2", "opened": "2026-02-01", "seen": "2026-02-01T10:00:00Z"},
    {"code": "heir", "mail": "m1"},
    {"code": "same", "rent": "1.50"},
    {"code": "x", "parent": "y", "area": "EU", "kind": "a"},
    {"code": "y", "parent": "z", "area": "EU"},
    {"code": "z", "parent": "x", "area": "EU"},
    {"code": "bad", "staff": "many", "area": "nowhere"},
    {"code": "child", "parent": "bad", "area": "EU"},
    {"code": "copy", "area": "EU", "staff": "1"},
    {"code": "copy", "area": "EU", "staff": "1 "},
    {"code": "unlike", "area": "EU", "staff": "1"},
    {"code": "unlike", "area": "EU", "staff": "2"},
    {"code": "rival", "mail": "m7", "area": "EU"},
    {"code": "competitor", "mail": "m7", "area": "EU"},
    {"code": "ruled", "area": "EU", "opened": "2026-01-02", "closed": "2026-01-01"},
    {"code": "left", "new_code": "right"},
    {"code": "right", "new_code": "left"},
    {"code": "needed", "import_action": 4},
    {"code": "goes", "import_action": 4},
    {"code": "shut", "import_action": 3},
    {"code": "freed", "import_action": 6},
    {"code": "reader", "parent": "goes", "area": "EU"},
    {"code": "follower", "parent": "copy", "area": "EU"},
    {"code": "once", "import_action": 1, "area": "EU"},
    {"code": "nobody", "import_action": 2},
]


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Entity:
    """An entity with all that may be defined, and members."""
    monkeypatch.setattr(postgresql, "CALENDAR_ROWS", 10)
    area = define("area", keep_history=True)
    stage(area, {"code": "EU"}, {"code": "US"})
    process(_batch(area, 901), fence=NoFence(), now=NOW)
    part = define(
        "part",
        text("mail", unique=True, max_length=40),
        text("kind", pattern="^[a-z]+$", min_length=1, on_error="skip_field"),
        text("size", choices=["S", "M", "L"], merge_mode="fill_when_empty"),
        {"name": "staff", "data_type": "integer", "min_value": "0", "max_value": "1000"},
        {"name": "rent", "data_type": "decimal", "max_value": "99999.99", "merge_mode": "overwrite"},
        {"name": "is_open", "data_type": "boolean", "merge_mode": "keep_existing"},
        {"name": "opened", "data_type": "date", "min_value": "2000-01-01"},
        {"name": "closed", "data_type": "date", "merge_mode": "reject_change"},
        {"name": "seen", "data_type": "datetime"},
        reference("area", "area", required=True),
        reference("parent", "part"),
        reference("twin", "part", unique=True, on_error="skip_field"),
        keep_history=True,
        duplicates="reject_all",
        max_change_rate=1.0,
    )
    rule(
        part, {"attribute": "opened", "at_most": {"attribute": "closed"}}, when={"attribute": "closed", "empty": False}
    )
    rule(part, {"attribute": "staff", "at_least": 1}, name="Staffed", effect="warn")
    stage(part, *BEFORE)
    process(_batch(part, 902), fence=NoFence(), now=NOW)
    return part


def _batch(entity: Entity, number: int, **asked: Any) -> Batch:
    """Return a batch with a number that is the same in every run."""
    return Batch.objects.create(pk=number, entity=entity, created_at=NOW, **asked)


def _in_one_transaction(part: Entity, settings: Any) -> None:
    """A batch that fits one transaction."""
    batch = process(_batch(part, 910), fence=NoFence(), now=NOW)
    assert set(counts(batch)) == set(OUTCOMES)


def _in_chunks(part: Entity, settings: Any) -> None:
    """A batch that takes several transactions, its rows in tiles and its days looked up, where a database does that."""
    settings.MERGE_CHUNK_ROWS = 1
    batch = process(_batch(part, 910), fence=NoFence(), now=NOW)
    assert set(counts(batch)) == set(OUTCOMES)


def _carried_on(part: Entity, settings: Any) -> None:
    """A batch that died half way, the next attempt of it, and the one that judges afresh what this one left."""
    settings.MERGE_CHUNK_ROWS = 5
    batch = _batch(part, 910)
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
    held = process(_batch(part, 910, tag="monday"), fence=NoFence(), now=NOW)
    assert held.status == BatchStatus.HELD
    first = min(row["id"] for row in staged(part) if row["import_status"] == ImportStatus.HELD)
    approved = _batch(part, 911, approves=held, selected_rows=[first])
    assert counts(process(approved, fence=NoFence(), now=LATER)) == {"inserted": 1}


def _taken_back(part: Entity, settings: Any) -> None:
    """The undo of a batch."""
    process(_batch(part, 910), fence=NoFence(), now=NOW)
    undo = process(_batch(part, 911, undoes_id=910, skip_changed=True), fence=NoFence(), now=LATER)
    assert {"inserted", "updated", "deleted"} <= set(counts(undo))


def _shown(part: Entity, settings: Any) -> None:
    """A preview, and the changes it shows."""
    with preview(part, now=NOW) as made:
        assert made.changes.read() and made.changes.read(changed="mail")


def _brought_home(part: Entity, settings: Any) -> None:
    """What a batch does for rows that wait for its codes."""
    process(_batch(part, 910), fence=NoFence(), now=NOW)
    area = Entity.objects.get(code="area")
    stage(area, {"code": "nowhere"})
    process(_batch(area, 911), fence=NoFence(), now=LATER)
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
