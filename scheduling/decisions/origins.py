"""What started something, as its reader says it: stored as the site says it, it is known by its pattern."""

import re
from functools import cache
from string import Formatter

from django.conf import settings
from django.utils.translation import gettext_noop

from staging.wording import counted, in_language_of, say

# What decisions, people and runs say that started it; what stands in the first may be one of the next.
_ORIGINS = (
    gettext_noop("Trigger: {value} ({limit})"),
    gettext_noop("new rows: {rows}"),
    gettext_noop("oldest row waits {age}"),
    gettext_noop("threshold {threshold:,}"),
    gettext_noop("idle {limit}"),
    gettext_noop("debounce {debounce}, settle {settle}"),
    gettext_noop("debounce {debounce}"),
    gettext_noop("After {others}"),
    gettext_noop("Approved by {by}"),
    gettext_noop("Undo of batch {batch}"),
    gettext_noop("Backfill by {by}"),
    gettext_noop("Schedule"),
    gettext_noop("Manual"),
    gettext_noop("Enqueued"),
    gettext_noop("Late reference"),
)
_NAMED = "Schedule"  # of a job: the name of its schedule follows
_ROWS = {"value", "rows"}  # places for a number of rows
_NESTED = {"value", "limit"}  # for one more of the sentences; a name in another place may read like one
_NUMBER = re.compile(r"(\d[\d.,\s]*?)( \w+)?")


def origin(text: str) -> str:
    """Return what started something as its reader says it; what is none of these sentences stays as it is."""
    for pattern, template in _patterns(settings.LANGUAGE_CODE):
        if found := pattern.fullmatch(text):
            parts = found.groupdict()
            name = parts.pop("_name", None)
            said = say(template, **{place: _part(place, part) for place, part in parts.items()})
            return f"{said}{name}" if name else said
    return text


def _part(place: str, text: str) -> str | int:
    """Return what stands in a place of a sentence: a number, a number of rows, or one more of the sentences."""
    number = _NUMBER.fullmatch(text)
    digits = int(re.sub(r"\D", "", number[1])) if number else 0
    if number and place == "threshold":
        return digits
    if number and place in _ROWS:
        return counted(digits, "row", "rows")
    return origin(text) if place in _NESTED else text


@cache
def _patterns(language: str) -> list[tuple[re.Pattern[str], str]]:
    """Return what tells each of the sentences in the language of the site; an earlier one may have been English."""
    found = []
    for template in _ORIGINS:
        name = "(?P<_name> .+)?" if template == _NAMED else ""
        for known in dict.fromkeys((in_language_of(language, template), template)):
            parts = ((re.escape(text), place) for text, place, _, _ in Formatter().parse(known))
            shape = "".join(f"{text}(?P<{place}>.+)" if place else text for text, place in parts)
            found.append((re.compile(f"{shape}{name}", re.DOTALL), template))
    return found
