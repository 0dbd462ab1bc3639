"""Mends rejected rows and leaves the trace of it: one, as the page and the API do, or all of a kind, in pieces."""

import time
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from staging.models import Entity
from staging.tables.rows import edit_row, retry_rows
from staging.uploads.trail import Doer, record_edit, record_retry
from staging.wording import say

_PIECE = 10_000
_SECONDS = 5  # as long as a request may take


def retry_kind(entity: Entity, bit: int, meaning: str, doer: Doer) -> tuple[int, bool]:
    """Set rejected rows with this error pending again, as many as time allows; return how many, and whether all.

    Each few thousand are a transaction with its trace, so nothing is lost when the process dies: which rows are left is
    what the rows say themselves.
    """
    ends, count = time.monotonic() + _SECONDS, 0
    while True:
        with transaction.atomic():
            piece = retry_rows(entity, bit=bit, limit=_PIECE)
            if piece:
                record_retry(doer, entity, piece, say("all with the error “{meaning}”", meaning=meaning))
        count += piece
        if not piece:
            return count, True
        if time.monotonic() >= ends:
            return count, False


@transaction.atomic
def mend_row(entity: Entity, row: Mapping[str, Any], changes: Mapping[str, str | None], doer: Doer) -> bool:
    """Store the changes of a row, or plainly retry it when there are none; False when it is no longer rejected.

    Raises StagingError for a column that may not be changed or a value it cannot hold.
    """
    if not changes:
        mended = retry_rows(entity, ids=[row["id"]]) == 1
        if mended:
            record_retry(doer, entity, 1, say("row {row}, unchanged", row=row["id"]))
        return mended
    mended = edit_row(entity, row["id"], changes)
    if mended:
        record_edit(doer, entity, row, changes)
    return mended
