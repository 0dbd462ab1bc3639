"""A period read from a file, before anything is stored: where it stood, and what it says."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from scheduling.states import PeriodKind


@dataclass(frozen=True)
class PeriodDraft:
    """One period of a holiday file: days, yearly dates or days of the week. `line` is where it stood."""

    first_day: date | None = None
    last_day: date | None = None
    note: str = ""
    kind: str = PeriodKind.DAYS.value
    run_days: str = ""
    line: int = 0

    def values(self) -> dict[str, Any]:
        """Return the columns of the period."""
        return {
            "kind": self.kind,
            "first_day": self.first_day,
            "last_day": self.last_day,
            "run_days": self.run_days,
            "note": self.note,
        }
