"""One step of a plan as people fill it in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from django import forms
from django.forms.models import construct_instance
from django.template.loader import render_to_string
from django.utils.functional import cached_property
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from scheduling.admin.inputs import Clock, Values
from scheduling.admin.plans.shown_steps import facts_of
from scheduling.admin.plans.step_fields import (
    BESIDE,
    COLUMNS,
    HELP,
    LABELS,
    After,
    Conditions,
    Items,
    ListPlace,
    ScriptNamed,
    What,
)  # fmt: skip
from scheduling.admin.plans.targets import WAIT, Targets, put, what_of
from scheduling.models import PlanStep, Queue
from scheduling.plans.draft import StepDraft
from scheduling.plans.each import EACH_COLUMNS
from scheduling.plans.outline import priors_of
from staging.pages import PartForm
from staging.wording import say


def about(name: str) -> str:
    """Return the id of what is told of a field of steps, once for all rows; short, for it stands in each of them."""
    return f"a{list(StepForm.base_fields).index(name)}"


class _OfRow(dict[str, forms.Field]):
    """The fields of a row that nobody sent: those that few steps need are one for all rows, for they are all alike."""

    def __init__(self, fields: Mapping[str, forms.Field], beside: dict[str, forms.Field]):
        """Share those `beside`; the first row puts them there."""
        super().__init__(fields)
        self._beside = beside

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, forms.Field]:
        """Return what a form makes its own."""
        if not self._beside:
            self._beside.update({name: deepcopy(self[name], memo) for name in BESIDE})
        return {name: self._beside.get(name) or deepcopy(field, memo) for name, field in self.items()}


class StepForm(PartForm):
    """One step as people fill it in; what it runs is one choice for four columns."""

    below = BESIDE
    what = What(label=_("What"))
    after = After(label=LABELS["depends_on"])
    only_when = Conditions(label=LABELS["only_when"], help_text=_("One condition in a line: job Load: rows.new > 0"))
    arguments = Values(label=LABELS["arguments"], help_text=_('For jobs and scripts that take some: {"year": 2026}.'))
    for_each = Items(
        label=LABELS["for_each"],
        help_text=_(
            'One item in a line, a list as JSON, or a parameter: {{regions}}. Values name it: {"region": "{{item}}"}.'
        ),
    )
    for_each_result = ListPlace(
        label=LABELS["for_each_result"], help_text=_("A step, and where its list stands: job List: regions")
    )
    for_each_query = ScriptNamed(label=LABELS["for_each_query"], help_text=_("The name of a SQL script that selects."))
    queue = forms.ChoiceField(label=_("Queue"), required=False)
    wait_until = Clock(label=LABELS["wait_until"], help_text=_("What: Wait for a time. In the zone of the plan."))
    due_by = Clock(
        label=LABELS["due_by"], help_text=_("The first such time of day after the slot, in the zone of the plan.")
    )

    class Meta:
        model = PlanStep
        fields = COLUMNS
        labels = LABELS
        help_texts = HELP

    def __init__(
        self,
        *args: Any,
        targets: Targets | None = None,
        keys: list[str] | None = None,
        queues: dict[str, Queue] | None = None,
        is_typed: bool = False,
        copied: StepDraft | None = None,
        blank: Callable[[], StepForm] | None = None,
        beside: dict[str, forms.Field] | None = None,
        **kwargs: Any,
    ):
        """Offer what a step may do, the steps to wait for and the queues, all read once for the whole table.

        `copied`: a step of another plan that this new one begins as; `blank`: the empty row of the table;
        `beside`: the fields that the rows of a table share which nobody sent.
        """
        if beside is not None:
            self.base_fields = _OfRow(self.base_fields, beside)  # type: ignore[misc]  # Django copies those of the form
        self._blank = blank
        self.is_copied = copied is not None
        super().__init__(*args, **(kwargs if copied is None else {**kwargs, "instance": copied.step}))
        self.empty_permitted = self.empty_permitted and copied is None
        self.key_before = self.own_key
        own = what_of(self.instance)
        self.what_field.offer(targets or Targets([]), own, is_typed=is_typed)
        self.initial["what"] = own.value if own else ""
        self._offer_priors(keys or [], list(copied.depends_on) if copied else [], is_typed=is_typed)
        self._offer_queues(queues or {})
        for name in PlanStep.BY_PLAN:
            self.fields[name].required = False
            self.initial[name] = self.instance.own(name)
        for name in ("run_if", "wait_days"):
            self.fields[name].required = False  # who sends none keeps what is stored
        self.initial["for_each_query"] = self.instance.for_each_query
        self.initial["wait_days"] = self.instance.wait_days or None
        self._dress_inputs()

    def __getitem__(self, name: str) -> forms.BoundField:
        """Return a field, which is described by what is told once for all rows, and by its own faults."""
        field = super().__getitem__(name)
        faults = [f"{field.auto_id}_error"] if name in (getattr(self, "_errors", None) or {}) else []
        if field.field.help_text:
            field.field.widget.attrs["aria-describedby"] = " ".join([about(name), *faults])
        return field

    @property
    def what_field(self) -> What:
        """Return the field of what the step does."""
        field = self.fields["what"]
        assert isinstance(field, What)
        return field

    @property
    def own_key(self) -> str:
        """Return what the stored or copied step is called; empty for another new one."""
        return self.instance.key if self.instance.pk or self.is_copied else ""

    @property
    def facts(self) -> str:
        """Return what is set in them, in one line."""
        return facts_of(self.instance)

    @cached_property
    def more(self) -> SafeString:
        """Return the inputs of what few steps need. Most steps need none of it, and have those of the empty row."""
        blank = self._blank() if self._blank and not self.is_bound else self
        if blank is self or self._set_beside != blank._set_beside:
            return render_to_string("admin/scheduling/plan/step_more.html", {"form": self})
        return mark_safe(blank.more.replace(f"{blank.prefix}-", f"{self.prefix}-"))  # noqa: S308 (it was rendered)

    @cached_property
    def _set_beside(self) -> list[Any]:
        """Return what an unsent form shows in the inputs of what few steps need."""
        fields = ((self.fields[name], name) for name in BESIDE)
        shown = (field.prepare_value(self.get_initial_for_field(field, name)) for field, name in fields)
        return ["" if each is None else each for each in shown]

    def _dress_inputs(self) -> None:
        """Name the inputs of the row for those who do not see its head; those below it have labels of their own."""
        for name in self.fields.keys() - {*BESIDE}:
            self.fields[name].widget.attrs["aria-label"] = self.fields[name].label
        for name in BESIDE:  # how wide they are says the table
            for needless in ("class", "cols"):
                self.fields[name].widget.attrs.pop(needless, None)

    def _offer_priors(self, keys: list[str], copied: list[str], *, is_typed: bool) -> None:
        """Offer the steps that it may wait for, and those that it waits for; `copied`: what a copy begins with."""
        priors = priors_of(self.instance) if self.instance.pk else copied
        self.initial["after"] = priors
        sent = list(self.data.getlist(self.add_prefix("after"))) if hasattr(self.data, "getlist") else []
        offered = dict.fromkeys([*keys, *priors, *sent])
        after = self.fields["after"]
        assert isinstance(after, After)
        after.offer(None if is_typed else [key for key in offered if key != self.own_key], priors)

    def _offer_queues(self, queues: dict[str, Queue]) -> None:
        """Offer the queues that are in use, and the step's own."""
        own = self.instance.queue
        self._queues = {**queues, **({str(own.pk): own} if own else {})}
        field = self.fields["queue"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", _("as the plan says")), *((key, str(queue)) for key, queue in self._queues.items())]
        self.initial["queue"] = str(own.pk) if own else ""

    @property
    def is_step(self) -> bool:
        """Return whether this is a step: a stored one, or one that somebody filled in, or did not empty."""
        if self.is_copied:
            return "what" in self.errors or bool(self.cleaned_data.get("what"))
        return bool(self.instance.pk) or self.has_changed()

    def draft(self) -> StepDraft:
        """Return the step as it is wanted."""
        return StepDraft(self.instance, self.cleaned_data.get("after", []))

    def touches_a_script(self) -> bool:
        """Return whether a save would change what a script is run with, or that it is run at all."""
        runs_one = self.instance.script_id is not None or self.instance.for_each_query is not None
        told = {"what", "arguments", "is_cancelled", "wait_query", *EACH_COLUMNS}
        return runs_one and bool(told & set(self.changed_data))

    def clean(self) -> dict[str, Any]:
        """Ask how long a wait waits."""
        told: dict[str, Any] = super().clean() or self.cleaned_data
        says = [told.get(name) is not None or name in self.errors for name in ("wait_until", "wait_minutes")]
        if told.get("what") == WAIT and not any(says):
            self.add_error("wait_until", say("Say until when it waits, or for how many minutes."))
        return told

    def _post_clean(self) -> None:
        """Put the step together; the rules of `plans` judge it with its plan."""
        self.instance = construct_instance(self, self.instance, COLUMNS, None)
        put(self.instance, self.what_field.target(self.cleaned_data.get("what", "")))
        self.instance.for_each_query = self.cleaned_data.get("for_each_query")
        self.instance.queue = self._queues.get(self.cleaned_data.get("queue", ""))
        self.instance.wait_days = self.instance.wait_days or 0
        said = [name for name in PlanStep.BY_PLAN if self.cleaned_data.get(name) is not None]
        self.instance.insists_on = said or None
        for name, usual in PlanStep.BY_PLAN.items():
            if name not in said:
                setattr(self.instance, name, usual)
