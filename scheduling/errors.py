"""The few errors of scheduling, named for what happened; a lost race or a cancel is an outcome, not an error."""


class SchedulingError(Exception):
    """Something in scheduling could not be done; the text is meant for the person who asked."""


class InvalidSchedule(SchedulingError):
    """A schedule breaks a rule; `errors` maps field names to lists of messages."""

    def __init__(self, errors: dict[str, list[str]]):
        self.errors = errors
        super().__init__("; ".join(f"{field}: {text}" for field, texts in errors.items() for text in texts))


class AlreadyRunning(SchedulingError):
    """The guard is held: a batch of this entity is already running (exit code 3)."""


class EntityCancelled(SchedulingError):
    """The entity was cancelled: its rows stay, and nothing of it is processed."""


class AttemptLost(SchedulingError):
    """This attempt no longer owns its task: it was released, so nothing it writes may count."""


class AttemptCancelled(SchedulingError):
    """A person asked to cancel; the attempt stops at the next safe point."""


class FatalJobError(SchedulingError):
    """Raised by work that must not be tried again."""
