"""References: by code, to members of the same batch, to themselves, in circles, and what a rejection drags along."""

import pytest

from staging.models import Entity
from tests.staging.batches.bench import (
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


@pytest.fixture
def part() -> Entity:
    """Return an entity whose members refer to one another in two ways."""
    Entity.objects.create(code="part", name="Part")
    entity = Entity.objects.get(code="part")
    entity.attributes.create(name="parent", data_type="reference", reference=entity)
    entity.attributes.create(name="spare", data_type="reference", reference=entity)
    entity.attributes.create(name="kind", data_type="text", max_length=3)
    from staging.tables.create import create_tables

    create_tables(entity)
    return entity


def test_a_reference_names_an_active_member_by_its_code() -> None:
    place = define("place")
    stage(place, {"code": "here"}, {"code": "closed"})
    run_batch(place)
    execute("UPDATE mdm_place SET is_active = %s WHERE code = 'closed'", [False])
    entity = define("thing", reference("place", "place"), reference("other", "place"))
    stage(
        entity,
        {"code": "a", "place": " here ", "other": "here"},
        {"code": "b", "place": "closed"},
        {"code": "c", "place": "HERE", "other": "nowhere"},
        {"code": "d"},
    )

    run_batch(entity)

    assert errors(entity) == {"a": 0, "b": 32, "c": 32, "d": 0}
    assert (members(entity)["a"]["place"], members(entity)["d"]["place"]) == ("here", None)
    assert staged(entity)[2]["error_message"].count("is not an active member of Place.") == 2


def test_chains_circles_and_members_of_themselves_are_born_together(part: Entity, chunks: int) -> None:
    stage(
        part,
        {"code": "leaf", "parent": "middle"},
        {"code": "middle", "parent": "root", "spare": "leaf"},
        {"code": "root"},
        {"code": "self", "parent": "self"},
        {"code": "x", "parent": "y"},
        {"code": "y", "parent": "x", "spare": "self"},
    )

    batch = run_batch(part)

    assert counts(batch) == {"inserted": 6}
    found = members(part)
    assert {code: (row["parent"], row["spare"]) for code, row in found.items()} == {
        "leaf": ("middle", None),
        "middle": ("root", "leaf"),
        "root": (None, None),
        "self": ("self", None),
        "x": ("y", None),
        "y": ("x", "self"),
    }
    assert all(row["is_active"] for row in found.values())


def test_a_rejected_row_drags_along_those_that_need_it(part: Entity, chunks: int) -> None:
    stage(
        part,
        {"code": "bad", "kind": "long"},
        {"code": "child", "parent": "bad"},
        {"code": "grandchild", "spare": "child"},
        {"code": "both", "parent": "bad", "kind": "long"},
        {"code": "x", "parent": "y"},
        {"code": "y", "parent": "x", "spare": "grandchild"},
        {"code": "free"},
        {"code": "lost", "parent": "nowhere"},
        {"code": "self", "parent": "self", "kind": "long"},
    )

    run_batch(part)

    assert errors(part) == {
        "bad": 16,
        "child": 16384,
        "grandchild": 16384,
        "both": 16 + 16384,
        "x": 16384,
        "y": 16384,
        "free": 0,
        "lost": 32,
        "self": 16,
    }
    assert staged(part)[1]["error_message"] == "parent: 'bad' is a row of this batch that was rejected."
    assert set(members(part)) == {"free"}


def test_a_member_that_is_active_already_stays_a_good_reference_when_its_row_is_rejected(part: Entity) -> None:
    stage(part, {"code": "old"})
    run_batch(part)
    stage(part, {"code": "old", "kind": "long"}, {"code": "new", "parent": "old"})

    run_batch(part)

    assert [row["error_code"] for row in staged(part)] == [0, 16, 0]
    assert members(part)["new"]["parent"] == "old"


def test_an_inactive_member_that_the_batch_brings_back_is_a_good_reference(part: Entity, chunks: int) -> None:
    stage(part, {"code": "old"}, {"code": "user", "parent": "old"})
    run_batch(part)
    execute("UPDATE mdm_part SET is_active = %s WHERE code = 'old'", [False])
    stage(part, {"code": "new", "parent": "old"}, {"code": "user", "parent": "old"}, {"code": "old"})

    assert counts(run_batch(part)) == {"inserted": 1, "unchanged": 1, "updated": 1}
    assert members(part)["new"]["parent"] == "old"


def test_members_that_exist_may_move_below_new_ones(part: Entity, chunks: int) -> None:
    stage(part, {"code": "a"}, {"code": "b", "parent": "a"})
    run_batch(part)
    stage(part, {"code": "a", "parent": "new"}, {"code": "new", "parent": "b"})

    assert counts(run_batch(part)) == {"updated": 1, "inserted": 1}
    assert (members(part)["a"]["parent"], members(part)["new"]["parent"]) == ("new", "b")


def test_a_chain_of_thousands_falls_with_its_root(part: Entity) -> None:
    stage(part, {"code": "p0", "kind": "long"}, *({"code": f"p{n}", "parent": f"p{n - 1}"} for n in range(1, 2000)))

    assert counts(run_batch(part)) == {"rejected": 2000}


def test_a_chain_of_thousands_is_born_together(part: Entity) -> None:
    stage(part, *({"code": f"p{n}", "parent": f"p{n + 1}"} for n in range(1999)), {"code": "p1999"})

    assert counts(run_batch(part)) == {"inserted": 2000}
    assert members(part)["p7"]["parent"] == "p8"


def test_a_required_reference_may_be_filled_by_the_same_batch() -> None:
    entity = Entity.objects.create(code="team", name="Team")
    entity.attributes.create(name="lead", data_type="reference", reference=entity, required=True)
    from staging.tables.create import create_tables

    create_tables(entity)
    stage(entity, {"code": "a", "lead": "b"}, {"code": "b", "lead": "b"}, {"code": "c"}, {"code": "d", "lead": "c"})

    run_batch(entity)

    assert errors(entity) == {"a": 0, "b": 0, "c": 4, "d": 16384}


def test_a_cleared_reference_is_no_reference_even_when_a_code_looks_like_the_sentinel(part: Entity) -> None:
    stage(part, {"code": "a", "parent": "~NULL~"}, {"code": "~NULL~"}, {"code": "b", "parent": "a"})
    run_batch(part)
    stage(part, {"code": "b", "parent": "~NULL~"})
    run_batch(part)

    assert members(part)["a"]["parent"] is None
    assert members(part)["b"]["parent"] is None


def test_texts_of_other_columns_do_not_disturb() -> None:
    place = define("place", text("action"), text("row_id"), text("code_x"), text("changes"), text("seq"))
    stage(place, {"code": "a", "action": "1", "row_id": "2", "code_x": "3", "changes": "4", "seq": "5"})

    assert counts(run_batch(place)) == {"inserted": 1}
    assert members(place)["a"]["row_id"] == "2"
