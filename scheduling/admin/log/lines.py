"""Makes the lines of a page of the log: equal skips of one subject, with nothing else of it between, are one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_noop

from scheduling.admin.keyset import PAGE_SIZE, Page, read_page
from scheduling.models import SchedulerLog
from scheduling.states import EventType
from staging.wording import say

READ_AT_ONCE = 500  # events that one page may fold into its lines
_FOLDED = (EventType.SKIPPED, EventType.HELD, EventType.MISSED)
_TOO_SLOW = gettext_noop("That search took too long. Choose a shorter period, an entity or an event.")


@dataclass
class LogLine:
    """What one line shows: its newest event, and how many equal ones there are with it."""

    event: Any
    count: int = 1
    first: datetime | None = None
    last: datetime | None = None

    def take(self, event: SchedulerLog) -> None:
        """Add an equal event, whichever of them is the newest."""
        at, known = event.event_time, self.event.event_time
        self.count += 1
        self.first, self.last = min(self.first or known, at), max(self.last or known, at)
        self.event = event if at > known else self.event


@dataclass
class _Fold:
    """Lines under way, and the last line of each subject."""

    lines: list[LogLine] = field(default_factory=list)
    last_of: dict[tuple[Any, ...], LogLine] = field(default_factory=dict)

    def take(self, event: SchedulerLog, most: int) -> bool:
        """Put an event into the last line of its subject, or into one of its own; False when there is no room."""
        subject = (event.entity_id, event.plan_id, event.job_id)
        line = self.last_of.get(subject)
        if line is not None and are_equal(line.event, event):
            line.take(event)
            return True
        if len(self.lines) == most:
            return False
        self.last_of[subject] = LogLine(event)
        self.lines.append(self.last_of[subject])
        return True


def are_equal(one: SchedulerLog, other: SchedulerLog) -> bool:
    """Return whether two events of a subject tell the same: one kind of skip for one reason.

    A skip without a reason counts by its words. How many rows waited, and which slot it was, differs from one to the
    next.
    """
    if one.event_type not in _FOLDED or one.event_type != other.event_type:
        return False
    return one.reason == other.reason if one.reason or other.reason else one.message == other.message


def folded(events: Sequence[SchedulerLog], most: int = PAGE_SIZE) -> tuple[list[LogLine], int]:
    """Return at most so many lines of neighbouring events, in their order, and how many of the events these show."""
    fold = _Fold()
    for number, event in enumerate(events):
        if not fold.take(event, most):
            return fold.lines, number
    return fold.lines, len(events)


def read_lines(
    events: QuerySet[SchedulerLog], params: Mapping[str, str], *, folds: bool, is_bounded: bool
) -> tuple[list[LogLine], Page[SchedulerLog], str]:
    """Return the lines of a page, newest first, the page, and what went wrong; one query, no count.

    When `is_bounded`, PostgreSQL gets two seconds for it, no more.
    """
    size = READ_AT_ONCE if folds else PAGE_SIZE
    read = partial(read_page, events, params, time_field="event_time", size=size, fits=_fits if folds else len)
    page, problem = _bounded(read) if is_bounded and connection.vendor == "postgresql" else (read(), "")
    if not folds:
        return [LogLine(event) for event in page.rows], page, problem
    lines, _ = folded(page.rows, most=len(page.rows))
    return lines, page, problem


def _fits(events: Sequence[SchedulerLog]) -> int:
    return folded(events)[1]


def _bounded(read: Any) -> tuple[Page[SchedulerLog], str]:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '2s'")
            return read(), ""
    except OperationalError:
        return Page([], None, None), say(_TOO_SLOW)
