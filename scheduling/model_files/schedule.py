"""The `schedule` section of a model file: a configuration's settings by column name, checked, compared, written."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.model_files.sections import PLAN_SCHEDULE_KINDS, SCHEDULE_KINDS
from scheduling.models import BlackoutCalendar, Plan, SchedulerConfiguration
from scheduling.schedules.change import with_mode
from scheduling.schedules.readers import Shape
from scheduling.schedules.rules import judged
from scheduling.schedules.settings import CLEARED, TABLE, used_by
from scheduling.states import ProcessingMode, ScheduleType
from staging.model_files.shape import Problems, known_keys, path_of, scalar_text
from staging.wording import say


@dataclass
class ScheduleReader:
    """Reads the schedules of one file; `calendars` are those of the file by name, which need not be stored yet."""

    problems: Problems
    calendars: Mapping[str, BlackoutCalendar]
    now: datetime

    def read(self, content: Any, path: str, configuration: SchedulerConfiguration | None) -> dict[str, Any]:
        """Return every setting in its stored form; what the section does not say has its default.

        Everything wrong goes to `problems`. The rules are those of every door, and what the mode or type does not
        use is a mistake here; a single moment that has passed is refused unless `configuration` holds it already.
        """
        section = known_keys(content, path, SCHEDULE_KINDS, self.problems, required=("processing_mode",))
        values = {name: _plain(value) for name, value in section.items()}
        if "calendar" in values:
            values["calendar"] = self.calendars.get(values["calendar"], values["calendar"])
        before = None if configuration is None else {name: getattr(configuration, name) for name in CLEARED}
        stored, errors = judged(values, now=self.now, before=before)
        _add({**_without_use(values, stored), **errors}, path, self.problems)
        return stored

    def read_of_plan(self, content: Any, path: str, plan: Plan, is_after: bool) -> dict[str, Any]:
        """Return every setting of a plan's schedule in its stored form.

        Without a type people start it, or, where it `is_after` others, their end does.
        """
        section = known_keys(content, path, PLAN_SCHEDULE_KINDS, self.problems)
        values = {name: _plain(value) for name, value in section.items()}
        if "calendar" in values:
            values["calendar"] = self.calendars.get(values["calendar"], values["calendar"])
        before = {name: getattr(plan, name) for name in PLAN_SCHEDULE_KINDS}
        stored_as = with_mode(before, plan.after_others) if plan.pk else None
        stored, errors = judged(with_mode(values, is_after), now=self.now, before=stored_as)
        _add({**_without_use(values, stored), **errors}, path, self.problems)
        return {name: stored[name] for name in PLAN_SCHEDULE_KINDS if name in stored}


def _without_use(values: Mapping[str, Any], stored: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return a fault for each setting that the mode and type of the section do not use; nothing needs no use."""
    mode, kind = str(stored.get("processing_mode", "")), str(stored.get("schedule_type", ""))
    if mode not in ProcessingMode.values or (mode == ProcessingMode.SCHEDULED and kind not in ScheduleType.values):
        return {}
    used = used_by(mode, kind, stored)
    by_type = mode == ProcessingMode.SCHEDULED
    words, of = (_TYPE_HAS_NO_USE, kind) if by_type else (_MODE_HAS_NO_USE, mode)
    given = {name for name, value in values.items() if name in CLEARED and value not in (None, "", [])}
    return {name: [say(words, of=of, name=name)] for name in sorted(given - used)}


_TYPE_HAS_NO_USE = gettext_noop("A schedule of type {of} has no use for {name}; leave it out.")
_MODE_HAS_NO_USE = gettext_noop("Processing mode {of} has no use for {name}; leave it out.")


def _add(errors: dict[str, list[str]], path: str, problems: Problems) -> None:
    if problems.under(path_of(path, "processing_mode")):
        return
    for name, texts in errors.items():
        place = path_of(path, name)
        if not problems.under(place):
            for text in texts:
                problems.add(place, text)


def schedule_changes(configuration: SchedulerConfiguration, values: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that would change, each with its old and new value as the file shows them."""
    found = {}
    for name, after in values.items():
        before = getattr(configuration, name)
        if before != after:
            found[name] = {"from": _shown(name, before), "to": _shown(name, after)}
    return found


def plan_schedule_section(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a plan's schedule as the file shows them: what differs from the defaults."""
    return {name: _shown(name, settings[name]) for name in PLAN_SCHEDULE_KINDS if settings[name] != CLEARED[name]}


def schedule_section(configuration: SchedulerConfiguration) -> dict[str, Any]:
    """Return a configuration as the file shows it: its mode, and what differs from the defaults."""
    section: dict[str, Any] = {"processing_mode": configuration.processing_mode}
    for name, empty in CLEARED.items():
        value = getattr(configuration, name)
        if value != empty and name not in section:
            section[name] = _shown(name, value)
    return section


def _plain(value: Any) -> Any:
    return [scalar_text(item) for item in value] if isinstance(value, list) else value


def _shown(name: str, value: Any) -> Any:
    if TABLE[name].read.shape is Shape.LIST:
        items = [item.strip() for item in value.split(",") if item.strip()]
        return [int(item) if re.fullmatch(r"-?[1-9][0-9]?", item, re.ASCII) else item for item in items]
    if isinstance(value, BlackoutCalendar):
        return value.name
    if TABLE[name].read.shape is Shape.SCALAR and value.isdigit():
        return int(value)
    if isinstance(value, time):
        return value.strftime("%H:%M:%S" if value.second else "%H:%M")
    return value.isoformat() if isinstance(value, date) else value
