"""What one cycle did, for the command, the log and the tests."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass
class CycleReport:
    """The entities a cycle fired, skipped and failed on, and what it could not mend.

    `ran` is False when another cycle held the lock, or when `trouble` says why this host runs none.
    """

    now: datetime
    ran: bool = True
    trouble: str = ""
    fired: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    zombies: int = 0
    resent: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the document of `dispatch --json`."""
        if not self.ran:
            trouble = {"reason": self.trouble} if self.trouble else {}
            return {"ran": False, "now": self.now.isoformat(), **trouble}
        return {
            "ran": True,
            "now": self.now.isoformat(),
            "fired": self.fired,
            "skipped": self.skipped,
            "errors": self.errors,
            "zombies": self.zombies,
            "resent": self.resent,
        }
