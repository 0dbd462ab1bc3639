"""Batches in the admin: what became of every row; read-only for everyone, and no count over the whole table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db import DatabaseError
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from staging.batches.undo.undo import why_not
from staging.models import OUTCOMES, Batch, Entity
from staging.models.batch import COMPLETED_WITH_WARNINGS
from staging.owner_pages import MineByEntityFilter
from staging.pages import ReadOnlyPages, number_in
from staging.rights import reach, visible
from staging.states import WARNED, WITH_WARNINGS, BatchStatus
from staging.wording import figure, say

_BEFORE = "before"
_MOST = 100_000  # batches that are counted


class EntityFilter(admin.SimpleListFilter):
    """Batches of one entity."""

    title = _("entity")
    parameter_name = "entity"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        """Offer every entity that this person may see batches of, by name."""
        return [(str(pk), name) for pk, name in _offered(request).values_list("pk", "name")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Batch]) -> QuerySet[Batch]:
        """Keep one entity's batches; a value that is no entity keeps none."""
        value = self.value()
        if not value:
            return queryset
        return queryset.filter(entity_id=int(value)) if value in dict(self.lookup_choices) else queryset.none()


def _offered(request: HttpRequest) -> QuerySet[Entity]:
    return visible(Entity.objects.order_by("name"), reach(request.user, "staging.view_batch"))


class StatusFilter(admin.SimpleListFilter):
    """Batches in one state."""

    title = _("status")
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        """Offer every state."""
        return [*((status.value, str(status.label)) for status in BatchStatus), (WARNED, say(WITH_WARNINGS))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Batch]) -> QuerySet[Batch]:
        """Keep one state."""
        if self.value() == WARNED:
            return queryset.filter(COMPLETED_WITH_WARNINGS)
        return queryset.filter(status=self.value()) if self.value() else queryset


class RejectionsFilter(admin.SimpleListFilter):
    """Batches that rejected rows."""

    title = _("rejected rows")
    parameter_name = "rejected"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        """Offer those of a day, which the start page counts, and all."""
        return [("24h", say("some, in the last 24 hours")), ("some", say("some"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Batch]) -> QuerySet[Batch]:
        """Keep those that rejected rows."""
        found = queryset.filter(rejected__gt=0) if self.value() else queryset
        return found.filter(finished_at__gte=Now() - timedelta(hours=24)) if self.value() == "24h" else found


class BatchChangeList(ChangeList):
    """Newest first, one page after another by id: page 1,000 costs what page 1 costs, and nothing is counted."""

    def get_filters_params(self, params: Any = None) -> dict[str, Any]:
        """Keep our own parameter away from the field lookups."""
        found = super().get_filters_params(params)
        found.pop(_BEFORE, None)
        return found

    def get_results(self, request: HttpRequest) -> None:
        """Fetch one row more than shown, to know whether there is an older page."""
        before = number_in(request.GET.get(_BEFORE, ""))
        found = self.queryset.order_by("-pk")
        if before is not None:
            found = found.filter(pk__lt=before)
        rows = list(found[: self.list_per_page + 1])
        self.result_list = rows[: self.list_per_page]
        more = len(rows) > self.list_per_page
        # What fits a filter can be chosen as a whole; of all batches there are, nobody wants that.
        whole = self.has_active_filters and (more or before is not None)
        self.result_count = self.queryset.order_by()[:_MOST].count() if whole else len(self.result_list)
        self.full_result_count = None
        self.show_admin_actions = True
        self.can_show_all = self.multi_page = False
        self.paginator = Paginator(self.result_list, self.list_per_page)
        self.older = self.get_query_string({_BEFORE: self.result_list[-1].pk}) if more else ""
        self.newest = self.get_query_string(remove=[_BEFORE]) if before else ""


def _figure(outcome: str) -> Callable[[Batch], str]:
    """Return a column that shows one counter with its thousands apart."""

    @admin.display(description=capfirst(_(outcome)))
    def shown(batch: Batch) -> str:
        return figure(getattr(batch, outcome))

    shown.__name__ = outcome
    return shown


class BatchPages(ReadOnlyPages):
    """Shows batches; only `staging.batches.record` writes them. Whoever starts batches registers the pages."""

    list_title = _("Batches")
    list_display = [
        "number", "entity", "time", "batch_status", _figure("inserted"), _figure("updated"), _figure("unchanged"),
        "rejected_rows", "started",
    ]  # fmt: skip
    list_filter = [EntityFilter, MineByEntityFilter, StatusFilter, RejectionsFilter]
    list_select_related = ["entity"]
    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    sortable_by = ()
    change_list_template = "admin/staging/batch/change_list.html"
    change_form_template = "admin/staging/batch/change_form.html"

    class Media:
        css = {"all": ["staging/staging.css"]}

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[BatchChangeList]:
        """Use the list that pages by id."""
        return BatchChangeList

    @admin.display(description=_("Batch"))
    def number(self, batch: Batch) -> int:
        return batch.pk

    @admin.display(description=_("Status"))
    def batch_status(self, batch: Batch) -> str:
        """The state as a badge, with progress while it runs."""
        return render_to_string("admin/staging/batch/state.html", {"batch": batch})

    @admin.display(description=_("Rejected"))
    def rejected_rows(self, batch: Batch) -> str:
        """How many rows were rejected, marked when there are any."""
        return render_to_string("admin/staging/batch/rejected.html", {"batch": batch})

    @admin.display(description=_("Started by"))
    def started(self, batch: Batch) -> str:
        """What opened it, and who."""
        return render_to_string("admin/staging/batch/started.html", {"batch": batch})

    @admin.display(description=_("Opened"))
    def time(self, batch: Batch) -> str:
        """When it was opened, to the second, and how long it took."""
        return render_to_string("admin/staging/batch/time.html", {"batch": batch})

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Add the counts by outcome."""
        batch = kwargs.get("obj")
        context["outcomes"] = [(outcome, say(outcome), getattr(batch, outcome)) for outcome in OUTCOMES]
        if batch:
            context |= _undo_facts(request, batch)
            title = say("{batch} of {entity}", batch=str(batch), entity=str(batch.entity))
            context |= {"title": title, "subtitle": batch.get_status_display().capitalize()}
        return super().render_change_form(request, context, *args, **kwargs)


def _undo_facts(request: HttpRequest, batch: Batch) -> dict[str, Any]:
    """Return which batch this one took back, which ones took it back, and whether this person may do so."""
    may = request.user.has_perms(["staging.undo_batch", "staging.view_rows"], batch)
    why = why_no_undo(batch) if may else ""
    return {
        "undoes": Batch.objects.filter(pk__in=[batch.undoes_id]).first() if batch.undoes_id else None,
        "undone_by": list(Batch.objects.filter(undoes_id=batch.pk, status=BatchStatus.COMPLETED).order_by("pk")),
        "may_undo": may and not why,
        "why_no_undo": why,
    }


def why_no_undo(batch: Batch) -> str:
    """Return what forbids the undo, in words; empty too where the database cannot tell: the start asks again."""
    try:
        return why_not(batch)
    except DatabaseError:
        return ""
