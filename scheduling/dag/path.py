"""Where the time of a run went: the chain of steps that decided when it ended, and what each of them did meanwhile.

The chain is read backwards. The step that ended last is its end; of the steps that this one came after, the one that
ended last released it; and so on, up to a step that came after none. So the pieces of the chain lie end to end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

_SKEW = timedelta(seconds=5)  # by which the clocks of two hosts may differ: what released a step seems to end after


class Spent(StrEnum):
    """What a step did in a piece of time.

    AWAITED: it was a wait, for a time, for rows or for a query. OTHERWISE: nobody held it, and it neither waited for a
    worker nor worked.
    """

    QUEUED = "queued"
    RETRY = "retry"
    HELD = "held"
    WORKED = "worked"
    AWAITED = "awaited"
    OTHERWISE = "otherwise"


@dataclass(frozen=True)
class Try:
    """One attempt: from when until when, None while it goes on; an interrupted one is queued again at once."""

    start: datetime
    end: datetime | None = None
    was_interrupted: bool = False


@dataclass(frozen=True)
class TimedStep:
    """A step with the instants that are kept of it; `after` are the keys of what it came after.

    `queued_at`: when it was queued last; `held_at`: since when it is held; `is_put_off`: it waits for its next attempt.
    `is_wait`: it is there to wait.
    """

    name: str
    after: Collection[int] = ()
    tries: Sequence[Try] = ()
    queued_at: datetime | None = None
    held_at: datetime | None = None
    ended_at: datetime | None = None
    is_put_off: bool = False
    is_wait: bool = False

    @property
    def ends(self) -> Iterator[datetime]:
        """Yield the instants at which it may have released others: a failure that was passed over, and its end."""
        yield from (each.end for each in self.tries if each.end is not None)
        if self.ended_at is not None:
            yield self.ended_at


@dataclass(frozen=True)
class PathPiece:
    """A piece of the chain: which step, what it did, from when until when."""

    step: str
    what: Spent
    start: datetime
    end: datetime

    @property
    def took(self) -> timedelta:
        """Return how long it is."""
        return self.end - self.start


def critical_path(steps: Mapping[int, TimedStep], start: datetime, end: datetime) -> tuple[PathPiece, ...]:
    """Return the pieces of time from `start` to `end`, in their order, each with the step that the run waited for.

    They lie end to end and no step comes twice. `end` is the run's, or now: then the chain is that of the step that is
    at work, or waits for nothing but its turn, for the longest time. A step whose end nothing of the chain explains, as
    one that a person ended before its time, is its beginning.
    """
    found: list[list[PathPiece]] = []
    key, until, seen = _last(steps, start), end, set[int]()
    while key is not None and until > start and key not in seen:
        seen.add(key)
        released_by, since = _released(steps[key], steps, start, until)
        found.append(list(_pieces(steps[key], since, until)))
        key, until = released_by, since
    return tuple(piece for pieces in reversed(found) for piece in pieces)


def by_step(pieces: Collection[PathPiece]) -> dict[str, dict[Spent, timedelta]]:
    """Return how long each step of a chain did what, in its order."""
    found: dict[str, dict[Spent, timedelta]] = {}
    for piece in pieces:
        spent = found.setdefault(piece.step, {})
        spent[piece.what] = spent.get(piece.what, timedelta()) + piece.took
    return found


def _last(steps: Mapping[int, TimedStep], start: datetime) -> int | None:
    """Return the step that keeps the run: one that has not ended and waits for no other, else the last that ended."""
    known: dict[int, datetime | None] = {}  # what many steps came after is looked at once
    released: dict[int, datetime] = {}
    for key, step in steps.items():
        if step.ended_at is None:
            if id(step.after) not in known:
                known[id(step.after)] = _all_ended(steps[prior].ended_at for prior in step.after)
            if (since := known[id(step.after)]) is not None:
                released[key] = max(since, start)
    if released:
        return min(released, key=lambda key: (released[key], key))
    ended = {key: step.ended_at for key, step in steps.items() if step.ended_at is not None}
    # What was blocked or skipped ended at the same instant as what did that to it, and did nothing.
    return max(ended, key=lambda key: (ended[key], bool(steps[key].tries), -key), default=None)


def _all_ended(ends: Iterable[datetime | None]) -> datetime | None:
    """Return when the last of several ended, the beginning of time for none at all; None while one has not ended."""
    last = datetime.min.replace(tzinfo=UTC)
    for each in ends:
        if each is None:
            return None
        last = max(last, each)
    return last


def _released(
    step: TimedStep, steps: Mapping[int, TimedStep], start: datetime, until: datetime
) -> tuple[int | None, datetime]:
    """Return what released a step, and when; None and the start for one that nothing did."""
    known = [each for each in (step.queued_at, step.ended_at) if each is not None]
    first = min(step.tries[0].start if step.tries else min(known, default=until), until)
    ends = {
        prior: max(before)
        for prior in step.after
        if (before := [min(each, first) for each in steps[prior].ends if each <= first + _SKEW])
    }
    if not ends:
        return None, start
    last = max(ends, key=lambda prior: (ends[prior], bool(steps[prior].tries), -prior))
    return last, max(ends[last], start)


def _pieces(step: TimedStep, since: datetime, until: datetime) -> Iterator[PathPiece]:
    """Yield what a step did from its release until an instant, end to end."""
    at = since
    for what, end in _phases(step, until):
        end = min(end, until)
        if end > at:
            yield PathPiece(step.name, what, at, end)
            at = end


def _phases(step: TimedStep, until: datetime) -> Iterator[tuple[Spent, datetime]]:
    """Yield what a step did up to which instant, in this order; what ends before another began is none."""
    yield from _phases_of_a_wait(step, until) if step.is_wait else _phases_of_work(step, until)
    yield Spent.OTHERWISE, until


def _phases_of_a_wait(step: TimedStep, until: datetime) -> Iterator[tuple[Spent, datetime]]:
    """Yield the same of a wait, of whose looks nothing is kept: its time goes on while it waits for the next one."""
    if step.ended_at is None and step.held_at is not None:
        yield Spent.AWAITED, step.held_at
        yield Spent.HELD, until
    yield Spent.AWAITED, step.ended_at or until


def _phases_of_work(step: TimedStep, until: datetime) -> Iterator[tuple[Spent, datetime]]:
    """Yield the same of a step that works."""
    waits = Spent.QUEUED
    if step.queued_at is not None and (not step.tries or step.queued_at <= step.tries[0].start):
        yield Spent.HELD, step.queued_at
    for each in step.tries:
        yield waits, each.start
        yield Spent.WORKED, each.end or until
        waits = Spent.QUEUED if each.was_interrupted else Spent.RETRY
    if step.ended_at is not None:
        if not step.tries and step.queued_at is not None:
            yield Spent.QUEUED, step.ended_at
    elif step.held_at is not None:
        yield waits, step.held_at
        yield Spent.HELD, until
    elif step.is_put_off:
        yield waits, until
    else:
        yield waits, step.queued_at or until
        yield Spent.QUEUED, until
