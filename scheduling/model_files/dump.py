"""Writes what is defined here as a model file; loading it again changes nothing."""

from typing import Any

from scheduling.model_files.calendars import calendar_section
from scheduling.model_files.named import queue_section, script_section
from scheduling.model_files.schedule import schedule_section
from scheduling.model_files.sections import VERSION
from scheduling.model_files.steps import plan_section
from scheduling.models import BlackoutCalendar, Plan, Queue, SchedulerConfiguration, SchedulerState, SqlScript
from scheduling.plans.draft import PlanDraft
from scheduling.plans.outline import read_hierarchy
from staging.model_files.write import entity_section
from staging.models import Entity


def dump() -> dict[str, Any]:
    """Return all that is defined, cancelled things too, in the form of docs/configuration.md."""
    calendars = [calendar_section(each) for each in BlackoutCalendar.objects.prefetch_related("periods")]
    configurations = {c.entity_id: c for c in SchedulerConfiguration.objects.select_related("calendar")}
    hierarchy = read_hierarchy()
    entities = []
    for entity in Entity.objects.all():
        section = entity_section(entity)
        if configuration := configurations.get(entity.pk):
            section["schedule"] = schedule_section(configuration)
        if priors := hierarchy.get(entity.code):
            section["depends_on"] = sorted(priors)
        entities.append(section)
    head = {"version": VERSION, "release": SchedulerState.current().release, "calendars": calendars}
    tail = {
        "queues": [queue_section(queue) for queue in Queue.objects.all()],
        "scripts": [script_section(script) for script in SqlScript.objects.all()],
        "plans": [plan_section(PlanDraft.of(plan)) for plan in Plan.objects.select_related("calendar")],
    }
    filled = [{key: value for key, value in part.items() if value} for part in (head, tail)]
    return filled[0] | {"entities": entities} | filled[1]
