"""Late references come home: rows that wait for nothing but a code are pending again when a batch brings it."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from staging.batches.late import CameHome, bring_home
from staging.batches.record import cancel_batch, fail_batch, open_batch, start_batch
from staging.models import Attribute, Batch, Entity
from staging.tables.create import create_tables, waits_for_a_code
from staging.tables.rows import edit_row
from tests.depth import examples
from tests.staging.batches.bench import (
    NOW,
    counts,
    define,
    errors,
    execute,
    fetch,
    members,
    reference,
    run_batch,
    stage,
    staged,
    text,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def region() -> Entity:
    """Return the entity that comes late."""
    return define("region")


@pytest.fixture
def branch(region: Entity) -> Entity:
    """Return an entity whose rows refer to regions, twice, and to one another."""
    entity = define("branch", reference("region", "region"), reference("second", "region"), text("kind", max_length=3))
    Attribute.objects.create(entity=entity, name="parent", data_type="reference", reference=entity, position=9)
    create_tables(entity)
    return entity


def statuses(entity: Entity) -> dict[str, int]:
    return {row["code"]: row["import_status"] for row in staged(entity)}


def look() -> list[tuple[str, int]]:
    """Look once; return what was told."""
    told: list[CameHome] = []
    total, failed = bring_home(told.append)
    assert (total, failed) == (sum(came.count for came in told), [])
    return [(came.entity.code, came.count) for came in told]


def bring(region: Entity, *codes: str) -> Batch:
    stage(region, *({"code": code} for code in codes))
    return run_batch(region)


def test_rows_that_waited_for_a_code_are_pending_when_a_batch_brings_it(region: Entity, branch: Entity) -> None:
    stage(
        branch,
        {"code": "a", "region": " EU "},
        {"code": "b", "region": "US"},
        {"code": "c", "region": "EU", "kind": "long"},
        {"code": "d"},
        {"code": "e", "region": "EU", "second": "~NULL~"},
    )
    run_batch(branch)
    assert look() == []

    batch = bring(region, "EU")

    assert look() == [("branch", 2)]
    assert statuses(branch) == {"a": 0, "b": 2, "c": 2, "d": 1, "e": 0}
    row = staged(branch)[0]
    assert (row["error_code"], row["error_message"], row["batch_id"]) == (0, None, None)
    batch.refresh_from_db()
    assert batch.came_home == 2
    assert look() == []
    assert counts(run_batch(branch)) == {"inserted": 2}


def test_a_row_comes_home_with_the_last_code_it_waits_for(region: Entity, branch: Entity) -> None:
    stage(branch, {"code": "a", "region": "EU", "second": "US"})
    run_batch(branch)
    bring(region, "EU")
    assert look() == []
    bring(region, "US")
    assert look() == [("branch", 1)]
    assert counts(run_batch(branch)) == {"inserted": 1}


def test_a_code_that_is_active_again_or_comes_by_update_counts_and_an_inactive_one_does_not(
    region: Entity, branch: Entity
) -> None:
    bring(region, "EU")
    look()
    execute("UPDATE mdm_region SET is_active = %s", [False])
    stage(branch, {"code": "a", "region": "EU"})
    run_batch(branch)
    assert look() == [] and statuses(branch) == {"a": 2}
    bring(region, "XX")
    assert look() == []
    bring(region, "EU")
    assert look() == [("branch", 1)]


def test_rows_rejected_because_of_a_waiting_row_come_home_with_it(region: Entity, branch: Entity) -> None:
    stage(
        branch,
        {"code": "top", "region": "EU"},
        {"code": "middle", "parent": "top"},
        {"code": "leaf", "parent": "middle", "second": "EU"},
        {"code": "bad", "kind": "long", "region": "EU"},
        {"code": "below", "parent": "bad"},
        {"code": "far", "parent": "top", "region": "US"},
        {"code": "under", "parent": "far"},
        {"code": "lost", "parent": "nowhere", "region": "EU"},
        {"code": "self", "parent": "self", "region": "EU"},
    )
    run_batch(branch)
    assert errors(branch)["leaf"] == 32 + 16384

    bring(region, "EU")

    assert look() == [("branch", 4)]
    home = {code for code, status in statuses(branch).items() if status == 0}
    assert home == {"top", "middle", "leaf", "self"}
    assert counts(run_batch(branch)) == {"inserted": 4}
    look()
    bring(region, "US")
    assert look() == [("branch", 2)]
    assert counts(run_batch(branch)) == {"inserted": 2}


def test_a_code_that_comes_with_a_batch_of_the_entity_itself_counts(branch: Entity) -> None:
    stage(branch, {"code": "leaf", "parent": "top"})
    run_batch(branch)
    look()
    stage(branch, {"code": "top"})
    run_batch(branch)
    assert look() == [("branch", 1)]
    run_batch(branch)
    assert members(branch)["leaf"]["parent"] == "top"


def test_what_a_batch_brought_before_it_failed_counts_and_a_lost_look_is_made_good(
    region: Entity, branch: Entity
) -> None:
    stage(branch, {"code": "a", "region": "EU"})
    run_batch(branch)
    batch = bring(region, "EU")
    with pytest.raises(KeyboardInterrupt), transaction.atomic():
        bring_home(_crash)
    assert statuses(branch) == {"a": 2}
    Batch.objects.filter(pk=batch.pk).update(status="running", finished_at=None)
    look()
    assert statuses(branch) == {"a": 2}
    fail_batch(batch.pk, "worker died", NOW)
    assert look() == [("branch", 1)]


def _crash(came: CameHome) -> None:
    raise KeyboardInterrupt("killed")


def test_rows_that_were_judged_while_the_code_came_are_not_forgotten(region: Entity, branch: Entity) -> None:
    slow = open_batch(branch, now=NOW)
    start_batch(slow.pk, NOW)
    bring(region, "EU")
    assert look() == []
    stage(branch, {"code": "a", "region": "EU"})  # judged before, marked after: as `slow` would leave it
    execute("UPDATE stg_branch SET import_status = 2, error_code = 32, batch_id = %s", [slow.pk])
    cancel_batch(slow.pk, NOW + timedelta(seconds=5))
    assert look() == [("branch", 1)]


def test_what_a_person_did_and_what_is_wrong_otherwise_is_left_alone(region: Entity, branch: Entity) -> None:
    stage(branch, *({"code": code, "region": "EU"} for code in "abc"))
    run_batch(branch)
    ids = {row["code"]: row["id"] for row in staged(branch)}
    edit_row(branch, ids["a"], {"region": "US"})
    execute("UPDATE stg_branch SET error_code = 0, error_message = 'Sent back' WHERE code = 'b'")
    bring(region, "EU")
    assert look() == [("branch", 1)]
    assert statuses(branch) == {"a": 0, "b": 2, "c": 0}
    assert staged(branch)[0]["region"] == "US"


def test_a_reference_that_may_be_skipped_holds_nothing_back(region: Entity, branch: Entity) -> None:
    stage(branch, {"code": "a", "region": "EU", "second": "US"})
    run_batch(branch)
    branch.attributes.filter(name="second").update(on_error="skip_field")
    bring(region, "EU")
    assert look() == [("branch", 1)]


def test_a_broken_table_holds_nobody_else_up(region: Entity, branch: Entity) -> None:
    other = define("other", reference("region", "region"))
    for entity in (branch, other):
        stage(entity, {"code": "a", "region": "EU"})
        run_batch(entity)
    look()
    execute("ALTER TABLE stg_branch RENAME COLUMN error_message TO theirs")
    bring(region, "EU")
    assert look() == [("other", 1)]


def test_a_deep_chain_comes_home_in_one_look(region: Entity, branch: Entity) -> None:
    rows = ({"code": f"b{n}", "parent": f"b{n - 1}"} for n in range(1, 2000))
    stage(branch, {"code": "b0", "region": "EU"}, *rows)
    assert counts(run_batch(branch)) == {"rejected": 2000}
    bring(region, "EU")
    assert look() == [("branch", 2000)]


def test_looking_reads_the_small_index(branch: Entity) -> None:
    query = f"SELECT s.id FROM stg_branch s WHERE {waits_for_a_code('s')}"
    if connection.vendor == "sqlite":
        assert any("waiting_stg_branch" in str(row) for row in fetch(f"EXPLAIN QUERY PLAN {query}"))
        return
    execute("SET LOCAL enable_seqscan = off")
    execute("SET LOCAL enable_bitmapscan = off")
    assert any("waiting_stg_branch" in str(row) for row in fetch(f"EXPLAIN {query}"))


def test_members_that_need_one_another_and_a_late_code_come_home_together(region: Entity, branch: Entity) -> None:
    stage(
        branch,
        {"code": "a", "region": "EU", "parent": "b"},
        {"code": "b", "parent": "c"},
        {"code": "c", "parent": "a"},
        {"code": "x", "region": "US", "parent": "y"},
        {"code": "y", "region": "EU", "parent": "x"},
    )
    run_batch(branch)
    bring(region, "EU")
    assert look() == [("branch", 3)]
    assert counts(run_batch(branch)) == {"inserted": 3}
    bring(region, "US")
    assert look() == [("branch", 2)]


def test_of_several_rows_of_a_code_only_the_newest_comes_home(region: Entity, branch: Entity) -> None:
    for kind in ("1", "2", "3"):
        stage(branch, {"code": "a", "region": "EU", "kind": kind})
        run_batch(branch)
    bring(region, "EU")
    assert look() == [("branch", 1)]
    assert [row["import_status"] for row in staged(branch)] == [2, 2, 0]
    run_batch(branch)
    bring(region, "EU", "US")
    assert look() == []
    assert members(branch)["a"]["kind"] == "3"


def test_a_row_that_a_newer_delivery_has_overtaken_stays(region: Entity, branch: Entity) -> None:
    stage(branch, *({"code": code, "region": "EU", "kind": "old"} for code in "abc"))
    run_batch(branch)
    stage(branch, {"code": "a", "kind": "new"})
    run_batch(branch)
    look()
    stage(branch, {"code": "b", "kind": "new"})
    bring(region, "EU")
    assert look() == [("branch", 1)]
    assert counts(run_batch(branch)) == {"inserted": 2}
    assert {code: row["kind"] for code, row in members(branch).items()} == {"a": "new", "b": "new", "c": "old"}


def test_what_an_undo_gives_back_counts_though_older_batches_wrote_it(region: Entity, branch: Entity) -> None:
    first = bring(region, "EU")
    look()
    execute("UPDATE mdm_region SET is_active = %s", [False])
    stage(branch, {"code": "a", "region": "EU"})
    run_batch(branch)
    assert look() == []
    execute("UPDATE mdm_region SET is_active = %s", [True])
    Batch.objects.create(
        entity=region, undoes=first, status="completed", created_at=NOW, started_at=NOW, finished_at=NOW
    )
    assert look() == [("branch", 1)]


CODES = st.sampled_from(["EU", "US", "XX", "~NULL~", " EU ", "", None])
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "region": CODES,
            "second": CODES,
            "parent": st.sampled_from([None, "b0", "b1", "b2", "b3", "b9"]),
            "kind": st.sampled_from([None, "k", "k", "long"]),
        }
    ),
    max_size=6,
)


@settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS, order=st.permutations(["EU", "US", "XX"]), missing=st.integers(0, 3))
def test_it_does_not_matter_which_delivery_comes_first(
    region: Entity, branch: Entity, rows: list[dict[str, str | None]], order: list[str], missing: int
) -> None:
    """Regions after branches end as regions before branches do, with nobody mending anything."""
    deliveries = [{"code": f"b{n}", **row} for n, row in enumerate(rows)]
    late = _outcome(region, branch, deliveries, order[: 3 - missing], regions_first=False)
    assert late == _outcome(region, branch, deliveries, order[: 3 - missing], regions_first=True)


def _outcome(
    region: Entity, branch: Entity, deliveries: list[dict[str, str | None]], codes: list[str], *, regions_first: bool
) -> dict[str, tuple[object, ...]]:
    """Return the members after both deliveries, each followed by the looks and batches that follow by themselves."""
    with transaction.atomic():
        for code in codes if regions_first else []:
            bring(region, code)
        stage(branch, *deliveries)
        _settle(branch)
        for code in [] if regions_first else codes:
            bring(region, code)
            _settle(branch)
        found = {c: (m["region"], m["second"], m["parent"], m["kind"]) for c, m in members(branch).items()}
        transaction.set_rollback(True)
    return found


def _settle(branch: Entity) -> None:
    """Run batches and look until nothing waits to be processed any more."""
    for _ in range(10):
        run_batch(branch)
        if not look():
            return
    raise AssertionError("rows come home for ever")


REFERENCES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from(["reject_row", "skip_field"])), max_size=6
)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(references=REFERENCES)
def test_whatever_refers_to_what_no_look_fails(references: list[tuple[int, int, str]]) -> None:
    """Both databases see the same random models."""
    with transaction.atomic():
        entities = [define(f"e{number}") for number in range(4)]
        for number, (source, target, on_error) in enumerate(references):
            Attribute.objects.create(
                entity=entities[source], name=f"r{number}", data_type="reference", reference=entities[target],
                on_error=on_error,
            )  # fmt: skip
        for entity in entities:
            create_tables(entity)
            row = {f"r{n}": "late" for n, (source, _, _) in enumerate(references) if entities[source] == entity}
            stage(entity, {"code": "waits", **row})
            run_batch(entity)
            look()
        for entity in entities:
            stage(entity, {"code": "late"})
            run_batch(entity)
        look()
        for entity in entities:
            run_batch(entity)
            look()
        for entity in entities:
            run_batch(entity)
        assert all("waits" in members(entity) for entity in entities)
        transaction.set_rollback(True)
