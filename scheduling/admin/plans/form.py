"""The form of a plan: its own facts, and the same schedule inputs as a configuration, judged by the same rules."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms
from django.contrib.admin.widgets import FilteredSelectMultiple
from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.forms.models import construct_instance
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from scheduling.admin.inputs import Clock, Values
from scheduling.admin.plans.categories import Categories
from scheduling.admin.plans.offered import Offered
from scheduling.admin.plans.shown_steps import stored_steps
from scheduling.admin.plans.step_fields import Several
from scheduling.admin.plans.targets import Target, Targets
from scheduling.admin.schedules.form import ScheduleForm
from scheduling.admin.schedules.sections import EXCEPTIONS, WHEN, fieldsets, only_used
from scheduling.models import BlackoutCalendar, Plan, Queue
from scheduling.plans.after import AFTER_KEYS, after_of
from scheduling.plans.draft import ATTEMPT_COLUMNS, STEP_DEFAULTS, PlanDraft, after_faults, own_errors
from scheduling.plans.outline import Sight
from scheduling.plans.script_rights import script_right_errors
from scheduling.schedules.change import with_mode
from scheduling.schedules.deadlines import DEADLINE_COLUMNS
from scheduling.schedules.rules import judged
from scheduling.schedules.settings import used_by
from scheduling.states import Overlap, PlanOrder
from staging.models import OWNER_COLUMNS, Entity
from staging.rights import Entities, visible

OWN_FIELDS = [
    "name", "description", "categories", *OWNER_COLUMNS, "is_cancelled", "order", "parameters", "overlap",
    "run_timeout_seconds", *ATTEMPT_COLUMNS, *DEADLINE_COLUMNS,
    *STEP_DEFAULTS,
]  # fmt: skip

_OTHERS: dict[str, type[Plan] | type[Entity]] = {"after_plans": Plan, "after_entities": Entity}
_FEW, _MANY = 30, 300  # things that are ticked in a plain list; more are searched; above that, names are typed


def _of_plans(title: str, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a fieldset of schedules as plans show it: whatever the mode, for a plan has none to choose."""
    is_schedule = "schedule_type" in options["fields"]
    kept = [name for name in options["classes"] if not is_schedule or not name.startswith("for-mode-")]
    more = ("is_enabled", "overlap") if is_schedule else ()
    return title, {**options, "fields": (*options["fields"], *more), "classes": kept}


