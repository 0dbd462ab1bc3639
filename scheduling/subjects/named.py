"""Calendars, queues and scripts as versions: things that a model file knows by their name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.errors import InvalidSchedule
from scheduling.model_files.calendars import calendar_section
from scheduling.model_files.load import load
from scheduling.model_files.named import queue_section, script_section
from scheduling.model_files.sections import CALENDAR_KINDS, PERIOD_KINDS, QUEUE_KINDS, SCRIPT_KINDS, VERSION
from scheduling.models import BlackoutCalendar, BlackoutPeriod, Queue, SqlScript
from scheduling.plans.conditions import follow_renamed_script
from scheduling.schedules.choices import SHORT_WEEKDAYS, in_boxes
from scheduling.subjects.telling import in_words
from staging.model_files.read import load_json
from staging.versions.subjects import Content, Tracked
from staging.versions.words import Parts, Words, plain
from staging.wording import said_together, say

_PERIOD = Words(
    BlackoutPeriod,
    keys=PERIOD_KINDS,
    labels={"kind": _("What"), "window_start": _("From"), "window_end": _("Until")},
    shown={"run_days": lambda value: in_boxes(value, SHORT_WEEKDAYS)},
)


def rename(thing: Any, name: str) -> None:
    """Give a thing back its old name, by which a file knows it. Raises InvalidSchedule when another has it now."""
    if thing.name == name:
        return
    if type(thing)._default_manager.filter(name__iexact=name).exclude(pk=thing.pk).exists():
        raise InvalidSchedule({"name": [say("Another one is called {name!r} now; rename that first.", name=name)]})
    before, thing.name = thing.name, name
    thing.save(update_fields=["name"])
    if isinstance(thing, SqlScript):
        follow_renamed_script(thing, before)


def _going_back(section: str) -> Callable[[Any, Content], None]:
    """Return the way back of a kind of thing: its section of a model file, loaded."""

    @in_words
    def go_back(thing: Model, content: Content) -> None:
        rename(thing, content["name"])
        load({"version": VERSION, section: [load_json(json.dumps(content))]}, now=clock.now())

    return go_back


def _period(period: Any) -> str:
    """Return what tells a period from the others: all of it, for it has no name."""
    return str(said_together(*(plain(value) for _, value in _in_order(period)), by=", "))


def _period_shown(period: Mapping[str, Any]) -> str:
    return ", ".join(_PERIOD.text(key, value) for key, value in _in_order(period))


def _in_order(period: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the values of a period in the order of a model file: PostgreSQL keeps those of a version in its own."""
    known = [key for key in PERIOD_KINDS if key in period]
    return [(key, period[key]) for key in [*known, *sorted({*period} - {*known})]]


CALENDAR = Tracked(
    BlackoutCalendar,
    columns=("name", "description", "timezone", "policy"),
    read=calendar_section,
    words=Words(
        BlackoutCalendar,
        keys=CALENDAR_KINDS,
        labels={"timezone": _("Time zone")},
        parts={"periods": Parts(_("Period"), _period, _PERIOD, shown=_period_shown)},
    ),
    go_back=_going_back("calendars"),
    parts={BlackoutPeriod: lambda period: [period.calendar_id]},
)


def _in_use(is_cancelled: Any) -> str:
    """Return whether a script is in use, as its form says it: the content keeps the opposite."""
    return plain(not is_cancelled)


QUEUE = Tracked(
    Queue,
    columns=tuple(QUEUE_KINDS),
    read=queue_section,
    words=Words(
        Queue,
        keys=QUEUE_KINDS,
        labels={
            "max_running": _("At most so many at once"),
            "celery_queue": _("Celery queue"),
            "is_cancelled": _("Cancelled"),
        },
    ),
    go_back=_going_back("queues"),
)
SCRIPT = Tracked(
    SqlScript,
    columns=tuple(SCRIPT_KINDS),
    read=script_section,
    words=Words(
        SqlScript,
        keys=SCRIPT_KINDS,
        labels={"timeout_seconds": _("May take (seconds)"), "is_cancelled": _("In use")},
        shown={"is_cancelled": _in_use},
    ),
    go_back=_going_back("scripts"),
)
