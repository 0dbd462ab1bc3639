"""The pages of configurations: which there are, who may open them, and how their form saves."""

from __future__ import annotations

from functools import partialmethod
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from scheduling.admin.batches import held
from scheduling.admin.batches.preview import rows_preview_page
from scheduling.admin.batches.undo import undo_page
from scheduling.admin.configurations import actions as own
from scheduling.admin.configurations import pages as beside
from scheduling.admin.configurations.dependencies import dependencies_page
from scheduling.admin.configurations.form import FIELDSETS, ConfigurationForm, shown_fieldsets
from scheduling.admin.configurations.list import AttentionFilter, ConfigurationChangeList, ConfigurationColumns
from scheduling.admin.help.page import help_page
from scheduling.admin.monitoring import attention_pages as lists
from scheduling.admin.monitoring.first_steps import dismiss_page
from scheduling.admin.monitoring.forecast import forecast_page
from scheduling.admin.schedules import pausing
from scheduling.admin.schedules.chosen import as_action, chosen_page
from scheduling.admin.schedules.filters import LastResultFilter, OwnFilter, PausedFilter
from scheduling.admin.schedules.why_not import why_not_page
from scheduling.admin.search.keys import keys_page
from scheduling.admin.search.page import search_answer, search_page
from scheduling.admin.times.page import switch_language_page, switch_times_page, times_page
from scheduling.admin.unsent import unsent_page
from scheduling.models import SchedulerConfiguration
from scheduling.schedules.change import apply_schedule
from staging.models import Batch
from staging.states import BatchStatus


@admin.register(SchedulerConfiguration)
class ConfigurationAdmin(ConfigurationColumns):
    """Configurations belong to their entities: they are changed here, never added or deleted."""

    never = ("add", "delete")  # a configuration comes and goes with its entity
    form = ConfigurationForm
    fieldsets = FIELDSETS
    list_title = _("Scheduler configurations")
    list_display = ("entity_name", "sentence", "next_run", "results", "rows", "state", "more")
    list_display_links = ("entity_name",)
    list_filter = (
        AttentionFilter,
        OwnFilter,
        "processing_mode",
        "is_enabled",
        "is_running",
        PausedFilter,
        LastResultFilter,
    )
    list_select_related = ("entity", "running_task")
    list_per_page = 50
    search_fields = ("entity__code", "entity__name")
    search_help_text = _("Search by the entity's code or name.")
    show_full_result_count = False
    bulk = (own.PROCESS, *pausing.BULK, *own.SWITCHES)
    actions = (own.test_run_selected, *map(as_action, bulk))
    pages = (
        ("home/", lists.home_state, "scheduling_schedulerconfiguration_home"),
        ("overdue/", lists.overdue_page, "scheduling_schedulerconfiguration_overdue"),
        ("paused/", lists.paused_page, "scheduling_schedulerconfiguration_paused"),
        ("rejected/", lists.rejected_page, "scheduling_schedulerconfiguration_rejected"),
        ("chosen/<int:number>/", chosen_page, "scheduling_schedulerconfiguration_chosen"),
        ("search/", search_page, "scheduling_schedulerconfiguration_search"),
        ("search/options/", search_answer, "scheduling_schedulerconfiguration_search_options"),
        ("keys/", keys_page, "scheduling_schedulerconfiguration_keys"),
        ("help/", help_page, "scheduling_schedulerconfiguration_help"),
        ("unsent/", unsent_page, "scheduling_schedulerconfiguration_unsent"),
        ("times/", times_page, "scheduling_schedulerconfiguration_times"),
        ("times/switch/", switch_times_page, "scheduling_schedulerconfiguration_switch_times"),
        ("language/switch/", switch_language_page, "scheduling_schedulerconfiguration_switch_language"),
        ("first-steps/dismiss/", dismiss_page, "scheduling_schedulerconfiguration_dismiss_first_steps"),
        ("forecast/", forecast_page, "scheduling_schedulerconfiguration_forecast"),
        ("pause-everything/", pausing.pause_everything_page, "scheduling_schedulerconfiguration_pause_everything"),
        ("resume-everything/", pausing.resume_everything_page, "scheduling_schedulerconfiguration_resume_everything"),
        ("<int:pk>/undo/", undo_page, "scheduling_schedulerconfiguration_undo"),
        ("<int:pk>/pause/", pausing.pause_page, "scheduling_schedulerconfiguration_pause"),
        ("<int:pk>/resume/", pausing.resume_page, "scheduling_schedulerconfiguration_resume"),
        ("<int:pk>/why-not/", why_not_page, "scheduling_schedulerconfiguration_why_not"),
        ("<int:pk>/dependencies/", dependencies_page, "scheduling_schedulerconfiguration_dependencies"),
        ("<int:pk>/test-run/", beside.test_run_page, "scheduling_schedulerconfiguration_test_run"),
        ("<int:pk>/process/", beside.process_page, "scheduling_schedulerconfiguration_process"),
        ("<int:pk>/rows-preview/", rows_preview_page, "scheduling_schedulerconfiguration_rows_preview"),
        ("<int:pk>/held/", held.held_page, "scheduling_schedulerconfiguration_held"),
        ("<int:pk>/decide/", held.decide_page, "scheduling_schedulerconfiguration_decide"),
        ("<int:pk>/preview/", beside.preview_answer, "scheduling_schedulerconfiguration_preview"),
    )

    # --- who may -----------------------------------------------------------------------------------------------------

    def has_test_run_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may test-run."""
        return request.user.has_perm("scheduling.test_run", obj)

    def has_process_batch_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may start a batch."""
        return request.user.has_perm("scheduling.process_batch", obj)

    # --- pages -------------------------------------------------------------------------------------------------------

    def get_queryset(self, request: HttpRequest) -> QuerySet[SchedulerConfiguration]:
        """Bring what the pages show of each, and how many of its batches wait for a decision."""
        held = Batch.objects.filter(entity=OuterRef("entity"), status=BatchStatus.HELD).order_by().values("entity")
        number = Coalesce(Subquery(held.annotate(number=Count("pk")).values("number")), 0)
        known = super().get_queryset(request).select_related("entity", "running_task", "calendar")
        return known.annotate(held_batches=number)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list that knows the pending rows."""
        return ConfigurationChangeList

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form with the facts of the moment and the preview of the stored schedule."""
        return super().change_view(
            request, object_id, form_url, {**beside.form_context(self, request, object_id), **(extra_context or {})}
        )

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Show people who may only look just what the mode uses; the form of the others hides by script."""
        if obj is None or self.has_change_permission(request, obj):
            return FIELDSETS
        return shown_fieldsets(obj)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Open the form with the values of a test run where the person comes back from one; they are not saved yet."""
        form = super().get_form(request, obj, change, **kwargs)
        if beside.opens_typed(self, request):
            return type(form.__name__, (form,), {"__init__": partialmethod(form.__init__, request.GET)})
        return form

    # --- saving ------------------------------------------------------------------------------------------------------

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save the settings through the one verb, on a fresh copy: guard and tracking are never written from here."""
        stored = SchedulerConfiguration.objects.select_related("entity").get(pk=obj.pk)
        form.note_before(stored)
        apply_schedule(stored, form.values(), now=form.now)
        form.note_after(stored)

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        """Name in the history the settings that really changed."""
        return [{"changed": {"fields": form.changed_settings()}}] if form.changed_settings() else []
