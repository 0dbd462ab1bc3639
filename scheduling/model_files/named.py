"""The `queues` and `scripts` sections of a model file: things that are a name and a few columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models

from scheduling.model_files.sections import QUEUE_KINDS, SCRIPT_KINDS
from scheduling.models import Queue, SqlScript
from scheduling.plans.scripts import script_errors
from scheduling.workloads.script_check import database_faults
from staging.errors import InvalidDefinition
from staging.model_files.shape import Problems, known_keys, path_of
from staging.wording import say


@dataclass
class NamedPlan:
    """One thing of the file as it would be stored; `before` are its columns as stored, None when it is new."""

    instance: Any
    before: dict[str, Any] | None
    columns: tuple[str, ...] = field(default=())

    def changes(self) -> dict[str, Any] | None:
        """Return what would change, each with its old and new value; None for a new thing."""
        if self.before is None:
            return None
        after = {name: getattr(self.instance, name) for name in self.columns}
        return {
            name: {"from": self.before[name], "to": value}
            for name, value in after.items()
            if self.before[name] != value
        }


def plan_queues(sections: Sequence[Any], problems: Problems) -> list[NamedPlan]:
    """Return the queues of the file, everything wrong with them in `problems` by path; changes nothing."""
    plans = _plan_named("queues", sections, Queue, QUEUE_KINDS, problems)
    for path, plan in plans:
        if plan.instance.max_running < 1:
            problems.add(path_of(path, "max_running"), say("At least one task must be able to run; write 1 or more."))
    return [plan for _, plan in plans]


def plan_scripts(sections: Sequence[Any], problems: Problems) -> list[NamedPlan]:
    """Return the SQL scripts of the file, everything wrong with them in `problems` by path; changes nothing."""
    plans = _plan_named("scripts", sections, SqlScript, SCRIPT_KINDS, problems)
    for path, plan in plans:
        for name, texts in script_errors(plan.instance).items():
            if not problems.under(path_of(path, name)):
                problems.errors[path_of(path, name)] = texts
    return [plan for _, plan in plans]


def ask_the_database(scripts: Sequence[NamedPlan]) -> None:
    """Raise InvalidDefinition with what the database has against scripts; the tables they name are made by now."""
    told = {f"scripts[{place}].sql": database_faults(plan.instance) for place, plan in enumerate(scripts)}
    if errors := {path: texts for path, texts in told.items() if texts}:
        raise InvalidDefinition(errors)


def apply_named(plans: Iterable[NamedPlan]) -> None:
    """Store what is new or changed; the caller holds the transaction."""
    for plan in plans:
        changes = plan.changes()
        if changes is None:
            plan.instance.save()
        elif changes:
            plan.instance.save(update_fields=list(changes))


def queue_section(queue: Queue) -> dict[str, Any]:
    """Return a queue as the file shows it."""
    section = {"name": queue.name, "max_running": queue.max_running}
    section |= {"celery_queue": queue.celery_queue} if queue.celery_queue else {}
    return section | ({"is_cancelled": True} if queue.is_cancelled else {})


def script_section(script: SqlScript) -> dict[str, Any]:
    """Return a SQL script as the file shows it: what differs from the defaults."""
    return {
        name: getattr(script, name)
        for name in SCRIPT_KINDS
        if name == "name" or getattr(script, name) != _default(SqlScript, name)
    }


def plain_json(value: Any) -> Any:
    """Return a value of a file as JSON columns keep it: fractions as numbers."""
    if isinstance(value, Mapping):
        return {name: plain_json(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain_json(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value


def _plan_named(
    section: str, contents: Sequence[Any], model: type[models.Model], kinds: Mapping[str, str], problems: Problems
) -> list[tuple[str, NamedPlan]]:
    """Return the things with their paths; what the file does not say has its default."""
    stored = {instance.name: instance for instance in model._default_manager.all()}  # type: ignore[attr-defined]
    folded = {name.casefold(): name for name in stored}
    seen: dict[str, str] = {}
    plans = []
    for index, content in enumerate(contents):
        path = f"{section}[{index}]"
        values = known_keys(content, path, kinds, problems, required=("name",))
        name = values["name"] = values.get("name", "").strip()
        if name and name.casefold() in seen:
            problems.add(
                f"{path}.name",
                say("{name!r} is defined at {seen} already; leave one out.", name=name, seen=seen[name.casefold()]),
            )
        seen.setdefault(name.casefold(), path)
        if name not in stored and name.casefold() in folded:
            other = folded[name.casefold()]
            problems.add(
                f"{path}.name", say("There is {other!r} already; write it so, or more than another case.", other=other)
            )
        instance = stored.get(name) or model()
        before = {column: getattr(instance, column) for column in kinds} if instance.pk else None
        for column in kinds:
            setattr(instance, column, plain_json(values.get(column, _default(model, column))))
        _check_fields(instance, path, kinds, problems)
        plans.append((path, NamedPlan(instance, before, tuple(kinds))))
    return plans


def _check_fields(instance: models.Model, path: str, kinds: Mapping[str, str], problems: Problems) -> None:
    """Add what the columns themselves refuse, such as a name that is too long."""
    try:
        instance.clean_fields(exclude=[f.name for f in instance._meta.fields if f.name not in kinds])
    except ValidationError as error:
        for name, texts in error.message_dict.items():
            place = path_of(path, name)
            if not problems.under(place):
                problems.errors[place] = [str(text) for text in texts]


def _default(model: type[models.Model], column: str) -> Any:
    found = model._meta.get_field(column)
    assert isinstance(found, models.Field)
    return found.get_default()
