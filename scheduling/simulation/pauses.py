"""A pause on the virtual clock: it begins when it was made and ends when it was to end."""

from datetime import datetime

from scheduling.decisions.wording import Pause as PauseFacts


class Pause:
    """The pause that a configuration, or everything, has now. One that was over by `start` never was."""

    def __init__(self, facts: PauseFacts, start: datetime) -> None:
        over = facts.paused_until is not None and facts.paused_until <= start
        self.since = facts.paused_at if not over else None
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

    def put_on(self, target: PauseFacts, since: datetime) -> None:
        """Write the facts of this pause on a copy."""
        target.paused_at, target.paused_until = since, self.until
        target.paused_by, target.pause_reason = self.by, self.reason

    def take_off(self, target: PauseFacts) -> None:
        """Clear the facts of a pause."""
        target.paused_at, target.paused_until, target.paused_by, target.pause_reason = None, None, "", ""
