"""What code declared: jobs and their schedules as values, and the drafts that decorators fill in."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scheduling.errors import InvalidDeclaration
from scheduling.jobs.arguments import parameters_of
from staging.wording import aloud, say

Function = Callable[..., Any]


@dataclass(frozen=True)
class DeclaredSchedule:
    """One schedule of a job. `columns` is its timing, which code owns; the other two are where a user begins."""

    name: str
    columns: Mapping[str, Any]
    jitter_seconds: int = 0
    is_enabled: bool = True


@dataclass(frozen=True)
class Settings:
    """What `@job` says beside the name. `timezone` is where schedules that name none take their clock from."""

    category: str = "General"
    description: str = ""
    queue: str = "default"
    priority: int = 0
    timeout_seconds: int | None = None
    overlap: str = "skip"
    timezone: str = "UTC"


@dataclass(frozen=True)
class Retry:
    """How often a job is tried. `attempts` is the total number of runs, the first one included.

    `on`: only after errors of these classes; `not_on`: after none of these. `max_wait` limits what `backoff` doubles.
    """

    attempts: int = 1
    interval_seconds: int = 60
    backoff: bool = False
    on: tuple[type[Exception], ...] = (Exception,)
    not_on: tuple[type[Exception], ...] = ()
    max_wait: int | None = None

    def allows(self, error: Exception) -> bool:
        """Return whether the job is worth another try after this error."""
        return isinstance(error, self.on) and not isinstance(error, self.not_on)


@dataclass(frozen=True)
class DeclaredJob:
    """A job as the code declares it; `path` finds the function, `source` is where people look it up."""

    name: str
    path: str
    source: str
    function: Function
    settings: Settings = Settings()
    retry: Retry = Retry()
    schedules: tuple[DeclaredSchedule, ...] = ()


@dataclass(frozen=True)
class Undeclarable:
    """A declaration that cannot be carried out, or a module that cannot be imported (then `path` is the module's)."""

    name: str
    path: str
    source: str
    faults: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' '.join(filter(None, (self.source, self.name)))}: {' '.join(self.faults)}"


@dataclass
class Draft:
    """What the decorators of one function said so far; they are applied from the bottom up."""

    function: Function
    name: str = ""
    settings: Settings = field(default_factory=Settings)
    retry: Retry = field(default_factory=Retry)
    schedules: list[Callable[[str], DeclaredSchedule]] = field(default_factory=list)  # each takes the job's time zone
    hooks: list[tuple[str, Function]] = field(default_factory=list)  # of which end each is told
    faults: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        """Return the dotted path of the function."""
        return path_of(self.function)

    @property
    def source(self) -> str:
        """Return where the function stands: "shop/jobs.py:12"."""
        # A built-in function has no lines; what wraps it has.
        code = inspect.unwrap(self.function, stop=lambda each: not hasattr(inspect.unwrap(each), "__code__")).__code__
        folder = self.function.__module__.replace(".", "/")
        return f"{folder}{Path(code.co_filename).suffix or '.py'}:{code.co_firstlineno}"

    def refuse(self, message: str) -> None:
        """Note a mistake; outside of `collecting` it is raised at once, so that a developer sees it."""
        if not _collecting.get():
            raise InvalidDeclaration(f"{self.source} {self.function.__name__}: {message}")
        self.faults.append(message)


_collecting: ContextVar[bool] = ContextVar("collecting", default=False)
_drafts: dict[str, Draft] = {}


@contextmanager
def collecting() -> Iterator[None]:
    """Note mistakes instead of raising them, so that one job hinders no other of its module."""
    token = _collecting.set(True)
    try:
        yield
    finally:
        _collecting.reset(token)


def path_of(function: Function) -> str:
    """Return the dotted path by which a job is stored and found again: "shop.jobs.count_shelves"."""
    return f"{function.__module__}.{function.__qualname__}"


def draft_of(function: Function) -> Draft:
    """Return the draft of a function; the first decorator begins it."""
    path = path_of(function)
    draft = _drafts.get(path)
    if draft is None or draft.function is not function:  # another function: its module was loaded again
        draft = _drafts[path] = Draft(function)
        _check_signature(draft)
    return draft


def drafts() -> list[Draft]:
    """Return every draft of a function that can be found again by its path, in the order of their paths."""
    return [_drafts[path] for path in sorted(_drafts) if "<locals>" not in path]


def _check_signature(draft: Draft) -> None:
    """Refuse a function that does not take the context first, or beside it what cannot be stored."""
    first, *_ = [*inspect.signature(draft.function).parameters.values(), None]
    if first is None or first.kind not in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD):
        name = draft.function.__name__
        draft.refuse(say("A job takes the context as its first argument; write def {name}(context).", name=name))
    else:
        try:
            parameters_of(draft.function)
        except TypeError as error:
            draft.refuse(aloud(error))
    if inspect.isgeneratorfunction(draft.function) or inspect.isasyncgenfunction(draft.function):
        draft.refuse(say("A job does its work when it is called; take out the yield."))
