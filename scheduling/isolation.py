"""Does something for many at once and keeps them apart all the same: the error of one is its own answer."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")


def together(work: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T]) -> list[R | Exception]:
    """Do this work for all of these at once, or, when that fails, for each alone; return an answer or error for each.

    What fails must leave nothing behind: a transaction of its own, or only reads. Raises when the connection is lost,
    for every further attempt would fail for the same reason.
    """
    if not items:
        return []
    try:
        return list(work(items))
    except Exception as error:
        raise_if_lost(error)
        if len(items) == 1:
            return [error]
        logger.warning("%s failed for %d at once, and is repeated for each alone: %s", work.__name__, len(items), error)
    return [answer for item in items for answer in together(work, [item])]


def raise_if_lost(error: Exception) -> None:
    """Raise the error when it comes of a lost connection."""
    if isinstance(error, (OperationalError, InterfaceError)) and not connection.is_usable():
        raise error
