"""The jobs page: every job with its category, when it runs, how it fared, and the way to run it now."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.admin.views.main import ChangeList
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.admin.jobs.forms import JobForm
from scheduling.admin.jobs.history import job_history_page
from scheduling.admin.jobs.pages import job_context, run_job_page
from scheduling.admin.schedules import pausing
from scheduling.admin.schedules.chosen import as_action, chosen_page
from scheduling.admin.schedules.filters import OwnFilter, PausedFilter
from scheduling.figures.read import figures_of
from scheduling.formatters import badge, fire_time, milliseconds, paused_words, since
from scheduling.jobs.edit import edit_job
from scheduling.models import Job, JobSchedule, Task
from scheduling.schedules.sentence import describe
from scheduling.states import RunKind
from staging.models import OWNER_COLUMNS
from staging.owner_pages import OwnerFields
from staging.states import shown_status
from staging.wording import say


class DeclaredFilter(admin.SimpleListFilter):
    """Whether the code declares it, and rightly."""

    title = _("code")
    parameter_name = "code"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        """Return the three cases."""
        return [
            ("declared", say("declared")),
            ("problem", say("with a problem")),
            ("removed", say("not declared any more")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filter by the choice; a value that is not offered filters nothing."""
        chosen: dict[str, dict[str, Any]] = {
            "declared": {"removed_at__isnull": True},
            "problem": {"removed_at__isnull": True, "problem__gt": ""},
            "removed": {"removed_at__isnull": False},
        }
        return queryset.filter(**chosen.get(self.value() or "", {}))


class JobChangeList(ChangeList):
    """The stock list, with the figures and schedules of all jobs on the page asked for together."""

    def get_results(self, request: HttpRequest) -> None:
        """Attach `lately` and `in_force` to every job on the page, and whether this person may run it."""
        super().get_results(request)
        self.result_list = list(self.result_list)
        now = clock.now()
        lately = figures_of(RunKind.JOB, [job.pk for job in self.result_list], now)
        schedules: dict[int, list[JobSchedule]] = {}
        of_page = JobSchedule.objects.filter(job__in=self.result_list, removed_at__isnull=True)
        for schedule in of_page.select_related("job"):
            schedules.setdefault(schedule.job_id, []).append(schedule)
        for job in self.result_list:
            job.lately, job.now, job.in_force = lately[job.pk], now, schedules.get(job.pk, [])
            job.may_run = request.user.has_perm("scheduling.run_job")


