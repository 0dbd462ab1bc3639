"""The pages beside a job's form: what code says of it with its figures, and Run now with its confirmation."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from scheduling import clock
from scheduling.admin.figures import periods_of
from scheduling.admin.job_history import took
from scheduling.admin.pausing import zone_for
from scheduling.errors import SchedulingError
from scheduling.models import Job, Task
from scheduling.runs.by_hand import start_job_now
from scheduling.schedules.sentence import describe
from scheduling.states import RunKind

_LATEST = 10


def job_context(model_admin: Any, request: HttpRequest, object_id: str) -> dict[str, Any]:
    """Return what the form page shows beside its fields; nothing for an unknown job."""
    job = Job.objects.filter(pk=object_id).first() if object_id.isdecimal() else None
    if job is None:
        return {}
    now = clock.now()
    schedules = [(schedule, describe(schedule)) for schedule in job.schedules.select_related("job")]
    latest = Task.objects.filter(workload=RunKind.JOB, target_id=job.pk).select_related("run").order_by("-id")
    return {
        "title": job.name,
        "subtitle": None,
        "job": job,
        "schedules": schedules,
        "periods": periods_of(RunKind.JOB, job.pk, now),
        "latest": [(task, took(task, now)) for task in latest[:_LATEST]],
        "may_run": model_admin.has_run_permission(request) and job.removed_at is None,
        "may_pause": model_admin.has_pause_permission(request) and job.removed_at is None,
        "zone": zone_for([job]).key,
        "may_change": model_admin.has_change_permission(request),
        "now": now,
    }


def run_job_page(model_admin: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Ask first (GET), then start the job (POST) and lead to its run."""
    if not model_admin.has_run_permission(request):
        raise PermissionDenied
    if request.method not in ("GET", "HEAD", "POST"):
        return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
    job = Job.objects.filter(pk=pk).first()
    if job is None:
        raise Http404("There is no such job.")
    if request.method == "POST":
        return _start(model_admin, request, job)
    context = {
        **model_admin.admin_site.each_context(request),
        "title": f"Run {job.name} now?",
        "opts": model_admin.opts,
        "job": job,
        "is_running": Task.objects.filter(workload=RunKind.JOB, target_id=pk, finished_at__isnull=True).exists(),
    }
    return TemplateResponse(request, "scheduling/job_run.html", context)


def _start(model_admin: Any, request: HttpRequest, job: Job) -> HttpResponse:
    """Start the job; one that runs already, or cannot start, is a warning."""
    try:
        run = start_job_now(job, started_by=request.user.get_username(), now=clock.now())
    except SchedulingError as error:
        model_admin.message_user(request, str(error), messages.WARNING)
        return HttpResponseRedirect(reverse("admin:scheduling_job_change", args=[job.pk]))
    model_admin.message_user(request, f"{job.name} started.", messages.SUCCESS)
    return HttpResponseRedirect(reverse("admin:scheduling_run_change", args=[run.pk]))
