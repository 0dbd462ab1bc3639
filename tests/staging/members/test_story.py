"""The history of a member tells every change, each value before and after, and survives the member."""

from decimal import Decimal

from staging.members.story import member_changes
from staging.models import Entity
from tests.staging.batches.bench import LATER, execute, members, run_batch, stage
from tests.staging.batches.undo.test_undo import undo


def test_each_change_tells_what_differs(site: Entity) -> None:
    stage(
        site,
        {"code": "a", "name": "Omega", "area": "s", "decimal": "-98765432101234567890"},
        {"code": "b", "note": "Plain"},
    )
    run_batch(site, now=LATER)
    found = members(site)
    changes = member_changes(site, found["a"]["id"])
    assert [change.words for change in changes] == ["updated", "inserted"]
    assert {d.column: (d.before, d.after) for d in changes[0].differences} == {
        "name": ("Alpha", "Omega"),
        "area": ("n", "s"),
        "decimal": (Decimal("9.5"), None),
    }
    born = {d.column: (d.before, d.after) for d in changes[1].differences}
    assert born["name"] == (None, "Alpha") and born["area"] == (None, "n") and "is_active" in born
    assert changes[0].changed_at == LATER
    assert len(member_changes(site, found["b"]["id"])) == 1


def test_pages_go_back_without_losing_what_came_after(site: Entity) -> None:
    for name in ("B", "C", "D"):
        stage(site, {"code": "a", "name": name})
        run_batch(site)
    member = members(site)["a"]["id"]
    first = member_changes(site, member, size=2)
    rest = member_changes(site, member, size=2, before_id=first[-1].id)
    assert [(c.differences[0].before, c.differences[0].after) for c in first] == [("C", "D"), ("B", "C")]
    assert [d.after for d in rest[0].differences if d.column == "name"] == ["B"]


def test_a_member_that_is_gone_still_has_its_history(site: Entity) -> None:
    from staging.models import Batch

    member = members(site)["a"]["id"]
    undo(Batch.objects.get(entity=site))
    assert members(site) == {}
    changes = member_changes(site, member)
    assert [change.words for change in changes] == ["deleted", "inserted"]
    assert {d.column: (d.before, d.after) for d in changes[0].differences}["name"] == ("Alpha", None)


def test_a_reference_to_one_that_is_gone_says_so(site: Entity) -> None:
    stage(site, {"code": "a", "area": "s"})
    run_batch(site)
    execute("DELETE FROM mdm_area WHERE code = 'n'")
    difference = member_changes(site, members(site)["a"]["id"])[0].differences[0]
    assert "which is gone" in difference.before and difference.after == "s"


def test_words_say_most(site: Entity) -> None:
    execute("UPDATE mdm_site SET is_active = (1 = 0) WHERE code = 'a'")
    stage(site, {"code": "a"})
    run_batch(site)
    assert member_changes(site, members(site)["a"]["id"])[0].words == "active again"


def test_without_history_there_is_nothing(site: Entity) -> None:
    execute("DROP TABLE hst_site")
    assert member_changes(site, 1) == []
