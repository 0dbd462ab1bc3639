"""How much the tests try: `quick` in every check, `deep` when there is time (`make test-deep`)."""

import os
from collections.abc import Sequence
from typing import TypeVar

from django.conf import settings as django_settings
from hypothesis import settings

DEEP = os.environ.get("DEPTH") == "deep"
T = TypeVar("T")
_MORE = 10

# The same examples in every quick check: what it says of a change is about the change. A deep one looks for new ones.
settings.register_profile("quick", derandomize=True, deadline=None, print_blob=True, database=None)
settings.register_profile("deep", deadline=None, print_blob=True)


def examples(quick: int) -> int:
    """Return how many examples to try: as many as told, ten times as many when deep.

    A quick check of PostgreSQL takes half as many: they cost more there, and a whole check lets it take other ones.
    """
    if DEEP:
        return quick * _MORE
    return (quick + 1) // 2 if _on_postgresql() else quick


def some(points: Sequence[T], *, one_in: int) -> list[T]:
    """Return every `one_in`-th of these points, all when deep.

    The two databases take different ones where that is possible, so a check of both sees twice as many.
    """
    if DEEP:
        return list(points)
    return list(points)[one_in // 2 if _on_postgresql() else 0 :: one_in]


def _on_postgresql() -> bool:
    return django_settings.DATABASES["default"]["ENGINE"].endswith("postgresql")
