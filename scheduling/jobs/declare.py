"""The decorators that make a function a job: put them on a function of an installed app's `jobs.py`.

    @job("Nightly maintenance", category="Ops", description="Vacuums stale rows.")
    @daily("03:15", days="weekdays", timezone="Europe/Amsterdam")
    @retry(attempts=3, interval_seconds=60)
    def nightly_maintenance(context: JobContext) -> str: ...

They stack: each cadence decorator is one schedule. Everything is checked when the module is imported; a mistake is
raised with its place and its mend. Developers own what a job does and when; users own whether it runs, how often it
is tried again and its jitter, and what they set stays.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, time
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, Unpack

from scheduling.cadence.words import is_whole, read_zone
from scheduling.jobs.context import JobContext, JobEnd
from scheduling.jobs.declared import DeclaredSchedule, Draft, Retry, Settings, draft_of
from scheduling.jobs.timing import (
    Columns,
    ScheduleOptions,
    check_cadence,
    check_options,
    cron_timing,
    daily_timing,
    every_timing,
    monthly_dow_timing,
    monthly_timing,
    once_timing,
    weekly_timing,
)
from scheduling.jobs.words import Words
from scheduling.states import Overlap
from staging.phrases import listed
from staging.wording import aloud, say

P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., Any])
Errors = type[Exception] | tuple[type[Exception], ...]
Timing = Callable[[str], tuple[str, Columns]]

_LONGEST_NAME = 100


class Decorator(Protocol):
    """Takes a function and gives the very same one back."""

    def __call__(self, function: F, /) -> F:
        """Note what the decorator says of the function."""


def _forgiving(example: str) -> Callable[[Callable[P, Decorator]], Callable[P, Decorator]]:
    """Make wrong arguments a mistake of the one job, told with its place and an example, not the end of its module."""

    def guarded(factory: Callable[P, Decorator]) -> Callable[P, Decorator]:
        name = factory.__name__

        @wraps(factory)
        def call(*args: P.args, **kwargs: P.kwargs) -> Decorator:
            if len(args) == 1 and inspect.isfunction(args[0]) and not kwargs and name != "job":
                draft_of(args[0]).refuse(
                    say("@{name} says nothing by itself; write its arguments, {example}.", name=name, example=example)
                )
                return args[0]  # a bare decorator gets the function itself
            try:
                inspect.signature(factory).bind(*args, **kwargs)
            except TypeError as error:
                return _fault(
                    name, say("{error}; write it like {example}.", error=str(error).capitalize(), example=example)
                )
            return factory(*args, **kwargs)

        return call

    return guarded


@_forgiving('@job("Nightly maintenance", category="Ops")')
def job(
    name: str | Callable[..., Any] = "",
    *,
    category: str = "General",
    description: str = "",
    queue: str = "default",
    priority: int = 0,
    timeout_seconds: int | None = None,
    overlap: str = "skip",
    timezone: str = "UTC",
) -> Decorator:
    """Name the job and say what users read of it; without a name it is called after the function.

    `queue` and `priority` as for any task; after `timeout_seconds` an attempt is ended. `overlap` says what becomes
    of a slot while the run before goes on: skip, queue_one or cancel_running. `timezone` is for its schedules.
    """
    if callable(name):
        draft_of(name)
        return name  # @job without arguments
    settings = Settings(category, description, queue, priority, timeout_seconds, overlap, timezone)

    def decorate(function: F) -> F:
        draft = draft_of(function)
        draft.name, draft.settings = str(name).strip(), settings
        for fault in _job_faults(draft):
            draft.refuse(say("@job: {fault}", fault=fault))
        return function

    return decorate


@_forgiving("@retry(attempts=3, interval_seconds=60)")
def retry(
    attempts: int = 3,
    interval_seconds: int = 60,
    backoff: bool = False,
    *,
    on: Errors = Exception,
    not_on: Errors = (),
    max_wait: int | None = None,
) -> Decorator:
    """Try the job up to `attempts` times in all, `interval_seconds` apart; with `backoff` each wait doubles.

    `on` and `not_on` are classes of errors: after others, or after these, it is not tried again. `max_wait` is the
    longest wait that `backoff` comes to, in seconds (a day when nothing is said). A worker that died is no error of the
    job: that is tried again in any case.
    """

    def decorate(function: F) -> F:
        draft = draft_of(function)
        draft.retry = Retry(attempts, interval_seconds, backoff, _classes(on), _classes(not_on), max_wait)
        for fault in _retry_faults(draft.retry):
            draft.refuse(fault)
        return function

    return decorate


def on_failure(hook: Callable[[JobContext, JobEnd], object]) -> Decorator:
    """Call this with the context and a JobEnd when the job failed for good: by an error, or because it took too long.

    The worker that ended the attempt calls it, after the outcome was stored; one that died calls nothing. A fault of
    the hook is logged and changes nothing.
    """
    return _hooked("failed", "on_failure", hook)


def on_success(hook: Callable[[JobContext, JobEnd], object]) -> Decorator:
    """Call this with the context and a JobEnd when the job completed. As on_failure."""
    return _hooked("completed", "on_success", hook)


def on_warning(hook: Callable[[JobContext, JobEnd], object]) -> Decorator:
    """Call this with the context and a JobEnd when the job completed with warnings. As on_failure.

    `on_success` is called then, too.
    """
    return _hooked("warned", "on_warning", hook)


def _hooked(status: str, name: str, hook: Callable[..., object]) -> Decorator:
    def decorate(function: F) -> F:
        draft = draft_of(function)
        draft.hooks.append((status, hook))
        if not callable(hook) or inspect.iscoroutinefunction(hook):
            draft.refuse(
                say(
                    "@{name}: {hook!r} cannot be called; write a function that is not async.",
                    name=name,
                    hook=hook,
                )
            )
        return function

    return decorate


def _classes(given: Errors) -> tuple[type[Exception], ...]:
    return given if isinstance(given, tuple) else (given,)


def _retry_faults(retry: Retry) -> Iterator[str]:
    """Yield what is wrong with the values of @retry."""
    if not is_whole(retry.attempts, 1, 100):
        yield say(
            "@retry: attempts is {attempts!r}; write the total number of runs, from 1 to 100.", attempts=retry.attempts
        )
    if not is_whole(retry.interval_seconds, 0, 86400):
        yield say(
            "@retry: interval_seconds is {interval_seconds!r}; write seconds from 0 to 86400.",
            interval_seconds=retry.interval_seconds,
        )
    if not isinstance(retry.backoff, bool):
        yield say("@retry: backoff is {backoff!r}; write True or False.", backoff=retry.backoff)
    for name, classes in (("on", retry.on), ("not_on", retry.not_on)):
        for each in classes:
            if not (isinstance(each, type) and issubclass(each, Exception)):
                yield say(
                    "@retry: {name} is {each!r}; write a class of errors, or several in parentheses.",
                    name=name,
                    each=each,
                )
    if retry.max_wait is not None and not is_whole(retry.max_wait, 1, 86400):
        yield say("@retry: max_wait is {max_wait!r}; write seconds from 1 to 86400.", max_wait=retry.max_wait)
    elif retry.max_wait is not None and not retry.backoff:
        yield say("@retry: max_wait limits what backoff doubles; add backoff=True, or take it away.")


@_forgiving('@daily("03:15")')
def daily(at: str | time, /, **options: Unpack[ScheduleOptions]) -> Decorator:
    """Fire each day at a local time: `@daily("03:15", days="weekdays")`."""
    return _schedule("daily", options, lambda zone: daily_timing(at, options, zone))


@_forgiving('@every(5, "minutes")')
def every(count: int | str, unit: str = "minutes", /, **options: Unpack[ScheduleOptions]) -> Decorator:
    """Fire at a steady distance: `@every(5, "minutes", between="09:00-17:00")`, or `@every("2h")`.

    Up to a day the grid is that of the clock and begins anew each midnight, or at the start of `between`; a longer
    distance is counted in elapsed time from the midnight of `start` (default 1 January 2000).
    """
    return _schedule("every", options, lambda zone: every_timing(count, unit, options, zone))


@_forgiving('@weekly("mon, fri", "06:00")')
def weekly(days: Words, at: str | time, /, *, every: int = 1, **options: Unpack[ScheduleOptions]) -> Decorator:
    """Fire on certain weekdays: `@weekly("mon, fri", "06:00", every=2)`; weeks count from the one of `start`."""
    return _schedule("weekly", options, lambda zone: weekly_timing(days, at, every, options, zone), but=("days",))


@_forgiving('@monthly("1, last", "00:30")')
def monthly(days: Words, at: str | time, /, **options: Unpack[ScheduleOptions]) -> Decorator:
    """Fire on certain days of the month: `@monthly("1, last", "00:30")`; a month without the day is left out."""
    return _schedule("monthly", options, lambda zone: monthly_timing(days, at, options, zone))


@_forgiving('@monthly_dow("first", "mon", "06:00")')
def monthly_dow(weeks: Words, days: Words, at: str | time, /, **options: Unpack[ScheduleOptions]) -> Decorator:
    """Fire on the n-th weekdays of a month: `@monthly_dow("first", "mon", "06:00")`."""
    timing: Timing = lambda zone: monthly_dow_timing(weeks, days, at, options, zone)  # noqa: E731
    return _schedule("monthly_dow", options, timing, but=("days", "weeks"))


@_forgiving('@once("2026-06-01 09:00")')
def once(at: str | datetime, /, **options: Unpack[ScheduleOptions]) -> Decorator:
    """Fire a single time at a local moment, `@once("2026-06-01 09:00")`, also when the scheduler was down then.

    It may be late by `catch_up_minutes` (a day); `catch_up=0` makes it run on time or never.
    """
    but = ("days", "months", "weeks", "between", "start", "end")
    return _schedule("once", options, lambda zone: once_timing(at, options, zone), but=but)


@_forgiving('@cron("0 6 * * 1-5")')
def cron(expression: str, /, **options: Unpack[ScheduleOptions]) -> Decorator:
    """Fire by a cron expression of five fields: `@cron("0 6 * * 1-5")`."""
    return _schedule("cron", options, lambda zone: cron_timing(expression, options, zone))


def _schedule(decorator: str, options: ScheduleOptions, timing: Timing, *, but: tuple[str, ...] = ()) -> Decorator:
    """Return a decorator that adds one schedule; a first look at its arguments is taken at once."""

    def make(zone: str) -> DeclaredSchedule:
        check_options(options, but=but)
        name, columns = timing(zone)
        jitter, name = options.get("jitter_seconds", 0), str(options.get("name", name)).strip()
        if not is_whole(jitter, 0, 86400):
            raise ValueError(say("jitter_seconds is {jitter!r}; write seconds from 0 to 86400.", jitter=jitter))
        if not isinstance(options.get("enabled", True), bool):
            raise ValueError(say("enabled is {enabled!r}; write True or False.", enabled=options["enabled"]))
        if not 1 <= len(name) <= _LONGEST_NAME:
            raise ValueError(say("The name of a schedule has 1 to {longest} characters.", longest=_LONGEST_NAME))
        return DeclaredSchedule(name, columns, jitter, options.get("enabled", True))

    def decorate(function: F) -> F:
        draft = draft_of(function)
        try:
            check_cadence(dict(make("UTC").columns))
        except ValueError as error:
            draft.refuse(f"@{decorator}: {error}")
        else:
            draft.schedules.insert(0, make)
        return function

    return decorate


def _fault(decorator: str, message: str) -> Decorator:
    """Return a decorator that only notes a mistake."""

    def decorate(function: F) -> F:
        draft_of(function).refuse(f"@{decorator}: {message}")
        return function

    return decorate


def _job_faults(draft: Draft) -> list[str]:
    """Return what is wrong with the arguments of `@job`; the zone is put right, so that it is told only once."""
    settings, found = draft.settings, list[str]()
    if len(draft.name) > _LONGEST_NAME:
        found.append(say("The name is longer than {longest} characters; shorten it.", longest=_LONGEST_NAME))
    if settings.overlap not in Overlap.values:
        found.append(
            say("overlap is {overlap!r}; write {known}.", overlap=settings.overlap, known=listed(Overlap.values, "or"))
        )
    if settings.timeout_seconds is not None and not is_whole(settings.timeout_seconds, 1, 2_147_483_647):
        found.append(
            say(
                "timeout_seconds is {timeout_seconds!r}; write whole seconds from 1, or leave it out.",
                timeout_seconds=settings.timeout_seconds,
            )
        )
    if not is_whole(settings.priority, -32768, 32767):
        found.append(
            say("priority is {priority!r}; write a whole number, higher goes first.", priority=settings.priority)
        )
    for option, most in (("category", 50), ("description", 500), ("queue", 60)):
        if not isinstance(getattr(settings, option), str) or len(getattr(settings, option)) > most:
            found.append(say("{option} is no text of at most {most} characters; shorten it.", option=option, most=most))
    try:
        read_zone(str(settings.timezone))
    except ValueError as error:
        found.append(aloud(error))
        draft.settings = replace(settings, timezone="UTC")
    return found
