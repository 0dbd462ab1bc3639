"""Promise: what is made of rows is made anew when they differ, and not when they are the same."""

from typing import Any

from scheduling.statements import made_of


def test_what_is_made_follows_the_rows() -> None:
    asked: list[Any] = []

    def total(rows: list[tuple[int]]) -> int:
        asked.append(rows)
        return sum(number for (number,) in rows)

    key = object()
    assert [made_of(key, [(1,), (2,)], total) for _ in range(3)] == [3, 3, 3] and len(asked) == 1
    assert made_of(key, [(1,), (4,)], total) == 5 and made_of(object(), [(1,), (2,)], total) == 3
    assert made_of(key, [(1,), (2,)], total) == 3 and len(asked) == 4
