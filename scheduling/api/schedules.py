"""The schedule of an entity: read and set in the form of the model file, by the rules of the form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from rest_framework.response import Response

from scheduling.api.base import SchedulingResource
from scheduling.model_files.schedule import ScheduleReader, schedule_changes, schedule_section
from scheduling.model_files.sections import SCHEDULE_KINDS
from scheduling.models import SchedulerConfiguration
from scheduling.schedules.change import apply_schedule
from scheduling.schedules.settings import CLEARED, used_by
from staging.api.kit.doors import Answer, Body, door
from staging.api.kit.history import note_change
from staging.api.kit.preconditions import conditional, insist_unchanged
from staging.api.kit.problems import invalid
from staging.model_files.shape import Problems
from staging.states import Scope

EXAMPLE = {
    "processing_mode": "scheduled",
    "schedule_type": "daily",
    "run_times": ["02:30"],
    "timezone": "Europe/Amsterdam",
}
_BODY = Body(SCHEDULE_KINDS, ("processing_mode",), EXAMPLE, checked=False)
_CHANGE = Body(SCHEDULE_KINDS, (), {"timezone": "Europe/Amsterdam"}, checked=False)
_SHOWN = Answer(_BODY.schema(), EXAMPLE, "The schedule as a model file has it; what holds its default is left out.")
_CHANGES_IT = "scheduling.change_schedulerconfiguration"


class EntitySchedule(SchedulingResource):
    """When an entity's batch starts by itself."""

    @door(
        Scope.READ,
        "scheduling.view_schedulerconfiguration",
        summary="Read an entity's schedule",
        answers={200: _SHOWN},
        conditional=True,
    )
    def get(self, code: str) -> Any:
        """Return it."""
        return conditional(self.request, schedule_section(self.configuration))

    @door(
        Scope.CONFIGURE,
        _CHANGES_IT,
        summary="Set an entity's schedule anew",
        body=_BODY,
        answers={200: _SHOWN},
        conditional=True,
    )
    def put(self, code: str) -> Any:
        """Take the document for the whole schedule: what it does not say has its default."""
        return self._change(lambda _: self.body)

    @door(
        Scope.CONFIGURE,
        _CHANGES_IT,
        summary="Change parts of an entity's schedule",
        body=_CHANGE,
        answers={200: _SHOWN},
        conditional=True,
    )
    def patch(self, code: str) -> Any:
        """Change the settings that are sent; null sets one back. What the mode or type then has no use for goes."""
        return self._change(lambda section: merged(section, self.body))

    def _change(self, wanted: Any) -> Response:
        with transaction.atomic():
            locked = SchedulerConfiguration.objects.select_for_update().filter(pk=self.configuration.pk)
            locked.get()
            stored = SchedulerConfiguration.objects.select_related("entity", "calendar").get(pk=self.configuration.pk)
            insist_unchanged(self.request, schedule_section(stored))
            problems = Problems()
            values = ScheduleReader(problems, {}, self.now).read(wanted(schedule_section(stored)), "", stored)
            if problems.errors:
                raise invalid({"" if path == "file" else path: texts for path, texts in problems.errors.items()})
            changes = schedule_changes(stored, values)
            if changes:
                apply_schedule(stored, values, now=self.now)
                note_change(self.caller, stored, changes)
            return conditional(self.request, schedule_section(stored))


def merged(section: Mapping[str, Any], change: Any) -> Any:
    """Return a section with a change: what is stored and of no use beside the change goes, as on every door."""
    if not isinstance(change, dict):
        return change
    whole = {**section, **change}
    mode, kind = (str(whole.get(name) or CLEARED[name]) for name in ("processing_mode", "schedule_type"))
    used = used_by(mode, kind, {**CLEARED, **{name: value for name, value in whole.items() if value is not None}})
    return {name: value for name, value in whole.items() if value is not None and (name in used or name in change)}
