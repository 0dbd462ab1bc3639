"""New codes: what may be taken, chains and swaps, and references by codes that come with a rename."""

import pytest

from staging.models import Entity
from staging.tables.create import create_tables
from tests.staging.batches.bench import LATER, counts, define, errors, execute, members, run_batch, stage, staged, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def part() -> Entity:
    """Return an entity with members a, b, c and an inactive one."""
    entity = Entity.objects.create(code="part", name="Part")
    entity.attributes.create(name="parent", data_type="reference", reference=entity)
    entity.attributes.create(name="kind", data_type="text", max_length=3)
    create_tables(entity)
    stage(entity, *({"code": code, "kind": code} for code in ("a", "b", "c", "off")))
    run_batch(entity)
    execute("UPDATE mdm_part SET is_active = %s WHERE code = 'off'", [False])
    execute("DELETE FROM stg_part")
    return entity


def kinds(entity: Entity) -> dict[str, str]:
    """Return the kinds by code: at first the kind is the code, so that it tells who is who."""
    return {code: row["kind"] for code, row in members(entity).items()}


def rename(entity: Entity, *pairs: str) -> None:
    """Stage renames written `old>new`."""
    stage(entity, *({"code": old, "new_code": new} for old, new in (pair.split(">") for pair in pairs)))


def test_a_rename_keeps_the_member_and_merges_its_values(part: Entity) -> None:
    before = members(part)["a"]
    stage(part, {"code": "a", "new_code": " z ", "kind": "k"}, {"code": "b", "new_code": "y"})
    stage(part, {"code": "c", "new_code": "c"}, {"code": "off", "new_code": "on", "import_action": 2})

    batch = run_batch(part, now=LATER)

    assert counts(batch) == {"updated": 3, "unchanged": 1}
    assert kinds(part) == {"z": "k", "y": "b", "c": "c", "on": "off"}
    after = members(part)["z"]
    assert (after["id"], after["updated_batch_id"]) == (before["id"], batch.pk)
    assert not members(part)["on"]["is_active"]


@pytest.mark.parametrize("action", [1, 3, 4, 5, 6])
def test_other_actions_do_not_read_the_new_code(part: Entity, action: int) -> None:
    stage(part, {"code": "a", "new_code": "z", "import_action": action})

    run_batch(part)

    assert "z" not in members(part)


@pytest.mark.parametrize("swap", [("a>b", "b>a"), ("a>b", "b>c", "c>a"), ("a>b", "b>c", "c>d"), ("c>d", "b>c", "a>b")])
def test_chains_and_swaps(part: Entity, swap: tuple[str, ...], chunks: int) -> None:
    rename(part, *swap)

    assert counts(run_batch(part)) == {"updated": len(swap)}

    moved = dict(pair.split(">") for pair in swap)
    assert kinds(part) == {moved.get(code, code): code for code in ("a", "b", "c", "off")}


def test_a_code_that_stays_or_comes_otherwise_is_taken(part: Entity) -> None:
    rename(part, "a>c", "b>off", "off>new")
    stage(part, {"code": "new"})

    run_batch(part)

    assert errors(part) == {"a": 512, "b": 512, "off": 512, "new": 0}
    assert staged(part)[0]["error_message"] == "new_code: 'c' is the code of another member."
    assert staged(part)[2]["error_message"] == "new_code: 'new' is wanted by another row of the batch."


def test_two_that_want_one_code_both_lose(part: Entity) -> None:
    rename(part, "a>z", "b>z")

    run_batch(part)

    assert errors(part) == {"a": 512, "b": 512}


def test_a_chain_falls_with_its_last_link(part: Entity) -> None:
    rename(part, "a>b", "b>c")
    stage(part, {"code": "c", "new_code": "d", "kind": "long"}, {"code": "child", "parent": "d"})
    stage(part, {"code": "grandchild", "parent": "child"})

    run_batch(part)

    assert errors(part) == {"a": 512, "b": 512, "c": 16, "child": 16384, "grandchild": 16384}
    assert kinds(part) == {"a": "a", "b": "b", "c": "c", "off": "off"}


def test_a_code_that_does_not_exist_is_not_renamed_and_not_created(part: Entity) -> None:
    rename(part, "nobody>z")

    run_batch(part)

    assert errors(part) == {"nobody": 128}
    assert set(members(part)) == {"a", "b", "c", "off"}


