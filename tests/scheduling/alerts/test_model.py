"""Promise: for any sequence of breaches, recoveries and answers, people are told what a plain model says, and when."""

from datetime import time, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db.models import F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduling.alerts.watch import go_round
from scheduling.lifecycle.alerts import acknowledge, hand_back, snooze
from scheduling.models import Alert, AlertChannel, AlertDelivery, AlertNotice, AlertRule, SchedulerConfiguration
from staging.models import Entity
from tests.depth import examples
from tests.scheduling.alerts.conftest import NOW, rule_of, without_times

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
NOON = 12 * 60  # what the clocks show at NOW
STEP = 5  # minutes between two rounds
OWNERS = ("ann", "ben", "nobody")
DEEDS = ("fail", "fail", "heal", "acknowledge", "hand back", "snooze", "wake", "rename", "nothing", *OWNERS)
WORDS = {
    "opened": "{}",
    "again": "Again: {}",
    "reminder": "Still: {}",
    "escalated": "Nobody answered: {}",
    "ended": "Over: {}",
}
NAMES = ("Customer", "Client")


def sentence(name: str, times: int) -> str:
    return f"{name} failed." if times == 1 else f"{name} failed {times} times in a row."


class Model:
    """What people should be told, in minutes from noon."""

    def __init__(
        self, remind: int | None, escalate: int | None, quiet: tuple[int, int] | None, hourly: bool, each: bool
    ):
        self.remind, self.escalate, self.quiet, self.hourly, self.each = remind, escalate, quiet, hourly, each
        self.fails, self.alert, self.number = 0, None, 0  # type: int, dict[str, Any] | None, int
        self.owner, self.name = "nobody", NAMES[0]
        self.said = dict[int, str]()  # of each alert, as it was last looked at
        self.waiting: dict[str, list[tuple[int, int, str]]] = {"night": [], "chief": [], "owner": []}

    def do(self, deed: str, minute: int) -> None:
        self.fails = {"fail": self.fails + 1, "heal": 0}.get(deed, self.fails)
        self.name = NAMES[1 - NAMES.index(self.name)] if deed == "rename" else self.name
        self.owner = deed if deed in OWNERS else self.owner
        if self.alert is None:
            return
        if deed == "acknowledge":
            self.alert["answered"] = True
        elif deed == "hand back":
            self.alert["answered"] = False
        elif deed in ("snooze", "wake"):
            self.alert["rests"] = minute + 15 if deed == "snooze" else minute

    def round(self, minute: int) -> list[tuple[int, str, str]]:
        """Return what is told in this minute: to whom, and the first line."""
        if self.fails and self.alert is None:
            self.number += 1
            self.alert = {"opened": minute, "told": minute, "answered": False, "rests": minute, "escalated": False,
                          "times": self.fails}  # fmt: skip
            self._news("night", "opened", minute)
            self._news("owner", "opened", minute)
        elif not self.fails and self.alert is not None:
            self._news("night", "ended", minute)
            self._news("owner", "ended", minute)
            if self.alert["escalated"]:
                self._news("chief", "ended", minute)
            self.alert = None
        if self.alert is not None:
            self._look(self.alert, minute)
        told = [(minute, to, line) for to in self.waiting for line in self._due(to, minute)]
        # Whoever owns it at that moment is told, and nobody where nobody does.
        owned = [(minute, self.owner if to == "owner" else to, line) for minute, to, line in told]
        return sorted(each for each in owned if each[1] != "nobody")

    def _look(self, alert: dict[str, Any], minute: int) -> None:
        if self.number not in self.said or alert["times"] != self.fails:  # another name alone makes no rule look again
            self.said[self.number] = sentence(self.name, self.fails)
        is_unanswered = not alert["answered"] and alert["rests"] <= minute
        if is_unanswered and self.each and alert["times"] != self.fails:
            alert["told"] = minute
            self._news("night", "again", minute)
            self._news("owner", "again", minute)
        alert["times"] = self.fails
        if is_unanswered:
            self._press(alert, minute)

    def _press(self, alert: dict[str, Any], minute: int) -> None:
        if self.remind is not None and alert["told"] + self.remind <= minute:
            alert["told"] = minute
            self._news("night", "reminder", minute)
            self._news("owner", "reminder", minute)
        if self.escalate is not None and alert["opened"] + self.escalate <= minute and not alert["escalated"]:
            alert["escalated"] = True
            self._news("chief", "escalated", minute)

    def _news(self, to: str, kind: str, minute: int) -> None:
        due = minute
        if to == "night":
            due = -(-minute // 60) * 60 if self.hourly else minute
            if self.quiet is not None and self.quiet[0] <= due < self.quiet[1]:
                due = self.quiet[1]
        self.waiting[to].append((due, self.number, kind))

    def _due(self, to: str, minute: int) -> list[str]:
        now = {number for at, number, _ in self.waiting[to] if at <= minute}
        due = [each for each in self.waiting[to] if each[0] <= minute or (each[2] == "ended" and each[1] in now)]
        self.waiting[to] = [each for each in self.waiting[to] if each not in due]
        last = {number: kind for _, number, kind in due}
        lines = [WORDS[kind].format(self.said[number]) for number, kind in last.items()]
        return [" ".join([lines[0], *([f"And {len(lines) - 1} more."] if lines[1:] else [])])] if lines else []


@given(
    deeds=st.lists(st.tuples(st.integers(1, 4), st.sampled_from(DEEDS)), max_size=14),
    remind=st.sampled_from([None, 10, 13]),
    escalate=st.sampled_from([None, 4, 15]),
    quiet=st.none() | st.tuples(st.integers(0, 40), st.integers(1, 60)).map(lambda it: (it[0], it[0] + it[1])),
    hourly=st.booleans(),
    each=st.booleans(),
)
@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_messages_are_those_of_a_plain_model(customer, deeds, remind, escalate, quiet, hourly, each):
    begin_anew(remind, escalate, quiet, hourly, each)
    model, minute, wanted, got = Model(remind, escalate, quiet, hourly, each), 0, [], []
    for wait, deed in [*deeds, (18, "nothing")]:
        for at in range(minute, minute + wait * STEP, STEP):
            wanted += model.round(at)
            go_round(NOW + at * MINUTE)
            got += sorted(
                (at, message.to[0].partition("@")[0], without_times(message.subject)) for message in mail.outbox
            )
            mail.outbox.clear()
        minute += wait * STEP
        model.do(deed, minute)
        do(deed, customer, minute)
    assert got == wanted


def begin_anew(
    remind: int | None, escalate: int | None, quiet: tuple[int, int] | None, hourly: bool, each: bool
) -> None:
    """Make one rule for two channels, of which one may be quiet, and for whoever is responsible."""
    for model in (AlertNotice, AlertDelivery, Alert, AlertRule, AlertChannel):
        model.objects.all().delete()
    SchedulerConfiguration.objects.update(last_result="", consecutive_failures=0)
    begin, end = (clock_at(minute) for minute in quiet) if quiet else (None, None)
    night = AlertChannel.objects.create(name="Night", addresses="night@example.com", quiet_from=begin,
                                        quiet_until=end, digest="hourly" if hourly else "at_once")  # fmt: skip
    chief = AlertChannel.objects.create(name="Chief", addresses="chief@example.com")
    owner = AlertChannel.objects.create(name="Owner", to_responsible=True)
    Entity.objects.update(owner=None, name=NAMES[0])
    for name in OWNERS[:2]:
        User.objects.get_or_create(username=name, email=f"{name}@example.com", is_superuser=True)
    rule = rule_of(
        "failed", night, owner, remind_every_minutes=remind, escalate_after_minutes=escalate, tells_each=each
    )
    rule.escalate_to.set([chief])


def clock_at(minute: int) -> time:
    return time((NOON + minute) // 60, (NOON + minute) % 60)


def do(deed: str, customer: SchedulerConfiguration, minute: int) -> None:
    """Do to the database what is done to the model."""
    if deed in ("fail", "heal"):
        result = ("failed", F("consecutive_failures") + 1) if deed == "fail" else ("completed", 0)
        SchedulerConfiguration.objects.filter(pk=customer.pk).update(
            last_result=result[0], consecutive_failures=result[1]
        )
    if deed == "rename":
        entity = Entity.objects.get()
        Entity.objects.update(name=NAMES[1 - NAMES.index(entity.name)])
    if deed in OWNERS:
        Entity.objects.update(owner=User.objects.filter(username=deed).first())
    alert = Alert.objects.open().first()
    if alert is None:
        return
    now = NOW + minute * MINUTE
    if deed == "acknowledge":
        acknowledge(alert.pk, by="ann", comment="", now=now)
    elif deed == "hand back":
        hand_back(alert.pk)
    elif deed in ("snooze", "wake"):
        snooze(alert.pk, by="ann", until=now + 15 * MINUTE if deed == "snooze" else None)
