"""Loads a model file: everything is checked first, then stored in one transaction; nothing is ever deleted."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from scheduling.model_files.calendars import CalendarPlan, apply_calendars, calendar_changes, plan_calendars
from scheduling.model_files.schedule import ScheduleReader, schedule_changes
from scheduling.model_files.sections import ENTITY_KINDS, FILE_KINDS, VERSION
from scheduling.model_files.work import plan_work
from scheduling.models import SchedulerConfiguration, SchedulerState
from scheduling.schedules.change import apply_schedule
from staging.errors import InvalidDefinition
from staging.model_files.apply import apply_entities, entity_changes
from staging.model_files.plan import EntityPlan, plan_entities
from staging.model_files.shape import Problems, known_keys
from staging.states import DoorKind
from staging.tables.columns import one_at_a_time, told_when_in_use
from staging.versions.doers import through
from staging.versions.units import one_change
from staging.wording import say


@dataclass
class Loaded:
    """What a load did, or would do.

    Entities stand by code, attributes as `code.attribute`, rules as `code rule name`, schedules as `code schedule`,
    dependencies as `code depends_on`; calendars, queues, scripts and plans as `calendar name` and so on.
    """

    release: str
    dry_run: bool
    created: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    changes: dict[str, dict[str, Any]] = field(default_factory=dict)

    def note(self, what: str, changes: dict[str, Any] | None) -> None:
        """Note one thing: None is new, no change is unchanged."""
        if changes is None:
            self.created.append(what)
        elif changes:
            self.changed.append(what)
            self.changes[what] = changes
        else:
            self.unchanged.append(what)

    def as_json(self) -> dict[str, Any]:
        """Return the answer of the command."""
        return dict(vars(self))


@dataclass
class _Plan:
    entity: EntityPlan
    schedule: dict[str, Any] | None  # None: the file does not speak of it, so it stays


def load(document: Any, *, dry_run: bool = False, now: datetime) -> Loaded:
    """Load a model file's content; with `dry_run` only say what would change.

    Raises InvalidDefinition with every error by its path in the file, TablesInUse when somebody else holds one of
    the tables; then nothing was changed.
    """
    with _through_file(document), told_when_in_use(), one_change(), transaction.atomic():
        one_at_a_time()
        problems = Problems()
        file = known_keys(document, "", FILE_KINDS, problems)
        _check_head(file, problems)
        calendars = plan_calendars(file.get("calendars", []), problems)
        by_name = {plan.calendar.name: plan.calendar for plan in calendars}
        reader = ScheduleReader(problems, by_name, now)
        plans = _plan(file, reader)
        work = plan_work(file, [plan.entity for plan in plans], reader)
        if problems.errors:
            raise InvalidDefinition(problems.errors)
        loaded = _compare(calendars, plans, file.get("release", ""), dry_run)
        for what, changes in work.changes():
            loaded.note(what, changes)
        if not dry_run:
            apply_calendars(calendars)
            _apply(plans, now)
            work.apply(now)
            _record(loaded.release)
    return loaded


def _through_file(document: Any) -> AbstractContextManager[None]:
    """Let what is stored have come from this file."""
    release = document.get("release") if isinstance(document, dict) else None
    return through(DoorKind.FILE, detail=release if isinstance(release, str) else "")


def _check_head(file: dict[str, Any], problems: Problems) -> None:
    if not problems.under("version") and file.get("version") != VERSION:
        problems.add("version", say("This must say version: {version}, the form this release reads.", version=VERSION))


def _plan(file: dict[str, Any], reader: ScheduleReader) -> list[_Plan]:
    plans = []
    for entity in plan_entities(file.get("entities", []), ENTITY_KINDS, reader.problems):
        content, schedule = entity.section.get("schedule"), None
        if content is not None:
            stored = (
                SchedulerConfiguration.objects.filter(entity_id=entity.entity.pk).select_related("calendar").first()
            )
            schedule = reader.read(content, f"{entity.path}.schedule", stored)
        plans.append(_Plan(entity, schedule))
    return plans


def _compare(calendars: list[CalendarPlan], plans: list[_Plan], release: str, dry_run: bool) -> Loaded:
    loaded = Loaded(release, dry_run)
    for each in calendars:
        loaded.note(f"calendar {each.calendar.name}", calendar_changes(each))
    for plan in plans:
        code = plan.entity.entity.code
        for what, changes in entity_changes(plan.entity).items():
            loaded.note(what, changes)
        if plan.schedule is not None:
            stored = SchedulerConfiguration.objects.filter(entity__code=code).first()
            loaded.note(f"{code} schedule", schedule_changes(stored, plan.schedule) if stored else None)
    return loaded


def _apply(plans: list[_Plan], now: datetime) -> None:
    apply_entities(plan.entity for plan in plans)
    for plan in plans:
        # A signal gives every new entity its configuration; an entity may be older than that.
        configuration, is_new = SchedulerConfiguration.objects.get_or_create(entity=plan.entity.entity)
        if plan.schedule is not None and (is_new or schedule_changes(configuration, plan.schedule)):
            apply_schedule(configuration, plan.schedule, now=now)


def _record(release: str) -> None:
    """Remember the release of the file; one that names none leaves what is known."""
    if release:
        SchedulerState.objects.update_or_create(pk=1, defaults={"release": release})
