"""The history of what is defined: changes by the API stand in it as those of the pages do, with who made them."""

from collections.abc import Mapping
from typing import Any

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.db.models import Model

from staging.api.kit.callers import Caller


def note_change(caller: Caller, thing: Model, changes: Mapping[str, Any] | None) -> None:
    """Write into a thing's history what the caller changed; None: it is new, nothing: nothing is written."""
    if changes is not None and not changes:
        return
    by = "" if caller.token is None else f" by {caller.by}"
    told = f"Added{by}." if changes is None else f"Changed {', '.join(changes)}{by}."
    LogEntry.objects.log_actions(
        caller.person.pk, [thing], ADDITION if changes is None else CHANGE, told, single_object=True
    )
