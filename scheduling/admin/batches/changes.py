"""One page of the changes of a preview: how many rows of each outcome, the filter, the rows, the way to the next."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.db import DatabaseError, transaction
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from staging.batches.shown.changes import SHOWN, ForeseenChange, ForeseenChanges
from staging.batches.shown.preview import kept_changes
from staging.models import OUTCOMES, KeptPreview
from staging.tables.sentences import sentences
from staging.wording import say

PAGE_ROWS = 50


class ChangesFilter(forms.Form):
    """Which changes; what is not valid does not filter."""

    outcome = forms.ChoiceField(
        required=False, choices=[("", _("changes")), *((word, word) for word in OUTCOMES)], label=_("Outcome")
    )
    column = forms.ChoiceField(required=False, label=_("Column that changes"))
    after = forms.IntegerField(required=False, min_value=0, max_value=10**17)

    def __init__(self, params: Mapping[str, str], columns: list[str]):
        """Read `params`; only these columns can be asked for."""
        super().__init__({name: params.get(name, "") for name in self.base_fields})
        field = self.fields["column"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", _("any")), *((column, column) for column in columns)]
        self.full_clean()

    def value(self, name: str) -> Any:
        """Return a valid choice, else nothing."""
        return self.cleaned_data.get(name) or ""


@dataclass(frozen=True)
class ShownChange:
    """One row as the page shows it."""

    change: ForeseenChange
    sentences: list[str]


@dataclass(frozen=True)
class ChangesPage:
    """What the template shows; `problem` says why there is nothing to show."""

    kept: KeptPreview
    filter: ChangesFilter
    rows: list[ShownChange]
    total: int
    outcomes: list[tuple[str, int, str]]
    first: str
    next: str
    problem: str = ""


def changes_page(kept: KeptPreview, params: Mapping[str, str], fixed: Mapping[str, Any], now: datetime) -> ChangesPage:
    """Return the page that `params` ask for; `fixed` are the parameters that every link keeps."""
    changes = kept_changes(kept, now)
    asked = ChangesFilter(params, ["code", *(field.name for field in changes.fields)])
    chosen = {"outcome": asked.value("outcome"), "column": asked.value("column")}
    try:
        rows, problem = _read(changes, asked), ""
    except DatabaseError:
        rows, problem = [], say("This preview cannot be read any more; make a new one.")
    more = len(rows) > PAGE_ROWS
    rows = rows[:PAGE_ROWS]
    return ChangesPage(
        kept=kept,
        filter=asked,
        rows=[ShownChange(row, _sentences(row, changes)) for row in rows],
        total=sum(kept.counts.values()),
        outcomes=_outcomes(kept, fixed),
        first=_query({**fixed, **chosen}) if asked.value("after") else "",
        next=_query({**fixed, **chosen, "after": rows[-1].number}) if more else "",
        problem=problem,
    )


def _read(changes: ForeseenChanges, asked: ChangesFilter) -> list[ForeseenChange]:
    with transaction.atomic():
        return changes.read(
            outcome=asked.value("outcome"),
            changed=asked.value("column"),
            after=asked.value("after") or 0,
            limit=PAGE_ROWS + 1,
        )


def _sentences(change: ForeseenChange, changes: ForeseenChanges) -> list[str]:
    return sentences(change.message, ["code", "new_code", "import_action", *(f.name for f in changes.fields)])


def _outcomes(kept: KeptPreview, fixed: Mapping[str, Any]) -> list[tuple[str, int, str]]:
    """Return each outcome with its rows and the address of its list, "" first for all that changes something."""
    counts = {
        "": sum(kept.counts.get(word, 0) for word in SHOWN),
        **{word: kept.counts.get(word, 0) for word in OUTCOMES},
    }
    return [(word, rows, _query({**fixed, "outcome": word})) for word, rows in counts.items() if rows or not word]


def _query(parts: Mapping[str, Any]) -> str:
    return "?" + urlencode({name: value for name, value in parts.items() if value not in ("", None)})
