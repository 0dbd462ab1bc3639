"""The feed of changes: what became of members, commit by commit, from a cursor on.

It is read from the history. A row there holds the member before a change; what it was afterwards stands in the next row
of the same member, or is there now. Changes come in the order of their commits (batches/context.py), and of one commit
first the codes that became free, then what holds since: so whoever stores `values` by `code`, and forgets what was
deleted, has what production has. A member that gets another code is deleted under the old one and inserted under the
new one. What a transaction changed twice is told once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from staging.members.as_of import check_history
from staging.members.columns import MemberColumn
from staging.members.cursor import FREED, TAKEN, TOLD, FeedCursor, FeedRestarted, read_cursor, start
from staging.members.states import Commit, HistoryRow, States
from staging.models import ChangeFeed, ChangeSet, Entity
from staging.states import HistoryAction
from staging.tables.columns import named_problems
from staging.wording import say

_COMMITS_AT_ONCE = 500


@dataclass(frozen=True)
class Change:
    """One change: what happened to the member with this code, when, by which batch; `values` hold after it.

    Of a member that was deleted they are its last ones.
    """

    code: str
    change: str
    at: datetime | None
    batch: int | None
    values: dict[str, Any]


@dataclass(frozen=True)
class FeedPage:
    """Some changes, the columns of their values, and where the next ones begin."""

    columns: list[MemberColumn]
    changes: list[Change]
    next: FeedCursor


@dataclass
class _Walk:
    """A walk through the feed: where it is, what it found, how much it may still take."""

    entity: Entity
    states: States
    at: FeedCursor
    limit: int
    found: list[Change] = field(default_factory=list)

    @property
    def room(self) -> int:
        """Return how many changes still fit."""
        return self.limit - len(self.found)


def changes_after(entity: Entity, after: str, limit: int) -> FeedPage:
    """Return at most `limit` changes behind a cursor, "" for the start.

    A feed begins with the members that were there before the first change it knows. Raises HistoryOff, BadCursor, and
    FeedRestarted when changes behind the cursor are gone or attributes changed their names or types.
    """
    check_history(entity)
    feed = ChangeFeed.objects.filter(entity=entity).first() or ChangeFeed(entity=entity)
    cursor = read_cursor(entity, after) if after else start(entity, feed.floor, whole=feed.is_whole)
    if (cursor.n, cursor.p) < (feed.floor, TOLD):
        raise FeedRestarted(
            say(
                "The changes of {entity} behind this cursor are not all there any more. Start again without a cursor.",
                entity=entity.name,
            )
        )
    with named_problems(entity):
        walk = _Walk(entity, States(entity), cursor, limit)
        if walk.at.m is not None:
            _tell_those_before(walk)
        while walk.at.m is None and walk.room and (commits := _next_commits(walk)):
            _tell(walk, commits)
    return FeedPage(walk.states.columns, walk.found, walk.at)


def _tell_those_before(walk: _Walk) -> None:
    """Tell the members whose birth is in no change that comes, as they are now."""
    last = walk.at.m or 0
    states = walk.states.without_birth(last, walk.at.n, walk.room)
    walk.found += [
        Change(s["code"], "inserted", s["updated_at"], s["updated_batch_id"], s) for s in walk.states.worded(states)
    ]
    full = len(states) == walk.limit
    walk.at = replace(walk.at, m=states[-1]["id"] if full else None)


def _next_commits(walk: _Walk) -> list[Commit]:
    """Return the commits to look at next: some that fit the page together, or one that is larger."""
    from_number = walk.at.n + (walk.at.p == TOLD)
    sets = ChangeSet.objects.filter(entity=walk.entity, number__gte=from_number).order_by("number")
    taken: list[Commit] = []
    rows = 0
    for set_id, number, above, last in sets.values_list("id", "number", "first_row", "last_row")[:_COMMITS_AT_ONCE]:
        commit = Commit(set_id, number or 0, above, last or 0)
        rows += commit.most_rows
        if taken and rows > walk.limit:
            break
        taken.append(commit)
    return taken


def _tell(walk: _Walk, commits: Sequence[Commit]) -> None:
    if commits[0].most_rows > walk.limit:
        _tell_part(walk, commits[0])
    else:
        _tell_whole(walk, commits)


def _tell_part(walk: _Walk, large: Commit) -> None:
    """Tell as much of one large commit as fits, of the part in which the cursor is."""
    at = walk.at if walk.at.n == large.number else replace(walk.at, n=large.number, p=FREED, i=0)
    rows = walk.states.rows([large], freed=at.p == FREED, after=at.i, limit=walk.room)
    whole = len(rows) < walk.room
    end = (large.number, large.last if whole else rows[-1].id)
    walk.found += _told(walk, [(at.p, row) for row in rows], rows, end)
    walk.at = replace(at, p=at.p + whole, i=0 if whole else rows[-1].id)


def _tell_whole(walk: _Walk, commits: Sequence[Commit]) -> None:
    """Tell what fits of commits that are read as a whole."""
    rows = walk.states.rows(commits)
    at = walk.at
    keys = [(row.number, part, row.id, row) for row in rows for part in _parts(row)]
    keys = sorted((key for key in keys if key[:3] > (at.n, at.p, at.i)), key=lambda key: key[:3])
    taken = keys[: walk.room]
    end = (commits[-1].number, commits[-1].last)
    walk.found += _told(walk, [(part, row) for _, part, _, row in taken], rows, end)
    if len(taken) < len(keys):
        walk.at = replace(at, n=taken[-1][0], p=taken[-1][1], i=taken[-1][2])
    else:
        walk.at = replace(at, n=end[0], p=TOLD, i=0)


def _parts(row: HistoryRow) -> Iterator[int]:
    if row.frees_a_code:
        yield FREED
    if row.action != HistoryAction.DELETED:
        yield TAKEN


def _told(
    walk: _Walk, wanted: Sequence[tuple[int, HistoryRow]], rows: Sequence[HistoryRow], end: tuple[int, int]
) -> list[Change]:
    """Return the changes of some rows; `rows` are all that were read, which end at `end`."""
    after = walk.states.after([row for part, row in wanted if part == TAKEN], rows, end)
    pairs = [(part, row, row.was if part == FREED else after.get(row.id)) for part, row in wanted]
    kept = [(part, row, state) for part, row, state in pairs if state is not None]
    worded = walk.states.worded([state for _, _, state in kept])
    return [
        Change(values["code"], _word(part, row, values), row.changed_at, row.batch_id, values)
        for (part, row, _), values in zip(kept, worded, strict=True)
    ]


def _word(part: int, row: HistoryRow, values: dict[str, Any]) -> str:
    """Return what happened, as somebody sees it who knows members by their codes."""
    if part == FREED:
        return "deleted"
    if row.action == HistoryAction.INSERTED or row.new_code is not None:
        return "inserted"
    return "deactivated" if row.was["is_active"] and not values["is_active"] else "updated"
