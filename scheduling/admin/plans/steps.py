"""The steps of a plan as a form: one choice of what a step does, and every fault at its field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.forms.models import BaseInlineFormSet, construct_instance
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.inputs import Values
from scheduling.models import Plan, PlanStep, Queue, SqlScript
from scheduling.plans.draft import PlanDraft, StepDraft, plan_errors
from scheduling.plans.job_steps import known_jobs
from scheduling.plans.outline import Sight
from staging.models import Entity
from staging.rights import Entities, visible
from staging.wording import say

_COLUMNS = [
    "step_index", "queue", "priority", "continue_on_failure", "attempts", "retry_interval_seconds", "retry_backoff",
    "retry_on", "timeout_seconds", "arguments", "is_cancelled",
]  # fmt: skip
# Where a fault of the rules is shown; other names are fields of the form.
_FIELD_OF = dict.fromkeys(("entity", "job_name", "script", "sub_plan"), "what")


class Keys(forms.MultipleChoiceField):
    """Names of steps; whether there is such a step is the rules' to say."""

    def valid_value(self, value: str) -> bool:
        """Take any name."""
        return True


def choices(plan: Plan, may_script: bool, of: Entities) -> list[Any]:
    """Return what a step may do, in groups. Scripts are offered to people who may run them.

    `of`: only these entities and plans of them, and nothing that is of no entity.
    """
    scripts = SqlScript.objects.filter(is_cancelled=False) if may_script and of is None else SqlScript.objects.none()
    entities = visible(Entity.objects.filter(is_cancelled=False), of)
    plans = visible(Plan.objects.filter(is_cancelled=False).exclude(pk=plan.pk), of)
    groups: list[tuple[str, Iterable[tuple[str, str]]]] = [
        (say("Entities"), [(f"entity:{entity.pk}", entity.name) for entity in entities]),
        (say("Jobs"), [(f"job:{name}", name) for name in known_jobs()] if of is None else []),
        (say("SQL scripts"), [(f"script:{script.pk}", script.name) for script in scripts]),
        (say("Plans"), [(f"plan:{one.pk}", one.name) for one in plans]),
    ]
    return [("", _("choose …")), *((title, list(found)) for title, found in groups if found)]


def what_of(step: PlanStep) -> str:
    """Return the choice that a step is; empty for none."""
    if step.job_name:
        return f"job:{step.job_name}"
    targets = (("entity", step.entity_id), ("script", step.script_id), ("plan", step.sub_plan_id))
    return next((f"{kind}:{pk}" for kind, pk in targets if pk is not None), "")


