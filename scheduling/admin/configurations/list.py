"""The list of configurations: how it went lately, what waits, what comes next, and what needs a person."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR, ChangeList
from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.admin.addresses import Addresses
from scheduling.admin.configurations.bars import RESULTS, bars_of
from scheduling.admin.monitoring import attention
from scheduling.admin.schedules.list import ScheduleAdmin
from scheduling.formatters import badge, count, fire_time, paused_words, since
from scheduling.models import SchedulerConfiguration
from scheduling.runs.links import note_runs, url_of_run
from scheduling.states import RunStatus
from staging.models import Batch, Entity
from staging.rights import Entities, reach
from staging.tables.columns import Tabled, pending_statistics, table_problems_of
from staging.tables.compared import Defined, attributes_of, known_problems_of
from staging.wording import counted, say

# Permission, page and text of the links in a row.
_ROW_PAGES = (
    ("scheduling.test_run", "admin:scheduling_schedulerconfiguration_test_run", gettext_noop("Test run")),
    ("scheduling.process_batch", "admin:scheduling_schedulerconfiguration_process", gettext_noop("Process now")),
    ("staging.view_rows", "admin:scheduling_schedulerconfiguration_rows_preview", gettext_noop("Preview")),
    (
        "scheduling.view_schedulerconfiguration",
        "admin:scheduling_schedulerconfiguration_why_not",
        gettext_noop("Why not?"),
    ),
)


def needing_attention(configurations: QuerySet[SchedulerConfiguration], request: HttpRequest) -> dict[int, bool]:
    """Return by the key of each of these whether it needs a person.

    That are those whose last run failed, and what the start page counts: whose rows wait for an approval, that are
    overdue, that have rejected rows; besides those whose tables are not as defined.
    """
    late = [rows for rows in attention.overdue(request, clock.now()) if rows.model is SchedulerConfiguration]
    stored = (
        Q(last_result=RunStatus.FAILED)
        | Q(entity__in=attention.held_batches(request).values("entity"))
        | Q(pk__in=late[0].values("pk") if late else [])
    )
    rows = configurations.order_by().annotate(stored=Case(When(stored, then=True), default=False))
    columns = "entity", "entity__code", "entity__keep_history", attributes_of("entity")
    found = [
        (pk, told, Defined(Tabled(*tabled), attributes))
        for pk, told, *tabled, attributes in rows.values_list("pk", "stored", *columns)
    ]
    problems = request.table_problems = known_problems_of([of for _, _, of in found])  # type: ignore[attr-defined]
    rejected = attention.rejecting_of([of.tabled for _, _, of in found], request)
    asking = {pk for pk, texts in problems.items() if texts} | {of.pk for of, number in rejected if number != 0}
    return {pk: told or of.tabled.pk in asking for pk, told, of in found}


def _table_problems(request: HttpRequest, entities: list[Entity]) -> dict[int, list[str]]:
    """Return what is wrong with the tables of these entities; where all were looked at already, as it was found."""
    known: dict[int, list[str]] | None = getattr(request, "table_problems", None)
    return table_problems_of(entities) if known is None else known


class AttentionFilter(admin.SimpleListFilter):
    """What needs a person: alone, or before all others."""

    title = _("needs attention")
    parameter_name = "attention"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        """Offer these only, and these first."""
        return [("yes", say("only these")), ("first", say("these first"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep them, or number them for the order; a value that is not offered does neither."""
        if self.value() not in ("yes", "first"):
            return queryset
        known = needing_attention(queryset, request)
        needing = Q(pk__in=[pk for pk, needs in known.items() if needs])
        request.attended = sum(known.values()) if self.value() == "yes" else len(known)  # type: ignore[attr-defined]
        if self.value() == "yes":
            return queryset.filter(needing)
        return queryset.annotate(calm=Case(When(needing, then=Value(0)), default=Value(1), output_field=IntegerField()))


_FILTER_NOTHING = {AttentionFilter.parameter_name, PAGE_VAR, ORDER_VAR}  # in the address of the list


class ConfigurationChangeList(ChangeList):
    """The stock list; what its rows tell of entities is asked for all of them together."""

    def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> QuerySet[Any]:
        """Find with each row where the last results of its entity begin."""
        found = super().get_queryset(request, *args, **kwargs)
        return found.annotate(results_begin=Batch.objects.ended().nth_newest("entity", RESULTS))

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        """Put what needs attention first where that is asked for, in the order that is asked for besides."""
        ordering: list[Any] = super().get_ordering(request, queryset)
        return ["calm", *ordering] if "calm" in queryset.query.annotations else ordering

    def url_for_result(self, result: Any) -> str:
        """Return the address of a configuration, with the filters of the list; put together once for all rows."""
        return f"{self._page.of(result.pk)}{self._kept}"

    def get_results(self, request: HttpRequest) -> None:
        """Attach to each configuration its rows, its last results, and the pages that this person may open."""
        super().get_results(request)
        self.result_list = list(self.result_list)
        self._page = Addresses("admin:scheduling_schedulerconfiguration_change")
        # What Django finds here it would put to the address of each row, which it looks up for that.
        self._kept, self.preserved_filters = self.preserved_filters and f"?{self.preserved_filters}", ""
        entities = [configuration.entity for configuration in self.result_list]
        reached = [(reach(request.user, needed), Addresses(page), say(text)) for needed, page, text in _ROW_PAGES]
        log, log_text = reverse("admin:scheduling_schedulerlog_changelist"), say("Log")
        sees_rows, sees_batches = reach(request.user, "staging.view_rows"), reach(request.user, "staging.view_batch")
        rows_page = Addresses("admin:staging_rows")
        rows: list[Any] = self.result_list
        seen = {one.entity_id: one.results_begin for one in rows if _is_in(one.entity_id, sees_batches)}
        pending, problems = pending_statistics(entities, with_rejected=True), _table_problems(request, entities)
        bars = bars_of(seen, {entity.pk: entity.name for entity in entities})
        runs = [getattr(configuration.running_task, "run_id", None) for configuration in self.result_list]
        note_runs(request, runs)
        for configuration, run_id in zip(self.result_list, runs, strict=True):
            of = configuration.entity_id
            configuration.run_url = url_of_run(request, run_id)
            configuration.table_problems = problems[of]
            configuration.pending = pending[of]
            configuration.bars = bars.get(of)
            configuration.rows_url = rows_page.of(of) if _is_in(of, sees_rows) else ""
            pages = [(page.of(configuration.pk), text) for ids, page, text in reached if _is_in(of, ids)]
            configuration.row_pages = [*pages, (f"{log}?entity={configuration.entity.code}", log_text)]


