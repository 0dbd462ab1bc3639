"""The configurations page: every entity with its mode, its sentence, its next run and what waits."""

from __future__ import annotations

from functools import partialmethod
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.admin.batches import held
from scheduling.admin.batches.preview import rows_preview_page
from scheduling.admin.batches.undo import undo_page
from scheduling.admin.configurations import actions as bulk
from scheduling.admin.configurations import pages as beside
from scheduling.admin.configurations.dependencies import dependencies_page
from scheduling.admin.configurations.form import FIELDSETS, ConfigurationForm, shown_fieldsets
from scheduling.admin.monitoring import attention_pages as lists
from scheduling.admin.monitoring.first_steps import dismiss_page
from scheduling.admin.monitoring.forecast import forecast_page
from scheduling.admin.schedules import pausing
from scheduling.admin.schedules.filters import LastResultFilter, PausedFilter
from scheduling.admin.schedules.list import ScheduleAdmin
from scheduling.admin.schedules.why_not import why_not_page
from scheduling.admin.times.page import switch_times_page, times_page
from scheduling.formatters import badge, count, fire_time, paused_words, since
from scheduling.models import SchedulerConfiguration
from scheduling.schedules.change import apply_schedule
from staging.rights import reach
from staging.tables.columns import table_problems_of
from staging.tables.statistics import pending_statistics
from staging.wording import say

# Permission, page and text of the links in a row.
_ROW_PAGES = (
    ("scheduling.test_run", "admin:scheduling_schedulerconfiguration_test_run", gettext_noop("Test run")),
    ("staging.view_rows", "admin:scheduling_schedulerconfiguration_rows_preview", gettext_noop("Preview")),
    ("scheduling.process_batch", "admin:scheduling_schedulerconfiguration_process", gettext_noop("Process now")),
    (
        "scheduling.view_schedulerconfiguration",
        "admin:scheduling_schedulerconfiguration_why_not",
        gettext_noop("Why not?"),
    ),
)


class ConfigurationChangeList(ChangeList):
    """The stock list, with the pending rows of all entities on the page asked for together."""

    def get_results(self, request: HttpRequest) -> None:
        """Attach `pending` to every configuration on the page, and the pages that this person may open."""
        super().get_results(request)
        self.result_list = list(self.result_list)
        reached = [(reach(request.user, page[0]), page) for page in _ROW_PAGES]
        entities = [configuration.entity for configuration in self.result_list]
        pending, problems = pending_statistics(entities), table_problems_of(entities)
        for configuration in self.result_list:
            configuration.table_problems = problems[configuration.entity_id]
            configuration.pending = pending[configuration.entity_id]
            of = configuration.entity_id
            configuration.row_pages = [page for ids, page in reached if ids is None or of in ids]


@admin.register(SchedulerConfiguration)
class ConfigurationAdmin(ScheduleAdmin):
    """Configurations belong to their entities: they are changed here, never added or deleted."""

    never = ("add", "delete")  # a configuration comes and goes with its entity
    form = ConfigurationForm
    fieldsets = FIELDSETS
    list_title = _("Scheduler configurations")
    list_display = ("entity_name", "mode", "sentence", "next_run", "last_run", "pending_rows", "state", "more")
    list_display_links = ("entity_name",)
    list_filter = ("processing_mode", "is_enabled", "is_running", PausedFilter, LastResultFilter)
    list_select_related = ("entity", "running_task")
    list_per_page = 50
    search_fields = ("entity__code", "entity__name")
    search_help_text = _("Search by the entity's code or name.")
    show_full_result_count = False
    actions = (
        bulk.test_run_selected,
        bulk.process_selected,
        pausing.pause_selected,
        pausing.resume_selected,
        bulk.enable_selected,
        bulk.disable_selected,
    )
    pages = (
        ("home/", lists.home_state, "scheduling_schedulerconfiguration_home"),
        ("overdue/", lists.overdue_page, "scheduling_schedulerconfiguration_overdue"),
        ("paused/", lists.paused_page, "scheduling_schedulerconfiguration_paused"),
        ("rejected/", lists.rejected_page, "scheduling_schedulerconfiguration_rejected"),
        ("times/", times_page, "scheduling_schedulerconfiguration_times"),
        ("times/switch/", switch_times_page, "scheduling_schedulerconfiguration_switch_times"),
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

    # --- columns -----------------------------------------------------------------------------------------------------

    @admin.display(description=_("entity"), ordering="entity__name")
    def entity_name(self, configuration: SchedulerConfiguration) -> str:
        """Return the entity's name, marked when it is cancelled."""
        entity = configuration.entity
        return f"{entity.name} (cancelled)" if entity.is_cancelled else entity.name

    @admin.display(description=_("mode"), ordering="processing_mode")
    def mode(self, configuration: SchedulerConfiguration) -> SafeString | str:
        """Return the mode, and whether it is switched off."""
        word = configuration.processing_mode
        return word if configuration.is_enabled else format_html("{} {}", word, badge("disabled"))

    @admin.display(description=_("next run"), ordering="next_scheduled_run", empty_value="")
    def next_run(self, configuration: SchedulerConfiguration) -> SafeString | str:
        """Return the next run in the schedule's own zone, and how far off it is; or that it is paused, and why."""
        if configuration.paused_at is not None:
            words = paused_words(configuration, configuration.timezone)
            return format_html('{} <span class="quiet-line">{}</span>', badge("paused"), words)
        planned = configuration.next_scheduled_run
        if planned is None or not configuration.is_enabled:
            return ""
        relative = since(planned, clock.now())
        shown = fire_time(planned, configuration.timezone)
        return format_html('{} <span class="quiet-line">{}</span>', shown, relative)

    @admin.display(description=_("pending rows"))
    def pending_rows(self, configuration: Any) -> SafeString | str:
        """Return how many rows wait, or what is wrong with the tables."""
        if problems := configuration.table_problems:
            return format_html('{} <span class="quiet-line">{}</span>', badge("stopped"), " ".join(problems))
        if configuration.pending.error:
            return format_html('{} <span class="quiet-line">{}</span>', badge("error"), configuration.pending.error)
        return count(configuration.pending.count)

    @admin.display(description=_("now"), ordering="is_running")
    def state(self, configuration: SchedulerConfiguration) -> SafeString | str:
        """Return whether a batch runs, how far it is, and the way to its run."""
        task = configuration.running_task
        if not configuration.is_running:
            return badge("idle")
        if task is None:
            return badge("running")
        url = reverse("admin:scheduling_run_change", args=[task.run_id])
        done = (
            say("{done} of {total}", done=count(task.rows_done), total=count(task.rows_total))
            if task.rows_total
            else say("see run")
        )
        return format_html('{} <a class="quiet-line" href="{}">{}</a>', badge(task.status), url, done)

    @admin.display(description=_("more"))
    def more(self, configuration: Any) -> SafeString:
        """Return the links of a row; none of them changes anything by itself."""
        entity = configuration.entity
        links = [(reverse(name, args=[configuration.pk]), say(text)) for _, name, text in configuration.row_pages]
        links.append((f"{reverse('admin:scheduling_schedulerlog_changelist')}?entity={entity.code}", say("Log")))
        rows = ((url, text, entity.name, text) for url, text in links)
        return format_html_join(" ", '<a href="{}" aria-label="{}: {}">{}</a>', rows)
