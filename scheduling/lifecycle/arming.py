"""A schedule's own state as values: what each change of it writes, whichever door it comes through.

These functions return columns and store nothing. Verbs write them in one guarded update; previews, forecasts and
simulations put them on copies. Nobody else names these columns to write them.
"""

from datetime import datetime, timedelta
from functools import cache
from typing import Any, TypeVar

from django.db.models import F

from scheduling import conf
from scheduling.models import Plan, Schedule
from scheduling.states import TaskStatus
from staging.wording import Later

Columns = dict[str, Any]
S = TypeVar("S", bound=Schedule)

_TICK = timedelta(microseconds=1)
ARMING = (
    "armed_from",
    "caught_up_through",
    "late_runs_left",
    "consecutive_failures",
    "backoff_until",
    "next_scheduled_run",
)


def armed(schedule: Schedule, now: datetime, *, resumes: bool = False, inclusive: bool = False) -> Columns:
    """Return the columns, ARMING, of a schedule that counts from `now`: created, edited, switched on or resumed.

    Slots before are neither fired nor missed, nothing is caught up, and failures are forgotten with their back-off.
    `resumes`: its own pause is being lifted, so the columns look past it. `inclusive`: a slot at `now` is still to
    come. Raises CadenceError for broken columns.
    """
    first = schedule.planned_after(now - _TICK if inclusive else now, ignore_pause=resumes)
    return {
        "armed_from": now,
        "caught_up_through": None,
        "late_runs_left": None,
        "consecutive_failures": 0,
        "backoff_until": None,
        **next_at(first),
    }


def next_at(at: datetime | None) -> Columns:
    """Return the columns of a schedule whose next run is at this instant; None while it rests: paused, off or gone."""
    return {"next_scheduled_run": at}


def moved_on(at: datetime | None, through: datetime | None, late_runs_left: int | None) -> Columns:
    """Return the columns of a schedule that has dealt with its slots `through` an instant; its next run is `at`.

    `late_runs_left` is how many late runs the catch-up under way may still make, None when none is under way.
    """
    return {**next_at(at), "caught_up_through": through, "late_runs_left": late_runs_left}


def guard_taken(source: str | Later, now: datetime, by: Columns | None = None) -> Columns:
    """Return the columns of a guard that is held since `now`; `by` names the task or the run that holds it.

    Only a simulation may leave it for later to say whose fire it was.
    """
    started_by = source[:200] if isinstance(source, str) else source
    return {"is_running": True, "run_started_at": now, "run_started_by": started_by, **(by or {})}


def fired(source: str | Later, now: datetime, by: Columns | None = None, count: int | None = None) -> Columns:
    """Return the columns of a schedule whose fire takes its guard; `count` is its number, for a copy in memory."""
    number = F("fire_count") + 1 if count is None else count
    return {**guard_taken(source, now, by), "last_fired_at": now, "fire_count": number}


def guard_free(model: type[Schedule]) -> Columns:
    """Return the columns of a guard that nothing holds."""
    # By its key: a simulation frees thousands of guards, and a relation would be taken apart for each.
    return {"is_running": False, "run_started_at": None, "run_started_by": "", f"{model.HELD_BY}_id": None}


def completed(now: datetime, warnings: Any = 0) -> Columns:
    """Return what a success leaves: failures are counted anew. `warnings`: how many it gave, a number or an expression.

    The number stays with the last success; what ended otherwise is not seen by it.
    """
    return {
        "last_result": TaskStatus.COMPLETED,
        "last_warnings": warnings,
        "last_completed_at": now,
        "consecutive_failures": 0,
        "backoff_until": None,
    }


def completed_whole(plan: Plan, now: datetime) -> Columns:
    """Return what the success of a whole run of a plan leaves besides.

    Each is later than the one before, so that what runs after the plan sees each of them, also where two hosts differ
    by a little in what time it is.
    """
    return {"last_whole_at": now if plan.last_whole_at is None else max(now, plan.last_whole_at + _TICK)}


def cancelled() -> Columns:
    """Return what a cancel leaves: neither a success nor a failure."""
    return {"last_result": TaskStatus.CANCELLED}


def failed(now: datetime, failures: int, *, is_lost: bool = False, backs_off: bool = True) -> Columns:
    """Return what so many failures in a row leave: before `backoff_until` it does not start again, if it `backs_off`.

    After the first loss of a worker it is evaluated again at once; from the second failure in a row on there is a
    back-off, or work that kills its worker would do so every minute.
    """
    waits = failures - 1 if is_lost else failures
    until = now + conf.backoff(waits) if waits and backs_off else None
    return {"last_result": TaskStatus.FAILED, "consecutive_failures": failures, "backoff_until": until}


def unused(model: type[Schedule]) -> Columns:
    """Return the columns of a schedule that has never fired and runs nothing."""
    never = {"fire_count": 0, "last_fired_at": None, "last_completed_at": None}
    return {**guard_free(model), **never}


def put(schedule: S, columns: Columns) -> S:
    """Set columns on a schedule in memory and return it."""
    if columns.keys() <= _plain(type(schedule)):  # what leads nowhere: simulations put thousands of these
        vars(schedule).update(columns)
        return schedule
    for column, value in columns.items():
        setattr(schedule, column, value)
    return schedule


@cache
def _plain(model: type[Schedule]) -> frozenset[str]:
    """Return the columns of which nothing but their value is kept: a foreign key also keeps what it leads to."""
    return frozenset(field.attname for field in model._meta.concrete_fields if not field.is_relation)
