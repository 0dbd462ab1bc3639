"""Unique values are judged against the state after the batch: chains, swaps and freed values pass."""

from typing import Any

import pytest

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import open_batch
from staging.models import BusinessRule, Entity
from staging.tables.alter import sync_tables
from tests.staging.batches.bench import (
    LATER,
    NOW,
    counts,
    define,
    errors,
    execute,
    members,
    reference,
    run_batch,
    stage,
    staged,
    text,
)

pytestmark = pytest.mark.django_db
TAKEN = 4096


def _thing(*stored: tuple[str, str], **rules: Any) -> Entity:
    """Return an entity whose mails are unique, with these members."""
    entity = define("thing", text("mail", unique=True, **rules), text("kind", max_length=3), keep_history=True)
    stage(entity, *({"code": code, "mail": mail} for code, mail in stored))
    run_batch(entity)
    execute("DELETE FROM stg_thing")
    return entity


def _mails(entity: Entity) -> dict[str, str | None]:
    return {code: row["mail"] for code, row in members(entity).items()}


def _deliver(entity: Entity, *rows: dict[str, Any]) -> dict[str, int]:
    """Stage and process rows; return the errors of those that have any."""
    stage(entity, *rows)
    assert run_batch(entity).status == "completed"
    return {str(code): error for code, error in errors(entity).items() if error}


@pytest.mark.parametrize("chunk", [1, 2, 1000])
@pytest.mark.parametrize(
    ("rows", "after"),
    [
        pytest.param([("1", "b"), ("2", "c")], {"1": "b", "2": "c"}, id="chain"),
        pytest.param([("2", "c"), ("1", "b")], {"1": "b", "2": "c"}, id="chain from its end"),
        pytest.param([("1", "b"), ("2", "a")], {"1": "b", "2": "a"}, id="swap"),
        pytest.param([("2", "~NULL~"), ("3", "b")], {"1": "a", "2": None, "3": "b"}, id="cleared, then inserted"),
        pytest.param([("3", "a"), ("1", "b"), ("2", "x")], {"1": "b", "2": "x", "3": "a"}, id="chain to a new member"),
    ],
)
def test_values_that_the_batch_frees_are_free(
    rows: list[tuple[str, str]], after: dict[str, str | None], chunk: int, settings: Any
) -> None:
    settings.MERGE_CHUNK_ROWS = chunk
    thing = _thing(("1", "a"), ("2", "b"))
    before = _mails(thing)

    assert _deliver(thing, *({"code": code, "mail": mail} for code, mail in rows)) == {}
    assert _mails(thing) == after

    done = thing.batches.order_by("-pk").first()
    assert done is not None
    undone = process(open_batch(thing, undoes_id=done.pk, now=LATER), fence=NoFence(), now=LATER)
    assert (undone.status, _mails(thing)) == ("completed", before)


def test_a_rejected_row_takes_no_value() -> None:
    thing = _thing()
    assert _deliver(thing, {"code": "8", "mail": "q", "kind": "long"}, {"code": "9", "mail": "q"}) == {"8": 16 | TAKEN}
    assert _mails(thing) == {"9": "q"}


def test_rejected_rows_do_not_blame_each_other() -> None:
    thing = _thing()
    rows = [{"code": "8", "mail": "q", "kind": "long"}, {"code": "9", "mail": "q", "kind": "long"}]
    assert _deliver(thing, *rows) == {"8": 16, "9": 16}


def test_copies_of_a_code_are_told_that_they_are_copies_and_nothing_else() -> None:
    thing = _thing()
    stage(thing, {"code": "c", "mail": "m", "kind": "1"}, {"code": "c", "mail": "m", "kind": "2"})
    run_batch(thing)
    assert [row["error_code"] for row in staged(thing)] == [2, 2]


def test_a_member_that_keeps_its_value_because_its_row_is_rejected_keeps_it_from_all_others() -> None:
    thing = _thing(("1", "a"), ("2", "b"), ("3", "c"))
    rows = [{"code": "1", "mail": "b"}, {"code": "2", "mail": "c"}, {"code": "3", "mail": "d", "kind": "long"}]
    assert _deliver(thing, *rows) == {"1": TAKEN, "2": TAKEN, "3": 16}
    assert _mails(thing) == {"1": "a", "2": "b", "3": "c"}


