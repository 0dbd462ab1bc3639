"""The inputs of a step that no model has: what it does, which steps come before it, and what of them it asks."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from scheduling.admin.inputs import items_area, read_items
from scheduling.admin.plans.targets import Target, Targets
from scheduling.dag.conditions import InvalidCondition, parsed, place_line, place_of, stored_conditions
from scheduling.models import PlanStep, SqlScript
from scheduling.plans.each import EACH_COLUMNS
from scheduling.plans.parameters import references
from scheduling.plans.waits import WAIT_COLUMNS
from scheduling.schedules.deadlines import DEADLINE_COLUMNS
from scheduling.subjects.plan import STEP_LABELS
from staging.wording import aloud, say

COLUMNS = [
    "step_index", "priority", "run_if", "only_when", "continue_on_failure", "attempts", "retry_interval_seconds",
    "retry_backoff", "retry_on", "timeout_seconds", "arguments", "is_cancelled", "for_each", "for_each_result",
    "side_by_side", *WAIT_COLUMNS, *DEADLINE_COLUMNS,
]  # fmt: skip
BESIDE = (
    "run_if", "only_when", "priority", "attempts", "retry_interval_seconds", "retry_backoff", "retry_on",
    "timeout_seconds", *DEADLINE_COLUMNS, "arguments", *EACH_COLUMNS, *WAIT_COLUMNS,
)  # fmt: skip
# Where a fault of the rules is shown; other names are fields of the form.
FIELD_OF = {**dict.fromkeys(("entity", "job_name", "script", "sub_plan"), "what"), "depends_on": "after"}
LABELS = STEP_LABELS
HELP = {
    "side_by_side": _("So many items at a time at most. Empty: as many as the queue takes."),
    "wait_days": _("Empty: on the day of the run."),
    "wait_minutes": _("What: Wait for a time. From when it is the step's turn."),
    "wait_rows": _("What: an entity. It is not processed; the step waits until so many rows wait in it."),
    "wait_query": _("What: a SQL script. It is asked once a minute until it answers true."),
    "wait_name": _("Two alike in one run need a name each."),
    "attempts": _("Empty: as the plan says."),
    "retry_interval_seconds": _("Empty: as the plan says."),
    "timeout_seconds": _("Empty: as the plan says."),
}
SUGGESTIONS = "step-targets"  # the one list of names for all inputs of a page


class What(forms.Field):
    """What a step does: chosen from a list, or typed where the lists of a page would be thousands of lines."""

    def __init__(self, **kwargs: Any):
        """Begin without anything to choose."""
        super().__init__(required=False, widget=forms.Select, **kwargs)
        self.targets = Targets([])
        self.own: Target | None = None
        self.is_typed = False

    def offer(self, targets: Targets, own: Target | None, *, is_typed: bool) -> None:
        """Offer these; `own` is what the step does already, which need not be among them."""
        self.targets, self.own, self.is_typed = targets, own, is_typed
        if is_typed:
            self.widget = forms.TextInput(attrs={"list": SUGGESTIONS, "autocomplete": "off"})
            return
        extra = [(own.value, own.title)] if own and own.value not in targets.by_value else []
        self.widget = forms.Select(choices=[("", _("choose …")), *targets.choices(), *extra])

    @property
    def choices(self) -> Any:
        """Return what the list offers; nothing where names are typed."""
        return getattr(self.widget, "choices", [])

    def target(self, value: str) -> Target | None:
        """Return the target that a cleaned value stands for."""
        return self.own if self.own and value == self.own.value else self.targets.by_value.get(value)

    def to_python(self, value: Any) -> str:
        """Return the value of what was chosen or typed; empty for nothing."""
        text = str(value or "").strip()
        if not text or (self.own and text in (self.own.value, self.own.name)):
            return self.own.value if text and self.own else ""
        found = self.targets.find(text)
        if found is None:
            raise ValidationError(self.targets.unknown(text))
        return found.value

    def prepare_value(self, value: Any) -> Any:
        """Return what the input shows."""
        target = self.target(str(value or "")) if self.is_typed else None
        return target.name if target else value


class _Lines(forms.Textarea):
    """Names, one in a line. What a list sent, for it was one when the page was shown, are lines as well."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """Return all that was sent: of several values a text area alone would read the last."""
        return "\n".join(data.getlist(name)) if hasattr(data, "getlist") else data.get(name)


class Several(forms.MultipleChoiceField):
    """Several of many things: chosen from a list, or typed, one in a line, where the list would be long."""

    def __init__(self, **kwargs: Any):
        """Begin without anything to choose."""
        super().__init__(required=False, **kwargs)
        self.targets, self.is_typed, self._offered = Targets([]), False, frozenset[str]()

    def offer(self, targets: Targets, choices: list[Any], values: Collection[str], *, is_typed: bool) -> None:
        """Offer these choices, which have these values, of all that the names that people type may mean."""
        self.targets, self.is_typed, self._offered = targets, is_typed, frozenset(values)
        if is_typed:
            self.widget = _Lines(attrs={"rows": 5, "cols": 40, "spellcheck": "false"})
        self.choices = [] if is_typed else choices

    def to_python(self, value: Any) -> list[str]:
        """Return the values of what was chosen or typed, each once; tells each line that names nothing."""
        found, faults = dict[str, None](), []
        for line in _lines_of(value):
            if (one := self.targets.find(line)) is not None and one.value in self._offered:
                found[one.value] = None
            elif self.is_typed:
                faults.append(
                    self.targets.unknown(line) if one is None else say("{line!r} is not for here.", line=line)
                )
            else:
                found[line] = None  # which is among no choices
        if faults:
            raise ValidationError(faults)
        return list(found)

    def valid_value(self, value: Any) -> bool:
        """Return whether this was offered."""
        return str(value) in self._offered

    def prepare_value(self, value: Any) -> Any:
        """Return what the input shows: the values, or a line for each."""
        if not (self.is_typed and isinstance(value, list | tuple)):
            return value
        return "\n".join(one.name for key in value if (one := self.targets.by_value.get(key)))

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether others were chosen than were; their order says nothing."""
        try:
            return {*(initial or [])} != {*self.to_python(data)}
        except ValidationError:
            return True


