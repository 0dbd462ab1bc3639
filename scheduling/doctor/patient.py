"""The installation as the doctor sees it: what several parts of the examination need is read once for all of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from scheduling.doctor.finding import DoctorFinding
from scheduling.models import SiteFacts
from scheduling.statements import have_rows
from staging.models import Entity

_LOOKED_AT = ("code", "keep_history", "is_cancelled", "configuration__entity", "configuration__processing_mode")


@dataclass(frozen=True)
class Patient:
    """An installation at one instant; what cannot be read fails in each part that needs it, and in no other."""

    now: datetime
    read_facts: Callable[[], SiteFacts] = SiteFacts.read

    @cached_property
    def facts(self) -> SiteFacts:
        """Return what pages need of the whole installation, too."""
        return self.read_facts()

    @cached_property
    def entities(self) -> list[Entity]:
        """Return all entities with their configurations, the cancelled ones too, in the order of their codes.

        No more of them than the parts look at: there may be thousands.
        """
        return list(Entity.objects.select_related("configuration").only(*_LOOKED_AT).order_by("code"))

    @property
    def live_entities(self) -> list[Entity]:
        """Return those that are not cancelled."""
        return [entity for entity in self.entities if not entity.is_cancelled]


def told(*checks: tuple[QuerySet[Any], Callable[[Any], Iterator[DoctorFinding]]]) -> Iterator[DoctorFinding]:
    """Find what each check tells of its rows, in their order; one statement tells which checks have any."""
    are_there = have_rows(*(rows for rows, _ in checks))
    for (rows, tell), is_there in zip(checks, are_there, strict=True):
        if is_there:
            yield from tell(rows)
