"""The steps of a plan as a table: a page of them at a time, many added at once, and every fault at its field."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import BaseInlineFormSet
from django.utils.functional import cached_property
from django.utils.safestring import SafeString, mark_safe

from scheduling import clock
from scheduling.admin.plans.many import ManySteps
from scheduling.admin.plans.shown_steps import CHANGED_MEANWHILE, facts_of, mark_of, stored_steps, title_of
from scheduling.admin.plans.step_fields import (
    BESIDE,
    FIELD_OF,
    KnownStep,
)  # fmt: skip
from scheduling.admin.plans.step_form import StepForm, about
from scheduling.admin.plans.targets import Targets, targets_for, what_of
from scheduling.admin.written import escaped
from scheduling.models import Plan, PlanStep, Queue
from scheduling.plans.after import AFTER_KEYS
from scheduling.plans.copied import copied_steps
from scheduling.plans.draft import PlanDraft, StepDraft, plan_errors
from scheduling.plans.outline import Sight, priors_of, with_targets
from staging.pages import number_in
from staging.rights import Entities
from staging.wording import say

AT_ONCE = 25  # steps on a page
_MOST_OPTIONS = 2000  # of all lists of a page together; above that, names are typed


class StepFormSet(BaseInlineFormSet):
    """A page of the steps of a plan; judged together with the plan as the form above has it, and with the others.

    A new plan that copies another, `source`, begins with a page of that one's steps; those beyond it are taken over as
    they are.
    """

    may_script = False
    of: Entities = None
    sight: Sight | None = None
    wanted_page = 1
    source: Plan | None = None

    @property
    def stored(self) -> list[PlanStep]:
        """Return the stored steps."""
        return stored_steps(self.instance)

    @property
    def told(self) -> list[tuple[str, Any, Any]]:
        """Return what is told of the fields of steps: the id, the label and the text of each."""
        fields = ((name, StepForm.base_fields[name]) for name in ("step_index", "continue_on_failure", *BESIDE))
        return [(about(name), field.label, field.help_text) for name, field in fields if field.help_text]

    @property
    def total(self) -> int:
        """Return how many steps are stored."""
        return len(self.stored)

    @cached_property
    def pages(self) -> int:
        """Return on how many pages they stand."""
        return max(1, -(-self.total // AT_ONCE))

    @cached_property
    def page(self) -> int:
        """Return the page that is shown; the last one instead of one that is not there."""
        return min(max(self.wanted_page, 1), self.pages)

    @property
    def numbers(self) -> range:
        """Return the numbers of the pages."""
        return range(1, self.pages + 1)

    @property
    def shown(self) -> list[tuple[PlanStep, str, str, list[str]]]:
        """Return the steps in words, each with what it waits for, for people who only look."""
        return [(step, title_of(step), facts_of(step), priors_of(step)) for step in self.get_queryset()]

    @property
    def first(self) -> int:
        """Return the place of the first step of the page among all."""
        return (self.page - 1) * AT_ONCE + 1

    @property
    def last(self) -> int:
        """Return the place of the last step of the page among all."""
        return min(self.page * AT_ONCE, self.total)

    def get_queryset(self) -> Any:
        """Return the steps of the page, or those that were sent, with what they show."""
        if not hasattr(self, "_queryset"):
            sent, page = {*self._sent()} if self.is_bound else set(), slice(self.first - 1, self.last)
            self._queryset = [one for one in self.stored if one.pk in sent] if self.is_bound else self.stored[page]
            self._mark = mark_of(self._queryset)
        return self._queryset

    @property
    def seen(self) -> str:
        """Return the mark of the steps as the page was opened with them; whoever changes one of them changes it."""
        self.get_queryset()
        return (self.data.get(f"{self.prefix}-seen") if self.is_bound else "") or self._mark

    def _sent(self) -> list[int]:
        """Return the keys of the stored steps that a form sent."""
        count = self.management_form.cleaned_data.get("INITIAL_FORMS") or 0
        sent = (self.data.get(f"{self.add_prefix(number)}-id", "") for number in range(min(count, self.absolute_max)))
        return [key for text in sent if (key := number_in(text)) is not None]

    @cached_property
    def stored_copied(self) -> list[PlanStep]:
        """Return the stored steps that are copied: all of the other plan, or those that a form was shown."""
        if self.source is None:
            return []
        stored = with_targets(self.source.steps.all())
        if not self.is_bound:
            return stored
        known = {str(step.pk): step for step in stored}
        sent = dict.fromkeys(str(self.data.get(f"{self.prefix}-copied", "")).split(","))
        return [known[key] for key in sent if key in known]

    @cached_property
    def copied(self) -> list[StepDraft]:
        """Return the copied steps as new ones."""
        return copied_steps(self.stored_copied)

    @property
    def copied_as_they_are(self) -> list[StepDraft]:
        """Return the copied steps that stand beyond the page."""
        return self.copied[AT_ONCE:]

    def total_form_count(self) -> int:
        """Return how many rows there are, with those of copied steps."""
        return super().total_form_count() + (0 if self.is_bound else len(self.copied[:AT_ONCE]))

    @cached_property
    def targets(self) -> Targets:
        """Return what steps may do; read once for all of them."""
        return targets_for(self.instance, self.may_script, self.of)

    @property
    def suggestions(self) -> SafeString:
        """Return the lines of the list of names that may be typed, each with its title where that says more."""
        lines = ((one.name, "" if one.title in one.name else one.title) for one in self.targets)
        written = (f'<option value="{escaped(name)}">{escaped(title)}' for name, title in lines)
        return mark_safe("".join(written))  # noqa: S308 (each is escaped)

    @cached_property
    def is_typed(self) -> bool:
        """Return whether names are typed: lists to choose from would be too long."""
        rows = (self.last - self.first + 2) if self.total else 2 + len(self.copied[:AT_ONCE])
        return rows * (len(self.targets) + (self.total or len(self.copied))) > _MOST_OPTIONS

    @cached_property
    def many(self) -> ManySteps:
        """Return the form that adds many steps at once."""
        given = (self.data,) if self.is_bound else ()
        return ManySteps(*given, prefix="many", targets=self.targets, queues=self.queues, is_typed=self.is_typed)

    @cached_property
    def queues(self) -> dict[str, Queue]:
        """Return the queues in use, by the value that stands for them."""
        offered = getattr(self.instance, "offered", {}).get(Queue)
        known = Queue.objects.filter(is_cancelled=False) if offered is None else offered
        return {str(queue.pk): queue for queue in known if not queue.is_cancelled}

    @cached_property
    def _beside(self) -> dict[str, forms.Field]:
        """Hold the fields that few steps need, for all rows."""
        return {}

    @cached_property
    def _keys(self) -> list[str]:
        """Return the names of all steps, to be chosen from."""
        return [] if self.is_typed else [step.key for step in self.stored or [each.step for each in self.copied]]

    def add_fields(self, form: forms.Form, index: int | None) -> None:
        """Let the hidden key of each row be looked up among the steps that were read for all of them."""
        super().add_fields(form, index)
        form.fields["id"] = KnownStep(self.get_queryset(), initial=form.fields["id"].initial)

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Hand each form the choices, read once for all of them."""
        offered = {"targets": self.targets, "keys": self._keys, "queues": self.queues, "is_typed": self.is_typed}
        offered["blank"] = lambda: self.empty_form
        offered["beside"] = None if self.is_bound else self._beside
        if index is not None and index < len(self.copied[:AT_ONCE]):
            offered["copied"] = self.copied[index]
        return {**super().get_form_kwargs(index), **offered}

    @cached_property
    def empty_form(self) -> Any:
        """Return the row from which a script makes new ones; made once."""
        return super().empty_form

    def filled(self) -> list[Any]:
        """Return the forms that are steps."""
        return [form for form in self.forms if form.is_step]

    def drafts(self) -> list[StepDraft]:
        """Return the steps as they are wanted: those of the table, those copied, those that were added together."""
        drafts = [form.draft() for form in self.filled()] + self.copied_as_they_are + self.many.drafts()
        keys = {each.step.key for each in drafts}
        renamed = {form.key_before: form.instance.key for form in self.filled() if form.key_before not in keys}
        for each in drafts:  # a step that waits until another time is still the one that others come after
            each.depends_on = [renamed.get(key, key) for key in each.depends_on]
        return drafts

    def _beyond_reach(self) -> list[str]:
        """Return a sentence for each copied step that somebody limited to entities could not have added himself."""
        if self.of is None or self.source is None:
            return []
        wanted = [one for each in self.drafts() if (one := what_of(each.step))]
        return [self.targets.unknown(one.name) for one in wanted if one.value not in self.targets.by_value]

    def _draft(self) -> PlanDraft:
        """Return the plan as it is wanted, by somebody with the rights of this person."""
        after = getattr(self.instance, "after_wanted", None)
        rights: dict[str, Any] = {"may_script": self.may_script, "sight": self.sight}
        return PlanDraft(self.instance, {}, self.drafts(), after=after, stored=self.stored, **rights)

    def clean(self) -> None:
        """Hold the steps against the rules, each message at its field; circles are told for all of them."""
        if self.seen != self._mark:
            raise ValidationError(say(CHANGED_MEANWHILE))
        forms_filled = self.filled()
        for form in forms_filled if not self.may_script else ():
            if form.touches_a_script():
                form.add_error("what", say("Only people who may run SQL scripts may change such a step."))
        if any(form.errors for form in forms_filled) or not self.many.is_valid():
            if self.many.errors:
                raise ValidationError([text for texts in self.many.errors.values() for text in texts])
            return
        together = self._beyond_reach()
        has_work = any(not each.step.waits_for_time for each in self.drafts())
        if self.of is not None and not (has_work or self.instance.pk):
            together.append(say("Put one of your entities into it: a plan without steps is nobody's."))
        for path, texts in plan_errors(self._draft(), now=clock.now()).items():
            head, *rest = path.split(".")
            if head in AFTER_KEYS and head not in getattr(self.instance, "after_told", ()):
                together += texts  # the circle comes of these steps
            elif head == "steps" and not rest:
                together += texts
            elif head == "steps":
                place = int(rest[0])
                if place < len(forms_filled):
                    forms_filled[place].add_error(FIELD_OF.get(rest[1], rest[1]), list(map(ValidationError, texts)))
                else:
                    together += texts  # of one that was added with many others
        if together:
            raise ValidationError(together)
