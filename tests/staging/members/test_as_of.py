"""Members as they were at an instant: changed since, gone since, not there yet; and in an order that nothing moves."""

from datetime import UTC, datetime, timedelta

import pytest

from staging.members.as_of import HistoryOff, check_history
from staging.members.browse import MemberQuery, members_by_id
from staging.members.filters import parse_filter
from staging.models import ChangeFeed, Entity
from staging.tables.alter import sync_tables
from staging.tables.history import delete_history
from tests.staging.batches.bench import define, reference, run_batch, stage, text

pytestmark = pytest.mark.django_db
DAYS = [datetime(2026, 3, day, tzinfo=UTC) for day in range(1, 8)]


@pytest.fixture
def part() -> Entity:
    entity = define("part", text("kind"), reference("parent", "part"), keep_history=True)
    days: list[list[dict]] = [
        [{"code": "a", "kind": "x"}, {"code": "b", "kind": "x", "parent": "a"}],
        [{"code": "a", "kind": "y"}, {"code": "c", "kind": "x"}],
        [{"code": "a", "new_code": "z"}, {"code": "c", "import_action": 3}],
        [{"code": "b", "import_action": 4}],
    ]
    for now, rows in zip(DAYS, days, strict=False):
        stage(entity, *rows)
        run_batch(entity, now=now)
    return entity


def at(entity: Entity, moment: datetime, *filters: str, active: bool | None = None) -> dict[str, str]:
    """Return the kinds of the members at an instant, read a few at a time."""
    wanted = MemberQuery(active=active, filters=[parse_filter(entity, each) for each in filters])
    found, after = {}, None
    while True:
        page = members_by_id(entity, wanted, as_of=moment, after=after, size=1)
        found |= {row["code"]: row["kind"] for row in page.rows}
        if not page.has_later:
            return found
        after = page.rows[-1]["id"]


def test_each_day_is_as_it_was(part: Entity) -> None:
    just = timedelta(microseconds=1)
    assert at(part, DAYS[0] - just) == {}
    assert at(part, DAYS[0]) == {"a": "x", "b": "x"}
    assert at(part, DAYS[1] - just) == {"a": "x", "b": "x"}
    assert at(part, DAYS[1]) == {"a": "y", "b": "x", "c": "x"}
    assert at(part, DAYS[2]) == {"z": "y", "b": "x", "c": "x"}
    assert at(part, DAYS[3]) == {"z": "y", "c": "x"}
    assert at(part, DAYS[6]) == {"z": "y", "c": "x"}


def test_filters_look_at_what_was(part: Entity) -> None:
    assert at(part, DAYS[0], "kind:is:x") == {"a": "x", "b": "x"}
    assert at(part, DAYS[1], "kind:is:y") == {"a": "y"}
    assert at(part, DAYS[1], "parent:filled:") == {"b": "x"}
    assert at(part, DAYS[1], active=True) == {"a": "y", "b": "x", "c": "x"}
    assert at(part, DAYS[2], active=False) == {"c": "x"}


def test_an_instant_from_before_the_history_is_refused(part: Entity) -> None:
    check_history(part, DAYS[0] - timedelta(days=999))
    delete_history(part, DAYS[2], 100)
    check_history(part, DAYS[2])
    with pytest.raises(HistoryOff, match="goes back to"):
        check_history(part, DAYS[1])
    part.keep_history = False
    part.save()
    sync_tables(part)
    with pytest.raises(HistoryOff, match="keeps no history"):
        check_history(part, DAYS[6])
    part.keep_history = True
    part.save()
    sync_tables(part)
    since = ChangeFeed.objects.get(entity=part).since
    assert since is not None
    check_history(part, since)
    with pytest.raises(HistoryOff):
        check_history(part, since - timedelta(seconds=1))


def test_pages_go_both_ways_and_new_members_come_last() -> None:
    part = define("part", text("kind"))
    stage(part, *({"code": code} for code in "mnopq"))
    run_batch(part)
    everything, codes = MemberQuery(), lambda page: [row["code"] for row in page.rows]
    first = members_by_id(part, everything, size=2)
    assert (codes(first), first.has_earlier, first.has_later) == (["m", "n"], False, True)
    stage(part, {"code": "a"}, {"code": "m", "new_code": "zz"})
    run_batch(part)
    second = members_by_id(part, everything, size=2, after=first.rows[-1]["id"])
    assert (codes(second), second.has_earlier, second.has_later) == (["o", "p"], True, True)
    third = members_by_id(part, everything, size=2, after=second.rows[-1]["id"])
    assert (codes(third), third.has_later) == (["q", "a"], False)
    back = members_by_id(part, everything, size=2, before=second.rows[0]["id"])
    assert (codes(back), back.has_earlier, back.has_later) == (["zz", "n"], False, True)
