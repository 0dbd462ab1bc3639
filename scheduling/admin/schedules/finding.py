"""Finds the schedule an address names, and where its pages are; what is not there is a 404, never a traceback."""

from __future__ import annotations

from typing import TypeVar, cast

from django.contrib.admin import ModelAdmin
from django.db.models import Model, QuerySet
from django.http import Http404
from django.urls import NoReverseMatch, reverse

from scheduling.models import Job, Schedule, SchedulerConfiguration
from scheduling.models.schedule import ScheduleQuerySet
from staging.pages import row_or_404
from staging.wording import say

Listed = TypeVar("Listed", bound=Schedule | Job)


def find_configuration(pk: str | int) -> SchedulerConfiguration | None:
    """Return the configuration with what its pages show of it, or None."""
    if not str(pk).isdecimal():
        return None
    known = SchedulerConfiguration.objects.select_related("entity", "running_task", "calendar")
    return known.prefetch_related("calendar__periods").filter(pk=pk).first()


def get_configuration(pk: str | int) -> SchedulerConfiguration:
    """Return the configuration with what its pages show of it; an unknown one is a 404."""
    configuration = find_configuration(pk)
    if configuration is None:
        raise Http404(say("There is no such configuration."))
    return configuration


def get_schedule(model_admin: ModelAdmin[Listed], pk: str | int) -> Listed:
    """Return the schedule of the kind that this admin shows, or the job; an unknown one is a 404."""
    if issubclass(model_admin.model, SchedulerConfiguration):
        return cast(Listed, get_configuration(pk))
    known = cast("QuerySet[Listed]", model_admin.model._default_manager.all())
    return row_or_404(readable(known), pk, say("There is no such {kind}.", kind=model_admin.opts.verbose_name))


def readable(queryset: QuerySet[Listed]) -> QuerySet[Listed]:
    """Return the same with what pages show of it; of jobs that is nothing more."""
    return queryset.readable() if isinstance(queryset, ScheduleQuerySet) else queryset


def name_of(schedule: Schedule | Job) -> str:
    """Return what people call a schedule or a job: the name of its entity, or its own."""
    return str(schedule)


def list_place(model_admin: ModelAdmin[Listed]) -> tuple[str, str]:
    """Return the address of the list and the words of the way to it."""
    words = say("Configurations") if issubclass(model_admin.model, SchedulerConfiguration) else _plural(model_admin)
    return reverse(f"admin:{model_admin.opts.app_label}_{model_admin.opts.model_name}_changelist"), words


def page_of(model_admin: ModelAdmin[Listed], pk: str | int, page: str = "change") -> str:
    """Return the address of one page of a schedule."""
    return reverse(f"admin:scheduling_{model_admin.opts.model_name}_{page}", args=[pk])


def place_of(schedule: Schedule) -> str:
    """Return the address of a schedule's own page, empty when its kind has none."""
    return place_in(type(schedule), schedule.pk)


def place_in(kind: type[Model], pk: int) -> str:
    """Return the same of the schedule, or the run, of a kind with this key."""
    try:
        return reverse(f"admin:scheduling_{kind._meta.model_name}_change", args=[pk])
    except NoReverseMatch:
        return ""


def log_of(schedule: Schedule) -> str:
    """Return the address of the log of a schedule."""
    return reverse("admin:scheduling_schedulerlog_changelist", query={"entity": schedule.what})


def _plural(model_admin: ModelAdmin[Listed]) -> str:
    words = str(model_admin.opts.verbose_name_plural)
    return words[:1].upper() + words[1:]
