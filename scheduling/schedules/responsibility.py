"""Whose a thing is: what a person's filter *mine* shows of each list, and who is responsible for an alert."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import BigIntegerField, Case, Exists, OuterRef, Q, QuerySet, When
from django.db.models.functions import Cast, Substr

from scheduling.models import Alert, Job, JobSchedule, Plan, Run, SchedulerConfiguration, SchedulerLog
from scheduling.states import RunKind
from staging.models import Batch, BusinessRule, Entity, Owned, mine

_RUN_KEY = Case(When(subject__startswith="run:", then=Cast(Substr("subject", len("run:") + 1), BigIntegerField())))


def owners_of(alerts: Iterable[Alert]) -> dict[int, Owned]:
    """Return what each alert is about and who owns that, by the alert's key; few statements, however many there are."""
    found, subjects = dict[int, Owned](), dict[str, dict[str, list[int]]]()
    rows = list(alerts)
    entities = Entity.objects.select_related("owner", "owner_group").in_bulk({one.entity_id for one in rows} - {None})
    for alert in rows:
        if alert.entity_id in entities:
            found[alert.pk] = entities[alert.entity_id]
        else:
            kind, _, key = alert.subject.partition(":")
            subjects.setdefault(kind, {}).setdefault(key, []).append(alert.pk)
    kinds = {"plan": _of_plans, "job": _of_schedules, "unscheduled": _of_jobs, "run": _of_runs}
    for kind, read in kinds.items():
        for number, thing in read([int(key) for key in subjects.get(kind, {})]):
            found |= dict.fromkeys(subjects[kind][str(number)], thing)
    return found


def only_mine(rows: QuerySet[Any], person: Any) -> QuerySet[Any]:
    """Return those rows of a list that are about an entity, a plan or a job of a person, or of one of his groups."""
    rows = rows.alias(run_key=_RUN_KEY) if rows.model is Alert else rows
    return rows.filter(_CONDITIONS[rows.model](person))


def own_whats(person: Any) -> set[str]:
    """Return what reports and forecasts call what a person, or one of his groups, owns: their `what`."""
    owned = (SchedulerConfiguration.objects.select_related("entity"), Plan.objects.all(), Job.objects.all())
    return {thing.what for rows in owned for thing in only_mine(rows, person)}


def _of_entities(person: Any) -> Q:
    return Q(entity__in=Entity.objects.filter(mine(person)).values("pk"))


def _alerts(person: Any) -> Q:
    plans, jobs = Plan.objects.filter(mine(person)), JobSchedule.objects.filter(mine(person, "job__"))
    subjects = [f"plan:{pk}" for pk in plans.values_list("pk", flat=True)]
    subjects += [f"job:{pk}" for pk in jobs.values_list("pk", flat=True)]
    subjects += [f"unscheduled:{pk}" for pk in Job.objects.filter(mine(person)).values_list("pk", flat=True)]
    # The run that an alert names, ended or not, is looked up by its key: runs are many, alerts are few.
    runs = only_mine(Run.objects.filter(pk=OuterRef("run_key")), person)
    return _of_entities(person) | Q(subject__in=subjects) | Q(Exists(runs))


def _runs(person: Any) -> Q:
    plans = [plan.run_title for plan in Plan.objects.filter(mine(person)).only("name")]
    jobs = Job.objects.filter(mine(person)).values("name")
    of_others = Q(kind=RunKind.PLAN, title__in=plans) | Q(kind=RunKind.JOB, title__in=jobs)
    return _of_entities(person) | of_others


def _log(person: Any) -> Q:
    plans, jobs = Plan.objects.filter(mine(person)), Job.objects.filter(mine(person))
    return _of_entities(person) | Q(plan__in=plans.values("pk")) | Q(job__in=jobs.values("pk"))


def _of_plans(keys: list[int]) -> list[tuple[int, Owned]]:
    return list(Plan.objects.select_related("owner", "owner_group").in_bulk(keys).items()) if keys else []


def _of_schedules(keys: list[int]) -> list[tuple[int, Owned]]:
    rows = JobSchedule.objects.select_related("job__owner", "job__owner_group").in_bulk(keys) if keys else {}
    return [(pk, schedule.job) for pk, schedule in rows.items()]


def _of_jobs(keys: list[int]) -> list[tuple[int, Owned]]:
    return list(Job.objects.select_related("owner", "owner_group").in_bulk(keys).items()) if keys else []


def _of_runs(keys: list[int]) -> list[tuple[int, Owned]]:
    """Return the plan or the job of each run that is of one; of several plans that were run together, the first."""
    found: list[tuple[int, Owned]] = []
    for run in Run.objects.filter(pk__in=keys, entity__isnull=True) if keys else ():
        kind, name = (Job, run.title) if run.kind == RunKind.JOB else (Plan, next(iter(run.plans), ""))
        thing = kind._default_manager.select_related("owner", "owner_group").filter(name=name).first()
        if thing is not None:
            found.append((run.pk, thing))
    return found


_CONDITIONS: dict[Any, Callable[[Any], Q]] = {
    Entity: mine,
    Plan: mine,
    Job: mine,
    JobSchedule: lambda person: mine(person, "job__"),
    SchedulerConfiguration: _of_entities,
    Batch: _of_entities,
    BusinessRule: _of_entities,
    Alert: _alerts,
    Run: _runs,
    SchedulerLog: _log,
}
