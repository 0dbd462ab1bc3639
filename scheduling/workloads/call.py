"""The call workload: a Python function that declared itself with @task, called with the arguments of the task.

    from scheduling.workloads.call import task

    @task("rebuild totals")
    def rebuild_totals(context, region):
        ...

in the module `calls` of any installed app. Nothing else can be called: a name that nobody declared is refused.
"""

import inspect
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from django.utils.module_loading import autodiscover_modules

from scheduling import clock
from scheduling.errors import AttemptCancelled, AttemptInterrupted, FatalJobError
from scheduling.models import Run, Task
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome
from scheduling.workloads.pulse import Pulse
from staging.wording import say

# Code may ask in its innermost loop; the database is asked this often.
_ASKS_EVERY_SECONDS = 1.0


class WorkContext:
    """The first argument of a declared function."""

    def __init__(self, task: Task, pulse: Pulse, time: clock.TimeSource):
        self.run: Run = task.run
        self.task: Task = task
        self.arguments: Mapping[str, Any] = task.arguments
        self._pulse = pulse
        self._time = time
        self._asked_at = float("-inf")
        self._stop: AttemptCancelled | AttemptInterrupted | None = None
        self._progress: tuple[int, int | None] = (0, None)

    @property
    def now(self) -> datetime:
        """Return the current instant, aware, in UTC."""
        return self._time()

    @property
    def cancelled(self) -> bool:
        """Return whether it is to stop: a person cancelled, as of a second ago, or its worker is told to stop."""
        try:
            self.check_cancelled()
        except (AttemptCancelled, AttemptInterrupted):
            return True
        return False

    def check_interrupted(self) -> None:
        """Raise AttemptInterrupted when the code was told that its worker is to stop; it may have done a part only."""
        if isinstance(self._stop, AttemptInterrupted):
            raise self._stop

    def check_cancelled(self) -> None:
        """Raise what ends the work: a cancel, the end of its time, a worker that is to stop, an attempt given up."""
        if self._stop is not None:
            raise self._stop
        if clock.monotonic() - self._asked_at < _ASKS_EVERY_SECONDS:
            return
        self._asked_at = clock.monotonic()
        try:
            self._pulse.check(*self._progress)
        except (AttemptCancelled, AttemptInterrupted) as stop:
            self._stop = stop
            raise

    def progress(self, done: int, total: int | None = None) -> None:
        """Tell how far the work is; shown on the run's page within seconds. Raises like `check_cancelled`."""
        self._progress = (done, total)
        self._pulse.note(done, total)
        self.check_cancelled()


Function = TypeVar("Function", bound=Callable[..., Any])

_CALLS: dict[str, Callable[..., Any]] = {}


def task(name: str) -> Callable[[Function], Function]:
    """Declare a function callable as a task by this name. Raises ValueError when another function has the name."""

    def declare(function: Function) -> Function:
        known = _CALLS.setdefault(name, function)
        if (known.__module__, known.__qualname__) != (function.__module__, function.__qualname__):
            raise ValueError(
                say(
                    "The task {name!r} is declared twice: in {first} and {second}.",
                    name=name,
                    first=known.__module__,
                    second=function.__module__,
                )
            )
        _CALLS[name] = function
        return function

    return declare


def declared_calls() -> list[str]:
    """Return the names of all declared functions."""
    _discover()
    return sorted(_CALLS)


def call_fault(name: str, arguments: Mapping[str, Any]) -> str:
    """Return why a declared function does not take these arguments by name, empty when it does."""
    try:
        inspect.signature(_CALLS[name]).bind(None, **arguments)
    except TypeError as error:
        return f"{error}."
    return ""


def execute(task: Task, pulse: Pulse, time: clock.TimeSource) -> Outcome:
    """Call the function; what it returns as text is the task's message. Raises what the function raises."""
    _discover()
    name = str(task.arguments.get("call", ""))
    function = _CALLS.get(name)
    if function is None:
        raise FatalJobError(say("No function declares itself as the task {name!r}.", name=name))
    started = clock.monotonic()
    context = WorkContext(task, pulse, time)
    pulse.check_late_start()
    said = function(context, **task.arguments.get("arguments", {}))
    context.check_interrupted()
    elapsed = int((clock.monotonic() - started) * 1000)
    return Outcome(TaskStatus.COMPLETED, said if isinstance(said, str) else "Done.", duration_ms=elapsed)


def ended(task: Task, outcome: Outcome, *, now: datetime) -> str:
    """Nothing is left behind."""
    return ""


@cache
def _discover() -> None:
    """Import the module `calls` of every installed app, once."""
    autodiscover_modules("calls")
