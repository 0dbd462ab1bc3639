"""What a batch would do now, as one document: counts by outcome, and the first changes."""

from datetime import datetime
from typing import Any

from staging.batches.shown.document import change_document
from staging.batches.shown.preview import preview_batch
from staging.models import Entity


def foreseen_document(entity: Entity, *, tag: str = "", limit: int, now: datetime) -> dict[str, Any]:
    """Judge the rows that wait as a batch would, and return what came out; changes nothing."""
    with preview_batch(entity, tag=tag, now=now) as made:
        found = made.changes.read(limit=limit)
        names = ["code", "new_code", "import_action", *(field.name for field in made.changes.fields)]
        changes = [change_document(change, names) for change in found]
        return {"entity": entity.code, **made.counts, "changes": changes}
