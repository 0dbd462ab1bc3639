"""Every state of scheduling, where it is defined: what it means, who moves it on, what a crash there means."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class ProcessingMode(models.TextChoices):
    """Who decides that an entity's batch starts, or a plan: arriving data starts a batch, the end of others a plan."""

    MANUAL = "manual", _("Manual: people start it")
    SCHEDULED = "scheduled", _("Scheduled: a cadence starts it")
    TRIGGERED = "triggered", _("Triggered: arriving data starts it")


class ScheduleType(models.TextChoices):
    """The kind of cadence of a scheduled configuration."""

    INTERVAL = "interval", _("Every so many minutes")
    DAILY = "daily", _("Daily")
    WEEKLY = "weekly", _("Weekly")
    MONTHLY = "monthly", _("Monthly")
    MONTHLY_NTH_WEEKDAY = "monthly_nth_weekday", _("Monthly on a weekday")
    YEARLY = "yearly", _("Yearly")
    ONCE = "once", _("Once")
    CRON = "cron", _("Cron expression")


class IntervalAnchor(models.TextChoices):
    """What an interval is counted from."""

    WALL_CLOCK = "wall_clock", _("the clock (restarts at midnight or at the window's start)")
    START = "start", _("a first moment")
    EPOCH = "epoch", _("one unbroken grid")
    LAST_COMPLETION = "last_completion", _("the end of the last run")


class DstGap(models.TextChoices):
    """What becomes of a time that does not exist on the spring change."""

    FIRST_VALID = "first_valid", _("the first moment after the gap")
    SHIFT = "shift", _("later by the length of the gap")
    SKIP = "skip", _("left out")


class DstOverlap(models.TextChoices):
    """Which copy of a time that comes twice on the autumn change counts."""

    FIRST = "first", _("the first")
    SECOND = "second", _("the second")
    BOTH = "both", _("both")


class CatchUp(models.TextChoices):
    """What becomes of slots that were missed while no dispatcher ran."""

    NONE = "none", _("nothing: the missed runs are dropped")
    LAST = "last", _("the last missed one runs late")
    ALL = "all", _("all of them run late, oldest first, up to a limit")


class Overlap(models.TextChoices):
    """What becomes of a slot whose run before has not ended."""

    SKIP = "skip", _("the new run is left out")
    QUEUE_ONE = "queue_one", _("one new run waits for the end of the running one")
    CANCEL_RUNNING = "cancel_running", _("the running one is cancelled, then the new one starts")


class KeyOverlap(models.TextChoices):
    """What becomes of work that is enqueued while other work of its job and key is queued or running."""

    SKIP = "skip", _("it is left out")
    REPLACE = "replace", _("it takes the place of what has not started, or waits behind what runs")
    QUEUE_ONE = "queue_one", _("one waits behind what runs; a further one is left out")


class PlanOrder(models.TextChoices):
    """What orders the steps of a plan, beside the dependencies that its steps name."""

    STEPS = "steps", _("their numbers: the same number together, the next one after all of it")
    HIERARCHY = "hierarchy", _("what the entities depend on")
    BOTH = "both", _("their numbers, and what the entities depend on")


class RunIf(models.TextChoices):
    """What must have become of all that comes before a step for it to run; else it is blocked, or skipped.

    Databricks calls it "run if", Airflow the trigger rule. `finally` is `always` after every other step of its plan.
    """

    ALL_SUCCEEDED = "all_succeeded", _("if all before it succeeded")
    ANY_FAILED = "any_failed", _("if something before it failed")
    ALWAYS = "always", _("always, when all before it ended")
    FINALLY = "finally", _("always, at the end of the plan")


class BlackoutPolicy(models.TextChoices):
    """What becomes of a slot that falls into a blackout."""

    SKIP = "skip", _("are left out")
    ROLL = "roll", _("move to the end of the blackout")


class PeriodKind(models.TextChoices):
    """What a period of a blackout calendar is."""

    DAYS = "days", _("days")
    YEARLY = "yearly", _("the same dates each year")
    WEEKLY = "weekly", _("each week")