def _lines_of(value: Any) -> list[str]:
    """Return what a list, or lines of text, sent: without the empty ones."""
    texts = value if isinstance(value, list | tuple) else [value or ""]
    return [line for text in texts for each in str(text).splitlines() if (line := _in_line(each))]


class After(forms.Field):
    """Names of steps that come before; whether there is such a step is the rules' to say."""

    def __init__(self, **kwargs: Any):
        """Begin without names."""
        super().__init__(required=False, widget=forms.SelectMultiple(attrs={"size": 3}), **kwargs)
        self.known: dict[str, str] = {}

    def offer(self, keys: Collection[str] | None, known: Collection[str]) -> None:
        """Offer these names in a list; None: they are typed, one in a line. `known` are those of the step now."""
        self.known = {_in_line(key): key for key in known}
        if keys is None:
            self.widget = _Lines(attrs={"rows": 2, "cols": 22, "spellcheck": "false"})
        else:
            self.widget.choices = [(key, key) for key in keys]

    def to_python(self, value: Any) -> list[str]:
        """Return the names, each once."""
        texts = [str(text) for text in value] if isinstance(value, list | tuple) else [str(value or "")]
        lines = (line for text in texts for line in ([text] if text in self.known.values() else text.splitlines()))
        named = (line if line in self.known.values() else _in_line(line) for line in lines)
        return list(dict.fromkeys(self.known.get(name, name) for name in named if name))

    def prepare_value(self, value: Any) -> Any:
        """Return what the input shows: a list, or a line for each."""
        if isinstance(self.widget, forms.Textarea) and isinstance(value, list | tuple):
            return "\n".join(map(_in_line, value))
        return value

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether others are named than were; their order says nothing."""
        return sorted(initial or []) != sorted(self.to_python(data))


class Conditions(forms.Field):
    """Conditions, one in a line; whether a plan has the steps that they name is the rules' to say."""

    def __init__(self, **kwargs: Any):
        """Ask with a small text area."""
        widget = forms.Textarea(attrs={"rows": 2, "cols": 40, "spellcheck": "false"})
        super().__init__(required=False, widget=widget, **kwargs)

    def to_python(self, value: Any) -> list[dict[str, Any]] | None:
        """Return the conditions as a step keeps them, None without any; tells each line that is none."""
        found, faults = [], []
        for line in str(value or "").splitlines():
            try:
                found += [parsed(line).as_json()] if line.strip() else []
            except InvalidCondition as error:
                faults.append(say("{line}: {text}", line=line.strip(), text=error))
        if faults:
            raise ValidationError(faults)
        return found or None

    def prepare_value(self, value: Any) -> Any:
        """Return what the input shows: a line for each, or the text as it was typed."""
        if value is None or isinstance(value, str):
            return value
        return "\n".join(condition.line for condition in stored_conditions(value))

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether other conditions were sent than were shown, or what is none."""
        try:
            return bool(self.prepare_value(initial) != self.prepare_value(self.to_python(data)))
        except ValidationError:
            return True


class _Typed(forms.Field):
    """A text that stands for a value of a step; whether the value is right is for the rules to say."""

    def prepare_value(self, value: Any) -> Any:
        """Return what the input shows: the value as people write it, or the text as it was typed."""
        return value if value is None or isinstance(value, str) else self.written(value)

    def written(self, value: Any) -> str:
        """Return a value as people write it."""
        raise NotImplementedError

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether another value was sent than was shown, or what is none."""
        try:
            return bool(self.to_python(self.prepare_value(initial)) != self.to_python(data))
        except ValidationError:
            return True


