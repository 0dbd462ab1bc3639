"""The filters of the configurations page that are no plain field."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from scheduling.models.schedule import ScheduleQuerySet
from scheduling.schedules.responsibility import only_mine
from scheduling.states import RunStatus
from staging import owner_pages as mine
from staging.states import WARNED, WITH_WARNINGS
from staging.wording import say


class LastResultFilter(admin.SimpleListFilter):
    """How the last run ended."""

    title = _("last result")
    parameter_name = "last_result"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        """Return the final states, and never."""
        ends = [(state, str(RunStatus(state).label)) for state in RunStatus.final()]
        return [*ends, (WARNED, say(WITH_WARNINGS)), ("never", say("never ran"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filter by the choice; a value that is not offered filters nothing."""
        if self.value() == "never":
            return queryset.filter(last_result="")
        if self.value() == WARNED:
            return cast("ScheduleQuerySet", queryset).warned()
        return queryset.filter(last_result=self.value()) if self.value() in RunStatus.final() else queryset


class OwnFilter(mine.MineFilter):
    """Whether it is about what is the reader's own."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filter by the choice; a value that is not offered filters nothing."""
        return only_mine(queryset, request.user) if self.value() == "yes" else queryset


class PausedFilter(admin.SimpleListFilter):
    """Whether a person paused it."""

    title = _("paused")
    parameter_name = "paused"
    paused = Q(paused_at__isnull=False)

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        """Return yes and no."""
        return [("yes", say("paused")), ("no", say("not paused"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filter by the choice; a value that is not offered filters nothing."""
        if self.value() not in ("yes", "no"):
            return queryset
        return queryset.filter(self.paused) if self.value() == "yes" else queryset.exclude(self.paused)


class PausedWithJobFilter(PausedFilter):
    """Whether a person paused it, or its job."""

    paused = Q(paused_at__isnull=False) | Q(job__paused_at__isnull=False)
