"""The few errors of scheduling, named for what happened; a lost race or a cancel is an outcome, not an error."""

from datetime import timedelta

from staging.wording import said_together, say


class SchedulingError(Exception):
    """Something in scheduling could not be done; the text is meant for the person who asked."""


class InvalidSchedule(SchedulingError):
    """A schedule breaks a rule; `errors` maps field names to lists of messages."""

    def __init__(self, errors: dict[str, list[str]]):
        self.errors = errors
        faults = ((field, text) for field, texts in errors.items() for text in texts)
        super().__init__(
            said_together(*(say("{field}: {text}", field=field, text=text) for field, text in faults), by="; ")
        )


class InvalidPlan(SchedulingError):
    """A plan, a script or a dependency breaks a rule; `errors` maps field paths to lists of messages."""

    def __init__(self, errors: dict[str, list[str]]):
        self.errors = errors
        super().__init__(said_together(*(text for texts in errors.values() for text in texts)))


class UnknownPlan(SchedulingError):
    """There is no plan of this name."""


class NotStarted(SchedulingError):
    """Nothing started, for somebody was faster; for the scheduler a normal answer."""


class ChangedMeanwhile(NotStarted):
    """What the scheduler decided on was edited, paused, switched off or fired since it was read."""


class AlreadyRunning(NotStarted):
    """The guard is held: a batch of this entity is already running (exit code 3)."""


class EntityCancelled(SchedulingError):
    """The entity was cancelled: its rows stay, and nothing of it is processed."""


class AttemptLost(SchedulingError):
    """This attempt no longer owns its task: it was released, so nothing it writes may count."""


class AttemptCancelled(SchedulingError):
    """A person asked to cancel; the attempt stops at the next safe point."""


class AttemptInterrupted(SchedulingError):
    """The worker of this attempt was told to stop; the task is queued again and no attempt is used."""


class TimedOut(SchedulingError):
    """The work took longer than its step allows; the attempt failed."""


class FiredBefore(NotStarted):
    """A run with this fire key exists: the slot, or the restart, was taken by somebody else."""


class InvalidManifest(SchedulingError):
    """What should run has no order: a circle, an unknown name, the same name twice, or nothing at all."""


class NothingToCancel(SchedulingError):
    """Everything that was to be cancelled has ended."""


class NotPaused(SchedulingError):
    """What was to be resumed is not paused."""


class InvalidArguments(SchedulingError):
    """A job does not take these arguments; `errors` maps their names to lists of messages."""

    def __init__(self, errors: dict[str, list[str]]):
        self.errors = errors
        super().__init__(said_together(*(text for texts in errors.values() for text in texts)))


class InvalidOptions(InvalidArguments):
    """When or where enqueued work is to run cannot be understood; `errors` is by the name of the option."""


class NotAllowed(SchedulingError):
    """The person who asked lacks the right for something that would be started; the text names it."""


class NothingToRelease(SchedulingError):
    """No worker has the task that was to be released."""


class UnknownStep(SchedulingError):
    """A run has no step of this name; the text names the likely one."""


class CannotRestart(SchedulingError):
    """This run or task cannot be started again; the text says why."""


class CannotBackfill(SchedulingError):
    """Slots of this cannot be run after the event; the text says why."""


class CannotIntervene(SchedulingError):
    """Nothing of the kind can be done to this step of a run; the text says why."""


class CannotAppend(SchedulingError):
    """Nothing can be added to this run any more, or not at this order."""


class FatalJobError(SchedulingError):
    """Raised by work that must not be tried again."""


class TryLater(SchedulingError):
    """Raised by work that is worth another try; that begins when `after` has passed at the earliest, at most a day.

    Raises TypeError itself for an `after` that is no length of time, in the work that would say so.
    """

    def __init__(self, text: str, after: timedelta = timedelta()):
        if not isinstance(after, timedelta):
            raise TypeError(say("TryLater takes a timedelta, not {after}.", after=repr(after)))
        self.after = after
        super().__init__(text)


class InvalidDeclaration(SchedulingError):
    """A job is declared in a way that cannot be carried out; the text names the place, the mistake and the mend."""


class CannotCopy(SchedulingError):
    """A database cannot be copied into this one; nothing was changed."""
