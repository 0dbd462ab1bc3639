"""Scenes in which the model and the pipeline once said different things, each by the name of what it was about."""

from collections.abc import Callable
from typing import Any

from tests.staging.specification.random_worlds import NUMBER, SENTINEL, Scene, kinds, part_rules
from tests.staging.specification.world import Kind, Member, World


def scene(part: Kind, members: dict[str, dict[str, Any]], *deliveries: list[dict[str, Any]]) -> Scene:
    """Return a world with these parts, whose references are written as codes, and the deliveries to it.

    A member is active unless it says `active: False`.
    """
    places = {code: Member(code, code != "closed") for code in ("here", "there", "closed")}
    parts = {code: Member(code, values.get("active", True)) for code, values in members.items()}
    for code, values in members.items():
        for rule in part.fields:
            known = {"part": parts, "place": places}.get(rule.target, {})
            parts[code].values[rule.name] = known.get(values.get(rule.name), values.get(rule.name))
    world = World(kinds(part), {"place": list(places.values()), "part": list(parts.values()), "use": []})
    return Scene(world, list(deliveries))


def a_rejected_row_names_a_member_that_goes() -> Scene:
    """Row `a` cannot be renamed, and its twin goes: what another member has of that twin is nobody's matter."""
    rules = part_rules(
        sort={"mode": "keep_when_blank", "required": True, "skips": True},
        n={"mode": "overwrite", "skips": True},
        mail={"mode": "fill_when_empty", "required": True},
        parent={"mode": "reject_change", "skips": True},
        spare={"mode": "keep_when_blank"},
        twin={"mode": "fill_when_empty"},
        place={"mode": "keep_existing"},
    )
    members = {
        "b": {"name": "N", "sort": "k", "mail": "m1", "twin": "c", "spare": "b", "place": "there"},
        "c": {"active": False, "sort": "k", "n": 1, "twin": "b", "parent": "c"},
    }
    rows: list[dict[str, Any]] = [
        {"code": "d", "import_action": 1, "parent": "nowhere", "spare": "g", "sort": " k", "n": NUMBER},
        {"code": "a", "n": "", "sort": "", "new_code": "g", "parent": "e", "mail": SENTINEL, "twin": "b", "name": " "},
        {"code": "b", "import_action": 5, "sort": SENTINEL, "twin": "b", "parent": "g", "mail": "m2", "name": "N"},
        {"code": "d", "spare": "b", "place": "nowhere", "new_code": "d", "parent": "a", "import_action": 0,
         "sort": "k", "name": SENTINEL, "n": "1"},
        {"code": "a", "name": " ", "sort": "long", "place": "closed"},
    ]  # fmt: skip
    return scene(Kind("part", rules, duplicates="first_wins"), members, rows)


def _a_code_comes_with_superseded_rows_only(**rule: Any) -> Scene:
    """Of `g` and `h` the first rows count, and bring no active member; what the others would bring is not there."""
    members = {"g": {"active": False}, "a": {"twin": "g", "parent": "a"}, "b": {}, "c": {"active": False}}
    row = {"parent": "g", "spare": "h", "twin": "g", "sort": "k"}
    rows = [
        {"code": "g", "import_action": 2},
        {"code": "g"},
        {"code": "h", "import_action": 2},
        {"code": "h"},
        {"code": "a", **row},
        {"code": "b", **row, "sort": "long"},
        {"code": "d", **row, "sort": "long"},
        {"code": "c", "import_action": 3, "new_code": "i"},
        {"code": "c", "new_code": "i"},
        {"code": "e", "parent": "i", "spare": "c", "sort": "long"},
    ]
    rules = part_rules(parent=rule, spare=rule, twin=rule)
    return scene(Kind("part", rules, duplicates="first_wins"), members, rows)


def a_row_that_only_inserts_has_no_new_code() -> Scene:
    """`a` is inserted and means itself; the row that would call `b` so is refused."""
    rows = [
        {"code": "a", "import_action": 1, "new_code": "f", "spare": "a"},
        {"code": "b", "new_code": "a"},
    ]
    return scene(Kind("part", part_rules()), {"b": {}}, rows)


def a_rejected_rename_names_the_new_code_of_another() -> Scene:
    """`a` is what `b` is called from now on; a row that would rename an `a`, of which there is none, brings no `a`."""
    rows = [{"code": "b", "new_code": "a"}, {"code": "a", "new_code": "f"}, {"code": "f", "sort": "k", "parent": "a"}]
    return scene(Kind("part", part_rules()), {"b": {}}, rows)


def a_rejected_row_names_the_code_of_a_rejected_rename() -> Scene:
    """Nobody is called `f` after the batch, so that `d` has itself as twin already is no rival of `e`."""
    rows = [{"code": "e", "twin": "f"}, {"code": "f", "new_code": "a"}, {"code": "d", "new_code": "f", "twin": "b"}]
    return scene(Kind("part", part_rules()), {"d": {"twin": "d"}}, rows)


def a_rejected_row_names_a_new_code_that_several_want() -> Scene:
    """None of them gets it, so it names nobody, and nobody is a rival because of it."""
    rows = [{"code": "c", "new_code": "f"}, {"code": "d", "new_code": "f"}, {"code": "a", "twin": "f"}]
    return scene(Kind("part", part_rules()), {"b": {"twin": "c"}, "c": {}, "d": {"active": False}}, rows)


