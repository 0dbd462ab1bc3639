"""Many steps added at once: what they do, which number the first has, and how they follow each other."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from scheduling.admin.plans.step_fields import Several
from scheduling.admin.plans.targets import Targets, put
from scheduling.models import PlanStep, Queue
from scheduling.plans.draft import StepDraft

TOGETHER, ONE_BY_ONE = "together", "one_by_one"
_MOST_LINES = 12


class ManySteps(forms.Form):
    """Steps that differ in what they do only; nothing is added while nothing is chosen."""

    what = Several(label=_("What they do"))
    number = forms.IntegerField(label=_("Number of the first"), min_value=1, max_value=1_000_000, required=False)
    order = forms.ChoiceField(
        label=_("One after the other?"),
        choices=[(TOGETHER, _("all with this number: together")), (ONE_BY_ONE, _("numbers count up: one by one"))],
        required=False,
    )
    queue = forms.ChoiceField(label=_("Queue"), required=False)
    continue_on_failure = forms.BooleanField(label=_("When one fails, go on all the same"), required=False)

    def __init__(self, *args: Any, targets: Targets, queues: dict[str, Queue], is_typed: bool = False, **kwargs: Any):
        """Offer what the steps may do, typed where the list would be long, and the queues."""
        super().__init__(*args, **kwargs)
        self._targets, self._queues = targets, queues
        offered, what = targets.work(), self.fields["what"]
        assert isinstance(what, Several)
        what.offer(targets, offered, [value for _, own in offered for value, _ in own], is_typed=is_typed)
        if not is_typed:
            what.widget.attrs["size"] = min(sum(len(own) + 1 for _, own in offered), _MOST_LINES)
        queue_choices = [("", _("as the plan says")), *((key, str(queue)) for key, queue in queues.items())]
        self.fields["queue"].choices = queue_choices  # type: ignore[attr-defined]
        self.initial["number"] = 1

    def drafts(self) -> list[StepDraft]:
        """Return the steps as they are wanted, in the order of the list; none for a form that does not hold."""
        if not (self.is_bound and self.is_valid()):
            return []
        told = self.cleaned_data
        counts_up = told["order"] == ONE_BY_ONE
        found = []
        for place, value in enumerate(told["what"]):
            step = PlanStep(
                step_index=(told["number"] or 1) + (place if counts_up else 0),
                queue=self._queues.get(told["queue"]),
                continue_on_failure=told["continue_on_failure"],
            )
            put(step, self._targets.by_value[value])
            found.append(StepDraft(step))
        return found
