"""Who gives signs of life, when it last did, and what it runs: the scheduler and the workers; and the doctor's page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from scheduling import clock, conf
from scheduling.admin.read_only import ReadOnlyAdmin
from scheduling.doctor.examine import findings
from scheduling.models import Attempt, Heartbeat, SiteFacts
from scheduling.states import AttemptOutcome
from staging.pages import may, page, shown
from staging.wording import say

_CELERY = "celery@"
_SHOWN = 200
_LATE = timedelta(minutes=1)  # at least: an attempt that beats at intervals is not silent after one that was missed


@dataclass(frozen=True)
class Worker:
    """One sign of life with the attempts of its process."""

    heartbeat: Heartbeat
    attempts: list[Attempt]
    is_alive: bool


@page("scheduling.oversee")
def doctor_page(model_admin: ModelAdmin[Heartbeat], request: HttpRequest) -> HttpResponse:
    """Show what is wrong with the installation, as `manage.py doctor` does."""
    found = findings(lambda: SiteFacts.of(request))
    return shown(model_admin, request, "scheduling/doctor.html", title=say("Doctor"), findings=found)


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    """The page of the workers."""

    pages = (("doctor/", doctor_page, "scheduling_heartbeat_doctor"),)

    @page("view")
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the scheduler and the workers, those seen last first, each with what it runs; and what others run."""
        now = clock.now()
        workers, others, running = _workers(now)
        return shown(
            self,
            request,
            "scheduling/workers.html",
            title=say("Scheduler and workers"),
            workers=workers,
            others=others,
            running=running,
            sees_doctor=may(self, request, "scheduling.oversee"),
            alive=sum(each.is_alive and each.heartbeat.kind == Heartbeat.WORKER for each in workers),
            now=now,
        )


def is_silent(attempt: Attempt, now: datetime) -> bool:
    """Return whether an attempt that says it runs has missed several signs of life."""
    return now - attempt.heartbeat_at > max(conf.worker_silence(), _LATE)


def _workers(now: datetime) -> tuple[list[Worker], list[Attempt], list[tuple[Attempt, bool]]]:
    """Return the workers, the attempts of none of them, and all attempts with whether they are silent; two queries."""
    running = Attempt.objects.filter(outcome=AttemptOutcome.RUNNING)
    attempts = list(running.select_related("task__run", "task__entity", "task__queue").order_by("claimed_at")[:_SHOWN])
    heartbeats = {each.name.removeprefix(_CELERY): each for each in _heartbeats()}
    by_process: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        by_process[_process(attempt, heartbeats)].append(attempt)
    found = [Worker(each, by_process.pop(name, []), _is_alive(each, now)) for name, each in heartbeats.items()]
    others = [attempt for left in by_process.values() for attempt in left]
    return found, others, [(attempt, is_silent(attempt, now)) for attempt in attempts]


def _heartbeats() -> QuerySet[Heartbeat]:
    """Return the signs of life, the scheduler's first, then those of the workers seen last."""
    return Heartbeat.objects.order_by("kind", "-seen_at", "name")[:_SHOWN]


def _process(attempt: Attempt, heartbeats: Mapping[str, Heartbeat]) -> str:
    """Return which process gives the signs of life for an attempt's worker: its own, or that of its pool."""
    return attempt.worker if attempt.worker in heartbeats else attempt.worker.rpartition(":")[0]


def _is_alive(heartbeat: Heartbeat, now: datetime) -> bool:
    """Return whether it was seen lately: three cycles for the scheduler, six heartbeats for a worker."""
    is_scheduler = heartbeat.kind == Heartbeat.DISPATCHER
    return now - heartbeat.seen_at <= (conf.cycle_silence() if is_scheduler else conf.worker_silence())
