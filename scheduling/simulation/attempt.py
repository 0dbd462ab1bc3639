"""The next attempt of a plan whose run failed and waits: when it begins, and what of the plan it does again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scheduling.models import Run
from scheduling.states import BY_ITSELF
from scheduling.usual_runs import Piece
from staging.wording import say


@dataclass(frozen=True)
class NextAttempt:
    """Begun by the first cycle from `at` on; `pieces` are counted from its begin, and take `lasts` together.

    `is_by_itself`: a schedule, or the end of others, began the first attempt, so that this one waits for the end of a
    pause of its plan.
    """

    at: datetime
    pieces: tuple[Piece, ...] = ()
    lasts: timedelta = timedelta()
    is_by_itself: bool = True
    source: str = ""
    reason: str = ""

    @classmethod
    def of(cls, run: Run, pieces: Sequence[Piece], lasts: timedelta) -> NextAttempt:
        """Return the one that a run waits for, with what one of its plans counts of what is left of the run."""
        reason = say(
            "Attempt {number} of {allowed}: run {run} failed.",
            number=run.attempt_number + 1, allowed=run.attempts_allowed, run=run.pk,
        )  # fmt: skip
        assert run.next_attempt_at is not None
        return cls(run.next_attempt_at, tuple(pieces), lasts, run.started_by == BY_ITSELF, run.trigger_source, reason)
