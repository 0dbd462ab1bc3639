"""Pages follow one another without a gap, in the order of the codes; a stream gives them all."""

import pytest

from staging.errors import TableMismatch
from staging.members import browse
from staging.members.browse import MemberQuery, member_page, stream_members
from staging.models import Entity
from tests.staging.batches.bench import define, execute, run_batch, stage, text
from tests.staging.members.conftest import codes


@pytest.fixture
def many(db: None) -> Entity:
    entity = define("many", text("kind"))
    stage(entity, *({"code": f"m{n:02}", "name": f"N{n % 2}"} for n in range(25)))
    run_batch(entity)
    return entity


def test_pages_lead_forward_and_back(many: Entity) -> None:
    seen, after = [], ""
    while True:
        page = member_page(many, MemberQuery(), after=after, size=10)
        assert page.has_earlier is bool(after)
        seen += [row["code"] for row in page.rows]
        if not page.has_later:
            break
        after = seen[-1]
    assert seen == [f"m{n:02}" for n in range(25)]
    back = member_page(many, MemberQuery(), before="m20", size=10)
    assert [row["code"] for row in back.rows] == [f"m{n:02}" for n in range(10, 20)]
    assert back.has_earlier and back.has_later
    first = member_page(many, MemberQuery(), before="m05", size=10)
    assert not first.has_earlier and first.has_later


def test_the_stream_gives_all_in_small_statements(many: Entity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse, "_STREAMED", 5)
    assert [row["code"] for row in stream_members(many, MemberQuery())] == [f"m{n:02}" for n in range(25)]
    assert len(list(stream_members(many, MemberQuery(search="n1")))) == 12


def test_search_looks_at_code_and_name(site: Entity) -> None:
    assert codes(site, search="ALPHA") == ["a"]
    assert codes(site, search="b") == ["b"]
    assert codes(site, search="%") == []


def test_active_and_inactive_members_are_told_apart(site: Entity) -> None:
    execute("UPDATE mdm_site SET is_active = (1 = 0) WHERE code = 'b'")
    assert codes(site, active=True) == ["a", "c"]
    assert codes(site, active=False) == ["b"]


def test_a_table_altered_by_others_is_named(site: Entity) -> None:
    execute("ALTER TABLE mdm_site DROP COLUMN note")
    with pytest.raises(TableMismatch, match=r"mdm_site\.note is missing"):
        member_page(site, MemberQuery())
