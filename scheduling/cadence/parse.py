"""The one table of cadence kinds, and the one way from a document to a cadence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scheduling.cadence.base import Cadence
from scheduling.cadence.document import Document
from scheduling.cadence.errors import CadenceError
from scheduling.cadence.kinds.cron import Cron
from scheduling.cadence.kinds.daily import Daily
from scheduling.cadence.kinds.interval import read_interval
from scheduling.cadence.kinds.monthly import Monthly
from scheduling.cadence.kinds.monthly_nth_weekday import MonthlyNthWeekday
from scheduling.cadence.kinds.once import Once
from scheduling.cadence.kinds.weekly import Weekly
from scheduling.cadence.kinds.yearly import Yearly
from staging.phrases import phrase

KINDS: dict[str, Callable[[Document], Cadence]] = {
    "interval": read_interval,
    "daily": Daily.read,
    "weekly": Weekly.read,
    "monthly": Monthly.read,
    "monthly_nth_weekday": MonthlyNthWeekday.read,
    "yearly": Yearly.read,
    "once": Once.read,
    "cron": Cron.read,
}


def parse_cadence(document: Mapping[str, Any], timezone: str) -> Cadence:
    """Return the cadence of a document in the JSON form of the contract; raises CadenceError with every fault.

    A cadence that can never fire is built all the same: ask `can_fire()` before it is stored.
    """
    kind = document.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        text = phrase("'{kind}' is not a kind of cadence; write one of {known}.", kind=kind, known=", ".join(KINDS))
        raise CadenceError({"kind": [text]})
    reader = Document(document, timezone)
    cadence = KINDS[kind](reader)
    reader.finish()
    return cadence
