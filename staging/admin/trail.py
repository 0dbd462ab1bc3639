"""Writes who mended what into the entity's history: a staged value is changed by a person, so it must be traceable."""

from collections.abc import Mapping
from typing import Any, cast

from django.contrib.admin.models import CHANGE, LogEntry
from django.http import HttpRequest

from staging.models import Entity

_LONGEST_VALUE = 200


def record_retry(request: HttpRequest, entity: Entity, count: int, what: str) -> None:
    """Record that `count` rejected rows were set back to pending; `what` says which."""
    _record(request, entity, f"Retried {count} rejected row{'' if count == 1 else 's'}: {what}.")


def record_edit(request: HttpRequest, entity: Entity, row: Mapping[str, Any], values: Mapping[str, str | None]) -> None:
    """Record which staged values of a row were changed, from what to what."""
    changes = "; ".join(f"{column} from {_shown(row[column])} to {_shown(new)}" for column, new in values.items())
    _record(request, entity, f"Mended staged row {row['id']} (code {_shown(row['code'])}): {changes}.")


def _record(request: HttpRequest, entity: Entity, message: str) -> None:
    user_id = cast(int, request.user.pk)  # every page behind this is for signed-in staff
    LogEntry.objects.log_actions(user_id, [entity], CHANGE, message, single_object=True)


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "blank"
    text = str(value)
    return f"“{text}”" if len(text) <= _LONGEST_VALUE else f"“{text[:_LONGEST_VALUE]}…” ({len(text)} characters)"
