"""Writes the last results of an entity as bars, each leading to its batch: a page of configurations has a thousand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.timezone import get_current_timezone

from scheduling.admin.addresses import Addresses
from scheduling.admin.written import escaped
from scheduling.formatters import milliseconds
from staging.models import Batch, batch
from staging.wording import in_one_language, instant, say

RESULTS = 20  # that are told of each entity
_TOLD = ("pk", "shown", "finished_at", "duration_ms")


class LastEnd(NamedTuple):
    """One batch to which nothing will happen any more."""

    pk: int
    status: str
    at: datetime | None
    took: int | None


def bars_of(begins: Mapping[int, int | None], names: Mapping[int, str]) -> dict[int, SafeString]:
    """Return the last results of these entities from those keys on, for each that has any; one statement."""
    ended = Batch.objects.ended().annotate(shown=batch.SHOWN_STATUS).beginning_at(begins, *_TOLD)
    page, looks, zone = Addresses("admin:staging_batch_change"), dict[str, tuple[str, str]](), get_current_timezone()
    with in_one_language():
        return {
            of: _table(names[of], [_bar(LastEnd(*each), page, looks, zone) for each in reversed(rows)])
            for of, rows in ended.items()
        }


def _table(name: str, cells: list[str]) -> SafeString:
    """Return a table of one row, of which each cell is a bar."""
    return format_html(
        '<table class="result-bars"><caption class="visually-hidden">{}</caption><tbody><tr>{}</tr></tbody></table>',
        say("Last results of {entity}, the newest last", entity=name),
        mark_safe("".join(cells)),  # noqa: S308 (texts are escaped)
    )


def _bar(ended: LastEnd, page: Addresses, looks: dict[str, tuple[str, str]], zone: tzinfo) -> str:
    """Return a cell that says how a batch ended; what is said of its state is kept in `looks`."""
    if ended.status not in looks:
        looks[ended.status] = slugify(ended.status), say(ended.status)
    look, status = looks[ended.status]
    words: Any = say(
        "Batch {number}: {status}, {ended}, {took}",
        number=ended.pk,
        status=status,
        ended=ended.at and instant(ended.at, zone),
        took=milliseconds(ended.took),
    )
    size, url = _size(ended.took), page.of(ended.pk)
    return f'<td><a class="bar bar-{look} bar-{size}" href="{url}" title="{escaped(words)}"></a></td>'


def _size(milliseconds: int | None) -> int:
    """Return how high a bar stands, from 1 to 5: each step stands for ten times as long, from a tenth of a second."""
    return min(max(len(str((milliseconds or 0) // 100)), 1), 5)
