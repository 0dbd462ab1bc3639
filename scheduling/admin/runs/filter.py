"""What the list of runs is asked to show: kind, plan, entity, job, state, days; read from the address and applied."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any, cast

from django import forms
from django.db import connection
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.filter_bars import WHOSE, FilterBar, entity_named, midnight
from scheduling.models import Job, Plan, Run, Task
from scheduling.models.attempt import IS_TRIED_AGAIN
from scheduling.models.run import COMPLETED_WITH_WARNINGS, HELD
from scheduling.plans.categories import in_category
from scheduling.schedules.deadlines import late_runs
from scheduling.schedules.responsibility import only_mine
from scheduling.states import RunKind, RunStatus
from staging.models import Entity
from staging.pages import seen
from staging.states import WARNED

LIVE, TRIED_AGAIN, STILL_FAILED, LATE = "live", "tried_again", "still_failed", "late"
_ENDED = {"24h": timedelta(hours=24), "7d": timedelta(days=7)}
_DAY = {"type": "date"}
_KINDS = [(kind, RunKind(kind).label) for kind in (RunKind.BATCH, RunKind.JOB, RunKind.PLAN, RunKind.ORDERED)]


class RunFilter(FilterBar):
    """The filter bar of the list of runs."""

    kind = forms.ChoiceField(required=False, choices=[("", _("all kinds")), *_KINDS], label=_("Kind"))
    status = forms.ChoiceField(
        required=False,
        label=_("State"),
        choices=[
            ("", _("all states")),
            (LIVE, _("not ended yet")),
            (TRIED_AGAIN, _("waits for its next attempt")),
            (STILL_FAILED, _("failed, not made good")),
            (HELD, _("with a held step")),
            (LATE, _("late")),
            *RunStatus.choices,
            (WARNED, _("completed with warnings")),
        ],
    )
    ended = forms.ChoiceField(
        required=False,
        label=_("Ended"),
        choices=[("", _("any time")), ("24h", _("last 24 hours")), ("7d", _("last 7 days"))],
    )
    entity = forms.CharField(
        label=_("Entity"),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"placeholder": _("code or name")}),
    )
    plan = forms.ModelChoiceField(
        Plan.objects.order_by("name"), required=False, empty_label=_("all plans"), label=_("Plan")
    )
    job = forms.ModelChoiceField(
        Job.objects.order_by("name"), required=False, empty_label=_("all jobs"), label=_("Job")
    )
    category = forms.CharField(
        label=_("Category"),
        required=False,
        max_length=50,
        widget=forms.TextInput(attrs={"placeholder": _("of plans or jobs")}),
    )
    mine = forms.ChoiceField(required=False, label=_("Owner"), choices=WHOSE)
    since = forms.DateField(required=False, label=_("From"), widget=forms.DateInput(_DAY, "%Y-%m-%d"))
    until = forms.DateField(required=False, label=_("Until"), widget=forms.DateInput(_DAY, "%Y-%m-%d"))

    def __init__(self, request: HttpRequest):
        """Read the address of a page."""
        self._request = request
        super().__init__(request.GET)

    def narrow(self) -> None:
        """Offer the plans and jobs that this person may see."""
        for name in ("plan", "job"):
            field = cast("forms.ModelChoiceField[Any]", self.fields[name])
            field.queryset = seen(cast("QuerySet[Any]", field.queryset), self._request)

    def apply(self, runs: QuerySet[Run]) -> QuerySet[Run]:
        """Return the runs asked for: an entity or a job also finds the plans in which it was a step.

        Both days belong to the period, in the site's zone.
        """
        found = self.cleaned_data
        if kind := found.get("kind"):
            runs = runs.filter(kind=kind)
        if found.get("status") == LIVE:
            runs = runs.filter(pk__in=Run.objects.going_on())
        elif found.get("status") == TRIED_AGAIN:
            runs = runs.filter(IS_TRIED_AGAIN)
        elif found.get("status") == STILL_FAILED:
            runs = runs.filter(pk__in=Run.objects.still_failed())
        elif found.get("status") == HELD:
            runs = runs.filter(pk__in=Run.objects.with_a_held_step())
        elif found.get("status") == LATE:
            runs = runs.filter(late_runs(clock.now()))
        elif found.get("status") == WARNED:
            runs = runs.filter(COMPLETED_WITH_WARNINGS)
        elif status := found.get("status"):
            runs = runs.filter(status=status)
        if ended := found.get("ended"):
            runs = runs.filter(finished_at__gte=clock.now() - _ENDED[ended])
        if entity := found.get("entity"):
            runs = _of_entity(runs, entity)
        if job := found.get("job"):
            runs = runs.filter(pk__in=_with_task(workload=RunKind.JOB, target_id=job.pk))
        if plan := found.get("plan"):
            runs = _of_plan(runs, plan)
        if category := found.get("category"):
            runs = _in_category(runs, category)
        if found.get("mine"):
            runs = only_mine(runs, self._request.user)
        if since := found.get("since"):
            runs = runs.filter(created_at__gte=midnight(since))
        if (until := found.get("until")) and until.year < 9999:
            runs = runs.filter(created_at__lt=midnight(until + timedelta(days=1)))
        return runs


def _with_task(**wanted: Any) -> QuerySet[Task, Any]:
    """Return the ids of the runs that have such a task, as a subquery."""
    return Task.objects.filter(**wanted).order_by().values("run_id")


def _of_entity(runs: QuerySet[Run], text: str) -> QuerySet[Run]:
    """Return the runs with a task for the entity of this code or name.

    The entity is looked up first: knowing which it is, a database knows whether it has few runs or many.
    """
    known = Entity.objects.filter(pk=entity_named(text)).values_list("pk", flat=True).first()
    return runs.none() if known is None else runs.filter(pk__in=_with_task(entity_id=known))


def _in_category(runs: QuerySet[Run], name: str) -> QuerySet[Run]:
    """Return the runs of plans, alone or with others, and of jobs that are in this category."""
    jobs = Job.objects.filter(category__iexact=name).values("pk")
    of_jobs = Q(kind=RunKind.JOB, pk__in=_with_task(workload=RunKind.JOB, target_id__in=jobs))
    plans = list(Plan.objects.filter(in_category(name)).values_list("name", flat=True))
    if not plans:
        return runs.filter(of_jobs)
    if connection.features.supports_json_field_contains:
        return runs.filter(of_jobs | Q(kind=RunKind.PLAN, plans__has_any_keys=plans))
    one_of_them = "|".join(re.escape(json.dumps(plan)) for plan in plans)
    return runs.filter(of_jobs | Q(kind=RunKind.PLAN, plans__regex=one_of_them))


def _of_plan(runs: QuerySet[Run], plan: Plan) -> QuerySet[Run]:
    """Return the runs that were made of this plan, alone or with others. SQLite finds it in the text of the list."""
    runs = runs.filter(kind=RunKind.PLAN)
    if connection.features.supports_json_field_contains:
        return runs.filter(plans__contains=[plan.name])
    return runs.filter(plans__icontains=json.dumps(plan.name))
