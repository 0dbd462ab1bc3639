"""The settings of scheduling, typed, with their defaults; read when used, so that tests can override them."""

from datetime import timedelta

from django.conf import settings


def dispatch_interval() -> timedelta:
    """Return the time between two cycles (DISPATCH_INTERVAL_SECONDS, default 60)."""
    return timedelta(seconds=settings.DISPATCH_INTERVAL_SECONDS)


def zombie_timeout() -> timedelta:
    """Return how long an attempt may be silent before it is released (ZOMBIE_TIMEOUT_MINUTES, default 5)."""
    return timedelta(minutes=settings.ZOMBIE_TIMEOUT_MINUTES)


def heartbeat_interval() -> timedelta:
    """Return the time between two heartbeats of an attempt (HEARTBEAT_SECONDS, default 10)."""
    return timedelta(seconds=settings.HEARTBEAT_SECONDS)


def worker_silence() -> timedelta:
    """Return how long a worker may be silent before it no longer counts as alive: six heartbeats, at least 10 s."""
    return max(heartbeat_interval() * 6, timedelta(seconds=10))


def cycle_silence() -> timedelta:
    """Return how long the dispatcher may be silent before it no longer counts as alive: three cycles."""
    return 3 * dispatch_interval()


def resend_after() -> timedelta:
    """Return how long a queued task may stay unclaimed before its message is sent again (RESEND_AFTER_SECONDS, 90)."""
    return timedelta(seconds=settings.RESEND_AFTER_SECONDS)


def cancel_grace() -> timedelta:
    """Return how long work may go on after it was asked to stop before it is given up (CANCEL_GRACE_SECONDS, 60)."""
    return timedelta(seconds=settings.CANCEL_GRACE_SECONDS)


def clock_tolerance() -> timedelta:
    """Return how far this host's clock may be off before it takes no more work (CLOCK_TOLERANCE_SECONDS, 60)."""
    return timedelta(seconds=settings.CLOCK_TOLERANCE_SECONDS)


def stop_grace() -> timedelta:
    """Return how long work may go on after its worker was told to stop (STOP_GRACE_SECONDS, default 25)."""
    return timedelta(seconds=settings.STOP_GRACE_SECONDS)


def backoff(failures: int) -> timedelta:
    """Return the wait after this many failures in a row: 1, 2, 4 … minutes, at most an hour."""
    return min(timedelta(minutes=1) * 2 ** min(failures - 1, 10), timedelta(hours=1)) if failures > 0 else timedelta()


def most_items() -> int:
    """Return of how many items a step may run at most (MOST_ITEMS_OF_A_STEP, default 1000)."""
    return int(settings.MOST_ITEMS_OF_A_STEP)


def is_embedded() -> bool:
    """Return whether this is the embedded profile: no broker, `run_local` claims from the task table."""
    return not settings.CELERY_BROKER_URL


def may_travel_in_time() -> bool:
    """Return whether commands may be told another `now` (SCHEDULER_ALLOW_TIME_TRAVEL)."""
    return bool(settings.SCHEDULER_ALLOW_TIME_TRAVEL)


def missed_after() -> timedelta:
    """Return how late a slot may run before it counts as missed (MISSED_AFTER_SECONDS, default 300).

    Long enough for a restart of the dispatcher, and never shorter than two cycles.
    """
    return timedelta(seconds=max(settings.MISSED_AFTER_SECONDS, settings.DISPATCH_INTERVAL_SECONDS * 2))


def backfill_slots() -> int:
    """Return how many slots one backfill runs at most (BACKFILL_SLOTS, default 500, at most 10,000).

    They are named in one statement, and SQLite takes only so many values.
    """
    return min(max(int(settings.BACKFILL_SLOTS), 1), 10_000)


def retention_cron() -> str:
    """Return when the retention policy is applied (RETENTION_CRON, default each hour)."""
    return str(settings.RETENTION_CRON)


def time_zone_cron() -> str:
    """Return when the time zone data is compared with what next runs were computed from (TIME_ZONE_CRON)."""
    return str(settings.TIME_ZONE_CRON)


def report_cron() -> str:
    """Return when the recovery report is made (REPORT_CRON, default each morning)."""
    return str(settings.REPORT_CRON)


def statistics_cron() -> str:
    """Return when ended runs are rolled up into figures by the hour (STATISTICS_CRON, default each hour)."""
    return str(settings.STATISTICS_CRON)
