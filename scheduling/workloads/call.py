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
from scheduling.errors import FatalJobError
from scheduling.models import Task
from scheduling.states import TaskStatus
from scheduling.workloads.context import WorkContext
from scheduling.workloads.outcome import Outcome
from scheduling.workloads.pulse import Pulse

Function = TypeVar("Function", bound=Callable[..., Any])

_CALLS: dict[str, Callable[..., Any]] = {}


def task(name: str) -> Callable[[Function], Function]:
    """Declare a function callable as a task by this name. Raises ValueError when another function has the name."""

    def declare(function: Function) -> Function:
        known = _CALLS.setdefault(name, function)
        if (known.__module__, known.__qualname__) != (function.__module__, function.__qualname__):
            raise ValueError(f"The task {name!r} is declared twice: in {known.__module__} and {function.__module__}.")
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
        raise FatalJobError(f"No function declares itself as the task {name!r}.")
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
