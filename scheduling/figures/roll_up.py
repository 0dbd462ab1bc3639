"""Rolls what ended up into hours, and keeps what was rolled up true when runs are deleted or released again.

Pages read the hours that are rolled up and, live, what ended since: they are exact whether or not this ran. An hour is
rolled up an hour after it is over, when what ended in it is surely stored; the last day is counted anew each time, so
that what was stored even later, or by a host whose clock was wrong, is found. Counting twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F

from scheduling.figures.count import COUNTED, HOUR, OF_TASKS, count_hours, first_end, full_hour
from scheduling.models import FiguresMark, HourOfFigures, Task
from scheduling.states import TaskStatus
from staging.transactions import in_transaction

KEPT = timedelta(days=400)  # a year to compare with, and the month that it is compared in
_SETTLED_AFTER = HOUR
_COUNTED_ANEW = timedelta(days=1)
_STEP = timedelta(days=1)
_COLUMNS = ("completed", "failed", "cancelled", "took", "longest")


def roll_up(now: datetime) -> tuple[int, int]:
    """Count every hour that is over and may have changed since the last time; return hours changed and hours deleted.

    Each day is a transaction of its own, so what a crash leaves is true and the next call goes on from there.
    """
    end = full_hour(now - _SETTLED_AFTER)
    begin, changed = _begin(end), 0
    while begin < end:
        stop = min(begin + _STEP, end)
        changed += _roll(begin, stop)
        begin = stop
    deleted, _ = HourOfFigures.objects.filter(hour__lt=full_hour(now - KEPT)).delete()
    return changed, deleted


def free_for_deletion(before: datetime) -> datetime:
    """Note that runs which ended before this may be deleted from now on, and return how far that is really so.

    It is a full hour, and never later than what is rolled up: nothing is deleted that was not counted.
    """
    with transaction.atomic():
        mark = FiguresMark.locked()
        if mark.rolled_before is None:
            return full_hour(first_end() or before)
        free = min(full_hour(before), mark.rolled_before)
        mark.deleted_before = max(free, mark.deleted_before or free)
        mark.save(update_fields=["deleted_before"])
    return free


@in_transaction
def take_back(ended: Collection[Task]) -> None:
    """Count these ends no more, because their tasks run again, in the transaction that lets them.

    The tasks are as they were before. Hours that are rolled up are counted anew; of one of which runs are deleted only
    the number is mended.
    """
    counted = [task for task in ended if _counts(task)]
    ends = [task.finished_at for task in counted if task.finished_at]
    if not ends:
        return
    mark = FiguresMark.locked()
    rolled_before = mark.rolled_before or full_hour(min(ends))
    for hour in {full_hour(end) for end in ends if end < rolled_before and not mark.is_deleted(end)}:
        _store(hour, hour + HOUR)
    for task in counted:
        if task.finished_at and mark.is_deleted(task.finished_at):
            _count_less(task, task.finished_at)


def _counts(task: Task) -> bool:
    """Return whether the end of a task counts; what a person marked as succeeded was no work."""
    by_hand = task.status == TaskStatus.COMPLETED and task.started_at is None
    return task.workload in OF_TASKS and task.status in COUNTED and not by_hand


def _count_less(task: Task, ended: datetime) -> None:
    """Take one end from an hour that cannot be counted again; how long the longest took stays."""
    hour = HourOfFigures.objects.filter(kind=task.workload, subject=str(task.target_id), hour=full_hour(ended))
    took = ended - task.started_at if task.started_at and task.status == TaskStatus.COMPLETED else timedelta()
    hour.filter(**{f"{task.status}__gt": 0}).update(**{task.status: F(task.status) - 1, "took": F("took") - took})


def _begin(end: datetime) -> datetime:
    """Return the first hour to count: a day before the last one counted, or the first in which anything ended."""
    mark = FiguresMark.current()
    if mark.rolled_before is not None:
        return min(mark.rolled_before, end) - _COUNTED_ANEW
    return min(full_hour(first_end() or end), end - HOUR)


def _roll(begin: datetime, stop: datetime) -> int:
    """Count these hours and store what differs, unless runs of theirs are deleted; return how many differed."""
    with transaction.atomic():
        mark = FiguresMark.locked()
        begin = min(begin, mark.rolled_before or begin)  # somebody else may have set the mark back
        begin, stop = (max(moment, mark.deleted_before or moment) for moment in (begin, stop))
        changed = _store(begin, stop)
        mark.rolled_before = stop
        mark.save(update_fields=["rolled_before"])
    return changed


def _store(begin: datetime, stop: datetime) -> int:
    counted = count_hours(begin, stop)
    stored = {(each.kind, each.subject, each.hour): each for each in _between(begin, stop)}
    gone = [each.pk for key, each in stored.items() if key not in counted]
    differing = [each for key, each in counted.items() if key not in stored or _differs(each, stored[key])]
    HourOfFigures.objects.filter(pk__in=gone).delete()
    HourOfFigures.objects.bulk_create(
        differing,
        batch_size=500,
        update_conflicts=True,
        unique_fields=["kind", "subject", "hour"],
        update_fields=_COLUMNS,
    )
    return len(gone) + len(differing)


def _between(begin: datetime, stop: datetime) -> list[HourOfFigures]:
    return list(HourOfFigures.objects.filter(hour__gte=begin, hour__lt=stop).order_by())


def _differs(counted: HourOfFigures, stored: HourOfFigures) -> bool:
    return any(getattr(counted, column) != getattr(stored, column) for column in _COLUMNS)
