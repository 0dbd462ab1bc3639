"""When and where enqueued work runs: what code and people may say of it, checked by one set of rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict

from scheduling.cadence.words import is_whole
from scheduling.errors import InvalidOptions
from scheduling.states import KeyOverlap
from staging.entities.values import is_storable
from staging.wording import say

How = Literal["skip", "replace", "queue_one"]

LONGEST_KEY = 200
LOWEST, HIGHEST = -32_768, 32_767  # of a priority
_FURTHEST = timedelta(days=3660)


class Options(TypedDict, total=False):
    """When and where enqueued work runs.

    `at` is the instant, `after` the time from now, before which it does not start; meanwhile it holds no worker.
    `key`: of its job only one of it is queued or runs; `overlap` says what becomes of another: `skip` leaves it out,
    `replace` takes the place of what has not started, `queue_one` lets one wait behind what runs. `queue` and
    `priority` stand in for those of the job.
    """

    at: datetime | None
    after: timedelta | None
    key: str | None
    overlap: How
    queue: str
    priority: int | None


@dataclass(frozen=True)
class Understood:
    """Options that were understood; None where nothing is said."""

    not_before: datetime | None
    key: str | None
    overlap: KeyOverlap
    queue: str
    priority: int | None


def understood(options: Options, now: datetime) -> Understood:
    """Return what these options mean. Raises InvalidOptions with every fault by its name."""
    faults = {name: [text] for name, text in _faults(options, now)}
    if faults:
        raise InvalidOptions(faults)
    at, after = options.get("at"), options.get("after")
    at = at if after is None else now + after
    return Understood(
        at if at is not None and at > now else None,
        options.get("key"),
        KeyOverlap(options.get("overlap", "skip")),
        options.get("queue") or "",
        options.get("priority"),
    )


def _faults(options: Options, now: datetime) -> Iterator[tuple[str, str]]:
    yield from _faults_of_time(options.get("at"), options.get("after"), now)
    key, overlap = options.get("key"), options.get("overlap", "skip")
    if key is not None and not (isinstance(key, str) and 0 < len(key) <= LONGEST_KEY and is_storable(key)):
        yield "key", say("A key is text of 1 to {most} characters.", most=LONGEST_KEY)
    if overlap not in KeyOverlap.values:
        known = ", ".join(KeyOverlap.values)
        yield "overlap", say("overlap is {overlap!r}; write one of {known}.", overlap=overlap, known=known)
    queue, priority = options.get("queue"), options.get("priority")
    if queue is not None and not (isinstance(queue, str) and is_storable(queue)):
        yield "queue", say("queue is {queue!r}; write the name of a queue.", queue=queue)
    if priority is not None and not is_whole(priority, LOWEST, HIGHEST):
        yield "priority", say("priority is {priority!r}; write a whole number, higher goes first.", priority=priority)


def _one_of_both() -> str:
    return say("Give at or after, not both.")


def _too_far() -> str:
    return say("That is more than ten years away.")


def _faults_of_time(at: object, after: object, now: datetime) -> Iterator[tuple[str, str]]:
    if at is not None and after is not None:
        yield "after", _one_of_both()
    elif at is not None and (not isinstance(at, datetime) or at.tzinfo is None):
        yield "at", say("at is {at!r}; it must be an instant with its zone.", at=at)
    elif after is not None and (not isinstance(after, timedelta) or after < timedelta()):
        yield "after", say("after is {after!r}; it must be a timedelta of zero or more.", after=after)
    elif (isinstance(after, timedelta) and after > _FURTHEST) or (isinstance(at, datetime) and at - now > _FURTHEST):
        yield "at", _too_far()


# --- as people and programs give them ---------------------------------------------------------------------------------

# What JSON has for each; `after_seconds` is what `after` is there.
ASKED = ("at", "after_seconds", "key", "overlap", "queue", "priority")


def asked_for(given: Mapping[str, Any]) -> Options:
    """Return options that JSON gave, an instant as text; what is None was left out. Raises InvalidOptions by name."""
    said = {name: value for name, value in given.items() if value is not None}
    unknown = (name for name in said if name not in ASKED)
    faults: dict[str, list[str]] = {name: [say("There is no option {name!r}.", name=name)] for name in unknown}
    seconds = said.pop("after_seconds", None)
    if seconds is not None:
        if not is_whole(seconds, 0):
            faults["after_seconds"] = [say("{value!r} is no whole number of seconds, zero or more.", value=seconds)]
        elif seconds > _FURTHEST.total_seconds():
            faults["after_seconds"] = [_too_far()]
        else:
            said["after"] = timedelta(seconds=seconds)
    if seconds is not None and "at" in said:
        faults["after_seconds"] = [_one_of_both()]
    if isinstance(said.get("at"), str):
        said["at"] = _instant(said["at"])
    if faults:
        raise InvalidOptions(faults)
    return Options(**said)  # type: ignore[typeddict-item]  # which `understood` judges


def _instant(text: str) -> datetime | str:
    """Return the instant that a text names, or the text when it names none, or has no offset."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return text
    return text if found.tzinfo is None else found
