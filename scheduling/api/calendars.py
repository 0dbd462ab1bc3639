"""Blackout calendars, in the form of the model file."""

from __future__ import annotations

from typing import Any

from django.http import Http404

from scheduling.api.base import SchedulingResource
from scheduling.model_files.calendars import calendar_section
from scheduling.model_files.sections import CALENDAR_KINDS, PERIOD_KINDS
from scheduling.models import BlackoutCalendar
from staging.api.kit.doors import Answer, Body, answer, door
from staging.api.kit.listing import page_example, page_schema, paged
from staging.api.kit.parameters import PAGED
from staging.states import Scope
from staging.wording import say

_PERIODS = {"periods": {"type": "array", "items": Body(PERIOD_KINDS).schema()}}
_CALENDAR = Body(CALENDAR_KINDS, ("name",), parts=_PERIODS).schema()
_EXAMPLE = {
    "name": "Holidays",
    "timezone": "Europe/Amsterdam",
    "periods": [{"kind": "days", "first_day": "2026-12-25", "last_day": "2026-12-26"}],
}


class Calendars(SchedulingResource):
    """All calendars: they belong to no entity."""

    @door(
        Scope.READ,
        "scheduling.view_blackoutcalendar",
        summary="List blackout calendars with their periods",
        query=PAGED,
        answers={200: answer(page_schema(_CALENDAR), page_example(_EXAMPLE), "A page of calendars.")},
    )
    def get(self) -> Any:
        """Return a page of them; a token for entities sees none."""
        found = BlackoutCalendar.objects.prefetch_related("periods")
        return paged(self, found.none() if self.caller.is_limited else found, calendar_section, order=["name"])


class OneCalendar(SchedulingResource):
    """One calendar."""

    @door(
        Scope.READ,
        "scheduling.view_blackoutcalendar",
        summary="Read a blackout calendar",
        answers={200: Answer(_CALENDAR, _EXAMPLE, "The calendar as a model file has it.")},
    )
    def get(self, name: str) -> Any:
        """Return it."""
        self.caller.insist_on_all(say("A calendar"))
        found = BlackoutCalendar.objects.prefetch_related("periods").filter(name=name[:101]).first()
        if found is None:
            raise Http404(say("There is no calendar {name!r}.", name=name))
        return calendar_section(found)
