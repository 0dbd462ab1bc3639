"""The data conditions of a triggered entity: a gate for each trigger, and when one may come true by time alone."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from scheduling.decisions.decision import Gate
from scheduling.models import SchedulerConfiguration
from staging.tables.columns import PendingRows
from staging.wording import counted_later, later

# Cycles do not tick to the millisecond. A debounce of one cycle must not lose every second cycle to that.
_CLOCK_NOISE = timedelta(seconds=1)


def trigger_gates(configuration: SchedulerConfiguration, pending: PendingRows, now: datetime) -> Iterator[Gate]:
    """Yield a gate for each configured trigger: row threshold, idle, new rows. Names start with `trigger:`."""
    if configuration.trigger_row_threshold is not None:
        yield _threshold(pending, configuration.trigger_row_threshold)
    if configuration.trigger_idle_minutes is not None:
        yield _idle(pending, timedelta(minutes=configuration.trigger_idle_minutes), now)
    if configuration.trigger_on_new_rows:
        yield _new_rows(configuration, pending, now)


def turning_points(configuration: SchedulerConfiguration, pending: PendingRows) -> Iterator[datetime]:
    """Yield the instants at which a trigger's condition can come true by time alone, without another row."""
    if pending.oldest_at is None or pending.newest_at is None:
        return
    if configuration.trigger_idle_minutes is not None:
        yield pending.oldest_at + timedelta(minutes=configuration.trigger_idle_minutes)
    if configuration.trigger_on_new_rows:
        if (last := _last_batch(configuration)) is not None:
            yield last + timedelta(seconds=configuration.trigger_debounce_seconds) - _CLOCK_NOISE
        yield pending.newest_at + timedelta(seconds=configuration.trigger_settle_seconds)


def _threshold(pending: PendingRows, threshold: int) -> Gate:
    """Pass when enough rows wait."""
    met, rows = pending.count >= threshold, counted_later(pending.count, "row", "rows")
    if met:
        text = later("Row threshold met: {rows} >= threshold {threshold:,}.", rows=rows, threshold=threshold)
    else:
        text = later("Row threshold not met: {rows} < threshold {threshold:,}.", rows=rows, threshold=threshold)
    return Gate("trigger:row_threshold", met, rows, later("threshold {threshold:,}", threshold=threshold), text)


def _idle(pending: PendingRows, limit: timedelta, now: datetime) -> Gate:
    """Pass when the oldest row has waited long enough, in true elapsed time."""
    idle = later("idle {limit}", limit=limit)
    if pending.oldest_at is None:
        return Gate("trigger:idle", False, later("no rows"), idle, later("Idle time not met: no rows wait."))
    age = now - pending.oldest_at
    met = age >= limit
    if met:
        text = later("Idle time met: the oldest row waits {age} of {limit}.", age=age, limit=limit)
    else:
        text = later("Idle time not met: the oldest row waits {age} of {limit}.", age=age, limit=limit)
    return Gate("trigger:idle", met, later("oldest row waits {age}", age=age), idle, text)


def _new_rows(configuration: SchedulerConfiguration, pending: PendingRows, now: datetime) -> Gate:
    """Pass when rows wait, the last fire or completion is a debounce ago, and the newest row has settled.

    Measured from what happened, never from the last look: with that, a debounce longer than the cycle would never
    fire.
    """
    debounce = timedelta(seconds=configuration.trigger_debounce_seconds)
    settle = timedelta(seconds=configuration.trigger_settle_seconds)
    limit = later("debounce {debounce}", debounce=debounce)
    if settle:
        limit = later("debounce {debounce}, settle {settle}", debounce=debounce, settle=settle)
    rows = counted_later(pending.count, "row", "rows")
    name, value = "trigger:new_rows", later("new rows: {rows}", rows=rows)
    if pending.count == 0 or pending.newest_at is None:
        return Gate(name, False, value, limit, later("No new rows."))
    last = _last_batch(configuration)
    if last is not None and now - last < debounce - _CLOCK_NOISE:
        return Gate(
            name,
            False,
            value,
            limit,
            later(
                "New rows wait, but the last batch was {elapsed} ago (debounce {debounce}).",
                elapsed=now - last,
                debounce=debounce,
            ),
        )
    quiet = now - pending.newest_at
    if settle and quiet < settle:
        return Gate(
            name,
            False,
            value,
            limit,
            later("New rows still arrive: the newest came {quiet} ago (settle {settle}).", quiet=quiet, settle=settle),
        )
    return Gate(name, True, value, limit, later("New rows: {rows} waiting.", rows=rows))


def _last_batch(configuration: SchedulerConfiguration) -> datetime | None:
    """Return when a batch last started or ended, whichever came later."""
    return max(filter(None, (configuration.last_fired_at, configuration.last_completed_at)), default=None)
