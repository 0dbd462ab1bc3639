"""Every state of scheduling, where it is defined: what it means, who moves it on, what a crash there means."""

from django.db import models


class ProcessingMode(models.TextChoices):
    """Who decides that an entity's batch starts."""

    MANUAL = "manual", "Manual: people start it"
    SCHEDULED = "scheduled", "Scheduled: a cadence starts it"
    TRIGGERED = "triggered", "Triggered: arriving data starts it"


class ScheduleType(models.TextChoices):
    """The kind of cadence of a scheduled configuration."""

    INTERVAL = "interval", "Every so many minutes"
    DAILY = "daily", "Daily"
    WEEKLY = "weekly", "Weekly"
    MONTHLY = "monthly", "Monthly"
    MONTHLY_NTH_WEEKDAY = "monthly_nth_weekday", "Monthly on a weekday"
    YEARLY = "yearly", "Yearly"
    ONCE = "once", "Once"
    CRON = "cron", "Cron expression"


class IntervalAnchor(models.TextChoices):
    """What an interval is counted from."""

    WALL_CLOCK = "wall_clock", "the clock (restarts at midnight or at the window's start)"
    START = "start", "a first moment"
    EPOCH = "epoch", "one unbroken grid"
    LAST_COMPLETION = "last_completion", "the end of the last run"


class DstGap(models.TextChoices):
    """What becomes of a time that does not exist on the spring change."""

    FIRST_VALID = "first_valid", "the first moment after the gap"
    SHIFT = "shift", "later by the length of the gap"
    SKIP = "skip", "left out"


class DstOverlap(models.TextChoices):
    """Which copy of a time that comes twice on the autumn change counts."""

    FIRST = "first", "the first"
    SECOND = "second", "the second"
    BOTH = "both", "both"


class CatchUp(models.TextChoices):
    """What becomes of slots that were missed while no dispatcher ran."""

    NONE = "none", "nothing: the missed runs are dropped"
    LAST = "last", "the last missed one runs late"
    ALL = "all", "all of them run late, oldest first, up to a limit"


class Overlap(models.TextChoices):
    """What becomes of a slot whose run before has not ended."""

    SKIP = "skip", "the new run is left out"
    QUEUE_ONE = "queue_one", "one new run waits for the end of the running one"
    CANCEL_RUNNING = "cancel_running", "the running one is cancelled, then the new one starts"


class PlanOrder(models.TextChoices):
    """What orders the steps of a plan, beside the dependencies that its steps name."""

    STEPS = "steps", "their numbers: the same number together, the next one after all of it"
    HIERARCHY = "hierarchy", "what the entities depend on"
    BOTH = "both", "their numbers, and what the entities depend on"


class BlackoutPolicy(models.TextChoices):
    """What becomes of a slot that falls into a blackout."""

    SKIP = "skip", "are left out"
    ROLL = "roll", "move to the end of the blackout"


class PeriodKind(models.TextChoices):
    """What a period of a blackout calendar is."""

    DAYS = "days", "days"
    YEARLY = "yearly", "the same dates each year"
    WEEKLY = "weekly", "each week"


class EventType(models.TextChoices):
    """What one row of the scheduler log says."""

    FIRED = "fired", "fired"
    SKIPPED = "skipped", "skipped"
    ERROR = "error", "error"
    COMPLETED = "completed", "completed"
    ZOMBIE = "zombie", "zombie"
    MISSED = "missed", "missed"
    HELD = "held", "held"
    RETRIED = "retried", "retried"
    CANCELLED = "cancelled", "cancelled"
    PAUSED = "paused", "paused"
    RESUMED = "resumed", "resumed"
    REVIEW = "review", "review"  # a batch was held for people to decide, or they have decided
    INTERRUPTED = "interrupted", "interrupted"  # a worker was told to stop and handed its work back
    MOVED = "moved", "moved"  # a next run that new time zone data put at another instant


class RunKind(models.TextChoices):
    """What a run is an instance of, and what the work of a task is (all but the last two)."""

    BATCH = "batch", "batch"
    JOB = "job", "job"
    SCRIPT = "script", "SQL script"
    CALL = "call", "call"  # a Python function declared with @task
    PLAN = "plan", "plan"
    ORDERED = "ordered", "ordered work"


class RunStatus(models.TextChoices):
    """A run's state; the last three are final."""

    PENDING = "pending", "pending"  # created with its tasks; no task has started
    RUNNING = "running", "running"  # a task has started; if its worker dies, recovery ends or advances it
    COMPLETED = "completed", "completed"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"

    @classmethod
    def final(cls) -> list[str]:
        """Return the states that nothing leaves."""
        return [cls.COMPLETED, cls.FAILED, cls.CANCELLED]


class TaskStatus(models.TextChoices):
    """A task's state; the last four are final."""

    WAITING = "waiting", "waiting"  # for tasks before it
    QUEUED = "queued", "queued"  # may be claimed; a lost message is sent again by recovery
    RUNNING = "running", "running"  # owned by one live attempt; silence is found by recovery
    COMPLETED = "completed", "completed"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"
    BLOCKED = "blocked", "blocked"  # a task it depends on failed

    @classmethod
    def final(cls) -> list[str]:
        """Return the states of what has ended. Only who releases a failed task again leads out of one."""
        return [cls.COMPLETED, cls.FAILED, cls.CANCELLED, cls.BLOCKED]


class AttemptOutcome(models.TextChoices):
    """How one try of a task ended; empty while it runs."""

    RUNNING = "running", "running"
    COMPLETED = "completed", "completed"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"
    INTERRUPTED = "interrupted", "interrupted"  # its worker was told to stop; the task was queued again at once
    LOST = "lost", "lost"  # gave no sign of life and was released; whatever it still writes is refused


# What marks a log event as being about the clock of a host, in its details.
CLOCK = "clock"
