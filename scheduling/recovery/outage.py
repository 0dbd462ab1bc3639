"""Tells an outage of the database from work that died: while nobody could give a sign of life, silence is no proof."""

from datetime import datetime, timedelta

from django.db import connection

from scheduling import clock, conf, statements
from scheduling.models import Heartbeat, SchedulerState

_last_cycle: dict[str, float] = {}

_SINCE_START = "SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())"


def note_cycle(now: datetime) -> None:
    """Note that a cycle of this process reached the database; after a long gap, that the database is back since now.

    Call before the cycle gives its own sign of life. A gap of this process alone is none: other cycles ran meanwhile.
    """
    last, _last_cycle["at"] = _last_cycle.get("at"), clock.monotonic()
    long = conf.zombie_timeout() / 2
    if last is None or clock.monotonic() - last < long.total_seconds():
        return
    seen = Heartbeat.objects.filter(name=Heartbeat.DISPATCHER).values_list("seen_at", flat=True).first()
    if seen is None or now - seen > long:
        SchedulerState.objects.update_or_create(pk=1, defaults={"database_back_at": now})


def is_grace(now: datetime) -> bool:
    """Return whether the database came back, or was started, less than a zombie time-out ago.

    Living work needs some time then to give its next sign of life.
    """
    timeout = conf.zombie_timeout()
    back_at = SchedulerState.current().database_back_at
    if back_at is not None and timedelta() <= now - back_at < timeout:
        return True
    if connection.vendor != "postgresql":
        return False
    return float(statements.rows(_SINCE_START)[0][0]) < timeout.total_seconds()
