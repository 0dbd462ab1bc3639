"""A pause on the virtual clock: it begins when it was made and ends when it was to end."""

from datetime import datetime

from scheduling.decisions.decision import PAUSED, PauseFacts, pause_sentence
from scheduling.models import SchedulerState


class Pause:
    """The pause that a schedule, its job or everything has now. One that was over by `start` never was.

    `words` is the code of what begins the sentence that tells it.
    """

    def __init__(self, facts: PauseFacts, start: datetime, words: str = PAUSED) -> None:
        """Take the facts as they are stored."""
        self.words = words
        over = facts.paused_until is not None and facts.paused_until <= start
        self.since = facts.paused_at if not over else None
        self.was_over = over and facts.paused_at is not None
        self.until = facts.paused_until
        self.by, self.reason = facts.paused_by, facts.pause_reason
        self.holds = False

    def begins(self, now: datetime) -> bool:
        """Return whether it has begun since it was last asked; from then on it holds."""
        if self.since is None or self.since > now:
            return False
        self.holds, self.since = True, None
        return True

    def ends(self, now: datetime) -> bool:
        """Return whether it holds and its end has come; from then on it holds no more."""
        if not self.holds or self.until is None or self.until > now:
            return False
        self.holds = False
        return True

    def next_change(self) -> datetime | None:
        """Return when it begins or, while it holds, ends; None when neither will happen."""
        return self.until if self.holds else self.since

    def sentence(self, since: datetime) -> str:
        """Return who paused it, why and until when, as begun at `since`."""
        facts = SchedulerState(paused_at=since, paused_by=self.by, pause_reason=self.reason, paused_until=self.until)
        return pause_sentence(self.words, facts)
