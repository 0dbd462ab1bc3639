"""The form of a plan: its own facts, and the same schedule inputs as a configuration, judged by the same rules."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.forms.models import construct_instance
from django.utils.translation import gettext_lazy as _

from scheduling.admin.inputs import Values
from scheduling.admin.plans.categories import Categories
from scheduling.admin.schedules.form import ScheduleForm
from scheduling.admin.schedules.sections import EXCEPTIONS, WHEN, fieldsets
from scheduling.models import Plan, Queue
from scheduling.plans.draft import STEP_DEFAULTS, PlanDraft, own_errors
from scheduling.plans.script_rights import script_right_errors
from scheduling.schedules.change import with_mode
from scheduling.schedules.rules import judged
from scheduling.schedules.settings import used_by
from scheduling.states import Overlap, PlanOrder, ProcessingMode
from staging.models import OWNER_COLUMNS

OWN_FIELDS = [
    "name", "description", "categories", *OWNER_COLUMNS, "is_cancelled", "order", "parameters", "overlap",
    *STEP_DEFAULTS,
]  # fmt: skip


def _of_plans(title: str, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a fieldset of schedules as plans show it: whatever the mode, for a plan has none to choose."""
    is_schedule = "schedule_type" in options["fields"]
    kept = [name for name in options["classes"] if not is_schedule or not name.startswith("for-mode-")]
    more = ("is_enabled", "overlap") if is_schedule else ()
    return title, {**options, "fields": (*options["fields"], *more), "classes": kept}


PLAN_FIELDSETS: Any = (
    (None, {"fields": ("name", "description", "categories", OWNER_COLUMNS, "order", "parameters", "is_cancelled")}),
    *(_of_plans(title, options) for title, options in fieldsets([*WHEN, *EXCEPTIONS])),
    (
        _("For steps that say nothing of their own"),
        {
            "fields": STEP_DEFAULTS,
            "description": _(
                "What a step says itself goes before. What stands empty here is as the job of a step says, else as "
                "usual: the queue default, one try, no time-out. A plan that is a step says this for its own steps."
            ),
        },
    ),
)


def shown_fieldsets(plan: Plan) -> Any:
    """Return the fieldsets with only the settings that this plan's kind of schedule uses."""
    mode = ProcessingMode.SCHEDULED if plan.schedule_type else ProcessingMode.MANUAL
    used = {*used_by(mode, plan.schedule_type), *OWN_FIELDS, "schedule_type"}
    kept = ((title, [name for name in options["fields"] if name in used]) for title, options in PLAN_FIELDSETS)
    return [(title, {"fields": fields}) for title, fields in kept if fields]


SCHEDULE_FIELDS = [
    name
    for _, options in PLAN_FIELDSETS
    for name in options["fields"]
    if isinstance(name, str) and name not in OWN_FIELDS
]  # as the fieldsets have them


class PlanForm(ScheduleForm):
    """Without a schedule type people start the plan.

    `may_script`: whether this person may run SQL scripts, and so say when a plan with one runs.
    """

    may_script = True

    name = forms.CharField(label=_("Name"), max_length=100)
    categories = Categories()
    order = forms.ChoiceField(label=_("What comes first"), choices=PlanOrder.choices, widget=forms.RadioSelect)
    parameters = Values(
        label=_("Parameters"),
        help_text=_(
            'What a run may be given: {"day": "text", "factor": {"type": "integer", "default": 1}}. Steps write '
            "{{day}} as a value; {{slot}} and {{previous_slot}} are there by themselves."
        ),
    )
    is_cancelled = forms.BooleanField(
        label=_("Cancelled"), required=False, help_text=_("Plans are cancelled, never deleted.")
    )
    overlap = forms.ChoiceField(label=_("While a run goes on"), choices=Overlap.choices)
    default_queue = forms.ModelChoiceField(
        label=_("Queue of steps"), queryset=Queue.objects.none(), empty_label=_("as usual")
    )

    class Meta(ScheduleForm.Meta):
        model = Plan
        labels = {  # of people who only look, too
            **ScheduleForm.Meta.labels,
            "categories": _("Categories"),
            "order": _("What comes first"),
            "parameters": _("Parameters"),
            "overlap": _("While a run goes on"),
            "is_cancelled": _("Cancelled"),
            "default_queue": _("Queue of steps"),
            "default_attempts": _("Tries in all, of steps"),
            "default_retry_interval_seconds": _("Between tries of steps (seconds)"),
            "default_timeout_seconds": _("A step may take (seconds)"),
        }
        fields = [*OWN_FIELDS, *SCHEDULE_FIELDS]

    def __init__(self, *args: Any, **kwargs: Any):
        """Require a name, and leave out the schedule type when people start the plan."""
        super().__init__(*args, **kwargs)
        for name in ("name", "order", "overlap"):
            if name in self.fields:
                self.fields[name].required = True
        if isinstance(queue := self.fields.get("default_queue"), forms.ModelChoiceField):
            queue.queryset = Queue.objects.filter(Q(is_cancelled=False) | Q(pk=self.initial.get("default_queue")))
        if "schedule_type" in self.fields:
            choices = self.fields["schedule_type"].choices  # type: ignore[attr-defined]
            self.fields["schedule_type"].choices = [("", _("never by itself: people start it")), *choices[1:]]  # type: ignore[attr-defined]

    def mode(self) -> str:
        """Return the mode that the schedule type comes to."""
        return str(ProcessingMode.SCHEDULED if self.cleaned_data.get("schedule_type") else ProcessingMode.MANUAL)

    def clean_parameters(self) -> dict[str, Any] | None:
        """Return the parameters; None for a plan without."""
        return self.cleaned_data["parameters"] or None

    def values(self) -> dict[str, Any]:
        """Return the settings that the schedule type uses; without one only that there is none."""
        return {**super().values(), "schedule_type": self.cleaned_data.get("schedule_type", "")}

    def complete(self) -> dict[str, Any]:
        """Return the stored settings with the values over them, and the mode they come to."""
        return with_mode(super().complete())

    def _post_clean(self) -> None:
        """Put the plan's own facts on the instance, for the steps to be judged with; the schedule stays stored."""
        own = [name for name in OWN_FIELDS if name in self.cleaned_data]
        self.instance = construct_instance(self, self.instance, own, None)
        faults = own_errors(self.instance, runs_by_itself=bool(self.cleaned_data.get("schedule_type")))
        if not (self.errors or self.may_script) and self.instance.pk:
            stored = PlanDraft(self.instance, judged(self.complete())[0])
            faults |= script_right_errors(stored, stored.outline(), {})
        for name, texts in faults.items():
            if name not in self.errors:
                self.add_error(name if name in self.fields else None, [ValidationError(text) for text in texts])