def test_a_row_that_restates_its_own_value_never_loses_it() -> None:
    thing = _thing(("1", "a"))
    assert _deliver(thing, {"code": "1", "mail": "a", "kind": "x"}, {"code": "2", "mail": "a"}) == {"2": TAKEN}
    assert members(thing)["1"]["kind"] == "x"
    assert staged(thing)[1]["error_message"] == "mail: 'a' is taken by another member or row."


def test_rows_that_bring_the_same_freed_value_both_lose() -> None:
    thing = _thing(("1", "a"))
    rows = [{"code": "1", "mail": "z"}, {"code": "2", "mail": "a"}, {"code": "3", "mail": "a"}]
    assert _deliver(thing, *rows) == {"2": TAKEN, "3": TAKEN}
    assert _mails(thing) == {"1": "z"}


@pytest.mark.parametrize("mode", ["keep_existing", "fill_when_empty"])
def test_a_value_that_the_mode_does_not_take_takes_nothing(mode: str) -> None:
    thing = _thing(("1", "a"), ("2", "b"), merge_mode=mode)
    assert _deliver(thing, {"code": "1", "mail": "b"}, {"code": "2", "mail": "x"}, {"code": "3", "mail": "x"}) == {}
    assert _mails(thing) == {"1": "a", "2": "b", "3": "x"}


def test_a_skipped_field_keeps_its_old_value_from_all_others() -> None:
    thing = _thing(("1", "a"), ("2", "b"), ("3", "c"), on_error="skip_field")
    assert _deliver(thing, {"code": "1", "mail": "b"}, {"code": "2", "mail": "c"}, {"code": "4", "mail": "a"}) == {}
    assert _mails(thing) == {"1": "a", "2": "b", "3": "c", "4": None}


def test_a_rule_that_rejects_a_row_leaves_its_value_to_others() -> None:
    thing = _thing()
    rule = BusinessRule.objects.create(entity=thing, name="kind")
    rule.lines.create(attribute="kind", comparison="not_equals", value="x")
    assert _deliver(thing, {"code": "1", "mail": "m", "kind": "x"}, {"code": "2", "mail": "m"}) == {"1": 8192 | TAKEN}


@pytest.mark.parametrize("chunk", [1, 1000])
def test_values_pass_on_beside_new_members_that_wait_for_one_another_and_renames(chunk: int, settings: Any) -> None:
    settings.MERGE_CHUNK_ROWS = chunk
    thing = define("thing", text("mail", unique=True))
    thing.attributes.create(name="boss", data_type="reference", reference=thing)
    thing.attributes.create(name="deputy", data_type="reference", reference=thing, unique=True)
    sync_tables(thing)
    stage(thing, {"code": "1", "mail": "a", "deputy": "2"}, {"code": "2", "mail": "b", "deputy": "1"})
    run_batch(thing)
    execute("DELETE FROM stg_thing")

    found = _deliver(
        thing,
        {"code": "1", "mail": "b", "deputy": "1", "boss": "5", "new_code": "one"},
        {"code": "2", "mail": "c", "deputy": "2", "boss": "4"},
        {"code": "4", "mail": "a", "boss": "5", "deputy": "5"},
        {"code": "5", "boss": "4"},
    )

    assert found == {}
    assert {code: (row["mail"], row["boss"], row["deputy"]) for code, row in members(thing).items()} == {
        "one": ("b", "5", "one"), "2": ("c", "4", "2"), "4": ("a", "5", "5"), "5": (None, "4", None),
    }  # fmt: skip
    assert all(row["is_active"] for row in members(thing).values())


def test_a_long_chain_is_one_transaction_of_few_statements(django_assert_max_num_queries: Any) -> None:
    thing = _thing(*((str(n), f"m{n}") for n in range(300)))
    stage(thing, *({"code": str(n), "mail": f"m{n + 1}"} for n in range(300)))
    batch = open_batch(thing, now=NOW)
    with django_assert_max_num_queries(150):
        batch = process(batch, fence=NoFence(), now=NOW)
    assert counts(batch) == {"updated": 300}


def test_a_reference_that_only_one_may_have_passes_on() -> None:
    team = define("team")
    lead = define("lead", reference("team", "team", unique=True))
    stage(team, {"code": "x"}, {"code": "y"})
    run_batch(team)
    stage(lead, {"code": "1", "team": "x"}, {"code": "2", "team": "y"})
    run_batch(lead)
    execute("DELETE FROM stg_lead")
    assert _deliver(lead, {"code": "1", "team": "y"}, {"code": "2", "team": "x"}) == {}
    assert {code: row["team"] for code, row in members(lead).items()} == {"1": "y", "2": "x"}
