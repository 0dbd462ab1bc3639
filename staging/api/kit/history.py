"""The history of what is defined: changes by the API stand in it as those of the pages do, with who made them."""

from collections.abc import Mapping
from typing import Any

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.db.models import Model

from staging.api.kit.callers import Caller
from staging.wording import say


def note_change(caller: Caller, thing: Model, changes: Mapping[str, Any] | None) -> None:
    """Write into a thing's history what the caller changed; None: it is new, nothing: nothing is written."""
    if changes is not None and not changes:
        return
    told, flag = (_added(caller), ADDITION) if changes is None else (_changed(caller, ", ".join(changes)), CHANGE)
    LogEntry.objects.log_actions(caller.person.pk, [thing], flag, told, single_object=True)


def _added(caller: Caller) -> str:
    return say("Added.") if caller.token is None else say("Added by {by}.", by=caller.by)


def _changed(caller: Caller, keys: str) -> str:
    if caller.token is None:
        return say("Changed {keys}.", keys=keys)
    return say("Changed {keys} by {by}.", keys=keys, by=caller.by)
