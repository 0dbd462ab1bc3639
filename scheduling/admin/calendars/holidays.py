"""Importing holidays into a calendar: upload, see what the file says, confirm. Nothing is stored before that."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.inputs import zone_of
from scheduling.errors import InvalidSchedule
from scheduling.models import BlackoutCalendar
from scheduling.schedules.drafts import PeriodDraft
from scheduling.schedules.holidays import MAX_BYTES, import_holidays, read_holidays
from scheduling.states import PeriodKind
from staging.pages import ASK, page, row_or_404, shown, told
from staging.versions.reasons import missing
from staging.wording import counted, say

_SHOWN = 200  # of a long file the preview shows the beginning
_AN_HOUR = 3600


class ImportForm(forms.Form):
    """The file, and whether it replaces what the calendar has."""

    file = forms.FileField(
        label=_("File"),
        allow_empty_file=True,
        help_text=_(
            "iCalendar (.ics) or CSV. A line of CSV is a date, perhaps a last date, perhaps a note: "
            "2026-12-25,2026-12-26,Christmas."
        ),
        error_messages={"required": _("Choose a file.")},
        widget=forms.FileInput(attrs={"accept": ".ics,.csv,.txt,text/calendar,text/csv"}),
    )
    replace = forms.BooleanField(
        required=False,
        label=_("Replace"),
        help_text=_("The days and yearly dates it has now are taken out first; weekly windows stay."),
    )


@page("change", methods=ASK)
def import_page(model_admin: ModelAdmin[BlackoutCalendar], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for a file (GET), show what it says (POST of a file), store it (POST of what was shown)."""
    calendar = row_or_404(model_admin.get_queryset(request), pk, say("There is no such calendar."))
    if request.method != "POST":
        return _shown(model_admin, request, calendar, form=ImportForm())
    if "drafts" in request.POST:
        return _store(model_admin, request, calendar)
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _shown(model_admin, request, calendar, form=form)
    return _preview(model_admin, request, calendar, form)


def _preview(
    model_admin: ModelAdmin[BlackoutCalendar], request: HttpRequest, calendar: BlackoutCalendar, form: ImportForm
) -> HttpResponse:
    """Show what the file says, to be confirmed; or every fault with its line."""
    upload = form.cleaned_data["file"]
    today = clock.now().astimezone(zone_of(calendar.timezone)).date()
    try:
        drafts = read_holidays(upload.read(MAX_BYTES + 1), upload.name, today=today)
    except InvalidSchedule as error:
        return _shown(model_admin, request, calendar, form=form, faults=_faults(error))
    return _shown(
        model_admin,
        request,
        calendar,
        drafts=[(draft, PeriodKind(draft.kind).label) for draft in drafts[:_SHOWN]],
        total=len(drafts),
        hidden=len(drafts[_SHOWN:]),
        replace=form.cleaned_data["replace"],
        file=upload.name,
        signed=_signed(calendar, drafts, upload.name),
    )


def _store(model_admin: ModelAdmin[BlackoutCalendar], request: HttpRequest, calendar: BlackoutCalendar) -> HttpResponse:
    """Store what was shown, and lead back to the calendar."""
    if fault := missing(request):
        return told(request, fault, request.path, messages.ERROR)
    try:
        drafts, file = _unsigned(calendar, request.POST["drafts"])
        new = import_holidays(calendar, drafts, replace=request.POST.get("replace") == "on")
    except signing.BadSignature:
        text = say("What was shown is too old, or was changed on the way. Choose the file again; nothing was stored.")
        return told(request, text, request.path, messages.ERROR)
    except InvalidSchedule as error:
        return _shown(model_admin, request, calendar, form=ImportForm(), faults=_faults(error))
    except BlackoutCalendar.DoesNotExist:
        raise Http404(say("Somebody deleted the calendar at the same moment.")) from None
    known = len(drafts) - new
    also = say("; {were} there already", were=counted(known, "was", "were")) if known else ""
    model_admin.log_change(
        request, calendar, [{"changed": {"fields": [say("Imported {new} periods from {file}", new=new, file=file)]}}]
    )
    text = say("{periods} imported{also}.", periods=counted(new, "period", "periods"), also=also)
    return told(request, text, reverse("admin:scheduling_blackoutcalendar_change", args=[calendar.pk]))


def _shown(
    model_admin: ModelAdmin[BlackoutCalendar], request: HttpRequest, calendar: BlackoutCalendar, **more: Any
) -> HttpResponse:
    return shown(
        model_admin,
        request,
        "scheduling/calendar_import.html",
        title=say("Import holidays into {calendar}", calendar=calendar.name),
        calendar=calendar,
        **more,
    )


def _faults(error: InvalidSchedule) -> list[tuple[str, str]]:
    """Return where each fault stands and what it is."""
    return [(place, text) for place, texts in error.errors.items() for text in texts]


def _salt(calendar: BlackoutCalendar) -> str:
    """Return what binds a preview to its calendar."""
    return f"scheduling.holidays.{calendar.pk}"


def _signed(calendar: BlackoutCalendar, drafts: list[PeriodDraft], file: str) -> str:
    """Return the drafts as text that nobody can change on its way through the browser."""
    rows = [
        {**asdict(draft), **{name: str(getattr(draft, name) or "") for name in ("first_day", "last_day")}}
        for draft in drafts
    ]
    return signing.dumps({"file": file, "drafts": rows}, salt=_salt(calendar), compress=True)


def _unsigned(calendar: BlackoutCalendar, text: str) -> tuple[list[PeriodDraft], str]:
    """Return the drafts and the file's name; raises BadSignature for text that is not ours, or older than an hour."""
    found = signing.loads(text, salt=_salt(calendar), max_age=_AN_HOUR)
    drafts = [
        PeriodDraft(**{**row, **{name: _day(row[name]) for name in ("first_day", "last_day")}})
        for row in found["drafts"]
    ]
    return drafts, found["file"]


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None
