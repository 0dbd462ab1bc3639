"""The pages beside a job's form: what code says of it with its figures, and Run now with its confirmation."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from scheduling import clock
from scheduling.admin.arguments import ArgumentsForm, of_job
from scheduling.admin.figures import periods_of
from scheduling.admin.jobs.forms import EnqueueForm
from scheduling.admin.jobs.history import took
from scheduling.admin.schedules.pausing import zone_for
from scheduling.errors import InvalidArguments, InvalidOptions, SchedulingError
from scheduling.lifecycle.guard import live_runs_of
from scheduling.models import Job, SiteFacts, Task
from scheduling.runs.by_hand import start_job_now
from scheduling.schedules.sentence import describe
from scheduling.states import KeyOverlap, RunKind
from staging.pages import ASK, may, page, row_or_404, shown, told, warned
from staging.wording import say

_LATEST = 10


def job_context(model_admin: ModelAdmin[Job], request: HttpRequest, object_id: str) -> dict[str, Any]:
    """Return what the form page shows beside its fields; nothing for an unknown job."""
    job = model_admin.get_object(request, object_id)
    if job is None:
        return {}
    now = clock.now()
    schedules = [(schedule, describe(schedule)) for schedule in job.schedules.select_related("job")]
    in_force = [schedule for schedule, _ in schedules if schedule.removed_at is None]
    latest = Task.objects.filter(workload=RunKind.JOB, target_id=job.pk).select_related("run").order_by("-id")
    return {
        "job": job,
        "schedules": schedules,
        "periods": periods_of(RunKind.JOB, job.pk, now, SiteFacts.of(request).mark),
        "latest": [(task, took(task, now)) for task in latest[:_LATEST]],
        "may_run": may(model_admin, request, "run") and job.removed_at is None,
        "may_pause": may(model_admin, request, "pause") and job.removed_at is None,
        "zone": zone_for(in_force).key,
        "may_change": may(model_admin, request, "change"),
        "now": now,
    }


@page("run", methods=ASK)
def run_job_page(model_admin: ModelAdmin[Job], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask first (GET), then start the job (POST) and lead to its run."""
    job = row_or_404(Job.objects.all(), pk, say("There is no such job."))
    posted = request.POST if request.method == "POST" else None
    in_force = list(job.schedules.filter(removed_at=None))
    form, enqueued = ArgumentsForm(of_job(job), posted), EnqueueForm(posted, zone=zone_for(in_force))
    if form.is_valid() & enqueued.is_valid() and (answer := _start(request, job, form, enqueued)) is not None:
        return answer
    return shown(
        model_admin,
        request,
        "scheduling/job_run.html",
        title=say("Run {job} now?", job=job.name),
        job=job,
        form=form,
        enqueued=enqueued,
        is_running=bool(live_runs_of([pk])),
    )


def _start(request: HttpRequest, job: Job, form: ArgumentsForm, enqueued: EnqueueForm) -> HttpResponse | None:
    """Start the job; one that runs already, or cannot start, is a warning. None when something given was refused."""
    by, options, now = request.user.get_username(), enqueued.options(), clock.now()
    try:
        run = start_job_now(job, form.given(), started_by=by, options=options, now=now)
    except InvalidOptions as error:
        enqueued.refuse(error)
        return None
    except InvalidArguments as error:
        form.refuse(error)
        return None
    except SchedulingError as error:
        return warned(request, error, reverse("admin:scheduling_job_change", args=[job.pk]))
    to = reverse("admin:scheduling_run_change", args=[run.pk])
    if options is not None and run.created_at != now and options.get("overlap") != KeyOverlap.REPLACE:
        left_out = say("{job} was not enqueued: run {run} of this key was there already.", job=job.name, run=run.pk)
        return warned(request, left_out, to)
    words = say("{job} started.", job=job.name) if options is None else say("{job} is enqueued.", job=job.name)
    return told(request, words, to)
