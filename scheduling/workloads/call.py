"""The call workload: a Python function that declared itself with @task, called with the arguments of the task.

    from scheduling.workloads.call import task

    @task("rebuild totals")
    def rebuild_totals(context, region: str):
        ...

in the module `calls` of any installed app. Nothing else can be called: a name that nobody declared is refused. It works
as a job does: the same context, the same way to hear of a cancel, the same log; only it has no schedule and no page.
"""

import inspect
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from django.utils.module_loading import autodiscover_modules

from scheduling import clock
from scheduling.errors import FatalJobError, InvalidArguments
from scheduling.jobs.arguments import as_json, checked
from scheduling.jobs.context import JobContext
from scheduling.jobs.declared import Draft
from scheduling.models import Task
from scheduling.workloads.job import call_declared, of_stored
from scheduling.workloads.outcome import Outcome
from scheduling.workloads.pulse import Pulse
from staging.wording import say


class WorkContext(JobContext):
    """The first argument of a task: that of a job, and to tell progress is also to stop where somebody cancelled."""

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Tell how far the work is; people see it within seconds. Raises like `check_cancelled`."""
        super().progress(done, total, message)
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


def checked_call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a declared function as they are stored. Raises InvalidArguments with every fault.

    What a function takes by `**` may be anything that JSON has.
    """
    function = _CALLS[name]
    if not _takes_any(function):
        return checked(function, arguments)
    try:
        inspect.signature(function).bind(None, **arguments)
        return {each: as_json(value) for each, value in arguments.items()}
    except TypeError as error:
        raise InvalidArguments({"arguments": [f"{error}."]}) from error


def _takes_any(function: Callable[..., Any]) -> bool:
    return any(each.kind == each.VAR_KEYWORD for each in inspect.signature(function).parameters.values())


def execute(task: Task, pulse: Pulse, time: clock.TimeSource) -> Outcome:
    """Call the function; what it returns as text is the task's message. Raises what the function raises."""
    _discover()
    name = str(task.arguments.get("call", ""))
    function = _CALLS.get(name)
    if function is None:
        raise FatalJobError(say("No function declares itself as the task {name!r}.", name=name))
    pulse.check_late_start()
    stored = task.arguments.get("arguments", {})
    arguments = stored if _takes_any(function) else of_stored(function, stored)
    return call_declared(Draft(function), task, arguments, pulse, time, name=name, kind=WorkContext)


def ended(task: Task, outcome: Outcome, *, now: datetime) -> str:
    """Nothing is left behind."""
    return ""


@cache
def _discover() -> None:
    """Import the module `calls` of every installed app, once."""
    autodiscover_modules("calls")
