"""The forms of an upload: the file, how it is read, and where each of its columns goes."""

from collections.abc import Mapping
from typing import Any

from django import forms

from staging.models import Entity
from staging.uploads.columns import targets
from staging.uploads.formats import Delimiter, Encoding, Format, Kind


class FileForm(forms.Form):
    """The file."""

    file = forms.FileField(
        label="File",
        allow_empty_file=True,
        help_text="CSV, an Excel workbook (.xlsx) or JSON lines. You see what is in it before anything is stored.",
        error_messages={"required": "Choose a file."},
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,.jsonl,.ndjson,.json"}),
    )


class ReadingForm(forms.Form):
    """How the file is read; what was found out is chosen already."""

    encoding = forms.ChoiceField(label="Encoding", choices=[(one.name, one.label) for one in Encoding])
    delimiter = forms.ChoiceField(label="Delimiter", choices=[(one.name, one.label.capitalize()) for one in Delimiter])
    head = forms.ChoiceField(
        label="First line", choices=[("yes", "names the columns"), ("no", "is a row like the others")]
    )

    def __init__(self, found: Format, data: Mapping[str, Any]):
        chosen = {
            "encoding": data.get("encoding") or found.encoding.name,
            "delimiter": data.get("delimiter") or found.delimiter.name,
            "head": data.get("head") or ("yes" if found.has_header else "no"),
        }
        super().__init__(chosen)
        self.found = found
        if found.kind != Kind.CSV:
            del self.fields["delimiter"]
        if found.kind == Kind.XLSX:
            del self.fields["encoding"]
        if found.kind == Kind.JSON_LINES:
            del self.fields["head"]

    def format(self) -> Format:
        """Return what was chosen; what was found out stands in the place of anything that is no choice."""
        self.full_clean()
        values = self.cleaned_data
        return Format(
            self.found.kind,
            Encoding[values["encoding"]] if "encoding" in values else self.found.encoding,
            Delimiter[values["delimiter"]] if "delimiter" in values else self.found.delimiter,
            values["head"] == "yes" if "head" in values else self.found.has_header,
        )


class MappingForm(forms.Form):
    """Where each column of the file goes, and the batch tag of its rows."""

    tag = forms.CharField(
        label="Batch tag",
        required=False,
        max_length=200,
        help_text="Names this delivery, so that a batch can take its rows alone and you find them again.",
        widget=forms.TextInput(attrs={"size": 40, "autocomplete": "off"}),
    )

    def __init__(self, entity: Entity, columns: list[str], suggested: Mapping[str, str], data: Any = None, **more: Any):
        super().__init__(data, **more)
        self.columns = columns
        choices = [("", "leave out"), *((name, name) for name in targets(entity))]
        for place, column in enumerate(columns):
            self.fields[f"to_{place}"] = forms.ChoiceField(
                label=column, required=False, choices=choices, initial=suggested.get(column, "")
            )

    def mapping(self) -> dict[str, str]:
        """Return the staged column of each column of the file."""
        return {column: self.cleaned_data[f"to_{place}"] for place, column in enumerate(self.columns)}