@admin.register(Job)
class JobAdmin(OwnerFields, pausing.PausableAdmin):
    """Jobs come and go with the code: users say how often they are tried and who owns them, and never add one."""

    never = ("add", "delete")  # a job comes with its code; one that is gone keeps its history
    form = JobForm
    fields = (("attempts", "retry_interval_seconds"), OWNER_COLUMNS)
    list_title = _("Jobs")
    list_display = ("name_and_category", "sentence", "next_run", "last_run", "week", "more")
    list_display_links = None
    list_filter = (OwnFilter, "category", DeclaredFilter, PausedFilter)
    list_per_page = 50
    search_fields = ("name", "description", "path")
    search_help_text = _("Search by name, description or function.")
    show_full_result_count = False
    bulk = pausing.BULK
    actions = tuple(map(as_action, bulk))
    pages = (
        ("chosen/<int:number>/", chosen_page, "scheduling_job_chosen"),
        ("<int:pk>/pause/", pausing.pause_page, "scheduling_job_pause"),
        ("<int:pk>/resume/", pausing.resume_page, "scheduling_job_resume"),
        ("runs/", job_history_page, "scheduling_job_runs"),
        ("<int:pk>/run/", run_job_page, "scheduling_job_run"),
    )

    def has_run_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may run jobs."""
        return request.user.has_perm("scheduling.run_job", obj)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Job]:
        """Take the last task of each job along."""
        last = Task.objects.filter(workload=RunKind.JOB, target_id=OuterRef("pk")).order_by("-id")
        columns = {
            f"last_{name}": Subquery(last.values(name)[:1]) for name in ("status", "run_id", "finished_at", "warnings")
        }
        return super().get_queryset(request).annotate(**columns)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list that knows the figures."""
        return JobChangeList

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form with what code says of the job, its schedules and its figures."""
        extra = {**job_context(self, request, object_id), **(extra_context or {})}
        return super().change_view(request, object_id, form_url, extra)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save through the verb, on a fresh copy: what code owns is never written from here."""
        edit_job(Job.objects.get(pk=obj.pk), form.cleaned_data)

    # --- columns -----------------------------------------------------------------------------------------------------

    @admin.display(description=_("job"), ordering="name")
    def name_and_category(self, job: Job) -> SafeString:
        """Return name and category, marked when the code does not declare it any more or has a problem with it."""
        url = reverse("admin:scheduling_job_change", args=[job.pk])
        mark = badge(gettext_noop("not declared") if job.removed_at is not None else "error" if job.problem else "")
        return format_html(
            '<a href="{}">{}</a> {} <span class="quiet-line">{}</span>', url, job.name, mark, job.category
        )

    @admin.display(description=_("when"))
    def sentence(self, job: Any) -> SafeString | str:
        """Return when it runs, a line for each schedule."""
        if not job.in_force:
            return say("Started by people")
        lines = ((describe(each), "" if each.is_enabled else badge("disabled")) for each in job.in_force)
        return format_html_join(SafeString("<br>"), "{} {}", lines)

    @admin.display(description=_("next run"), empty_value="")
    def next_run(self, job: Any) -> SafeString | str:
        """Return the earliest next run of its schedules, in that one's zone; or that it is paused, by whom and why."""
        if job.paused_at is not None:
            zones = {each.timezone for each in job.in_force}
            words = paused_words(job, zones.pop() if len(zones) == 1 else "")
            return format_html('{} <span class="quiet-line">{}</span>', badge("paused"), words)
        planned = [each for each in job.in_force if each.next_scheduled_run is not None and each.is_enabled]
        if not planned:
            return badge("paused") if any(each.paused_at for each in job.in_force) else ""
        first = min(planned, key=lambda each: each.next_scheduled_run)
        relative = since(first.next_scheduled_run, job.now)
        shown = fire_time(first.next_scheduled_run, first.timezone)
        return format_html('{} <span class="quiet-line">{}</span>', shown, relative)

    @admin.display(description=_("last run"))
    def last_run(self, job: Any) -> SafeString | str:
        """Return how the last run ended or how far it is, with the way to it."""
        if not job.last_status:
            return badge("never ran")
        url = reverse("admin:scheduling_run_change", args=[job.last_run_id])
        words = since(job.last_finished_at, job.now) or say("see run")
        return format_html(
            '{} <a class="quiet-line" href="{}">{}</a>',
            badge(shown_status(job.last_status, job.last_warnings)),
            url,
            words,
        )

    @admin.display(description=_("last 7 days"), empty_value="")
    def week(self, job: Any) -> SafeString | str:
        """Return the share of runs that ended well, and how long one takes on average."""
        figures = job.lately.week
        if figures.success_rate is None:
            return ""
        took = (
            say("{milliseconds} on average", milliseconds=milliseconds(round(figures.average.total_seconds() * 1000)))
            if figures.average
            else ""
        )
        rate = say("{success_rate} % of {runs:,} well", success_rate=figures.success_rate, runs=figures.runs)
        return format_html('{} <span class="quiet-line">{}</span>', rate, took)

    @admin.display(description=_("more"))
    def more(self, job: Any) -> SafeString:
        """Return the links of a row; none of them changes anything by itself."""
        pages = [(f"{reverse('admin:scheduling_job_runs')}?job={job.pk}", say("Runs"))]
        if job.may_run and job.removed_at is None:
            pages.insert(0, (reverse("admin:scheduling_job_run", args=[job.pk]), say("Run now")))
        rows = ((url, text, job.name, text) for url, text in pages)
        return format_html_join(" ", '<a href="{}" aria-label="{}: {}">{}</a>', rows)
