"""Writes what is defined here as a model file; loading it again changes nothing."""

from typing import Any

from scheduling.model_files.calendars import calendar_section
from scheduling.model_files.schedule import schedule_section
from scheduling.model_files.sections import VERSION
from scheduling.models import BlackoutCalendar, SchedulerConfiguration, SchedulerState
from staging.model_files.write import entity_section
from staging.models import Entity


def dump() -> dict[str, Any]:
    """Return every calendar, and every entity with its attributes and schedule, cancelled ones too (CONTRACTS 3)."""
    calendars = [calendar_section(each) for each in BlackoutCalendar.objects.prefetch_related("periods")]
    configurations = {c.entity_id: c for c in SchedulerConfiguration.objects.select_related("calendar")}
    entities = []
    for entity in Entity.objects.all():
        section = entity_section(entity)
        if configuration := configurations.get(entity.pk):
            section["schedule"] = schedule_section(configuration)
        entities.append(section)
    head = {"version": VERSION, "release": SchedulerState.current().release, "calendars": calendars}
    return {key: value for key, value in head.items() if value} | {"entities": entities}
