"""Prints the next fires and the sentence of cadences read as JSON lines, for people and scripts that try them out."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext_noop

from scheduling.cadence.base import Cadence
from scheduling.cadence.errors import CadenceError
from scheduling.cadence.parse import parse_cadence
from scheduling.cadence.words import a_whole_number, is_whole
from scheduling.management.base import PlainCommand, json_text, refused
from staging.wording import aloud, say

MOST_FIRES = 10000


class Command(PlainCommand):
    """One JSON line in, one JSON line out; a line that cannot be read yields an error line and the rest goes on."""

    help = gettext_noop(
        'Reads lines {{"cadence": {{...}}, "timezone": "Europe/Amsterdam", "after": instant, "count"?: n}} on standard '
        'input and writes {{"fires": [instants], "sentence": text}} or {{"error": text}} for each.'
    )

    requires_system_checks = []  # it calculates only: neither the database nor the broker matters

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the number of fires of lines that do not name one."""
        parser.add_argument("--count", type=int, default=5, help=say("Fires per line when the line has no count (5)."))

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer line by line."""
        if not 0 <= options["count"] <= MOST_FIRES:
            raise refused(say("{option}: Write {number}.", option="--count", number=a_whole_number(0, MOST_FIRES)))
        for line in sys.stdin.buffer:
            if line.strip():
                self.stdout.write(json_text(answer(line, options["count"])))
                self.stdout.flush()  # whoever asks line by line waits for each answer


def answer(line: bytes, count: int) -> dict[str, Any]:
    """Return the answer to one line; never raises for anything the line may hold."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {"error": say("The line is not JSON: {error}.", error=error)}
    try:
        return _preview(request, count)
    except (CadenceError, ValueError) as error:
        return {"error": aloud(error)}


def _preview(request: Any, default_count: int) -> dict[str, Any]:
    if not isinstance(request, dict) or not isinstance(request.get("cadence"), dict):
        raise ValueError(say('cadence: Write an object such as {{"kind": "daily", "times": ["06:00"]}}.'))
    count = request.get("count", default_count)
    if not is_whole(count, 0, MOST_FIRES):
        raise ValueError(say("{option}: Write {number}.", option="count", number=a_whole_number(0, MOST_FIRES)))
    cadence = parse_cadence(request["cadence"], str(request.get("timezone") or ""))
    fires = islice(_fires(cadence, _instant(request.get("after"))), count)
    zone = ZoneInfo(cadence.timezone)
    return {"fires": [fire.astimezone(zone).isoformat() for fire in fires], "sentence": aloud(cadence.describe())}


def _instant(text: Any) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        raise ValueError(say("after: Write an instant such as 2026-01-31T06:00:00+01:00.")) from None
    if found.tzinfo is None:
        raise ValueError(say("after: '{text}' has no offset; write for example {text}+00:00.", text=text))
    return found


def _fires(cadence: Cadence, after: datetime) -> Iterator[datetime]:
    fire = cadence.next_after(after)
    while fire is not None:
        yield fire
        fire = cadence.next_after(fire)
