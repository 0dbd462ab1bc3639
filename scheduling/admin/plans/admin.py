"""Plans in the admin: the list, the form with its steps and their order, run now, pause, why not."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet, prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.plans import pages as beside
from scheduling.admin.plans.categories import CategoryFilter
from scheduling.admin.plans.form import PLAN_FIELDSETS, PlanForm, others_of, shown_fieldsets
from scheduling.admin.plans.offered import Offered
from scheduling.admin.plans.shown_steps import stored_steps
from scheduling.admin.plans.sight import sight_of
from scheduling.admin.plans.step_form import StepForm
from scheduling.admin.plans.steps import StepFormSet
from scheduling.admin.schedules import backfill, pausing
from scheduling.admin.schedules.chosen import as_action, chosen_page
from scheduling.admin.schedules.filters import OwnFilter, PausedFilter
from scheduling.admin.schedules.finding import log_of
from scheduling.admin.schedules.list import ScheduleAdmin
from scheduling.admin.schedules.why_not import why_not_page
from scheduling.formatters import badge, fire_time, paused_words, since
from scheduling.models import Plan, PlanStep
from scheduling.models.plan import others_along
from scheduling.models.run import steps_of
from scheduling.plans.categories import categories_of
from scheduling.plans.copied import copy_of
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.links import opens
from staging.owner_pages import OwnerFields
from staging.pages import PartsInline, insist, number_in
from staging.rights import reach
from staging.tables.columns import one_at_a_time
from staging.wording import say

STEPS_PAGE = "steps"  # in the address: which page of the steps


class StepInline(PartsInline, admin.TabularInline):
    """The steps of a plan; whoever may change the plan may change them. They are cancelled, never deleted."""

    never = ("delete",)  # steps are cancelled
    model = PlanStep
    form = StepForm
    formset = StepFormSet
    template = "admin/scheduling/plan/steps.html"
    fk_name = "plan"
    extra = 2
    can_delete = False
    verbose_name = _("step")
    verbose_name_plural = _("Steps")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return those of the form: to ask for them Django would make it twice more."""
        return list(StepForm.base_fields)

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """Offer scripts only to people who may run them, and to people limited to entities only these."""
        made = super().get_formset(request, obj, **kwargs)
        own = {
            "may_script": request.user.has_perm("scheduling.run_sqlscript"),
            "of": reach(request.user, "scheduling.change_plan" if obj else "scheduling.add_plan"),
            "sight": sight_of(request),
            "source": None if obj else beside.source_of(request),
            "wanted_page": number_in(request.GET.get(STEPS_PAGE, "")) or 1,
        }
        return type(made.__name__, (made,), own)


