"""Alerts: what is wrong, and who looks after it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from scheduling.alerts.message import address_of_alert, sentence_of
from scheduling.alerts.rules import LONGEST_REST, rest_error
from scheduling.api.base import LONGEST_COMMENT, SchedulingResource, instant
from scheduling.api.processing import instant_of
from scheduling.errors import SchedulingError
from scheduling.lifecycle.alerts import acknowledge, hand_back, snooze
from scheduling.models import Alert
from scheduling.states import AlertCondition
from staging.api.kit.doors import TOGETHER, Answer, Body, answer, door
from staging.api.kit.listing import page_example, page_schema, paged
from staging.api.kit.parameters import MINE, PAGED, Parameter
from staging.api.kit.problems import invalid
from staging.model_files.shape import TEXT, WHOLE
from staging.pages import row_or_404
from staging.states import Scope
from staging.wording import say

_TEXT = {"type": "string"}
_MAYBE = {"type": ["string", "null"]}
_INSTANT = {"type": ["string", "null"], "format": "date-time"}
_ALERT = {
    "type": "object",
    "required": ["id", "rule", "condition", "text", "entity", "opened_at", "ended_at", "acknowledged_by"],
    "properties": {
        "id": {"type": "integer"},
        "rule": _TEXT,
        "condition": {"type": "string", "enum": [*AlertCondition.values]},
        "text": _TEXT,
        "entity": _MAYBE,
        "opened_at": _INSTANT,
        "ended_at": _INSTANT,
        "acknowledged_by": _TEXT,
        "acknowledged_at": _INSTANT,
        "comment": _TEXT,
        "snoozed_until": _INSTANT,
        "url": {"type": "string", "description": "The page that explains it."},
    },
}
_EXAMPLE = {
    "id": 5,
    "rule": "A run failed",
    "condition": "failed",
    "text": "Customer failed.",
    "entity": "customer",
    "opened_at": "2026-03-01T06:00:00+00:00",
    "ended_at": None,
    "acknowledged_by": "",
    "acknowledged_at": None,
    "comment": "",
    "snoozed_until": None,
    "url": "https://scheduler.example.com/admin/scheduling/run/7/change/",
}
_ANSWER = Answer(_ALERT, _EXAMPLE, "The alert as it is now.")


class AlreadyAnswered(SchedulingError):
    """The alert is over, or what was asked for is so already."""


class _OfAlerts(SchedulingResource):
    """What all addresses of one alert do alike."""

    def find_alert(self, number: int) -> Alert:
        """Return an alert; a 404 when there is none, a 403 when it is of another entity than the caller's."""
        alerts = Alert.objects.select_related("rule", "entity")
        alert = row_or_404(alerts, number, say("There is no alert {number}.", number=number))
        self.caller.insist_on_thing(alert, say("Alert {number}", number=number))
        return alert

    def settled(self, alert: Alert, changed: int) -> dict[str, Any]:
        """Return the alert as it is now. Raises AlreadyAnswered when nothing was changed."""
        if not changed:
            raise AlreadyAnswered(say("Alert {alert} is over, or somebody was faster.", alert=alert.pk))
        return _shown(self.find_alert(alert.pk))


class Alerts(SchedulingResource):
    """The alerts that the caller may see, newest first."""

    @door(
        Scope.READ,
        "scheduling.view_alert",
        summary="List what is wrong now, or what was, newest first",
        query=(
            Parameter(
                "state",
                "text",
                "open (what is wrong now), over, or all.",
                choices=("open", "over", "all"),
                usual="open",
            ),
            Parameter("entity", "text", "Only alerts of the entity with this code."),
            MINE,
            *PAGED,
        ),
        answers={200: answer(page_schema(_ALERT), page_example(_EXAMPLE), "A page of alerts.")},
    )
    def get(self) -> Any:
        """Return a page of them."""
        self.caller.insist_on_code(self.query["entity"])
        found = self.listed(Alert.objects.select_related("rule", "entity"))
        if self.query["state"] != "all":
            found = found.filter(ended_at__isnull=self.query["state"] == "open")
        if self.query["entity"] is not None:
            found = found.filter(entity__code=self.query["entity"])
        return paged(self, found, _shown, order=["-id"])