class Items(_Typed):
    """A list of items: one in a line, or as JSON; or the parameter that is one."""

    def __init__(self, **kwargs: Any):
        """Ask with a small text area."""
        super().__init__(required=False, widget=items_area(), **kwargs)

    def to_python(self, value: Any) -> Any:
        """Return the list, or the name of the parameter in its braces; None for nothing."""
        text = str(value or "").strip()
        if not text or references(text):
            return text or None
        return read_items(text)

    def written(self, value: Any) -> str:
        """Return a line for each text; else JSON."""
        texts = [
            item for item in value if isinstance(item, str) and item == item.strip() and len(item.splitlines()) == 1
        ]
        is_plain = (
            bool(texts) and len(texts) == len(value) and not texts[0].startswith("[") and not references(texts[0])
        )
        return "\n".join(texts) if is_plain else json.dumps(value, ensure_ascii=False)


class ListPlace(_Typed):
    """A step and where its list stands in what it gave: "job List: regions"."""

    def __init__(self, **kwargs: Any):
        """Ask with one line."""
        widget = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
        super().__init__(required=False, widget=widget, **kwargs)

    def to_python(self, value: Any) -> dict[str, Any] | None:
        """Return it as a step keeps it; None for nothing."""
        if not str(value or "").strip():
            return None
        try:
            found = place_of(str(value).strip())
        except InvalidCondition as error:
            raise ValidationError(aloud(error)) from None
        return {"step": found.step, "path": found.path}

    def written(self, value: Any) -> str:
        """Return the line that says it."""
        return place_line(value)


class ScriptNamed(_Typed):
    """A SQL script by its name."""

    def __init__(self, **kwargs: Any):
        """Ask with one line."""
        super().__init__(required=False, widget=forms.TextInput(attrs={"autocomplete": "off"}), **kwargs)

    def to_python(self, value: Any) -> SqlScript | None:
        """Return the script that is called so; None for nothing."""
        name = str(value or "").strip()
        found = SqlScript.objects.filter(name=name).first() if name else None
        if name and found is None:
            raise ValidationError(say("There is no script {name!r}.", name=name))
        return found

    def written(self, value: Any) -> str:
        """Return its name."""
        return str(value.name)


def _in_line(key: str) -> str:
    """Return a name on one line."""
    return " ".join(key.split())


class KnownStep(forms.ModelChoiceField):
    """The key of a stored step, which is among those that were read already."""

    def __init__(self, steps: Collection[PlanStep], **kwargs: Any):
        """Take the steps of the page, or those that were sent."""
        super().__init__(PlanStep.objects.none(), required=False, widget=forms.HiddenInput, **kwargs)
        self._steps = steps

    def to_python(self, value: Any) -> PlanStep | None:
        """Return the step with this key; one that is not among them is a fault, as it is to Django."""
        if value in self.empty_values:
            return None
        found = next((step for step in self._steps if str(step.pk) == str(getattr(value, "pk", value))), None)
        if found is None:
            raise ValidationError(self.error_messages["invalid_choice"], code="invalid_choice", params={"value": value})
        return found
