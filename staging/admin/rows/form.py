"""The form that mends one rejected row: every staged value as the text it is."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from staging.models import Entity
from staging.states import ImportAction
from staging.wording import say

_LONG = 60  # characters; longer values and those with line breaks get a text area
_NAMES = {
    "code": _("Code"),
    "name": _("Name"),
    "new_code": _("New code"),
    "import_action": _("Import action"),
    "batch_tag": _("Batch tag"),
}


def value_columns(entity: Entity) -> list[str]:
    """Return the columns of a staged row that a deliverer fills, in reading order."""
    return ["code", "name", *names_in_use(entity), "new_code", "import_action", "batch_tag"]


def names_in_use(entity: Entity) -> list[str]:
    """Return the columns of the attributes in use."""
    return [item.name for item in entity.attributes.all() if not item.is_cancelled]


def fingerprint(row: Mapping[str, Any], columns: list[str]) -> str:
    """Return a digest of what a person saw, to notice on saving that somebody changed it meanwhile."""
    seen = repr([(column, row[column]) for column in columns])
    return sha256(seen.encode()).hexdigest()


class RowForm(forms.Form):
    """Staged values of one row; nothing is validated here, the next batch does that."""

    seen = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, entity: Entity, row: Mapping[str, Any], data: Any = None):
        # The prefix keeps an attribute's name apart from the page's own fields.
        super().__init__(data, prefix="value")
        self.row = row
        self.columns = value_columns(entity)
        self.fields["seen"].initial = fingerprint(row, self.columns)
        for column in self.columns:
            self.fields[f"column_{column}"] = _field(column, row[column])

    def is_stale(self) -> bool:
        """Return whether the row is no longer what the person saw when the form was opened."""
        return self.cleaned_data["seen"] != fingerprint(self.row, self.columns)

    def changes(self) -> dict[str, str | None]:
        """Return the values that were changed; a value that was emptied is None."""
        changed = {}
        for column in self.columns:
            old, new = self.row[column], self.cleaned_data[f"column_{column}"]
            old = "" if old is None else str(old)
            if "\r" not in old:  # browsers send every line break as CR LF
                new = new.replace("\r\n", "\n")
            if new != old:
                changed[column] = new or None
        return changed


def _field(column: str, value: Any) -> forms.Field:
    text = "" if value is None else str(value)
    if column == "import_action":
        return _action_field(text)
    is_long = len(text) > _LONG or "\n" in text or "\r" in text
    widget = forms.Textarea(attrs={"rows": 4, "cols": 60}) if is_long else forms.TextInput(attrs={"size": 60})
    widget.attrs["spellcheck"] = "false"
    widget.attrs["autocomplete"] = "off"
    return forms.CharField(label=_NAMES.get(column, column), required=False, strip=False, initial=text, widget=widget)


def _action_field(text: str) -> forms.Field:
    choices = [("", say("the entity's default")), *((str(action.value), str(action.label)) for action in ImportAction)]
    if text not in dict(choices):
        choices.append((text, say("{action} (unknown)", action=text)))
    return forms.ChoiceField(label=_NAMES["import_action"], required=False, initial=text, choices=choices)