class EventType(models.TextChoices):
    """What one row of the scheduler log says."""

    FIRED = "fired", _("fired")
    SKIPPED = "skipped", _("skipped")
    ERROR = "error", _("error")
    COMPLETED = "completed", _("completed")
    ZOMBIE = "zombie", _("worker lost")
    MISSED = "missed", _("missed")
    HELD = "held", _("held")
    RETRIED = "retried", _("retried")
    CANCELLED = "cancelled", _("cancelled")
    PAUSED = "paused", _("paused")
    RESUMED = "resumed", _("resumed")
    REVIEW = "review", _("review")  # a batch was held for people to decide, or they have decided
    INTERRUPTED = "interrupted", _("interrupted")  # a worker was told to stop and handed its work back
    MOVED = "moved", _("moved")  # a next run that new time zone data put at another instant
    EXPORTED = "exported", _("exported")  # somebody took events of the log away as a file
    CHANGED = "changed", _("changed")  # somebody changed when, what or in which order it runs


# By whom a run was started that nobody asked for.
BY_ITSELF = "scheduler"


class Starter(models.TextChoices):
    """Who or what began what a log event tells of; an event that began nothing has none."""

    SCHEDULE = "schedule", _("a schedule")
    TRIGGER = "trigger", _("data that arrived, or what it runs after")
    PERSON = "person", _("a person")
    CODE = "code", _("code that enqueued it")

    @classmethod
    def of(cls, fire_key: str, started_by: str) -> Starter:
        """Return who or what started a run, as its key tells: a slot, the fire of a trigger, code, else a person.

        A person may let a slot run after the event, too: the key is the same, so that it runs once.
        """
        kind = "".join(fire_key.split(":", 3)[2:3])
        if kind == "slot" and started_by != BY_ITSELF:
            return cls.PERSON
        return {"slot": cls.SCHEDULE, "fire": cls.TRIGGER, "code": cls.CODE}.get(kind, cls.PERSON)


class TimesShown(models.TextChoices):
    """In whose zone pages show instants."""

    MINE = "mine", _("my time")
    SCHEDULES = "schedules", _("each schedule's time")
    UTC = "utc", _("UTC")


class GateName(models.TextChoices):
    """The gates that can refuse a fire; triggers are alternatives and refuse none."""

    ENABLED = "enabled", _("switched off")
    MODE = "mode", _("people start it")
    STAGING_TABLE = "staging_table", _("its table cannot be read")
    PAUSE = "pause", _("paused")
    BLACKOUT = "blackout", _("blackout")
    OVERLAP = "overlap", _("the run before has not ended")
    ZOMBIE = "zombie", _("a dead worker")
    BACK_OFF = "back_off", _("back-off after failures")
    DUE = "due", _("not due")


class RunKind(models.TextChoices):
    """What a run is an instance of, and what the work of a task is (all but the last two)."""

    BATCH = "batch", _("batch")
    JOB = "job", _("job")
    SCRIPT = "script", _("SQL script")
    CALL = "call", _("call")  # a Python function declared with @task
    WAIT = "wait", _("wait")  # for a time, for rows, or for a query
    MAP = "map", _("for each item")  # decides the items of a step, and ends when they have
    PLAN = "plan", _("plan")
    ORDERED = "ordered", _("ordered work")

    @classmethod
    def of_several(cls) -> list[str]:
        """Return the kinds of runs that may have several tasks; a run of any other kind has one."""
        return [cls.PLAN, cls.ORDERED]


class SlotFate(models.TextChoices):
    """What becomes of a slot of the range of a backfill, before it begins."""

    WILL_RUN = "will_run", _("will run")
    RAN = "ran", _("ran before")
    UNDER_WAY = "under_way", _("is under way")
    DUE = "due", _("its schedule runs it")
    HELD = "held", _("held by a blackout")


