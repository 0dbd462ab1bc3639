"""What the words of a command name: plans in a list, and what can be paused."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext_noop

from scheduling.management import base
from scheduling.models import Job, Plan, Queue, SchedulerConfiguration
from staging.wording import say


def plans_named(text: str) -> list[str]:
    """Return the names of the plans of a comma list, as they are stored, each once."""
    plans = Plan.objects.all()
    return list(
        dict.fromkeys(base.find_named(plans, name, gettext_noop("plan")).name for name in base.plan_names(text))
    )


def pausable(words: Iterable[str]) -> Job | Plan | Queue | SchedulerConfiguration | None:
    """Return what `entity CODE`, `plan NAME`, `job NAME` or `queue NAME` names; None for `all`."""
    kind, _, name = " ".join(words).strip().partition(" ")
    name = name.strip()
    if kind == "all" and not name:
        return None
    if kind == "entity" and name:
        configurations = SchedulerConfiguration.objects.select_related("entity")
        return base.find_named(configurations, name, gettext_noop("entity"), lambda one: one.entity.code)
    if kind == "plan" and name:
        return base.find_named(Plan.objects.all(), name, gettext_noop("plan"))
    if kind == "job" and name:
        return base.find_named(Job.objects.filter(removed_at=None), name, gettext_noop("job"))
    if kind == "queue" and name:
        return base.find_named(Queue.objects.all(), name, gettext_noop("queue"))
    text = say(
        "{words!r} names nothing; write all, entity CODE, plan NAME, job NAME or queue NAME.", words=" ".join(words)
    )
    raise base.refused(text)
