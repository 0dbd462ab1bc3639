"""The jobs that a soak declares. In a soak a minute of an interval is a second; SOAK_PACE is how many of them now."""

import os
import time

from scheduling.jobs.context import JobContext
from scheduling.jobs.declare import every, job

PACE = int(os.environ.get("SOAK_PACE", "2"))
# Of these users switch one off and pause the other before the soak: however code re-times them, they rest.
SWITCHED_OFF, PAUSED = "rests", "rests a while"
_STEPS, _STEP_SECONDS = 10, 0.1


@job("shared", category="Soak")
@every(7)
def shared(context: JobContext) -> None:
    """Work a second in whichever of two plans, or by its own schedule; one attempt, and it asks whether to stop."""
    for done in range(_STEPS):
        context.check_cancelled()
        context.progress(done, _STEPS)
        time.sleep(_STEP_SECONDS)


@job("deaf", category="Soak")
@every(8)
def deaf(context: JobContext) -> None:
    """Work a second without asking for anything; one attempt."""
    time.sleep(_STEPS * _STEP_SECONDS)


@job("quick", category="Soak")
@every(1, catch_up=2)
def quick(context: JobContext) -> None:
    """Fire as often as a cycle comes, and catch up with at most two runs."""


@job(SWITCHED_OFF, category="Soak")
@every(PACE)
def rests(context: JobContext) -> None:
    """Never run: it was switched off."""


@job(PAUSED, category="Soak")
@every(PACE + 1)
def rests_a_while(context: JobContext) -> None:
    """Never run: it was paused."""
