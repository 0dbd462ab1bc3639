"""What the subjects share: a change told in the log of the scheduler, and what stands in the way of going back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import override

from scheduling import clock
from scheduling.cadence.words import read_zone
from scheduling.errors import InvalidPlan, InvalidSchedule, SchedulingError
from scheduling.lifecycle import events
from scheduling.states import EventType, Starter
from staging.errors import CannotGoBack, InvalidDefinition
from staging.models import Version
from staging.states import DoorKind, VersionKind
from staging.tables.columns import one_at_a_time, told_when_in_use
from staging.versions.read import change_told
from staging.versions.subjects import Content, subject_of
from staging.versions.units import one_change
from staging.versions.words import Words
from staging.wording import Said, aloud, say


def in_the_log(words: Words) -> Any:
    """Return what writes an event `changed` for a version of something that a run is made of.

    What code does by itself, without a door, stands in the history alone.
    """

    def tell(version: Version, thing: Any, name: str) -> None:
        if version.kind == VersionKind.CHANGED and thing is not None and version.door != DoorKind.CODE:
            by = version.made_by
            events.record(
                EventType.CHANGED,
                now=clock.now(),
                **thing.subject,
                trigger_source=by,
                starter=Starter.PERSON if by else None,
                message=_sentence(version, words),
                details={
                    "version": version.number,
                    "version_id": version.pk,
                    "door": version.door,
                    "reason": version.reason,
                },
            )

    return tell


def _sentence(version: Version, words: Words) -> Said:
    with override(settings.LANGUAGE_CODE):  # as the log is stored; readers of another language have it said again
        told = change_told(version.change, version.door, words)
    if version.made_by:
        return say("Changed by {by}: {what}", by=version.made_by, what=told["what"])
    return say("Changed through {door}: {what}", **told)


def in_words(go_back: Callable[[Any, Content], None]) -> Callable[[Any, Content], None]:
    """Let a way back raise errors of staging only, which its page tells.

    It waits for whoever changes definitions before it stores anything: a load, which locks rows after it has its turn,
    and a way back that began with a row would wait for each other.
    """

    @wraps(go_back)
    def told(thing: Any, content: Content) -> None:
        try:
            with told_when_in_use(), one_change():
                one_at_a_time()
                go_back(thing, content)
        except (InvalidSchedule, InvalidPlan, InvalidDefinition) as error:
            subject = subject_of(type(thing))
            raise CannotGoBack(subject.words.faults(error.errors, content) if subject else str(error)) from error
        except SchedulingError as error:
            raise CannotGoBack(str(error)) from error

    return told


def told_missing(names: Iterable[str]) -> list[str]:
    """Return that things are gone which a version names, each by its name."""
    return [say("There is no {name!r} any more.", name=name) for name in sorted(names)]


def check_columns(thing: Any, values: dict[str, Any]) -> None:
    """Refuse what the columns do not take any more: a choice that is gone, a number out of bounds, an unknown zone."""
    wanted = copy(thing)
    for column, value in values.items():
        setattr(wanted, column, value)
    try:
        wanted.clean_fields(exclude={column.name for column in wanted._meta.fields} - values.keys())
        if "timezone" in values:
            read_zone(values["timezone"])
    except ValidationError as error:
        raise InvalidSchedule(error.message_dict) from error
    except ValueError as error:
        raise InvalidSchedule({"timezone": [aloud(error)]}) from error
