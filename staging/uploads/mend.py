"""Mends one rejected row and leaves the trace of it: the verb behind the page and the API."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from staging.models import Entity
from staging.tables.rows import edit_row, retry_rows
from staging.uploads.trail import Doer, record_edit, record_retry
from staging.wording import say


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