class StepForm(forms.ModelForm):
    """One step as people fill it in; what it runs is one choice for four columns."""

    what = forms.ChoiceField(label=_("What"), required=False)
    after = Keys(
        label=_("Only after"),
        required=False,
        help_text=_("Other steps of this plan. Steps you have just added are offered here after saving."),
        widget=forms.SelectMultiple(attrs={"size": 4}),
    )
    arguments = Values(label=_("Values of the script"), help_text=_('For scripts with parameters: {"year": 2026}.'))
    queue = forms.ModelChoiceField(
        queryset=Queue.objects.all(), required=False, empty_label=_("default"), label=_("Queue")
    )

    class Meta:
        model = PlanStep
        fields = _COLUMNS
        labels = {
            "step_index": _("Number"),
            "attempts": _("Tries in all"),
            "retry_interval_seconds": _("Between tries (seconds)"),
            "retry_backoff": _("Longer and longer between tries"),
            "retry_on": _("Try again only after"),
            "timeout_seconds": _("May take (seconds)"),
            "is_cancelled": _("Cancelled"),
        }
        help_texts = {"is_cancelled": _("It runs nothing, and the order that goes through it stays.")}

    def __init__(self, *args: Any, targets: list[Any] | None = None, keys: list[str] | None = None, **kwargs: Any):
        """Offer what a step may do, and the other steps to wait for."""
        super().__init__(*args, **kwargs)
        own = what_of(self.instance)
        known = {value for _, group in (targets or [])[1:] for value, _ in group}
        extra = [(own, self.instance.key)] if own and own not in known else []
        self.fields["what"].choices = [*(targets or []), *extra]  # type: ignore[attr-defined]
        self.initial["what"] = own
        priors = [prior.key for prior in self.instance.depends_on.all()] if self.instance.pk else []
        self.initial["after"] = priors
        offered = dict.fromkeys([*(keys or []), *priors, *self._sent_keys()])
        if "queue" in self.fields:
            queues = Queue.objects.filter(Q(is_cancelled=False) | Q(pk=self.instance.queue_id))
            self.fields["queue"].queryset = queues  # type: ignore[attr-defined]
        self.fields["after"].choices = [  # type: ignore[attr-defined]
            (key, key) for key in offered if not own or key != self.instance.key
        ]

    def draft(self) -> StepDraft:
        """Return the step as it is wanted."""
        return StepDraft(self.instance, self.cleaned_data.get("after", []))

    def touches_a_script(self) -> bool:
        """Return whether a save would change what a script is run with, or that it is run at all."""
        runs_one = self.instance.script_id is not None
        return runs_one and bool({"what", "arguments", "is_cancelled"} & set(self.changed_data))

    def _post_clean(self) -> None:
        """Put the step together; the rules of `plans` judge it with its plan."""
        self.instance = construct_instance(self, self.instance, _COLUMNS, None)
        kind, _, target = self.cleaned_data.get("what", "").partition(":")
        step = self.instance
        step.entity_id = int(target) if kind == "entity" else None
        step.script_id = int(target) if kind == "script" else None
        step.sub_plan_id = int(target) if kind == "plan" else None
        step.job_name = target if kind == "job" else ""

    def _sent_keys(self) -> list[str]:
        """Return what was sent, so that it is shown again."""
        return list(self["after"].data or []) if self.is_bound else []


class StepFormSet(BaseInlineFormSet):
    """All steps of a plan; judged together with the plan as the form above has it."""

    may_script = False
    of: Entities = None
    sight: Sight | None = None

    def get_queryset(self) -> Any:
        """Return the steps with what they show of themselves, in few statements."""
        if not hasattr(self, "_queryset"):
            known = super().get_queryset().select_related("entity", "script", "sub_plan", "queue")
            self._queryset = known.prefetch_related("depends_on__entity", "depends_on__script", "depends_on__sub_plan")
        return self._queryset

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Hand each form the choices, read once for all of them."""
        if not hasattr(self, "_offered"):
            keys = [step.key for step in self.get_queryset()] if self.instance.pk else []
            self._offered = {"targets": choices(self.instance, self.may_script, self.of), "keys": keys}
        return {**super().get_form_kwargs(index), **self._offered}

    def filled(self) -> list[Any]:
        """Return the forms that are steps: stored ones, and new ones that somebody filled in."""
        return [form for form in self.forms if form.instance.pk or form.has_changed()]

    def drafts(self) -> list[StepDraft]:
        """Return the steps as they are wanted."""
        return [form.draft() for form in self.filled()]

    def _draft(self) -> PlanDraft:
        """Return the plan as it is wanted, by somebody with the rights of this person."""
        return PlanDraft(self.instance, {}, self.drafts(), may_script=self.may_script, sight=self.sight)

    def clean(self) -> None:
        """Hold the steps against the rules, each message at its field; circles are told for all of them."""
        forms_filled = self.filled()
        for form in forms_filled if not self.may_script else ():
            if form.touches_a_script():
                form.add_error(
                    "what", ValidationError(say("Only people who may run SQL scripts may change such a step."))
                )
        if any(form.errors for form in forms_filled):
            return
        together: list[str] = []
        if self.of is not None and not (forms_filled or self.instance.pk):
            together.append(say("Put one of your entities into it: a plan without steps is nobody's."))
        for path, texts in plan_errors(self._draft(), now=clock.now()).items():
            head, *rest = path.split(".")
            if head == "steps" and not rest:
                together += texts
            elif head == "steps":
                name = {"depends_on": "after"}.get(rest[1], _FIELD_OF.get(rest[1], rest[1]))
                forms_filled[int(rest[0])].add_error(name, [ValidationError(text) for text in texts])
        if together:
            raise ValidationError(together)