class RunStatus(models.TextChoices):
    """A run's state; the last three are final."""

    PENDING = "pending", _("pending")  # created with its tasks; no task has started
    RUNNING = "running", _("running")  # a task has started; if its worker dies, recovery ends or advances it
    COMPLETED = "completed", _("completed")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")

    @classmethod
    def final(cls) -> list[str]:
        """Return the states that nothing leaves."""
        return [cls.COMPLETED, cls.FAILED, cls.CANCELLED]


class TaskStatus(models.TextChoices):
    """A task's state; the last five are final."""

    WAITING = "waiting", _("waiting")  # for tasks before it, or for the person who holds it
    QUEUED = "queued", _("queued")  # may be claimed; a lost message is sent again by recovery
    RUNNING = "running", _("running")  # owned by one live attempt; silence is found by recovery
    COMPLETED = "completed", _("completed")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")
    BLOCKED = "blocked", _("blocked")  # a task it depends on failed
    SKIPPED = "skipped", _("skipped")  # it runs when something before it failed, and nothing did; or a person did it

    @classmethod
    def live(cls) -> list[str]:
        """Return the states of what has not ended."""
        return [cls.WAITING, cls.QUEUED, cls.RUNNING]

    @classmethod
    def final(cls) -> list[str]:
        """Return the states of what has ended. Only who releases, skips or marks a failed task leads out of one."""
        return [cls.COMPLETED, cls.FAILED, cls.CANCELLED, cls.BLOCKED, cls.SKIPPED]


class AttemptOutcome(models.TextChoices):
    """How one try of a task ended; empty while it runs."""

    RUNNING = "running", _("running")
    COMPLETED = "completed", _("completed")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")
    INTERRUPTED = "interrupted", _("interrupted")  # its worker was told to stop; the task was queued again at once
    LOST = "lost", _("lost")  # gave no sign of life and was released; whatever it still writes is refused


# What marks a log event as being about the clock of a host, in its details.
CLOCK = "clock"


class AlertCondition(models.TextChoices):
    """What an alert rule watches for; `alerts.conditions` says of each when it holds."""

    FAILED = "failed", _("A run failed")
    WARNED = "warned", _("A run completed with warnings")
    MISSED = "missed", _("A planned run was missed")
    LATE = "late", _("A planned run is late")
    NOTHING_COMPLETED = "nothing_completed", _("Nothing completed for some time")
    NOT_DELIVERED = "not_delivered", _("No rows were delivered by a time of day")
    REJECTED = "rejected", _("A batch rejected too many rows")
    HELD = "held", _("A batch waits for approval")
    LONG = "long", _("A run takes longer than usual")
    PAST_DEADLINE = "past_deadline", _("A run or a step is late")
    WAITING = "waiting", _("Rows wait too long")
    VOLUME = "volume", _("A batch has far more or fewer rows than usual")
    SILENT = "silent", _("Scheduler, workers or broker are silent")


class AlertNews(models.TextChoices):
    """What is told of an alert."""

    OPENED = "opened", _("is wrong")
    AGAIN = "again", _("went wrong once more")
    REMINDER = "reminder", _("is still wrong")
    ESCALATED = "escalated", _("is wrong, and nobody answered")
    ENDED = "ended", _("is over")


class ChannelKind(models.TextChoices):
    """How a channel reaches people."""

    EMAIL = "email", _("E-mail")
    WEBHOOK = "webhook", _("Webhook")
    SERVICE = "service", _("Service (Slack, Teams, …)")


class Digest(models.TextChoices):
    """How a channel gathers news."""

    AT_ONCE = "at_once", _("at once")
    HOURLY = "hourly", _("once an hour")
    DAILY = "daily", _("once a day")


class DeliveryStatus(models.TextChoices):
    """The life of one message to one address.

    waiting -> sent | given_up. A process that dies while it sends leaves the message claimed; when the claim is over,
    another sends it once more: at least once, and twice only then.
    """

    WAITING = "waiting", _("waiting")
    SENT = "sent", _("sent")
    GIVEN_UP = "given_up", _("given up")
