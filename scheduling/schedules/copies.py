"""Copies of schedules to think with: forecast and simulation move them on, and nothing is ever stored."""

from __future__ import annotations

from copy import copy
from datetime import datetime
from typing import TypeVar

from scheduling.cadence.base import Cadence
from scheduling.cadence.remembered import remembered
from scheduling.models import Schedule
from scheduling.states import IntervalAnchor

S = TypeVar("S", bound=Schedule)


def working_copy(schedule: S) -> S:
    """Return a copy whose cadence and blackout are read once; its settings must not change any more.

    A copy is asked thousands of times. Only an interval after the last completion is read anew each time, for its
    cadence is another one after each run. Raises CadenceError when the columns are broken.
    """
    mine = _copy(schedule)
    if schedule.interval_anchor != IntervalAnchor.LAST_COMPLETION and (cadence := schedule.cadence()):
        shared = remembered(cadence)

        def same(since: datetime | None = None) -> Cadence:
            return shared

        vars(mine)["cadence"] = same
    if (blackout := schedule.blackout()) is not None:
        vars(mine)["blackout"] = lambda: blackout
    return mine


def _copy(schedule: S) -> S:
    """Return what `copy` does; that asks of each copy whether another release of Django may have made it."""
    mine, state = type(schedule).__new__(type(schedule)), copy(schedule._state)
    state.fields_cache = state.fields_cache.copy()
    vars(mine).update(vars(schedule), _state=state)
    return mine
