"""The form by which a person gives what a job or a plan takes: a field for each argument or parameter."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from scheduling.admin.inputs import TypedItems
from scheduling.errors import InvalidArguments
from scheduling.jobs.arguments import EXPECTED, JobParameter, as_json, parameters_of
from scheduling.jobs.discover import function_of
from scheduling.models import Job
from scheduling.plans.parameters import PlanParameter
from staging.wording import say

_YES_NO = [("true", _("yes")), ("false", _("no"))]
_ANNOTATIONS: dict[str, Any] = {"text": str, "integer": int, "number": float, "boolean": bool, "list": list}
_AS_JSON = (int, float, bool)  # what is typed is read as JSON has it


class ArgumentsForm(forms.Form):
    """What is given to a run. What is left empty is left out, so that its default counts."""

    def __init__(self, parameters: Iterable[JobParameter], data: Any = None):
        """Make a field for each argument."""
        super().__init__(data, prefix="argument")
        self._parameters = {each.name: each for each in parameters}
        for name, parameter in self._parameters.items():
            self.fields[name] = _field(parameter)

    def given(self) -> dict[str, Any]:
        """Return what was filled in, as JSON has it where it can be read; the rules of arguments judge it."""
        filled = {name: self.cleaned_data.get(name, "") for name in self._parameters}
        filled = {name: value for name, value in filled.items() if value != ""}
        return {name: value if isinstance(value, list) else _read(value, self._parameters[name])
                for name, value in filled.items()}  # fmt: skip

    def refuse(self, error: InvalidArguments) -> None:
        """Show each fault at its field."""
        for name, texts in error.errors.items():
            for text in texts:
                self.add_error(name if name in self.fields else None, text)


def of_job(job: Job) -> tuple[JobParameter, ...]:
    """Return what a job takes beside its context; nothing when its code is not here."""
    function = None
    with suppress(ImportError):  # which was logged
        function = function_of(job.path)
    return parameters_of(function) if function else ()


def of_plans(parameters: Mapping[str, PlanParameter]) -> tuple[JobParameter, ...]:
    """Return the parameters of plans, as a job would take them."""
    return tuple(
        JobParameter(each.name, _ANNOTATIONS[each.kind], not each.has_default, each.default)
        for each in parameters.values()
    )


def _field(parameter: JobParameter) -> forms.Field:
    """Return the field of one argument; whether it may be empty is for the rules to say."""
    common: dict[str, Any] = {"required": False, "label": parameter.name, "help_text": _help(parameter)}
    choices = [(str(as_json(value)), str(value)) for value in parameter.choices]
    if not choices and bool in parameter.kinds:
        choices = [(value, str(words)) for value, words in _YES_NO]
    if choices:
        return forms.ChoiceField(choices=[("", "—"), *choices], **common)
    if _is_list(parameter):
        return TypedItems(label=parameter.name, help_text=common["help_text"])
    return forms.CharField(strip=False, widget=forms.TextInput(attrs={"autocomplete": "off"}), **common)


def _help(parameter: JobParameter) -> str:
    """Return what may be written, and what counts when nothing is."""
    words = [say(EXPECTED[kind]) for kind in parameter.kinds if kind in EXPECTED and kind is not type(None)]
    words = [say("one item in a line, or a list as JSON")] if _is_list(parameter) else words
    kinds = ", ".join(words) or (say("one of these") if parameter.choices else say("JSON"))
    if parameter.is_required:
        return say("Required: {kinds}.", kinds=kinds)
    return say("Optional: {kinds}. Empty: {default}.", kinds=kinds, default=_shown(parameter.default))


def _is_list(parameter: JobParameter) -> bool:
    """Return whether it is a list of anything, and nothing else: so a line may be an item of it."""
    return parameter.kinds == (list,)


def _shown(default: Any) -> str:
    return say("nothing") if default is None else str(as_json(default))


def _read(text: str, parameter: JobParameter) -> Any:
    """Return what was typed as JSON has it: text stays text where text is taken, all else is read as JSON if it is."""
    for choice in parameter.choices:
        if str(as_json(choice)) == text:
            return choice
    is_plain = all(kind in EXPECTED and kind not in (*_AS_JSON, Any, list, dict) for kind in parameter.kinds)
    if str in parameter.kinds or is_plain:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