@admin.register(Plan)
class PlanAdmin(OwnerFields, ScheduleAdmin):
    """Plans are cancelled, never deleted; everything is stored through the one verb."""

    never = ("delete",)  # plans are cancelled, so that their runs keep their name
    form = PlanForm
    fieldsets = PLAN_FIELDSETS
    inlines = (StepInline,)
    list_title = _("Plans")
    list_display = ("plan_name", "sentence", "next_run", "last_run", "steps_in_force", "state", "more")
    list_display_links = ("plan_name",)
    list_filter = (OwnFilter, CategoryFilter, "is_enabled", "is_cancelled", "is_running", PausedFilter)
    list_per_page = 50
    search_fields = ("name", "description", "categories")
    search_help_text = _("Search by name, description or category.")
    show_full_result_count = False
    bulk = pausing.BULK
    actions = (beside.run_selected, *map(as_action, bulk))
    pages = (
        ("chosen/<int:number>/", chosen_page, "scheduling_plan_chosen"),
        ("preview/", beside.preview_answer, "scheduling_plan_preview_new"),
        ("<int:pk>/preview/", beside.preview_answer, "scheduling_plan_preview"),
        ("<int:pk>/run/", beside.run_page, "scheduling_plan_run"),
        ("<int:pk>/backfill/", backfill.backfill_page, "scheduling_plan_backfill"),
        ("<int:pk>/backfill/<int:backfill_id>/", backfill.backfill_shown, "scheduling_plan_backfill_shown"),
        ("<int:pk>/backfill/<int:backfill_id>/cancel/", backfill.backfill_cancel, "scheduling_plan_backfill_cancel"),
        ("<int:pk>/pause/", pausing.pause_page, "scheduling_plan_pause"),
        ("<int:pk>/resume/", pausing.resume_page, "scheduling_plan_resume"),
        ("<int:pk>/why-not/", why_not_page, "scheduling_plan_why_not"),
    )

    # --- who may -----------------------------------------------------------------------------------------------------

    def has_run_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may start a plan."""
        return request.user.has_perm("scheduling.run_plan", obj)

    # --- pages -------------------------------------------------------------------------------------------------------

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Let the form know whether this person may run scripts, and what there is for the person to run after."""
        made = super().get_form(request, obj, change, **kwargs)
        reached = reach(request.user, "scheduling.change_plan" if obj else "scheduling.add_plan")
        may_script = request.user.has_perm("scheduling.run_sqlscript")
        own = {
            "may_script": may_script,
            "reached": reached,
            "sight": sight_of(request),
            "offer": Offered(request, may_script=may_script),
        }
        for name, value in own.items():  # the class is this request's alone; one more would make all fields once more
            setattr(made, name, value)
        return made

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Show people who may only look just what the plan uses; the form hides the rest by script."""
        if obj is None or self.has_change_permission(request, obj):
            return PLAN_FIELDSETS
        return shown_fieldsets(obj)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Plan]:
        """Count the steps in force of each plan with the list, and find out whether its run may be opened."""
        in_force = Count("steps", filter=Q(steps__is_cancelled=False))
        return (
            super()
            .get_queryset(request)
            .select_related("running_run", "calendar")
            .annotate(number=in_force, run_opens=opens(request, "running_run"), **steps_of("running_run"))
        )

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Read what the plans of the page run after, where some do, for their sentences."""
        found = super().get_changelist_instance(request)
        prefetch_related_objects([plan for plan in found.result_list if plan.after_others], others_along())
        return found

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Show the form with the facts of the moment, the order and the preview; a save that holds needs none."""
        plan = kwargs.get("obj")
        if plan is not None and plan.pk:
            context.update(beside.form_context(self, request, str(plan.pk)))
        return super().render_change_form(request, context, *args, **kwargs)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Show the empty form, or one filled with the plan that is copied; its schedule is previewed."""
        insist(self.has_add_permission(request))
        shown = beside.copy_context(self, request) if beside.COPY in request.GET else {}
        return super().add_view(request, form_url, {"may_change": True, **shown, **(extra_context or {})})

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Begin with everything of the plan that is copied; an address fills in nothing else."""
        source = beside.source_of(request)
        return {**PlanForm(instance=copy_of(source)).initial, **others_of(source)} if source else {}

    def get_formset_kwargs(self, request: HttpRequest, obj: Any, inline: Any, prefix: str) -> Any:
        """Let nobody else change definitions while the steps are checked and stored; the page has a transaction."""
        if request.method == "POST":
            one_at_a_time()
        return super().get_formset_kwargs(request, obj, inline, prefix)

    # --- saving ------------------------------------------------------------------------------------------------------

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Wait for the steps: the plan is stored with them."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Store the plan with its schedule and steps through the one verb."""
        steps = [draft for formset in formsets for draft in formset.drafts()]
        may_script = request.user.has_perm("scheduling.run_sqlscript")
        if change:
            form.note_before(Plan.objects.get(pk=form.instance.pk))
        rights: dict[str, Any] = {"may_script": may_script, "sight": sight_of(request)}
        stored = stored_steps(form.instance)
        draft = PlanDraft(form.instance, form.values(), steps, after=form.after(), stored=stored, **rights)
        form.note_after(save_plan(draft, now=form.now))

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        """Name in the history what was changed on the form, and the steps that were."""
        if add:
            return [{"added": {}}]
        fields = form.changed_settings()
        steps = [
            say("step {instance}", instance=each.instance.key)
            for formset in formsets
            for each in formset.forms
            if each.has_changed()
        ]
        return [{"changed": {"fields": fields + steps}}] if fields or steps else []

    # --- columns -----------------------------------------------------------------------------------------------------

    @admin.display(description=_("plan"), ordering="name")
    def plan_name(self, plan: Plan) -> SafeString | str:
        """Return the name, marked when the plan is cancelled or switched off, and its categories."""
        mark = "cancelled" if plan.is_cancelled else "" if plan.is_enabled else "disabled"
        names = ", ".join(categories_of(plan.categories))
        shown = format_html("{} {}", plan.name, badge(mark)) if mark else plan.name
        return format_html('{} <span class="quiet-line">{}</span>', shown, names) if names else shown

    @admin.display(description=_("next run"), ordering="next_scheduled_run")
    def next_run(self, plan: Plan) -> SafeString | str:
        """Return the next run in the plan's own zone; or that it is paused, and why."""
        if plan.paused_at is not None:
            words = paused_words(plan, plan.timezone)
            return format_html('{} <span class="quiet-line">{}</span>', badge("paused"), words)
        planned = plan.next_scheduled_run
        if planned is None or not plan.is_enabled or plan.is_cancelled:
            return ""
        shown = fire_time(planned, plan.timezone)
        return format_html('{} <span class="quiet-line">{}</span>', shown, since(planned, clock.now()))

    @admin.display(description=_("steps"))
    def steps_in_force(self, plan: Any) -> int:
        """Return how many steps it has that are not cancelled."""
        return int(plan.number)

    @admin.display(description=_("now"), ordering="is_running")
    def state(self, plan: Any) -> SafeString | str:
        """Return whether it runs, or waits for the next attempt of a run, and the way to the run."""
        if not plan.is_running or plan.running_run_id is None or not plan.run_opens:
            return badge("running" if plan.is_running else "idle")
        url = reverse("admin:scheduling_run_change", args=[plan.running_run_id])
        word = "waiting" if plan.running_run.next_attempt_at else "running"
        link = format_html('{} <a class="quiet-line" href="{}">{}</a>', badge(word), url, say("see run"))
        shown = {"done": plan.steps_done, "total": plan.steps_total, "held": plan.has_held}
        return link + render_to_string("scheduling/run_steps.html", shown)

    @admin.display(description=_("more"))
    def more(self, plan: Plan) -> SafeString:
        """Return the links of a row; none of them changes anything by itself."""
        rows = [(reverse("admin:scheduling_plan_why_not", args=[plan.pk]), say("Why not?")), (log_of(plan), say("Log"))]
        return format_html_join(
            " ", '<a href="{}" aria-label="{}: {}">{}</a>', ((url, text, plan.name, text) for url, text in rows)
        )
