"""What templates find under `{% load look %}`: the filters of `scheduling.formatters`, and links to runs."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.template import Library
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst
from django.utils.translation import gettext_noop

from scheduling import formatters
from scheduling.decisions.origins import origin
from scheduling.runs import links
from staging.wording import duration, reading, say

register = Library()

for each in (
    formatters.badge,
    formatters.count,
    formatters.day_words,
    duration,
    formatters.fact_words,
    formatters.fire_time,
    formatters.gate_name,
    formatters.linked,
    formatters.measured,
    formatters.milliseconds,
    formatters.moment,
    formatters.paused_words,
    formatters.since,
    formatters.word,
    formatters.zone_shown,
    origin,
    reading,
):
    register.filter(each)
register.filter(is_safe=True)(formatters.lean)


@register.filter
def time_of_day(instant: datetime) -> str:
    """Return the time of day of an instant in the zone of the page: 06:00:00."""
    return formatters.clock_words(instant.astimezone(formatters.zone_shown("")))


_PICTURE = re.compile(r"<img [^>]*admin/img/icon-(yes|no|unknown)[^>]*>")
_ANSWERS = {"yes": gettext_noop("yes"), "no": gettext_noop("no"), "unknown": gettext_noop("not known")}


@register.filter
def yes_or_no(shown: str) -> SafeString:
    """Return what a stock page shows of a value, its pictures for true and false as words."""
    words = _PICTURE.sub(lambda found: say(_ANSWERS[found[1]]), str(conditional_escape(shown)))
    return mark_safe(words)  # noqa: S308 (escaped, and words of ours)


@register.filter
def labelled(cells: Iterable[SafeString], headers: Iterable[Mapping[str, Any]]) -> Iterator[SafeString]:
    """Return the cells of a row of a stock list, each with its column's name: a phone shows it before the value."""
    for cell, header in zip(cells, headers, strict=False):
        is_choice = "action-checkbox" in header.get("class_attrib", "")
        label = "" if is_choice else _label(str(header["text"]))
        yield mark_safe(yes_or_no(cell).replace(" class=", f"{label} class=", 1))  # noqa: S308 (both parts are safe)


@lru_cache
def _label(text: str) -> str:
    """Return the attribute that names a column, written once for all of its cells."""
    return format_html(' data-label="{}"', capfirst(text))


@register.simple_tag(takes_context=True)
def run_url(context: Any, run_id: int | None) -> str:
    """Return the address of a run that the reader may open, else nothing."""
    return links.url_of_run(context["request"], run_id)


@register.simple_tag(takes_context=True)
def run_url_of_task(context: Any, task_id: int | None) -> str:
    """Return the address of the run of a task that the reader may open, else nothing."""
    return links.url_of_task(context["request"], task_id)