def _is_in(entity_id: int, entities: Entities) -> bool:
    return entities is None or entity_id in entities


class ConfigurationColumns(ScheduleAdmin):
    """The columns of the list, and how many rows it has."""

    def get_paginator(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Return the pages; how many need attention is known already, where nothing else filters the list."""
        made, known = super().get_paginator(request, *args, **kwargs), getattr(request, "attended", None)
        if known is not None and not {*request.GET} - _FILTER_NOTHING:
            made.count = known
        return made

    @admin.display(description=_("entity"), ordering="entity__name")
    def entity_name(self, configuration: SchedulerConfiguration) -> SafeString:
        """Return the entity's name, marked when it is cancelled, and the mode."""
        entity = configuration.entity
        name = say("{name} (retired)", name=entity.name) if entity.is_cancelled else entity.name
        return format_html('{}<span class="quiet-line">{}</span>', name, say(configuration.processing_mode))

    @admin.display(description=_("when"), ordering="processing_mode")
    def sentence(self, configuration: Any) -> SafeString:
        """Return when it starts, in words; and whether it is switched off."""
        off = "" if configuration.is_enabled else badge("disabled")
        return format_html('<span class="two-lines" title="{0}">{0}</span> {1}', super().sentence(configuration), off)

    @admin.display(description=_("next run"), ordering="next_scheduled_run", empty_value="")
    def next_run(self, configuration: SchedulerConfiguration) -> SafeString | str:
        """Return the next run in the schedule's own zone, and how far off it is; or that it is paused, and why."""
        if configuration.paused_at is not None:
            words = paused_words(configuration, configuration.timezone)
            return format_html('{} <span class="quiet-line two-lines">{}</span>', badge("paused"), words)
        planned = configuration.next_scheduled_run
        if planned is None or not configuration.is_enabled:
            return ""
        relative = since(planned, clock.now())
        shown = fire_time(planned, configuration.timezone)
        return format_html('{} <span class="quiet-line">{}</span>', shown, relative)

    @admin.display(description=_("last results"), ordering="last_result")
    def results(self, configuration: Any) -> SafeString | str:
        """Return the last batches as bars, the newest at the right, and how the last run ended."""
        last = self.last_run(configuration)
        return format_html("{} {}", configuration.bars, last) if configuration.bars else last

    @admin.display(description=_("rows"))
    def rows(self, configuration: Any) -> SafeString | str:
        """Return how many rows wait and how many were rejected, each leading to them; or why nobody knows."""
        if problems := configuration.table_problems:
            return format_html('{} <span class="quiet-line">{}</span>', badge("stopped"), " ".join(problems))
        if configuration.pending.error:
            return format_html('{} <span class="quiet-line">{}</span>', badge("error"), configuration.pending.error)
        told = [("waiting", counted(configuration.pending.count, "waits", "wait"))]
        if configuration.pending.rejected:
            told.append(("rejected", counted(configuration.pending.rejected, "rejected", "rejected")))
        links = ((_rows_link(configuration.rows_url, status, text),) for status, text in told)
        return format_html_join(" ", "{}", links)

    @admin.display(description=_("now"), ordering="is_running")
    def state(self, configuration: Any) -> SafeString | str:
        """Return whether a batch runs, how far it is, and the way to its run."""
        task = configuration.running_task
        if not configuration.is_running:
            return badge("idle")
        if task is None:
            return badge("running")
        done = (
            say("{done} of {total}", done=count(task.rows_done), total=count(task.rows_total))
            if task.rows_total
            else say("see run")
        )
        if not configuration.run_url:
            return format_html('{} <span class="quiet-line">{}</span>', badge(task.status), done)
        return format_html('{} <a class="quiet-line" href="{}">{}</a>', badge(task.status), configuration.run_url, done)

    @admin.display(description=_("more"))
    def more(self, configuration: Any) -> SafeString:
        """Return the links of a row; none of them changes anything by itself."""
        name = configuration.entity.name
        rows = ((url, text, name, text) for url, text in configuration.row_pages)
        return format_html_join(" ", '<a href="{}" aria-label="{}: {}">{}</a>', rows)


def _rows_link(address: str, status: str, text: str) -> SafeString:
    if not address:
        return format_html('<span class="rows-{}">{}</span>', status, text)
    return format_html('<a class="rows-{}" href="{}?status={}">{}</a>', status, address, status, text)
