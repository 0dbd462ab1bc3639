"""The data conditions of a triggered entity, in order of priority: the first that passes is the source."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from scheduling.decisions.decision import Gate
from scheduling.models import SchedulerConfiguration
from staging.tables.statistics import PendingRows
from staging.wording import counted, duration

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
    met = pending.count >= threshold
    verdict, sign = ("met", ">=") if met else ("not met", "<")
    text = f"Row threshold {verdict}: {counted(pending.count, 'row', 'rows')} {sign} threshold {threshold:,}."
    return Gate("trigger:row_threshold", met, counted(pending.count, "row", "rows"), f"threshold {threshold:,}", text)


def _idle(pending: PendingRows, limit: timedelta, now: datetime) -> Gate:
    """Pass when the oldest row has waited long enough, in true elapsed time."""
    if pending.oldest_at is None:
        text = "Idle time not met: no rows wait."
        return Gate("trigger:idle", False, "no rows", f"idle {duration(limit)}", text)
    age = now - pending.oldest_at
    met = age >= limit
    text = f"Idle time {'met' if met else 'not met'}: the oldest row waits {duration(age)} of {duration(limit)}."
    return Gate("trigger:idle", met, f"oldest row waits {duration(age)}", f"idle {duration(limit)}", text)


def _new_rows(configuration: SchedulerConfiguration, pending: PendingRows, now: datetime) -> Gate:
    """Pass when rows wait, the last fire or completion is a debounce ago, and the newest row has settled.

    Measured from what happened, never from the last look: with that, a debounce longer than the cycle would never
    fire.
    """
    debounce = timedelta(seconds=configuration.trigger_debounce_seconds)
    settle = timedelta(seconds=configuration.trigger_settle_seconds)
    limit = f"debounce {duration(debounce)}" + (f", settle {duration(settle)}" if settle else "")
    name, value = "trigger:new_rows", f"new rows: {counted(pending.count, 'row', 'rows')}"
    if pending.count == 0 or pending.newest_at is None:
        return Gate(name, False, value, limit, "No new rows.")
    last = _last_batch(configuration)
    if last is not None and now - last < debounce - _CLOCK_NOISE:
        text = f"New rows wait, but the last batch was {duration(now - last)} ago (debounce {duration(debounce)})."
        return Gate(name, False, value, limit, text)
    quiet = now - pending.newest_at
    if settle and quiet < settle:
        text = f"New rows still arrive: the newest came {duration(quiet)} ago (settle {duration(settle)})."
        return Gate(name, False, value, limit, text)
    return Gate(name, True, value, limit, f"New rows: {counted(pending.count, 'row', 'rows')} waiting.")


def _last_batch(configuration: SchedulerConfiguration) -> datetime | None:
    """Return when a batch last started or ended, whichever came later."""
    return max(filter(None, (configuration.last_fired_at, configuration.last_completed_at)), default=None)
