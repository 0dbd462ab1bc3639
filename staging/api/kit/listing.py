"""Pages through a list by position: any page costs the same, and what is inserted meanwhile moves none of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.utils.http import urlencode

from staging.api.kit.problems import invalid
from staging.entities.values import is_storable
from staging.wording import say

_AFTER, _BEFORE = "a", "b"
_LONGEST = 2_000


def page_schema(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a page of such items."""
    address = {"type": ["string", "null"], "format": "uri-reference"}
    properties = {"results": {"type": "array", "items": item}, "next": address, "previous": address}
    return {"type": "object", "properties": properties, "required": ["results", "next", "previous"]}


def page_example(*items: Any) -> dict[str, Any]:
    """Return the example of a page: the only one."""
    return {"results": list(items), "next": None, "previous": None}


def paged(
    resource: Any, rows: QuerySet[Any], shown: Callable[[Any], dict[str, Any]], *, order: Sequence[str]
) -> dict[str, Any]:
    """Return the page of a list that the request asks for.

    `order` are columns that together are unique and never null, all upwards or, with a minus, all downwards; the table
    needs an index of that shape. The address takes `PAGED`.
    """
    size, cursor = resource.query["limit"], resource.query["cursor"]
    way, position = read_cursor(cursor) if cursor else ("", [])
    back = way == _BEFORE
    columns, descending = [name.lstrip("-") for name in order], order[0].startswith("-")
    if way:
        rows = rows.filter(_beyond(rows.model, columns, position, upwards=descending == back))
    sign = "-" if descending != back else ""
    found = list(rows.order_by(*(f"{sign}{column}" for column in columns))[: size + 1])
    more, found = len(found) > size, found[:size]
    if back:
        found.reverse()
    following = found and (more or back) and cursor_of(_AFTER, [_plain(found[-1], each) for each in columns])
    preceding = found and (more if back else way) and cursor_of(_BEFORE, [_plain(found[0], each) for each in columns])
    return page(resource, [shown(each) for each in found], following or None, preceding or None)


def page(resource: Any, results: Sequence[Any], following: str | None, preceding: str | None = None) -> dict[str, Any]:
    """Return a page with the addresses of its neighbours, which are this one with another cursor."""
    return {
        "results": list(results),
        "next": following and _address(resource.request, following),
        "previous": preceding and _address(resource.request, preceding),
    }


def cursor_of(way: str, position: Sequence[Any]) -> str:
    """Return a position in a list as an opaque text."""
    return base64.urlsafe_b64encode(json.dumps([way, *position], default=str).encode()).decode().rstrip("=")


def read_cursor(text: str) -> tuple[str, list[Any]]:
    """Return the way and the position of a cursor. Raises a problem for what is none."""
    try:
        if len(text) > _LONGEST:
            raise ValueError
        way, *position = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        if way not in (_AFTER, _BEFORE) or not all(isinstance(each, int | str) for each in position):
            raise ValueError
        if not all(is_storable(each) for each in position if isinstance(each, str)):
            raise ValueError
    except (ValueError, TypeError, RecursionError):
        raise _no_cursor() from None
    return way, position


def _no_cursor() -> Exception:
    return invalid({"cursor": [say("This is no cursor of this list; take the addresses in next and previous.")]})


def _beyond(model: Any, columns: Sequence[str], position: Sequence[Any], *, upwards: bool) -> Q:
    """Return what lies beyond a position, so that both databases walk an index: the first column bounds the rest."""
    try:
        values = [model._meta.get_field(each).to_python(v) for each, v in zip(columns, position, strict=True)]
    except (ValueError, ValidationError, OverflowError):
        raise _no_cursor() from None
    if not all(map(_is_position, values)):
        raise _no_cursor()
    step = "gt" if upwards else "lt"
    found = Q(**{f"{columns[-1]}__{step}": values[-1]})
    for column, value in zip(reversed(columns[:-1]), reversed(values[:-1]), strict=True):
        found = Q(**{f"{column}__{step}e": value}) & (Q(**{f"{column}__{step}": value}) | found)
    return found


def _is_position(value: Any) -> bool:
    if isinstance(value, datetime):
        return value.tzinfo is not None
    return value is not None and not (isinstance(value, int) and abs(value) >= 2**63)


def _plain(row: Any, column: str) -> Any:
    value = getattr(row, column)
    return value if isinstance(value, int) else value.isoformat() if hasattr(value, "isoformat") else str(value)


def _address(request: Any, cursor: str) -> str:
    pairs = [(name, value) for name, value in request.query_params.items() if name != "cursor"]
    return request.build_absolute_uri(f"{request.path}?{urlencode([*pairs, ('cursor', cursor)])}")
