"""Lets a large batch do pieces of its work side by side, each on a connection of its own.

A database works for one connection on one core. Two connections nearly halve the time of a large batch and leave the
rules as they are: pieces are read apart, and every chunk is its own transaction with the fence inside.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.conf import settings
from django.db import connection, connections

from staging.batches.context import BatchContext
from staging.sql.choose import dialect

T = TypeVar("T")


def lanes(rows: int) -> int:
    """Return how many connections work on this many rows (BATCH_LANES at most).

    One for few rows, and where others could not see what this connection sees: inside a transaction, and in a
    database in memory.
    """
    if connection.in_atomic_block or rows < dialect().worth_lanes or dialect().is_in_memory():
        return 1
    return max(int(settings.BATCH_LANES), 1)


def chunks_abreast(context: BatchContext, rows: int) -> int:
    """Return how many chunks of so many plain rows are merged at once.

    Where members refer to one another and have unique values two chunks could wait for each other: a new unique value
    locks its member against being referred to until the chunk ends.
    """
    tangled = context.self_references and context.unique_fields
    return lanes(rows) if context.sql.writes_abreast and not tangled else 1


def takes_several(context: BatchContext, rows: int) -> bool:
    """Return whether so many rows take several transactions, one after the other or side by side."""
    return rows > context.chunk_rows or chunks_abreast(context, rows) > 1


def side_by_side(pieces: Sequence[Callable[[], T]]) -> list[T]:
    """Do all pieces at the same time and return what each returned; the first is done on the caller's connection.

    Each comes to its end, whatever becomes of the others; then the first error is raised.
    """
    first, *others = pieces
    with ThreadPoolExecutor(max(len(others), 1), thread_name_prefix="lane") as pool:
        beside = [pool.submit(_apart, piece) for piece in others]
        return [first(), *(future.result() for future in beside)]


def _apart(piece: Callable[[], T]) -> T:
    """Do one piece in a thread of its own, and close the connection it opened."""
    try:
        return piece()
    finally:
        connections.close_all()
