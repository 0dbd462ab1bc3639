"""Lands deliveries as other systems do, each in one statement: copies, unique values, references near and late.

What must become of them is not said here: auditor/deliveries.py works it out from the rows.
"""

import random
from collections.abc import Sequence
from contextlib import closing

from tests.acceptance.installation import Installation

_COPIES = ("copyall", "copyfirst", "copylast")
_CODES = 60


class Deliveries:
    """One delivery after the other, of each kind by turns; `only` limits the kinds."""

    def __init__(self, installation: Installation, seed: str, only: Sequence[str] = ()):
        self._installation, self._chance = installation, random.Random(seed)
        self._number = 0
        self._unfinished: list[tuple[int, int]] = []
        kinds = {"copies": self._copies, "unique": self._unique, "tree": self._tree, "late": self._late,
                 "clocked": self._clocked}  # fmt: skip
        self._kinds = [kinds[kind] for kind in only or kinds]

    def one(self) -> None:
        """Land one delivery, and what is to follow those whose first half was merged."""
        self._number += 1
        self._kinds[self._number % len(self._kinds)](self._number)
        self.follow_up()

    def follow_up(self) -> bool:
        """Land the second halves whose first halves were merged; return whether none is missing."""
        for number, groups in list(self._unfinished):
            if not self._waits("mark", f"{number}a"):
                self._unfinished.remove((number, groups))
                self._land("mark", ("value", "size"), f"{number}b", _changes(number, groups))
        return not self._unfinished

    def _waits(self, entity: str, tag: str) -> bool:
        query = f"SELECT count(*) FROM stg_{entity} WHERE import_status = 0 AND batch_tag = '{tag}'"
        return self._installation.number(query) > 0

    def _copies(self, number: int) -> None:
        """Land every code twice under each policy: copies that differ, copies that are alike; and some codes once."""
        for entity in _COPIES:
            rows = []
            for code in range(_CODES):
                name = f"d{number}-{code}"
                values = {0: ["x", "x"], 1: ["x"]}.get(code % 8, ["x", "y"])
                rows += [(name, value) for value in values]
            self._land(entity, ("value",), str(number), rows)

    def _unique(self, number: int) -> None:
        """Land members with values; what exchanges the values follows when they are there."""
        groups = 24  # their clashes take several chunks
        rows = [(f"m{number}-{i}-{n}", f"v{number}-{i}-{n}", "1") for i in range(groups) for n in range(9)]
        self._land("mark", ("value", "size"), f"{number}a", rows)
        self._unfinished.append((number, groups))

    def _tree(self, number: int) -> None:
        """Land chains of rows that refer to each other, in any order; some begin with a row that falls."""
        rows = []
        for chain in range(20):
            codes = [f"t{number}-{chain}-{n}" for n in range(6)]
            size = "999" if chain % 3 == 0 else "1"
            head = "nowhere" if chain % 5 == 1 else codes[-1] if chain % 5 == 2 else ""
            rows += [(codes[0], head, size), *((code, codes[n], "1") for n, code in enumerate(codes[1:]))]
        self._land("tree", ("parent", "size"), str(number), rows)

    def _late(self, number: int) -> None:
        """Land children, and the parents of those that came before; of each delivery one parent never comes."""
        parents = [f"p{number}-{n}" for n in range(20)]
        children = [f"c{number}-{n}" for n in range(20)]
        tag = str(number)
        self._land("grandchild", ("parent",), tag, [(f"g{code}", code) for code in children])
        self._land("child", ("parent",), tag, list(zip(children, parents, strict=True)))
        self._land("skipper", ("parent",), tag, [(f"s{code}", code) for code in parents])
        self._land("stubborn", ("parent",), tag, [(f"o{code}", code) for code in parents])
        known = "SELECT DISTINCT s.parent, '' FROM stg_stubborn s WHERE s.import_status = 2 AND s.parent NOT LIKE '%-0'"
        new = f"{known} AND NOT EXISTS (SELECT 1 FROM stg_parent p WHERE p.code = s.parent)"
        if came := self._installation.sql(new):
            self._land("parent", ("name",), tag, came)

    def _clocked(self, number: int) -> None:
        self._land("clocked", ("value",), str(number), [(f"k{number}-{n}", "x") for n in range(400)])

    def _land(self, entity: str, columns: Sequence[str], tag: str, rows: Sequence[Sequence[object]]) -> None:
        """Insert the rows in any order, in one statement."""
        shuffled = self._chance.sample(list(rows), len(rows))
        places = ", ".join(f"({', '.join(['%s'] * (len(columns) + 2))})" for _ in shuffled)
        names = ", ".join(("batch_tag", "code", *columns))
        values = [value for row in shuffled for value in (tag, *row)]
        with closing(self._installation.connect()) as connection:
            connection.execute(f"INSERT INTO stg_{entity} ({names}) VALUES {places}", values)
            connection.commit()


def _changes(number: int, groups: int) -> list[tuple[str, str, str]]:
    """Return what exchanges the values of members: a chain, a swap, clashes, freed values, and a chain that breaks."""
    rows = []
    for group in range(groups):
        code = [f"m{number}-{group}-{n}" for n in range(9)]
        value = [f"v{number}-{group}-{n}" for n in range(9)]
        new = f"v{number}-{group}-new"
        rows += {
            0: [(code[0], value[1], "1"), (code[1], value[2], "1"), (code[2], new, "1")],
            1: [(code[0], value[1], "1"), (code[1], value[0], "1")],
            2: [(code[n], new, "1") for n in range(5)],
            3: [(code[n], value[8], "1") for n in range(4)],
            4: [(code[0], "~NULL~", "1"), (f"{code[0]}x", value[0], "1")],
            5: [(code[n], value[n + 1], "999" if n == 7 else "1") for n in range(8)],
        }[group % 8 if group % 8 < 6 else 2]
    return rows
