"""How commands find what is named: exactly first, then without case where that is unique; else exit code 2."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TypeVar

from django.core.management.base import CommandError

from scheduling.management import base
from scheduling.models import Job, Plan, Queue, SchedulerConfiguration

Thing = TypeVar("Thing")


def find_named(things: Iterable[Thing], name: str, kind: str, name_of: Callable[[Thing], str] = str) -> Thing:
    """Return the thing of this name; exit code 2, with the likely name, when there is none or several would do."""
    by_name = {name_of(thing): thing for thing in things}
    if name in by_name:
        return by_name[name]
    same = [known for known in by_name if known.casefold() == name.casefold()]
    if len(same) == 1:
        return by_name[same[0]]
    if same:
        several = " and ".join(map(repr, sorted(same)))
        raise CommandError(f"{name!r} may be {several}; write the name as it is.", returncode=base.EXIT_BAD_INPUT)
    likely = get_close_matches(name, list(by_name), n=1)
    hint = f" Did you mean {likely[0]!r}?" if likely else ""
    raise CommandError(f"There is no {kind} {name!r}.{hint}", returncode=base.EXIT_BAD_INPUT)


def plans_named(text: str) -> list[str]:
    """Return the names of the plans of a comma list, as they are stored, each once."""
    plans = Plan.objects.all()
    return list(dict.fromkeys(find_named(plans, name, "plan").name for name in base.plan_names(text)))


def pausable(words: Iterable[str]) -> Job | Plan | Queue | SchedulerConfiguration | None:
    """Return what `entity CODE`, `plan NAME`, `job NAME` or `queue NAME` names; None for `all`."""
    kind, _, name = " ".join(words).strip().partition(" ")
    name = name.strip()
    if kind == "all" and not name:
        return None
    if kind == "entity" and name:
        configurations = SchedulerConfiguration.objects.select_related("entity")
        return find_named(configurations, name, kind, lambda one: one.entity.code)
    if kind == "plan" and name:
        return find_named(Plan.objects.all(), name, kind)
    if kind == "job" and name:
        return find_named(Job.objects.filter(removed_at=None), name, kind)
    if kind == "queue" and name:
        return find_named(Queue.objects.all(), name, kind)
    text = f"{' '.join(words)!r} names nothing; write all, entity CODE, plan NAME, job NAME or queue NAME."
    raise CommandError(text, returncode=base.EXIT_BAD_INPUT)
