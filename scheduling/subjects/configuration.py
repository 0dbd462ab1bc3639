"""Configurations as versions: the settings that are in use, and what the entity's batches wait for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.model_files.schedule import ScheduleReader, schedule_section
from scheduling.model_files.sections import SCHEDULE_KINDS
from scheduling.models import BlackoutCalendar, EntityDependency, SchedulerConfiguration
from scheduling.plans.save import save_dependencies
from scheduling.schedules.change import apply_schedule
from scheduling.schedules.choices import OFFERED, in_boxes
from scheduling.schedules.settings import SETTINGS, TABLE
from scheduling.states import CatchUp, DstGap, DstOverlap, IntervalAnchor, ProcessingMode, ScheduleType
from scheduling.subjects.telling import in_the_log, in_words
from staging.errors import InvalidDefinition
from staging.model_files.shape import Problems
from staging.versions.subjects import Content, Tracked
from staging.versions.words import Words, plain

_CHOICES: dict[str, Any] = {
    "processing_mode": ProcessingMode,
    "schedule_type": ScheduleType,
    "interval_anchor": IntervalAnchor,
    "dst_gap": DstGap,
    "dst_overlap": DstOverlap,
    "catch_up": CatchUp,
}


def _shown(column: str) -> Any:
    """Return how a setting is shown: choices by their labels, what is left out as the setting that it then has."""

    def text(value: Any) -> str:
        value = TABLE[column].empty if value is None else value
        if value and (offered := OFFERED.get(column)):
            return in_boxes(value, offered)
        choices = _CHOICES.get(column)
        return str(choices(value).label) if choices is not None and value in choices.values else plain(value)

    return text


SCHEDULE_LABELS: dict[str, Any] = {column: setting.label for column, setting in TABLE.items()}
SCHEDULE_SHOWN: dict[str, Any] = {column: _shown(column) for column in SETTINGS}
_WORDS = Words(
    keys=[*SCHEDULE_KINDS, "depends_on"],
    labels={**SCHEDULE_LABELS, "depends_on": _("Its batches come after those of")},
    shown=SCHEDULE_SHOWN,
)


def _read(configuration: SchedulerConfiguration) -> Content:
    priors = configuration.entity.dependencies.values_list("depends_on__code", flat=True)
    found = sorted(priors)
    return schedule_section(configuration) | ({"depends_on": found} if found else {})


@in_words
def _go_back(configuration: SchedulerConfiguration, content: Content) -> None:
    """Make a configuration what the content says; raises InvalidDefinition, InvalidSchedule or InvalidPlan."""
    problems = Problems()
    section = {key: value for key, value in content.items() if key != "depends_on"}
    calendars = {calendar.name: calendar for calendar in BlackoutCalendar.objects.all()}
    values = ScheduleReader(problems, calendars, clock.now()).read(section, "", configuration)
    if problems.errors:
        raise InvalidDefinition(problems.errors)
    apply_schedule(configuration, values, now=clock.now())
    save_dependencies(configuration.entity, content.get("depends_on", []))


def _of_entity(dependency: EntityDependency) -> Iterable[int]:
    return SchedulerConfiguration.objects.filter(entity=dependency.entity_id).values_list("pk", flat=True)


CONFIGURATION = Tracked(
    SchedulerConfiguration,
    columns=SETTINGS,
    read=_read,
    words=_WORDS,
    go_back=_go_back,
    parts={EntityDependency: _of_entity},
    tell=in_the_log(_WORDS),
    owned="entity__",
)