class OneAlert(_OfAlerts):
    """One alert."""

    @door(Scope.READ, "scheduling.view_alert", summary="Read an alert", answers={200: _ANSWER})
    def get(self, id: int) -> Any:
        """Return it."""
        return _shown(self.find_alert(id))


class AcknowledgeAlert(_OfAlerts):
    """Look after an alert."""

    @door(
        Scope.OPERATE,
        "scheduling.acknowledge_alert",
        summary="Look after an alert: nobody is reminded of it",
        body=Body({"comment": TEXT}, example={"comment": "I am on it."}),
        keyed=TOGETHER,
        answers={200: _ANSWER},
        problems=(409,),
    )
    def post(self, id: int) -> Any:
        """Note who looks after it."""
        alert, comment = self.find_alert(id), (self.body.get("comment") or "").strip()
        if len(comment) > LONGEST_COMMENT:
            text = say("This is too long: at most {most} characters are kept.", most=LONGEST_COMMENT)
            raise invalid({"comment": [text]})
        return self.settled(alert, acknowledge(alert.pk, by=self.caller.by, comment=comment, now=self.now))


class HandBackAlert(_OfAlerts):
    """Look after an alert no longer."""

    @door(
        Scope.OPERATE,
        "scheduling.acknowledge_alert",
        summary="Look after an alert no longer",
        keyed=TOGETHER,
        answers={200: _ANSWER},
        problems=(409,),
    )
    def post(self, id: int) -> Any:
        """Let it be nobody's again."""
        alert = self.find_alert(id)
        return self.settled(alert, hand_back(alert.pk))


class SnoozeAlert(_OfAlerts):
    """Let an alert rest."""

    @door(
        Scope.OPERATE,
        "scheduling.acknowledge_alert",
        summary="Let an alert rest for so many minutes, or until an instant; 0 minutes: no longer",
        body=Body({"minutes": WHOLE, "until": TEXT}, (), {"minutes": 60}, {"until": _INSTANT}),
        keyed=TOGETHER,
        answers={200: _ANSWER},
        problems=(409,),
    )
    def post(self, id: int) -> Any:
        """Let it rest."""
        alert, until = self.find_alert(id), self._until()
        return self.settled(alert, snooze(alert.pk, by=self.caller.by, until=until))

    def _until(self) -> datetime | None:
        """Return until when it shall rest; None: no longer."""
        until: datetime | None = instant_of(self.body, "until")
        minutes: Any = self.body.get("minutes")
        if (until is None) == (minutes is None):
            raise invalid({"minutes": [say("Give minutes or until, one of both.")]})
        if until is not None:
            if wrong := rest_error(until, self.now):
                raise invalid({"until": [wrong]})
            return until
        most = LONGEST_REST // timedelta(minutes=1)
        if not 0 <= minutes <= most:
            raise invalid({"minutes": [say("From 0 to {most} minutes.", most=most)]})
        return self.now + timedelta(minutes=minutes) if minutes else None


def _shown(alert: Alert) -> dict[str, Any]:
    return {
        "id": alert.pk,
        "rule": alert.rule.name,
        "condition": alert.rule.condition,
        "text": str(sentence_of(alert)),
        "entity": alert.entity.code if alert.entity else None,
        "opened_at": instant(alert.opened_at),
        "ended_at": instant(alert.ended_at),
        "acknowledged_by": alert.acknowledged_by,
        "acknowledged_at": instant(alert.acknowledged_at),
        "comment": alert.comment,
        "snoozed_until": instant(alert.snoozed_until),
        "url": address_of_alert(alert),
    }