def a_rejected_row_has_rivals_in_two_values_of_which_one_is_skipped() -> Scene:
    """It is told of both, and that the one it skips is required."""
    rules = part_rules(twin={"required": True, "skips": True})
    members = {"a": {"active": False, "mail": "m2"}, "b": {"twin": "b"}}
    return scene(Kind("part", rules), members, [{"code": "c", "twin": "b", "mail": "m2", "spare": "d"}])


def protected_references_to_codes_of_superseded_rows() -> Scene:
    """They cannot be found, so they are not compared with what is stored."""
    return _a_code_comes_with_superseded_rows_only(mode="reject_change")


def required_references_to_codes_of_superseded_rows() -> Scene:
    """They cannot be found, and that they would not be taken is not told besides."""
    return _a_code_comes_with_superseded_rows_only(mode="keep_existing", required=True)


def unique_references_to_codes_of_superseded_rows() -> Scene:
    """They cannot be found, so it does not matter who holds them."""
    return _a_code_comes_with_superseded_rows_only()


def a_protected_reference_to_the_new_code_of_what_is_stored() -> Scene:
    """Two rows would bring `x`, and the one that counts renames the stored parent: that is no change."""
    members = {"c": {"parent": "b"}, "b": {}, "d": {"parent": "a"}, "a": {}}
    rows = [
        {"code": "a", "new_code": "x"},
        {"code": "a", "new_code": "y"},
        {"code": "b", "new_code": "x"},
        {"code": "c", "parent": "x"},
        {"code": "d", "parent": "x", "twin": "x"},
    ]
    return scene(Kind("part", part_rules(parent={"mode": "reject_change"}), duplicates="last_wins"), members, rows)


def a_rejected_row_means_itself_by_a_new_code_that_others_bring() -> Scene:
    """It refers to its own member, so the inactive member that has the code, and itself as twin, is no rival."""
    members = {"a": {"active": False, "twin": "a"}, "d": {}}
    rows = [
        {"code": "d", "import_action": 2, "new_code": "a", "twin": "a", "n": "x"},
        {"code": "a", "n": "1"},
        {"code": "a"},
    ]
    return scene(Kind("part", part_rules(), duplicates="reject_all"), members, rows)


def a_row_means_itself_by_a_new_code_that_nobody_has() -> Scene:
    """Row `e` would bring the code and cannot; `b` gets it, and is its own parent."""
    rows = [{"code": "e", "new_code": "f"}, {"code": "b", "new_code": "e", "parent": "e", "twin": "e"}]
    return scene(Kind("part", part_rules()), {"b": {"active": False}, "c": {"twin": "b"}}, rows)


def a_rejected_row_means_itself_where_its_mode_takes_nothing() -> Scene:
    """What may not change is not brought, so it does not matter that another member has it."""
    rows = [{"code": "c", "import_action": 2, "new_code": "a", "twin": "a"}, {"code": "a", "new_code": "d"}]
    rules = part_rules(twin={"mode": "reject_change"})
    return scene(Kind("part", rules), {"b": {"twin": "c"}, "c": {}, "d": {"active": False}}, rows)


def a_row_has_a_rival_in_what_it_means_by_its_new_code() -> Scene:
    """What `b` calls `e`, and `c` calls `b`, is one member; it can be the twin of one of them."""
    rows = [
        {"code": "e", "new_code": "f"},
        {"code": "b", "new_code": "e", "twin": "e"},
        {"code": "c", "twin": "b"},
    ]
    return scene(Kind("part", part_rules()), {"b": {}, "c": {}}, rows)


def a_row_without_a_member_cannot_mean_itself_by_its_new_code() -> Scene:
    """What `f` means is another row's member; that a third is its twin is told to both rows that refer to it."""
    rows = [
        {"code": "a", "twin": "f", "n": "x"},
        {"code": "b", "new_code": "f"},
        {"code": "e", "new_code": "f", "twin": "f"},
    ]
    return scene(Kind("part", part_rules()), {"a": {}, "b": {}, "c": {"twin": "b"}}, rows)


def a_rejected_row_skips_a_newcomer_whom_it_shares() -> Scene:
    """It is told that its twin is taken, and that one is required."""
    rows = [{"code": "d", "n": "1", "twin": "a", "place": "nowhere"}, {"code": "a", "n": "2", "twin": "a"}]
    rules = part_rules(twin={"required": True, "skips": True, "mode": "reject_change"}, place={"mode": "reject_change"})
    members = {"b": {}, "c": {"active": False}}
    return scene(Kind("part", rules, duplicates="first_wins"), members, rows)


PINNED: dict[str, Callable[[], Scene]] = {
    function.__name__: function
    for function in (
        a_rejected_row_names_a_member_that_goes,
        protected_references_to_codes_of_superseded_rows,
        required_references_to_codes_of_superseded_rows,
        unique_references_to_codes_of_superseded_rows,
        a_protected_reference_to_the_new_code_of_what_is_stored,
        a_rejected_row_means_itself_by_a_new_code_that_others_bring,
        a_row_means_itself_by_a_new_code_that_nobody_has,
        a_row_has_a_rival_in_what_it_means_by_its_new_code,
        a_rejected_row_means_itself_where_its_mode_takes_nothing,
        a_row_without_a_member_cannot_mean_itself_by_its_new_code,
        a_rejected_row_skips_a_newcomer_whom_it_shares,
        a_row_that_only_inserts_has_no_new_code,
        a_rejected_rename_names_the_new_code_of_another,
        a_rejected_row_names_the_code_of_a_rejected_rename,
        a_rejected_row_names_a_new_code_that_several_want,
        a_rejected_row_has_rivals_in_two_values_of_which_one_is_skipped,
    )
}
