"""Writes who mended what into the entity's history: a staged value is changed by a person, so it must be traceable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.contrib.admin.models import CHANGE, LogEntry
from django.http import HttpRequest

from staging.models import Entity, Handling
from staging.uploads.correct import Corrected
from staging.wording import counted, say

_LONGEST_VALUE = 200


@dataclass(frozen=True)
class Doer:
    """Who does something: the account, its name, and how it is told, with the token where one was used."""

    user_id: int
    name: str
    by: str


def doer(request: HttpRequest) -> Doer:
    """Return whoever is signed in; every page behind this is for signed-in staff."""
    name = request.user.get_username()
    return Doer(cast(int, request.user.pk), name, name)


def record_retry(doer: Doer, entity: Entity, count: int, what: str) -> None:
    """Record that `count` rejected rows were set back to pending; `what` says which."""
    _record(
        doer, entity, say("Retried {rows}: {what}.", rows=counted(count, "rejected row", "rejected rows"), what=what)
    )


def record_edit(doer: Doer, entity: Entity, row: Mapping[str, Any], values: Mapping[str, str | None]) -> None:
    """Record which staged values of a row were changed, from what to what, and by whom."""
    record_handling(doer, entity, row["id"], row["id"])
    changes = "; ".join(f"{column} from {_shown(row[column])} to {_shown(new)}" for column, new in values.items())
    _record(
        doer,
        entity,
        say(
            "Mended staged row {row} (code {code}): {changes}.",
            row=row["id"],
            code=_shown(row["code"]),
            changes=changes,
        ),
    )


def record_replacement(doer: Doer, entity: Entity, count: int, column: str, old: str, new: str) -> None:
    """Record that a value was replaced in many rejected rows at once."""
    rows = counted(count, "rejected row", "rejected rows")
    _record(
        doer,
        entity,
        say(
            "Replaced {column} in {rows}: from {old} to {new}.",
            column=column,
            rows=rows,
            old=_shown(old),
            new=_shown(new),
        ),
    )


def record_handling(doer: Doer, entity: Entity, first_id: int, last_id: int) -> None:
    """Record that these staged rows are the work of this person; the two-person rule asks for it."""
    Handling.objects.create(entity=entity, handled_by=doer.by, first_id=first_id, last_id=last_id)


def record_upload(doer: Doer, entity: Entity, count: int, file: str, tag: str) -> None:
    """Record that the rows of a file were put into staging."""
    tagged = f", with the batch tag {_shown(tag)}" if tag else ""
    _record(
        doer,
        entity,
        say(
            "Uploaded {rows} from {file}{tagged}.", rows=counted(count, "row", "rows"), file=_shown(file), tagged=tagged
        ),
    )


def record_corrections(doer: Doer, entity: Entity, done: Corrected, file: str) -> None:
    """Record what a corrected file changed: the first changes in full, the others as a number."""
    changes = (
        f"row {row_id}: "
        + "; ".join(f"{column} from {_shown(old)} to {_shown(new)}" for column, (old, new) in values.items())
        for row_id, values in done.changes
    )
    more = done.changed - len(done.changes)
    rows = counted(done.pending, "rejected row", "rejected rows")
    told = f"{'. '.join(changes)}{f' and {more} more' if more else ''}."
    _record(doer, entity, f"Took {rows} back from {_shown(file)}, {done.changed} of them changed. {told}")


def record_attribute(doer: Doer, entity: Entity, attribute: str, fields: Sequence[str]) -> None:
    """Record that an attribute was changed, and in what."""
    _record(
        doer,
        entity,
        say(
            "Changed {columns} of attribute {attribute}.",
            columns=", ".join(fields).replace("_", " "),
            attribute=_shown(attribute),
        ),
    )


def _record(doer: Doer, entity: Entity, message: str) -> None:
    told = message if doer.by == doer.name else say("{message} By {by}.", message=message, by=doer.by)
    LogEntry.objects.log_actions(doer.user_id, [entity], CHANGE, told, single_object=True)


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "blank"
    text = str(value)
    return f"“{text}”" if len(text) <= _LONGEST_VALUE else f"“{text[:_LONGEST_VALUE]}…” ({len(text)} characters)"
