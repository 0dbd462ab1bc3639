"""What is wrong now: since when, by which rule, who looks after it; and the same of what is over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.inputs import LocalMoment, zone_of
from scheduling.admin.keyset import link
from scheduling.alerts.message import place_of_alert, sentence_of
from scheduling.alerts.rules import rest_error
from scheduling.lifecycle.alerts import acknowledge, hand_back, snooze
from scheduling.models import Alert
from scheduling.schedules.responsibility import only_mine, owners_of
from staging.pages import DO, ReadOnlyPages, may, number_in, page, row_or_404, seen, shown, told, warned
from staging.rights import reach, visible
from staging.wording import counted, said_together, say

_ANSWERS = "scheduling.acknowledge_alert"
_PAGE_SIZE = 100
SNOOZES = {"1h": (timedelta(hours=1), _("for an hour")), "8h": (timedelta(hours=8), _("for eight hours")),
           "1d": (timedelta(days=1), _("for a day")), "7d": (timedelta(days=7), _("for a week"))}  # fmt: skip


@dataclass(frozen=True)
class AlertRow:
    """One alert in the list: itself, its sentence, the page that explains it; and whether the reader may answer it."""

    alert: Alert
    sentence: str
    url: str
    rests: bool
    may_answer: bool = False


class DeskForm(forms.Form):
    """What somebody says who looks after an alert."""

    comment = forms.CharField(
        label=_("Comment"), max_length=500, required=False, help_text=_("Everybody who sees the alert reads it.")
    )


class SnoozeForm(forms.Form):
    """For how long an alert shall rest: one of some times, or until an instant by the clocks of the reader."""

    time = forms.ChoiceField(
        label=_("Let it rest"), choices=[(key, words) for key, (_, words) in SNOOZES.items()], required=False
    )

    def __init__(self, data: Any = None, *, now: datetime):
        """Read the instant in the zone of the reader, and count from `now`."""
        super().__init__(data)
        self.now, zone = now, zone_of(str(get_current_timezone()))
        self.fields["until"] = LocalMoment(zone=zone, required=False, label=say("or until ({zone})", zone=zone.key))

    def clean_until(self) -> datetime | None:
        """Return the instant, if one is given and may be."""
        until: datetime | None = self.cleaned_data["until"]
        if until is not None and (wrong := rest_error(until, self.now)):
            raise ValidationError(wrong)
        return until

    def rests_until(self) -> datetime | None:
        """Return until when it shall rest, None for no longer; only of a valid form. An instant comes before a time."""
        time = self.cleaned_data["time"]
        until: datetime | None = self.cleaned_data["until"] or (self.now + SNOOZES[time][0] if time else None)
        return until


@page("acknowledge_alert", methods=DO)
def acknowledge_page(model_admin: ModelAdmin[Alert], request: HttpRequest, pk: int) -> HttpResponse:
    """Note that this person looks after an alert."""
    alert, form = _alert(request, pk), DeskForm(request.POST)
    if not form.is_valid():
        return warned(request, form.errors["comment"][0], _page(pk))
    by, comment = request.user.get_username(), form.cleaned_data["comment"]
    if not acknowledge(alert.pk, by=by, comment=comment, now=clock.now()):
        return warned(request, say("It is over by now, or somebody else looks after it."), _page(pk))
    return told(request, say("You look after it; nobody is reminded of it."), _page(pk))


@page("acknowledge_alert", methods=DO)
def hand_back_page(model_admin: ModelAdmin[Alert], request: HttpRequest, pk: int) -> HttpResponse:
    """Let an alert be nobody's again."""
    if not hand_back(_alert(request, pk).pk):
        return warned(request, say("It is over by now, or nobody looked after it."), _page(pk))
    return told(request, say("Nobody looks after it now."), _page(pk))


@page("acknowledge_alert", methods=DO)
def snooze_page(model_admin: ModelAdmin[Alert], request: HttpRequest, pk: int) -> HttpResponse:
    """Let an alert rest for a while, or no longer."""
    alert, form = _alert(request, pk), SnoozeForm(request.POST, now=clock.now())
    if not form.is_valid():
        return warned(request, next(iter(form.errors.values()))[0], _page(pk))
    until = form.rests_until()
    if not snooze(alert.pk, by=request.user.get_username(), until=until):
        return warned(request, say("It is over by now."), _page(pk))
    if until is None:
        return told(request, say("It rests no longer."), _page(pk))
    return told(request, say("It rests until {until}: nobody is reminded of it.", until=until), _page(pk))


@page("acknowledge_alert", methods=DO)
def chosen_page(model_admin: ModelAdmin[Alert], request: HttpRequest) -> HttpResponse:
    """Look after the alerts that were chosen in the list, let them rest, or hand them back."""
    now, by, back = clock.now(), request.user.get_username(), _list(request.POST.get("mine") == "yes")
    desk, rest = DeskForm(request.POST), SnoozeForm(request.POST, now=now)
    if not (desk.is_valid() and rest.is_valid()):
        return warned(request, next(iter((desk.errors or rest.errors).values()))[0], back)
    chosen = _chosen(request)
    if not chosen:
        return warned(request, say("Choose alerts first."), back)
    verb, until = request.POST.get("verb"), rest.rests_until()
    if verb == "snooze":
        done = snooze(*chosen, by=by, until=until)
        said = _rest(done, until)
    elif verb == "hand_back":
        done = hand_back(*chosen)
        said = say("Nobody looks after {alerts} now.", alerts=counted(done, "alert", "alerts"))
    else:
        done = acknowledge(*chosen, by=by, comment=desk.cleaned_data["comment"], now=now)
        said = say("You look after {alerts}: nobody is reminded.", alerts=counted(done, "alert", "alerts"))
    if not done:
        return warned(request, say("Nothing changed: they are over by now, or somebody was faster."), back)
    left = counted(len(chosen) - done, "other stays as it is.", "others stay as they are.")
    return told(request, said_together(said, left if done < len(chosen) else ""), back)


