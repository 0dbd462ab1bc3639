"""What a batch does with one row, in the form of the contract: of a preview, a held batch, one that has ended."""

from collections.abc import Iterable
from typing import Any

from staging.batches.shown.changes import ForeseenChange
from staging.tables.sentences import sentences


def change_document(change: ForeseenChange, columns: Iterable[str]) -> dict[str, Any]:
    """Return a change as plain data; `errors` are warnings when the row is good, `columns` tell sentences apart."""
    return {
        "code": change.code,
        "action": change.outcome,
        "before": change.before,
        "after": change.after,
        "errors": sentences(change.message, columns),
    }