def test_a_deleted_member_frees_its_code_for_the_next_batch_only(part: Entity) -> None:
    stage(part, {"code": "a", "import_action": 4})
    rename(part, "b>a")
    run_batch(part)
    assert errors(part) == {"a": 0, "b": 512}

    execute("DELETE FROM stg_part")
    rename(part, "b>a")
    assert counts(run_batch(part)) == {"updated": 1}


def test_references_name_codes_from_before_the_batch_or_such_that_come_with_it(part: Entity, chunks: int) -> None:
    rename(part, "a>b", "b>z")
    stage(part, {"code": "old", "parent": "a"}, {"code": "both", "parent": "b"}, {"code": "new", "parent": "z"})
    stage(part, {"code": "c", "parent": "z", "new_code": "y"}, {"code": "wait", "parent": "self"}, {"code": "self"})

    assert set(errors(part)) == {"a", "b", "old", "both", "new", "c", "wait", "self"}
    run_batch(part)

    assert set(errors(part).values()) == {0}
    found = members(part)
    who = {code: found[row["parent"]]["kind"] for code, row in found.items() if row["parent"]}
    assert who == {"old": "a", "both": "b", "new": "b", "y": "b", "wait": None}


def test_a_rename_that_refers_to_a_new_member_waits_for_it(part: Entity, chunks: int) -> None:
    stage(part, {"code": "a", "new_code": "z", "parent": "new"}, {"code": "new", "parent": "z"})

    assert counts(run_batch(part)) == {"updated": 1, "inserted": 1}
    assert members(part)["z"]["parent"] == "new"
    assert members(part)["new"]["parent"] == "z"


def test_a_reference_to_an_inactive_member_that_only_gets_a_new_code_is_not_found(part: Entity) -> None:
    stage(part, {"code": "off", "new_code": "on", "import_action": 2}, {"code": "x", "parent": "on"})
    run_batch(part)
    assert errors(part) == {"off": 0, "x": 32}


def test_a_row_may_refer_to_its_own_new_code_if_it_brings_it(part: Entity) -> None:
    stage(part, {"code": "a", "new_code": "z", "parent": "z"}, {"code": "b", "new_code": "b", "parent": "b"})
    stage(part, {"code": "off", "new_code": "c", "parent": "c", "import_action": 2}, {"code": "c", "kind": "long"})
    execute("UPDATE mdm_part SET is_active = %s WHERE code = 'c'", [False])
    run_batch(part)

    assert errors(part) == {"a": 0, "b": 0, "off": 512 + 16384, "c": 16}
    assert members(part)["z"]["parent"] == "z"


def test_an_inactive_member_may_come_back_under_a_new_code(part: Entity) -> None:
    rename(part, "off>on")
    stage(part, {"code": "x", "parent": "on"})
    run_batch(part)

    assert errors(part) == {"off": 0, "x": 0}
    assert members(part)["on"]["is_active"]


def test_only_the_row_that_counts_renames(part: Entity) -> None:
    part.duplicates = "last_wins"
    part.save()
    rename(part, "a>lost", "a>won", "b>lost2", "c>lost2")
    stage(part, {"code": "b"}, {"code": "x", "parent": "lost"}, {"code": "y", "parent": "won"})
    stage(part, {"code": "z", "parent": "lost2"})

    run_batch(part)

    found = {(row["code"], row["new_code"]): row["error_code"] for row in staged(part)}
    assert found[("x", None)] == 32 and found[("y", None)] == 0 and found[("z", None)] == 0
    assert kinds(part)["won"] == "a" and kinds(part)["lost2"] == "c"
    assert members(part)["z"]["parent"] == "lost2"


def test_a_new_code_must_be_a_code(part: Entity) -> None:
    stage(part, {"code": "a", "new_code": "x" * 501}, {"code": "b", "new_code": "y" * 500})

    run_batch(part)

    assert errors(part) == {"a": 16, "b": 0}


def test_thousands_of_codes_move_on_by_one() -> None:
    entity = define("thing", text("kind"))
    stage(entity, *({"code": f"c{n}", "kind": str(n)} for n in range(1000)))
    run_batch(entity)
    execute("DELETE FROM stg_thing")
    rename(entity, *(f"c{n}>c{n + 1}" for n in range(1000)))

    assert counts(run_batch(entity)) == {"updated": 1000}
    assert kinds(entity) == {f"c{n + 1}": str(n) for n in range(1000)}