def _rest(number: int, until: datetime | None) -> str:
    alerts = counted(number, "alert rests", "alerts rest")
    if until is None:
        return say("{alerts} no longer.", alerts=alerts)
    return say("{alerts} until {until}: nobody is reminded.", alerts=alerts, until=until)


def _chosen(request: HttpRequest) -> list[int]:
    """Return those of the ticked alerts, or of all that the list has on its pages, that this person may answer."""
    rows: Any = _answerable(seen(Alert.objects.all(), request), request)
    if not request.POST.get("all"):
        ticked = (number_in(text) for text in request.POST.getlist("alert"))
        rows = rows.filter(pk__in=[pk for pk in ticked if pk is not None])
    else:
        rows = only_mine(rows.open(), request.user) if request.POST.get("mine") == "yes" else rows.open()
    return list(rows.values_list("pk", flat=True))


def _answerable(alerts: Any, request: HttpRequest) -> Any:
    return visible(alerts, reach(request.user, _ANSWERS))


@admin.register(Alert)
class AlertAdmin(ReadOnlyPages):
    """The list of what is wrong, and the page of one alert."""

    pages = (
        ("chosen/", chosen_page, "scheduling_alert_chosen"),
        ("<int:pk>/acknowledge/", acknowledge_page, "scheduling_alert_acknowledge"),
        ("<int:pk>/hand-back/", hand_back_page, "scheduling_alert_hand_back"),
        ("<int:pk>/snooze/", snooze_page, "scheduling_alert_snooze"),
    )

    def has_acknowledge_alert_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may look after alerts, or this one."""
        return request.user.has_perm(_ANSWERS, obj)

    @page("view")
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show what is wrong now, the newest first, or with `?state=over` what was."""
        now, is_over = clock.now(), request.GET.get("state") == "over"
        rows: Any = seen(Alert.objects.all(), request)
        is_mine = request.GET.get("mine") == "yes"
        rows = only_mine(rows, request.user) if is_mine else rows
        rows = rows.filter(ended_at__isnull=False).order_by("-ended_at") if is_over else rows.open()
        cut = Paginator(rows.select_related("rule"), _PAGE_SIZE).get_page(request.GET.get("page"))
        may_answer = not is_over and may(self, request, "acknowledge_alert")
        return shown(
            self, request, "scheduling/alerts.html",
            title=say("What was wrong") if is_over else say("What is wrong now"),
            rows=_choosable(list(_rows(cut.object_list, now)), request, may_answer), page=cut,
            may_answer=may_answer, desk_form=DeskForm(), snooze_form=SnoozeForm(now=now),
            is_over=is_over, is_mine=is_mine, now=now,
            views=_views(is_over, is_mine),
            newer_url=_other(cut.number - 1, is_over, is_mine) if cut.has_previous() else "",
            older_url=_other(cut.number + 1, is_over, is_mine) if cut.has_next() else "",
        )  # fmt: skip

    @page("view")
    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one alert, and what may be done about it."""
        now, alert = clock.now(), _alert(request, object_id)
        (row,) = _rows([alert], now)
        return shown(
            self, request, "scheduling/alert.html", title=row.sentence, row=row, alert=alert, now=now,
            owned=owners_of([alert]).get(alert.pk),
            desk_form=DeskForm(), snooze_form=SnoozeForm(now=now),
            may_answer=alert.ended_at is None and may(self, request, "acknowledge_alert", of=alert),
        )  # fmt: skip


def _rows(alerts: Any, now: datetime) -> Iterator[AlertRow]:
    for alert in alerts:
        rests = alert.snoozed_until is not None and alert.snoozed_until > now
        yield AlertRow(alert, sentence_of(alert), place_of_alert(alert), rests)


def _choosable(rows: list[AlertRow], request: HttpRequest, may_answer: bool) -> list[AlertRow]:
    """Return the rows, each with whether this person may answer it: not everybody may answer for all he sees."""
    if not may_answer or reach(request.user, _ANSWERS) is None:
        return [replace(row, may_answer=may_answer) for row in rows]
    keys = [row.alert.pk for row in rows]
    known = set(_answerable(Alert.objects.filter(pk__in=keys), request).values_list("pk", flat=True))
    return [replace(row, may_answer=row.alert.pk in known) for row in rows]


def _list(is_mine: bool) -> str:
    return reverse("admin:scheduling_alert_changelist") + link({"mine": "yes" if is_mine else ""})


def _other(number: int, is_over: bool, is_mine: bool) -> str:
    return link({"state": "over" if is_over else "", "mine": "yes" if is_mine else "", "page": str(number)})


def _views(is_over: bool, is_mine: bool) -> list[tuple[str, str, bool]]:
    """Return what else the list can show: address, words, and whether it is shown now."""
    state, whose = {"state": "over" if is_over else ""}, {"mine": "yes" if is_mine else ""}
    return [
        (link({"state": "", **whose}), say("Wrong now"), not is_over),
        (link({"state": "over", **whose}), say("Over"), is_over),
        (link({**state, "mine": ""}), say("Everybody’s"), not is_mine),
        (link({**state, "mine": "yes"}), say("Mine"), is_mine),
    ]


def _alert(request: HttpRequest, key: int | str) -> Alert:
    alerts: QuerySet[Alert] = seen(Alert.objects.select_related("rule", "entity"), request)
    return row_or_404(alerts, key, say("There is no such alert."))


def _page(pk: int) -> str:
    return reverse("admin:scheduling_alert_change", args=[pk])
