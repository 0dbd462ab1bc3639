"""Promises of a preview: what it says is what the batch does, and it changes nothing."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import open_batch
from staging.batches.shown.changes import ForeseenChange
from staging.batches.shown.preview import (
    KEPT_FOR,
    drop_old_previews,
    fresh_preview,
    keep_preview,
    kept_changes,
    preview_batch,
)
from staging.errors import TableMismatch
from staging.models import OUTCOMES, Entity, KeptPreview
from tests.depth import examples
from tests.staging.batches.bench import (
    LATER,
    NOW,
    define,
    execute,
    fetch,
    members,
    reference,
    run_batch,
    stage,
    staged,
    text,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def branch() -> Iterator[Entity]:
    """An entity with a column of each kind, a reference and one to itself, and a few members."""
    region = define("region")
    entity = define(
        "branch",
        text("city", max_length=9),
        {"name": "staff", "data_type": "integer"},
        {"name": "rent", "data_type": "decimal"},
        {"name": "is_open", "data_type": "boolean"},
        {"name": "since", "data_type": "date"},
        {"name": "seen", "data_type": "datetime"},
        reference("region", "region"),
        reference("parent", "branch"),
    )
    stage(region, {"code": "eu"}, {"code": "us"})
    run_batch(region)
    stage(
        entity,
        {"code": "old", "name": "Old", "city": "Delft", "staff": "5", "rent": "12.50", "is_open": "yes",
         "since": "2020-02-29", "seen": "2026-01-01T12:00:00+02:00", "region": "eu"},
        {"code": "same", "city": "Delft"},
    )  # fmt: skip
    run_batch(entity)
    yield entity
    for code in ("branch", "region"):
        execute(f"DROP TABLE stg_{code}")
        execute(f"DROP TABLE mdm_{code}")
    drop_old_previews(LATER + 2 * KEPT_FOR)


ROWS = (
    {"code": "old", "city": "Leiden", "staff": "5", "rent": "12.5", "is_open": "no", "region": "us", "parent": "new"},
    {"code": "new", "name": "New", "staff": "7", "parent": "same"},
    {"code": "same", "city": "Delft"},
    {"code": "bad", "city": "much too long", "staff": "many"},
)


def _changes(entity: Entity, **wanted) -> dict[str, tuple[str, dict, dict]]:
    with preview_batch(entity, now=NOW) as made:
        return {c.code: (c.outcome, c.before, c.after) for c in made.changes.read(**wanted)}


def test_each_change_is_told_field_by_field_with_references_as_codes(branch: Entity) -> None:
    stage(branch, *ROWS)
    assert _changes(branch) == {
        "old": (
            "updated",
            {"city": "Delft", "is_open": "true", "region": "eu", "parent": None},
            {"city": "Leiden", "is_open": "false", "region": "us", "parent": "new"},
        ),
        "new": ("inserted", {}, {"name": "New", "staff": "7", "parent": "same"}),
        "bad": ("rejected", {}, {}),
    }


def test_what_is_wrong_is_told(branch: Entity) -> None:
    stage(branch, *ROWS)
    with preview_batch(branch, now=NOW) as made:
        (bad,) = made.changes.read(outcome="rejected")
    assert "city: 'much too long' is longer than 9 characters." in bad.message
    assert "staff: 'many' is not a whole number." in bad.message
    assert bad.row_id == staged(branch)[-1]["id"]


def test_values_are_shown_as_staging_takes_them(branch: Entity) -> None:
    stage(
        branch, {"code": "x", "rent": "1e2", "is_open": "Y", "since": "2020-02-29", "seen": "2026-01-01T12:00:00+02:00"}
    )
    assert _changes(branch)["x"][2] == {
        "rent": "100",
        "is_open": "true",
        "since": "2020-02-29",
        "seen": "2026-01-01T10:00:00Z",
    }


def test_the_counts_are_those_the_batch_will_have_and_nothing_is_changed(branch: Entity) -> None:
    stage(branch, *ROWS, {"code": "new", "name": "New", "staff": "7", "parent": "same"})
    before = (staged(branch), members(branch))
    with preview_batch(branch, now=NOW) as made:
        counts = made.counts
    assert (staged(branch), members(branch)) == before
    assert _leftovers() == []
    batch = run_batch(branch)
    assert counts == {outcome: getattr(batch, outcome) for outcome in OUTCOMES}
    assert counts["superseded"] == counts["unchanged"] == 1


def test_rows_can_be_filtered_by_outcome_and_by_the_column_that_changes(branch: Entity) -> None:
    stage(branch, *ROWS)
    assert list(_changes(branch, outcome="unchanged")) == ["same"]
    assert list(_changes(branch, changed="city")) == ["old"]
    assert sorted(_changes(branch, changed="parent")) == ["new", "old"]
    assert list(_changes(branch, changed="parent", outcome="inserted")) == ["new"]
    assert _changes(branch, changed="rent") == {}
    assert _changes(branch, changed="code") == {}


def test_pages_follow_one_another(branch: Entity) -> None:
    stage(branch, *({"code": f"n{n}"} for n in range(5)))
    with preview_batch(branch, now=NOW) as made:
        seen, page = [], made.changes.read(limit=2)
        while page:
            seen += [change.code for change in page]
            page = made.changes.read(limit=2, after=page[-1].number)
    assert seen == [f"n{n}" for n in range(5)]


def test_only_one_tag(branch: Entity) -> None:
    stage(branch, {"code": "a", "batch_tag": "x"}, {"code": "b"})
    with preview_batch(branch, tag="x", now=NOW) as made:
        assert made.counts["inserted"] == 1


def test_what_a_batch_holds_is_previewed_alone(branch: Entity) -> None:
    Entity.objects.filter(pk=branch.pk).update(review="hold")
    branch.refresh_from_db()
    stage(branch, {"code": "a"})
    held = run_batch(branch)
    stage(branch, {"code": "b"})
    with preview_batch(branch, held_by=held, now=NOW) as made:
        assert [change.code for change in made.changes.read()] == ["a"]
    assert list(_changes(branch)) == ["b"]


def test_altered_tables_are_named(branch: Entity) -> None:
    execute("ALTER TABLE stg_branch RENAME COLUMN staff TO stuff")
    with pytest.raises(TableMismatch, match="staff is missing"), preview_batch(branch, now=NOW):
        pass


def test_a_kept_preview_can_be_read_later_from_any_connection(branch: Entity) -> None:
    stage(branch, *ROWS)
    with preview_batch(branch, now=NOW) as made:
        expected = made.changes.read()
    kept = keep_preview(branch, made_by="anna", now=NOW)
    connection.close()

    assert (kept.counts["updated"], kept.made_by) == (1, "anna")
    assert kept_changes(kept, NOW).read() == expected
    assert _leftovers() == [f"preview_{kept.token}"]


def test_kept_previews_expire_and_so_do_tables_without_a_record(branch: Entity) -> None:
    kept = keep_preview(branch, made_by="anna", now=NOW)
    execute(f"CREATE TABLE preview_{int(NOW.timestamp()):x}_dead (x int)")
    execute("CREATE TABLE preview_of_somebody (x int)")
    try:
        assert drop_old_previews(NOW + KEPT_FOR - timedelta(seconds=1)) == 0
        assert f"preview_{kept.token}" in _leftovers()
        assert drop_old_previews(NOW + KEPT_FOR) == 1
        assert _leftovers() == ["preview_of_somebody"]
        assert not KeptPreview.objects.exists()
    finally:
        execute("DROP TABLE preview_of_somebody")


def test_an_attribute_that_came_or_went_since_is_left_out(branch: Entity) -> None:
    stage(branch, *ROWS)
    kept = keep_preview(branch, made_by="anna", now=NOW)
    branch.attributes.filter(name="city").update(is_cancelled=True)
    changes = {change.code: change.before for change in kept_changes(kept, NOW).read()}
    assert "city" not in changes["old"]
    assert changes["old"]["region"] == "eu"


def test_a_preview_of_held_rows_is_made_anew_after_a_decision(branch: Entity) -> None:
    from staging.batches.shown.held import discard

    Entity.objects.filter(pk=branch.pk).update(review="hold")
    branch.refresh_from_db()
    stage(branch, {"code": "a"}, {"code": "b"})
    held = run_batch(branch)
    kept = keep_preview(branch, held_by=held, made_by="anna", now=NOW)
    assert fresh_preview(held, NOW) == kept
    discard(held, ids=[staged(branch)[-1]["id"]], comment="", by="anna", now=NOW + timedelta(seconds=1))
    assert fresh_preview(held, NOW + timedelta(seconds=2)) is None


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"code": "same", "new_code": "other"}, ("updated", {"code": "same"}, {"code": "other"}, False)),
        ({"code": "same", "import_action": 3}, ("deactivated", {"is_active": "true"}, {"is_active": "false"}, False)),
        ({"code": "same", "import_action": 6}, ("deleted", {"city": "Delft"}, {}, True)),
        ({"code": "gone"}, ("updated", {"is_active": "false"}, {"is_active": "true"}, False)),
        ({"code": "gone", "import_action": 2, "city": "Goes"}, ("updated", {"city": None}, {"city": "Goes"}, False)),
        ({"code": "gone", "import_action": 5}, ("unchanged", {}, {}, False)),
    ],
)
def test_what_each_action_would_do(branch: Entity, row: dict, expected: tuple) -> None:
    stage(branch, {"code": "gone"})
    run_batch(branch)
    execute("UPDATE mdm_branch SET is_active = %s WHERE code = 'gone'", [False])
    stage(branch, row)
    with preview_batch(branch, now=NOW) as made:
        (change,) = made.changes.read(outcome=expected[0])
    assert (change.outcome, change.before, change.after, change.clears) == expected


def test_only_renames_are_shown_when_asked_for_codes(branch: Entity) -> None:
    stage(branch, *ROWS, {"code": "same", "new_code": "other"})
    Entity.objects.update(duplicates="last_wins")
    branch.refresh_from_db()
    assert list(_changes(branch, changed="code")) == ["same"]


CODE = st.sampled_from(["a", "b", "c", None])
VALUE = st.sampled_from([None, "", "1", "2", "x", "~NULL~", "-98765432101234567890"])
ACTION = st.sampled_from([None, None, 0, 1, 2, 3, 4, 5, 6, 7])


@given(
    batches=st.lists(
        st.lists(
            st.fixed_dictionaries(
                {"code": CODE, "staff": VALUE, "parent": CODE, "new_code": CODE, "import_action": ACTION}
            ),
            max_size=6,
        ),
        min_size=1,
        max_size=3,
    )
)
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_staged_the_batch_does_what_the_preview_said(branch: Entity, batches: list[list[dict]]) -> None:
    execute("DELETE FROM stg_branch")
    execute("UPDATE mdm_branch SET parent = NULL")
    execute("DELETE FROM mdm_branch")
    for rows in batches:
        stage(branch, *rows)
        before = members(branch)
        with preview_batch(branch, now=NOW) as made:
            counts, changes = made.counts, [c for c in made.changes.read() if c.outcome != "rejected"]
        batch = process(open_batch(branch, now=NOW), fence=NoFence(), now=NOW)
        assert counts == {outcome: getattr(batch, outcome) for outcome in OUTCOMES}
        _compare(before, members(branch), changes)


def _compare(before: dict[str, dict], after: dict[str, dict], changes: list[ForeseenChange]) -> None:
    """Assert that each change came true, and that nothing else changed but references that were cleared or renamed."""
    ids = {member["id"]: code for code, member in before.items()}
    named = {change.code for change in changes}
    for code, member in after.items():
        if ids.get(member["id"]) not in named and code not in named:
            assert _plain(member) == _plain(before[code])
    for change in changes:
        if change.outcome == "deleted":
            assert change.code not in after
        elif change.outcome == "deactivated":
            assert not after[change.code]["is_active"]
        else:
            member = after[change.after.get("code") or str(change.code)]
            if "staff" in change.after:
                assert change.after["staff"] == (None if member["staff"] is None else str(member["staff"]))
            assert change.after.get("is_active", "true") == "true"


def _plain(member: dict) -> dict:
    hidden = ("id", "parent", "updated_at", "updated_batch_id", "created_at", "created_batch_id")
    return {name: value for name, value in member.items() if name not in hidden}


def _leftovers() -> list[str]:
    if connection.vendor == "sqlite":
        query = "SELECT name FROM sqlite_master WHERE type = 'table' UNION SELECT name FROM sqlite_temp_master"
    else:
        query = "SELECT relname FROM pg_class WHERE relkind = 'r'"
    return sorted(row[0] for row in fetch(query) if row[0].startswith(("preview_", "work_preview_")))
