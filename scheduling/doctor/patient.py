"""The installation as the doctor sees it: what several parts of the examination need is read once for all of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import QuerySet

from scheduling.doctor.finding import DoctorFinding
from scheduling.models import SiteFacts
from scheduling.statements import have_rows
from staging.models import Entity
from staging.tables.columns import Tabled


class LookedAt(NamedTuple):
    """An entity as far as the parts look at it: there may be thousands. It has no mode without a configuration."""

    tabled: Tabled
    name: str
    is_cancelled: bool
    mode: str | None


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
    def entities(self) -> list[LookedAt]:
        """Return all entities, the cancelled ones too, in the order of their codes."""
        columns = *Tabled._fields, "name", "is_cancelled", "configuration__processing_mode"
        rows = Entity.objects.order_by("code").values_list(*columns)
        return [LookedAt(Tabled(*tabled), name, is_cancelled, mode) for *tabled, name, is_cancelled, mode in rows]

    @property
    def live_entities(self) -> list[LookedAt]:
        """Return those that are not cancelled."""
        return [entity for entity in self.entities if not entity.is_cancelled]


def told(*checks: tuple[QuerySet[Any], Callable[[Any], Iterator[DoctorFinding]]]) -> Iterator[DoctorFinding]:
    """Find what each check tells of its rows, in their order; one statement tells which checks have any."""
    are_there = have_rows(*(rows for rows, _ in checks))
    for (rows, tell), is_there in zip(checks, are_there, strict=True):
        if is_there:
            yield from tell(rows)
