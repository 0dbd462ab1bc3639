"""Copies of configurations to think with: forecast and simulation move them on, and nothing is ever stored."""

from __future__ import annotations

from copy import copy
from datetime import datetime

from scheduling.cadence.base import Cadence
from scheduling.cadence.remembered import Remembered
from scheduling.models import SchedulerConfiguration
from scheduling.states import IntervalAnchor


def working_copy(configuration: SchedulerConfiguration) -> SchedulerConfiguration:
    """Return a copy whose cadence and blackout are read once; its settings must not change any more.

    A copy is asked thousands of times. Only an interval after the last completion is read anew each time, for its
    cadence is another one after each run. Raises CadenceError when the columns are broken.
    """
    mine = copy(configuration)
    if configuration.interval_anchor != IntervalAnchor.LAST_COMPLETION and (cadence := configuration.cadence()):
        remembered = Remembered.of(cadence)

        def same(since: datetime | None = None) -> Cadence:
            return remembered

        vars(mine)["cadence"] = same
    if configuration.calendar is not None:
        blackout = configuration.calendar.blackout()
        mine.calendar = copy(configuration.calendar)
        vars(mine.calendar)["blackout"] = lambda: blackout
    return mine
