"""The installation as the doctor sees it: what several parts of the examination need is read once for all of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import QuerySet

from scheduling.doctor.finding import DoctorFinding
from scheduling.models import Run, SchedulerLog, SiteFacts, Task
from staging.identifiers import history_table
from staging.models import Batch, Entity
from staging.sql.dialect import OfItself, dialect
from staging.tables.columns import Tabled
from staging.tables.compared import attributes_of


class LookedAt(NamedTuple):
    """An entity as far as the parts look at it: there may be thousands. It has no mode without a configuration."""

    tabled: Tabled
    name: str
    is_cancelled: bool
    mode: str | None
    attributes: str | None  # all of them in one text, as they are defined


@dataclass(frozen=True, eq=False)
class Look:
    """What a part looks at: its rows, and what tells of them where there are some, or where there are none.

    Without rows it is looked at whatever is there.
    """

    tell: Callable[[Any], Iterator[DoctorFinding]]
    rows: QuerySet[Any, Any] | None = None
    is_of_none: bool = False


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
        columns = *Tabled._fields, "name", "is_cancelled", "configuration__processing_mode", attributes_of("pk")
        rows = Entity.objects.order_by("code").values_list(*columns)
        return [LookedAt(Tabled(*values[:-4]), *values[-4:]) for values in rows]

    @cached_property
    def database(self) -> OfItself:
        """Return what the database tells of itself, of our own tables and of the histories of all entities."""
        own = [model._meta.db_table for model in (SchedulerLog, Run, Task, Batch)]
        return dialect().of_itself([*own, *(history_table(entity.tabled.code) for entity in self.entities)])

    @property
    def live_entities(self) -> list[LookedAt]:
        """Return those that are not cancelled."""
        return [entity for entity in self.entities if not entity.is_cancelled]
