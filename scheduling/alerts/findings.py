"""What a rule finds, and what it asks: read once for all the rules of a round."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from scheduling.models import AlertRule, JobSchedule, Plan, SchedulerConfiguration
from scheduling.models.schedule import ScheduleQuerySet
from staging.wording import Later

LATELY = timedelta(hours=24)  # how far back a new rule looks, and a missed slot counts


@dataclass(frozen=True)
class Breach:
    """One thing for which a condition holds: what it is, its sentence, its entity if it has one, what explains it.

    `mark` is another one when the sentence is: nobody says ten thousand sentences to see that nothing changed.
    """

    subject: str
    said: Later
    entity_id: int | None = None
    leads_to: str = ""
    mark: object = None


@dataclass(frozen=True)
class Breaches:
    """What a rule finds. `judged`: the only subjects that were looked at; None: all there are."""

    breaches: tuple[Breach, ...]
    judged: frozenset[str] | None = None

    @property
    def fingerprint(self) -> str:
        """Return what is the same when all of it is the same; empty where only some subjects were looked at."""
        if self.judged is not None:
            return ""
        found = sorted(f"{one.subject} {one.mark}" for one in self.breaches)
        return hashlib.sha256("\n".join(found).encode()).hexdigest()


class Round:
    """What several rules ask at one moment; it is read once for all of them."""

    def __init__(self, now: datetime):
        self.now = now
        self._known: dict[object, list[Any]] = {}

    def schedules(self, key: object, narrow: Callable[[ScheduleQuerySet], ScheduleQuerySet]) -> list[Any]:
        """Return the schedules of every kind that are in force and meet a condition; `key` tells conditions apart."""
        if key not in self._known:
            columns = ("consecutive_failures", "last_completed_at", "next_scheduled_run")
            configurations = SchedulerConfiguration.objects.filter(entity__is_cancelled=False).select_related("entity")
            jobs: ScheduleQuerySet = JobSchedule.objects.filter(removed_at__isnull=True).select_related("job")
            self._known[key] = [
                *narrow(configurations).only(*columns, "entity__code", "entity__name"),
                *narrow(Plan.objects.filter(is_cancelled=False)).only(*columns, "name"),
                *narrow(jobs).only(*columns, "name", "job__name", "job__category"),
            ]
        return self._known[key]


class Watch:
    """A rule, with what it watches."""

    def __init__(self, rule: AlertRule, asked: Round):
        self.rule, self.now, self._round = rule, asked.now, asked
        self.entities = {entity.pk for entity in rule.entities.all()}
        self.plans = {plan.pk for plan in rule.plans.all()}
        self.jobs = {job.pk for job in rule.jobs.all()}
        self.is_about_all = not (self.entities or self.plans or self.jobs or rule.categories)

    @property
    def before(self) -> datetime:
        """Return the instant before which something is too old for the rule."""
        return self.now - timedelta(minutes=self.rule.minutes or 0)

    @property
    def since(self) -> datetime:
        """Return up to when the rule has looked."""
        return max(self.rule.looked_at or self.now - LATELY, self.now - LATELY)

    def schedules(self, key: object, narrow: Callable[[ScheduleQuerySet], ScheduleQuerySet]) -> list[Any]:
        """Return the schedules that are watched and meet a condition."""
        found = self._round.schedules(key, narrow)
        return found if self.is_about_all else [one for one in found if self._watches(one)]

    def _watches(self, schedule: Any) -> bool:
        if isinstance(schedule, SchedulerConfiguration):
            return schedule.entity_id in self.entities
        if isinstance(schedule, Plan):
            return schedule.pk in self.plans
        return schedule.job_id in self.jobs or schedule.job.category in self.rule.categories

    def of_entities(self, rows: Any) -> Any:
        """Return those rows of entities that are watched; none, when only plans or jobs are."""
        return rows if self.is_about_all else rows.filter(entity__in=self.entities)
