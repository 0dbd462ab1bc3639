"""Begins the next attempts of whole plans when their waits are over: a cycle does, and who waits for a run to end."""

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db import transaction

from scheduling import clock
from scheduling.dispatch.recover import attempts_due
from scheduling.errors import ChangedMeanwhile, SchedulingError
from scheduling.lifecycle.again import failed_begins, give_up, put_off, still_waits
from scheduling.models import Run, SchedulerState
from scheduling.runs.execute import work_off_run
from scheduling.runs.restart import try_again
from scheduling.runs.start import raise_if_lost
from scheduling.states import EventType
from staging.errors import StagingError
from staging.wording import one_line, say

logger = logging.getLogger(__name__)

# How often an attempt may fail to begin for a reason that nobody foresaw; each time it waits twice as long, from a
# minute on, so that what passes within a quarter of an hour costs no attempt.
MOST_BEGINS = 5
_PUT_OFF = timedelta(minutes=1)
_LOOKS_EVERY_SECONDS = 1.0


def try_runs_again(due: Iterable[Run], now: datetime) -> tuple[list[str], list[str]]:
    """Start the next attempt of each of these runs whose waits are over; return the plans tried again and what failed.

    An attempt that cannot begin is given up, and told as the failure that it leaves behind.
    """
    begun, errors = list[str](), list[str]()
    for run in due:
        try:
            begun += _begin(run, now)
        except Exception as error:
            _put_off(run, error, now)
            errors.append(run.title)
    return begun, errors


def work_off_attempts(run: Run, *, time: clock.TimeSource, tell: Callable[[str], None]) -> Run:
    """Execute a run, and every further attempt of its plan after its wait; return the last one.

    `tell` gets a sentence for each wait. A cycle, or a person who restarts it, may begin the attempt as well: it goes
    on with that one. While everything is paused, nothing begins.
    """
    while True:
        work_off_run(run, time=time)
        run.refresh_from_db()
        if run.next_attempt_at is not None:
            told = {"run": run.pk, "number": run.attempt_number, "allowed": run.attempts_allowed}
            at = run.next_attempt_at
            tell(say("Run {run} failed. It was attempt {number} of {allowed}; the next begins at {at}.", at=at, **told))
            _wait(run, time)
        following = run.restarts.filter(attempt_number=run.attempt_number + 1).order_by("pk").last()
        if following is None:
            return run
        run = following


def _wait(run: Run, time: clock.TimeSource) -> None:
    """Wait until the next attempt of a run has begun, or until none comes any more."""
    while run.next_attempt_at is not None:
        now = time()
        if attempts_due(now).filter(pk=run.pk).exists() and SchedulerState.current().paused_at is None:
            clock.follow()
            if trouble := clock.trouble():
                raise SchedulingError(trouble)
            try:
                _begin(run, now)
            except Exception as error:
                _put_off(run, error, now)
        else:
            clock.sleep(_LOOKS_EVERY_SECONDS)
        run.refresh_from_db()


def _begin(run: Run, now: datetime) -> list[str]:
    """Start the next attempt of one run, or give it up where it cannot begin; return its plans if it began."""
    try:
        begun = try_again(run, now=now)
    except ChangedMeanwhile:  # switched off, or edited, since it was read: the next cycle looks again
        return []
    except (SchedulingError, StagingError) as error:
        with transaction.atomic():
            give_up(run, str(error), event=EventType.ERROR, now=now)
        return []
    return [f"plan {name}" for name in begun.plans] if begun is not None else []


def _put_off(run: Run, error: Exception, now: datetime) -> None:
    """Let an attempt wait that could not begin for a reason that nobody foresaw; after some times give it up.

    Raises what comes of a lost connection; anything else is logged, and the next cycle tries again.
    """
    raise_if_lost(error)
    logger.error(
        "could not begin the next attempt of run %s",
        run.pk,
        exc_info=error,
        extra={"event": "run_not_tried_again", "run_id": run.pk},
    )
    try:
        with transaction.atomic():
            if not still_waits(run):  # whoever tried it at the same time has counted, or begun it
                return
            failed = failed_begins(run) + 1
            told = {"error": one_line(error) or type(error).__name__, "number": failed, "most": MOST_BEGINS}
            if failed >= MOST_BEGINS:
                why = say("The next attempt could not begin, {number} times in a row: {error}", **told)
                give_up(run, why, event=EventType.ERROR, now=now)
                return
            at = now + _PUT_OFF * 2 ** (failed - 1)
            why = say(
                "The next attempt could not begin ({number} of {most}), and is begun at {at}: {error}", at=at, **told
            )
            put_off(run, at, why, now=now)
    except Exception as another:
        raise_if_lost(another)
        logger.exception(
            "could not put off the next attempt of run %s",
            run.pk,
            extra={"event": "run_not_tried_again", "run_id": run.pk},
        )
