"""Writes who mended what into the entity's history: a staged value is changed by a person, so it must be traceable."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.contrib.admin.models import CHANGE, LogEntry
from django.http import HttpRequest

from staging.models import Entity, Handling
from staging.uploads.correct import Corrected
from staging.wording import counted

_LONGEST_VALUE = 200


def record_retry(request: HttpRequest, entity: Entity, count: int, what: str) -> None:
    """Record that `count` rejected rows were set back to pending; `what` says which."""
    _record(request, entity, f"Retried {counted(count, 'rejected row', 'rejected rows')}: {what}.")


def record_edit(request: HttpRequest, entity: Entity, row: Mapping[str, Any], values: Mapping[str, str | None]) -> None:
    """Record which staged values of a row were changed, from what to what, and by whom."""
    record_handling(request, entity, row["id"], row["id"])
    changes = "; ".join(f"{column} from {_shown(row[column])} to {_shown(new)}" for column, new in values.items())
    _record(request, entity, f"Mended staged row {row['id']} (code {_shown(row['code'])}): {changes}.")


def record_replacement(request: HttpRequest, entity: Entity, count: int, column: str, old: str, new: str) -> None:
    """Record that a value was replaced in many rejected rows at once."""
    rows = counted(count, "rejected row", "rejected rows")
    _record(request, entity, f"Replaced {column} in {rows}: from {_shown(old)} to {_shown(new)}.")


def record_handling(request: HttpRequest, entity: Entity, first_id: int, last_id: int) -> None:
    """Record that these staged rows are the work of this person; the two-person rule asks for it."""
    Handling.objects.create(entity=entity, handled_by=request.user.get_username(), first_id=first_id, last_id=last_id)


def record_upload(request: HttpRequest, entity: Entity, count: int, file: str, tag: str) -> None:
    """Record that the rows of a file were put into staging."""
    tagged = f", with the batch tag {_shown(tag)}" if tag else ""
    _record(request, entity, f"Uploaded {counted(count, 'row', 'rows')} from {_shown(file)}{tagged}.")


def record_corrections(request: HttpRequest, entity: Entity, done: Corrected, file: str) -> None:
    """Record what a corrected file changed: the first changes in full, the others as a number."""
    changes = (
        f"row {row_id}: "
        + "; ".join(f"{column} from {_shown(old)} to {_shown(new)}" for column, (old, new) in values.items())
        for row_id, values in done.changes
    )
    more = done.changed - len(done.changes)
    rows = counted(done.pending, "rejected row", "rejected rows")
    told = f"{'. '.join(changes)}{f' and {more} more' if more else ''}."
    _record(request, entity, f"Took {rows} back from {_shown(file)}, {done.changed} of them changed. {told}")


def record_attribute(request: HttpRequest, entity: Entity, attribute: str, fields: Sequence[str]) -> None:
    """Record that an attribute was changed, and in what."""
    _record(request, entity, f"Changed {', '.join(fields).replace('_', ' ')} of attribute {_shown(attribute)}.")


def _record(request: HttpRequest, entity: Entity, message: str) -> None:
    user_id = cast(int, request.user.pk)  # every page behind this is for signed-in staff
    LogEntry.objects.log_actions(user_id, [entity], CHANGE, message, single_object=True)


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "blank"
    text = str(value)
    return f"“{text}”" if len(text) <= _LONGEST_VALUE else f"“{text[:_LONGEST_VALUE]}…” ({len(text)} characters)"
