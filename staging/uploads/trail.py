"""Writes who mended what into the entity's history: a staged value is changed by a person, so it must be traceable."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.contrib.admin.models import CHANGE, LogEntry
from django.http import HttpRequest

from staging.models import Entity, Handling
from staging.uploads.correct import Corrected
from staging.wording import counted, said_together, say

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
    changes = _changes((column, row[column], new) for column, new in values.items())
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
    rows, name = counted(count, "row", "rows"), _shown(file)
    if tag:
        told = say("Uploaded {rows} from {file}, with the batch tag {tag}.", rows=rows, file=name, tag=_shown(tag))
    else:
        told = say("Uploaded {rows} from {file}.", rows=rows, file=name)
    _record(doer, entity, told)


def record_corrections(doer: Doer, entity: Entity, done: Corrected, file: str) -> None:
    """Record what a corrected file changed: the first changes in full, the others as a number."""
    changes = (
        say("row {row}: {changes}", row=row_id, changes=_changes((column, *pair) for column, pair in values.items()))
        for row_id, values in done.changes
    )
    named, more = said_together(*changes, by=". "), done.changed - len(done.changes)
    told = say(
        "Took {rows} back from {file}, {changed} of them changed. {changes}.",
        rows=counted(done.pending, "rejected row", "rejected rows"),
        file=_shown(file),
        changed=done.changed,
        changes=say("{changes} and {more} more", changes=named, more=more) if more else named,
    )
    _record(doer, entity, told)


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


def _changes(found: Iterable[tuple[str, Any, Any]]) -> str:
    """Return columns with the value before and the value after."""
    each = (
        say("{column} from {old} to {new}", column=column, old=_shown(old), new=_shown(new))
        for column, old, new in found
    )
    return said_together(*each, by="; ")


def _shown(value: Any) -> str:
    if value is None or value == "":
        return say("blank")
    text = str(value)
    if len(text) <= _LONGEST_VALUE:
        return f"“{text}”"
    return say("“{start}…” ({length} characters)", start=text[:_LONGEST_VALUE], length=len(text))
