"""What must have become of every delivered row, worked out in plain Python from what was delivered alone.

A delivery is the rows of one tag. Codes and values of one delivery appear in no other, but for the second half of a
delivery of unique values, which changes the members of its first half. So the outcome depends on no order of batches.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from tests.acceptance.installation import Installation

PROCESSED, SUPERSEDED, REJECTED = "processed", "superseded", "rejected"
LARGEST = 100
_SETTLED = {1: PROCESSED, 2: REJECTED}
Ends = Mapping[int, str]


@dataclass(frozen=True)
class Row:
    """A staged row: what was delivered (`first` and `second` are its attributes), and what became of it."""

    id: int
    code: str
    tag: str
    first: str
    second: str
    end: str  # empty while it waits


def copies(policy: str) -> Callable[[list[Row]], Ends]:
    """Return what tells the end of deliveries in which codes come more than once."""

    def ends(rows: list[Row]) -> Ends:
        by_code: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            by_code[row.code].append(row)
        found: dict[int, str] = {}
        for same in by_code.values():
            alike = len({row.first for row in same}) == 1
            if policy == "reject_all" and not alike:
                found |= {row.id: REJECTED for row in same}
                continue
            kept = (max if policy == "last_wins" else min)(row.id for row in same)
            found |= {row.id: PROCESSED if row.id == kept else SUPERSEDED for row in same}
        return found

    return ends


def unique(rows: list[Row]) -> Ends:
    """Tell the end of rows whose first attribute no two members may share, each delivery on what the one before left.

    All rows without another error are taken to pass; whoever brings a value that its member does not have yet, and
    that is somebody else's in that state, falls; again, until nothing changes.
    """
    found: dict[int, str] = {}
    members: dict[str, str] = {}
    for _, delivered in _by_tag(rows):
        good = [row for row in delivered if _fits(row)]
        while True:
            after = members | {row.code: "" if row.first == "~NULL~" else row.first for row in good if row.first}
            holders = Counter(after.values())
            stay = [row for row in good if not _is_taken(row, members, holders)]
            if len(stay) == len(good):
                break
            good = stay
        members = after
        passed = {row.id for row in good}
        found |= {row.id: PROCESSED if row.id in passed else REJECTED for row in delivered}
    return found


def tree(rows: list[Row]) -> Ends:
    """Tell the end of rows that refer to each other by their first attribute: who needs a rejected row falls too."""
    found: dict[int, str] = {}
    for _, delivered in _by_tag(rows):
        good = {row.code: row for row in delivered if _fits(row)}
        while fallen := [code for code, row in good.items() if row.first and row.first not in good]:
            for code in fallen:
                del good[code]
        found |= {row.id: PROCESSED if row.code in good else REJECTED for row in delivered}
    return found


def findings(installation: Installation, *, at_end: bool = True) -> list[str]:
    """Return every row of the soak's deliveries that ended otherwise than it must, and every member that differs.

    Before the end, rows that still wait are not asked for, nor are members and late references.
    """
    found: list[str] = []
    with closing(installation.connect()) as connection:
        for entity, ends in _ENTITIES.items():
            rows = _rows(connection, entity)
            should = ends(rows)
            found += [_told(entity, row, should[row.id]) for row in rows if row.end not in ("", should[row.id])]
            if at_end:
                found += _wrong_members(connection, entity, rows, should)
        if at_end:
            found += [f"a late reference never came home: {row}" for row in late(connection)]
    return [f"a delivery ended otherwise than it must ({len(found)}): {found[:5]}"] if found else []


def late(connection: Any) -> list[tuple[Any, ...]]:
    """Return the rows that are rejected though the codes they waited for are there.

    `stubborn` is left out: its rows cannot be taken back.
    """
    return [
        (entity, *row)
        for entity in ("child", "grandchild")
        for row in connection.execute(
            f"SELECT s.id, s.code, s.parent FROM stg_{entity} s JOIN mdm_{_PARENTS[entity]} p ON p.code = s.parent "
            "WHERE s.import_status = 2"
        ).fetchall()
    ]


def pending(connection: Any) -> list[str]:
    """Return the entities of which rows wait; not the one that goes by the clock, which is stopped at the end."""
    entities = (*_ENTITIES, "parent", "skipper", "stubborn", *_PARENTS)
    asked = {name: f"SELECT id FROM stg_{name} WHERE import_status = 0 LIMIT 5" for name in entities}
    found = {name: connection.execute(statement).fetchall() for name, statement in asked.items()}
    return [f"rows of {name} wait: {rows}" for name, rows in found.items() if rows]


_PARENTS = {"child": "parent", "grandchild": "child"}
_ENTITIES: dict[str, Callable[[list[Row]], Ends]] = {
    "copyall": copies("reject_all"),
    "copyfirst": copies("first_wins"),
    "copylast": copies("last_wins"),
    "mark": unique,
    "tree": tree,
}
_COLUMNS = {"mark": ("value", "size"), "tree": ("parent", "size")}


def _rows(connection: Any, entity: str) -> list[Row]:
    columns = ", ".join(f"coalesce({name}, '')" for name in _COLUMNS.get(entity, ("value", "''")))
    statement = f"SELECT id, code, batch_tag, {columns}, import_status, import_outcome FROM stg_{entity} ORDER BY id"
    return [
        Row(*delivered, SUPERSEDED if outcome == SUPERSEDED else _SETTLED.get(status, ""))
        for *delivered, status, outcome in connection.execute(statement).fetchall()
    ]


def _wrong_members(connection: Any, entity: str, rows: list[Row], should: Ends) -> list[str]:
    """Return the members that are not what the rows that passed made of them, in the order of the rows."""
    expected: dict[str, str] = {}
    for row in rows:
        if should[row.id] == PROCESSED:
            kept = expected.get(row.code, "")
            expected[row.code] = "" if row.first == "~NULL~" else row.first or kept
    value = "coalesce(value, '')"
    if entity == "tree":
        value = "coalesce((SELECT p.code FROM mdm_tree p WHERE p.id = m.parent), '')"
    there = dict(connection.execute(f"SELECT code, {value} FROM mdm_{entity} m WHERE is_active").fetchall())
    wrong = [code for code in expected.keys() | there.keys() if expected.get(code) != there.get(code)]
    return [f"{entity} {code} is {there.get(code)!r}, not {expected.get(code)!r}" for code in sorted(wrong)]


def _told(entity: str, row: Row, should: str) -> str:
    return f"{entity} row {row.id} ({row.code}, {row.tag}) is {row.end}, not {should}"


def _fits(row: Row) -> bool:
    return not row.second or int(row.second) <= LARGEST


def _is_taken(row: Row, members: Mapping[str, str], holders: Counter[str]) -> bool:
    brings = bool(row.first) and row.first not in ("~NULL~", members.get(row.code))
    return brings and holders[row.first] > 1


def _by_tag(rows: Iterable[Row]) -> Iterable[tuple[str, list[Row]]]:
    """Return the deliveries in the order in which they landed."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.tag].append(row)
    return found.items()
