"""The runs of jobs as people look for them: by job, outcome and day."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import forms
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.filter_bars import FilterBar, midnight
from scheduling.admin.keyset import link, read_page
from scheduling.models import Job, Task
from scheduling.states import RunKind, TaskStatus
from staging.pages import page, shown
from staging.wording import say

LIVE = "live"


class JobRunFilter(FilterBar):
    """The filter bar of the runs of jobs."""

    job = forms.ModelChoiceField(
        Job.objects.order_by("name"), required=False, empty_label=_("all jobs"), label=_("Job")
    )
    outcome = forms.ChoiceField(
        label=_("Outcome"),
        required=False,
        choices=[("", _("all outcomes")), (LIVE, _("not ended yet"))]
        + [(status, TaskStatus(status).label) for status in TaskStatus.final()],
    )
    since = forms.DateField(required=False, label=_("From"), widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"))
    until = forms.DateField(required=False, label=_("Until"), widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"))

    def apply(self, tasks: QuerySet[Task]) -> QuerySet[Task]:
        """Return the tasks asked for; both days belong to the period, in the site's zone."""
        found = self.cleaned_data
        if job := found.get("job"):
            tasks = tasks.filter(target_id=job.pk)
        if found.get("outcome") == LIVE:
            tasks = tasks.exclude(status__in=TaskStatus.final())
        elif outcome := found.get("outcome"):
            tasks = tasks.filter(status=outcome)
        if since := found.get("since"):
            tasks = tasks.filter(run__created_at__gte=midnight(since))
        if (until := found.get("until")) and until.year < 9999:
            tasks = tasks.filter(run__created_at__lt=midnight(until + timedelta(days=1)))
        return tasks


@page("view")
def job_history_page(model_admin: ModelAdmin[Job], request: HttpRequest) -> HttpResponse:
    """Show one page of what jobs did, newest first."""
    asked, now = JobRunFilter(request.GET), clock.now()
    tasks = asked.apply(Task.objects.filter(workload=RunKind.JOB).select_related("run"))
    page = read_page(tasks, request.GET.dict())
    return shown(
        model_admin,
        request,
        "scheduling/job_history.html",
        title=say("Runs of jobs"),
        filter=asked,
        rows=[(task, took(task, now)) for task in page.rows],
        newer_url=link(asked.asked, newer=page.newer) if page.newer else "",
        older_url=link(asked.asked, older=page.older) if page.older else "",
        newest_url=link(asked.asked),
    )


def took(task: Task, now: datetime) -> int | None:
    """Return the milliseconds of the last attempt, so far when it runs."""
    if task.started_at is None:
        return None
    return round(((task.finished_at or now) - task.started_at).total_seconds() * 1000)