_OWN = (
    "name",
    "description",
    "categories",
    OWNER_COLUMNS,
    "order",
    "parameters",
    "run_timeout_seconds",
    ATTEMPT_COLUMNS,
    DEADLINE_COLUMNS,
    "is_cancelled",
)
PLAN_FIELDSETS: Any = (
    (None, {"fields": _OWN}),
    *(_of_plans(title, options) for title, options in fieldsets([*WHEN, *EXCEPTIONS])),
    (
        _("After others"),
        {
            "fields": AFTER_KEYS,
            "classes": ["for-type-"],
            "description": _(
                "It starts by itself when all that is chosen here has completed since its own last run began; what "
                "completed before this is saved starts nothing. Leave the schedule empty then."
            ),
        },
    ),
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
    used = {*used_by(plan.processing_mode, plan.schedule_type), *OWN_FIELDS, "schedule_type"}
    return only_used(PLAN_FIELDSETS, used)


SCHEDULE_FIELDS = [
    name
    for _, options in PLAN_FIELDSETS
    for name in options["fields"]
    if isinstance(name, str) and name not in (*OWN_FIELDS, *AFTER_KEYS)
]  # as the fieldsets have them


def others_of(plan: Plan) -> dict[str, list[str]]:
    """Return the keys of what a stored plan runs after, by field; no statement where it runs after nothing."""
    stored = after_of(plan) if plan.after_others else []
    return {key: [str(one.pk) for one in stored if isinstance(one, model)] for key, model in _OTHERS.items()}


class Others(Several):
    """Plans or entities to choose from: ticked in a list, searched where there are many, typed where the list is long.

    What is typed is the name of a plan, the code of an entity, or its name where no other is called so.
    """

    def __init__(self, **kwargs: Any):
        """Begin with nothing to choose from."""
        super().__init__(widget=forms.CheckboxSelectMultiple, **kwargs)
        self.known: dict[str, Plan | Entity] = {}

    def offer_rows(self, rows: QuerySet[Any], chosen: Collection[str], known: list[Any] | None) -> None:
        """Offer those of these rows that are in force, and what is chosen already; `known`: these, if read before."""
        offered = rows.filter(Q(is_cancelled=False) | Q(pk__in=chosen)).order_by("name") if known is None else known
        self.known = {str(row.pk): row for row in offered}
        if is_typed := len(self.known) > _MANY:
            self.help_text = _("Their names, one in a line; of entities their codes.")
        elif len(self.known) > _FEW:
            self.widget = FilteredSelectMultiple(str(self.label), is_stacked=False)
        named = [
            Target(key, row.code if isinstance(row, Entity) else row.name, row.name) for key, row in self.known.items()
        ]
        self.offer(Targets([("", named)]), [(one.value, one.title) for one in named], self.known, is_typed=is_typed)

    def named(self, keys: Collection[str]) -> list[Plan | Entity]:
        """Return what was chosen."""
        return [self.known[key] for key in keys]


class PlanForm(ScheduleForm):
    """Without a schedule type the end of others starts the plan, or people do where none are chosen.

    `may_script`: whether this person may run SQL scripts, and so say when a plan with one runs; `reached`: the entities
    that the person is limited to; `sight`: of what the person may be told; `offer` reads what the page offers to
    somebody who sees all.
    """

    may_script = True
    reached: Entities = None
    sight: Sight | None = None
    offer: Offered | None = None

    after_plans = Others(label=_("Runs after plans"))
    after_entities = Others(label=_("Runs after entities"))

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

    due_by = Clock(
        label=_("Done by"), help_text=_("The first such time of day after the slot, in the zone of the plan.")
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
            "run_timeout_seconds": _("A run may take (seconds)"),
            "run_attempts": _("Attempts of a run in all"),
            "run_retry_interval_seconds": _("Between attempts (seconds)"),
            "run_retry_backoff": _("Each wait twice the one before"),
            "expected_minutes": _("Usually takes (minutes)"),
            "due_by": _("Done by"),
            "due_after_minutes": _("Done so many minutes after its slot"),
            "default_queue": _("Queue of steps"),
            "default_attempts": _("Tries in all, of steps"),
            "default_retry_interval_seconds": _("Between tries of steps (seconds)"),
            "default_timeout_seconds": _("A step may take (seconds)"),
        }
        fields = [*OWN_FIELDS, *SCHEDULE_FIELDS]

    def __init__(self, *args: Any, **kwargs: Any):
        """Require a name, and leave out the schedule type when people start the plan."""
        super().__init__(*args, **kwargs)
        self.instance.offered = {}  # what its steps may choose from, too, by model
        self._read_offered()
        for name in ("name", "order", "overlap"):
            if name in self.fields:
                self.fields[name].required = True
        if isinstance(queue := self.fields.get("default_queue"), forms.ModelChoiceField):
            queue.queryset = Queue.objects.filter(Q(is_cancelled=False) | Q(pk=self.initial.get("default_queue")))
            if Queue not in self.instance.offered:
                self.instance.offered[Queue] = list(queue.queryset)
            queues = self.instance.offered[Queue]
            queue.choices = [("", queue.empty_label), *((one.pk, str(one)) for one in queues)]
        if "schedule_type" in self.fields:
            by_no_clock = ("", _("by no clock: people start it, or the end of others"))
            choices = self.fields["schedule_type"].choices  # type: ignore[attr-defined]
            self.fields["schedule_type"].choices = [by_no_clock, *choices[1:]]  # type: ignore[attr-defined]
        self._offer_others()

    class Media:
        js = ("scheduling/hints.js",)

    def _read_offered(self) -> None:
        """Read all that the page offers together, where it only shows, and to somebody who sees all."""
        if self.offer is None or self.is_bound or self.reached is not None or "default_queue" not in self.fields:
            return
        chosen: dict[type[Model], Any] = {
            model: self.initial.setdefault(key, self._others[key]) for key, model in _OTHERS.items()
        }
        queue = self.initial.get("default_queue")
        self.offer.read(self.instance, {**chosen, Queue: [] if queue is None else [queue]})
        self.instance.offer = self.offer
        self.instance.offered |= self.offer.rows
        if isinstance(calendar := self.fields.get("calendar"), forms.ModelChoiceField):
            calendars = self.offer.rows[BlackoutCalendar]
            calendar.choices = [("", calendar.empty_label), *((one.pk, str(one)) for one in calendars)]

    def _offer_others(self) -> None:
        """Offer what this person may see, and what is stored; a copy begins with that of another plan."""
        for key, model in _OTHERS.items():
            chosen = self.initial.setdefault(key, self._others[key])
            if not isinstance(field := self.fields.get(key), Others):
                continue
            rows = model._default_manager.all()
            if self.reached is not None:
                rows = rows.filter(Q(pk__in=visible(rows, self.reached).values("pk")) | Q(pk__in=chosen))
            known = self.instance.offered.get(model)
            field.offer_rows(rows.exclude(pk=self.instance.pk) if model is Plan else rows, chosen, known)
            self.instance.offered[model] = list(field.known.values())

    @cached_property
    def _others(self) -> dict[str, list[str]]:
        """Return what the stored plan runs after."""
        return others_of(self.instance)

    def _marked(self) -> dict[str, Any]:
        """Return the settings with the plan's own facts and what it runs after."""
        columns = {one.name: one.attname for one in Plan._meta.concrete_fields}
        own = {name: getattr(self.instance, columns[name]) for name in OWN_FIELDS}
        return {**super()._marked(), **own, **self._others}

    @property
    def _settable(self) -> list[str]:
        """Return the columns that this form may set."""
        return [name for name in super()._settable if name not in AFTER_KEYS]

    def changed_settings(self) -> list[str]:
        """Return the labels of the settings that the save changed, what the plan runs after among them."""
        now = {key: {*self.cleaned_data.get(key, ())} for key in AFTER_KEYS}
        others = [str(self.fields[key].label) for key in AFTER_KEYS if now[key] != {*self._others[key]}]
        return super().changed_settings() + others

    def after(self) -> list[Plan | Entity]:
        """Return what the plan is to run after."""
        fields = {key: field for key in AFTER_KEYS if isinstance(field := self.fields.get(key), Others)}
        return [one for key, field in fields.items() for one in field.named(self.cleaned_data.get(key, ()))]

    def mode(self) -> str:
        """Return the mode that the schedule type, and what it runs after, come to."""
        return str(self._with_mode({"schedule_type": self.cleaned_data.get("schedule_type")})["processing_mode"])

    def _with_mode(self, values: dict[str, Any]) -> dict[str, Any]:
        return with_mode(values, bool(self.after()))

    def clean_parameters(self) -> dict[str, Any] | None:
        """Return the parameters; None for a plan without."""
        return self.cleaned_data["parameters"] or None

    def values(self) -> dict[str, Any]:
        """Return the settings that the schedule type uses; without one only that there is none."""
        return {**super().values(), "schedule_type": self.cleaned_data.get("schedule_type", "")}

    def complete(self) -> dict[str, Any]:
        """Return the stored settings with the values over them, and the mode they come to."""
        return self._with_mode(super().complete())

    def _post_clean(self) -> None:
        """Put the plan's own facts on the instance, for the steps to be judged with; the schedule stays stored."""
        own = [name for name in OWN_FIELDS if name in self.cleaned_data]
        self.instance = construct_instance(self, self.instance, own, None)
        kind = {"schedule_type": self.cleaned_data.get("schedule_type", "")}
        steps = stored_steps(self.instance)
        wanted = PlanDraft(self.instance, kind, sight=self.sight, after=self.after(), stored=steps)
        told = after_faults(wanted) if self.after() else {}
        self.instance.after_wanted, self.instance.after_told = self.after(), told  # the steps are judged with it
        faults = own_errors(self.instance, runs_by_itself=wanted.runs_by_itself) | told
        if not (self.errors or self.may_script) and self.instance.pk:
            stored = PlanDraft(self.instance, judged(self.complete())[0], after=self.after(), stored=steps)
            faults |= script_right_errors(stored, stored.outline(), {})
        for name, texts in faults.items():
            if name not in self.errors:
                self.add_error(name if name in self.fields else None, [ValidationError(text) for text in texts])
