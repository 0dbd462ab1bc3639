"""Promise: for any sequence of breaches, recoveries and answers, people are told what a plain model says, and when.

Of several things at once: what is news for a channel in one minute is one message, whatever it is of.
"""

from dataclasses import dataclass, field
from datetime import time, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db.models import F
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from scheduling.alerts.watch import go_round
from scheduling.lifecycle.alerts import acknowledge, hand_back, snooze
from scheduling.models import Alert, AlertChannel, AlertDelivery, AlertNotice, AlertRule, SchedulerConfiguration
from staging.models import Entity
from tests.depth import examples
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.alerts.conftest import NOW, rule_of, without_times

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
NOON = 12 * 60  # what the clocks show at NOW
STEP = 5  # minutes between two rounds
DAY = 24 * 60
THINGS = ("customer", "branch", "region")
OWNERS = ("ann", "ben", "nobody")
DEEDS = ("fail", "fail", "fail all", "heal", "heal all", "acknowledge", "hand back", "snooze", "wake", "rename",
         "nothing", *OWNERS)  # fmt: skip
WORDS = {
    "opened": "{}",
    "again": "Again: {}",
    "reminder": "Still: {}",
    "escalated": "Nobody answered: {}",
    "ended": "Over: {}",
}
Told = tuple[int, str, list[str]]  # the minute, the reader, and what the message tells


@dataclass(frozen=True)
class Wishes:
    """What people wish to be told, and when."""

    remind: int | None
    escalate: int | None
    quiet: tuple[int, int] | None
    digest: str | int  # at_once, hourly, or the minute of a daily one
    each: bool
    ends: bool

    def due(self, minute: int) -> int:
        """Return when the channel of the night may be told what is new in this minute."""
        due = minute
        if self.digest == "hourly":
            due = -(-minute // 60) * 60
        elif isinstance(self.digest, int):
            due = self.digest + -(-max(minute - self.digest, 0) // DAY) * DAY
        if self.quiet is not None and self.quiet[0] <= due % DAY < self.quiet[1]:
            due += self.quiet[1] - due % DAY
        return due


@dataclass
class OneAlert:
    """One alert, as the model keeps it; minutes count from noon."""

    thing: str
    opened: int
    told: int
    times: int
    said: str
    is_answered: bool = False
    rests: int = 0
    is_escalated: bool = False
    is_over: bool = False


@dataclass
class Model:
    """What people should be told, in minutes from noon."""

    wishes: Wishes
    fails: dict[str, int] = field(default_factory=lambda: dict.fromkeys(THINGS, 0))
    names: dict[str, str] = field(default_factory=lambda: {thing: thing.capitalize() for thing in THINGS})
    owners: dict[str, str] = field(default_factory=lambda: dict.fromkeys(THINGS, "nobody"))
    open: dict[str, OneAlert] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)  # what failed, and how often, when it was last looked
    waiting: dict[str, list[tuple[int, OneAlert, str]]] = field(
        default_factory=lambda: {"night": [], "chief": [], "owner": []}
    )

    def do(self, thing: str, deed: str, minute: int) -> None:
        for each in THINGS if deed.endswith(" all") else (thing,):
            self.fails[each] = {"fail": self.fails[each] + 1, "heal": 0}.get(deed.split()[0], self.fails[each])
        if deed == "rename":
            self.names[thing] = self.names[thing].swapcase()
        if deed in OWNERS:
            self.owners[thing] = deed
        if (alert := self.open.get(thing)) is None:
            return
        if deed in ("acknowledge", "hand back"):
            alert.is_answered = deed == "acknowledge"
        elif deed in ("snooze", "wake"):
            alert.rests = minute + 15 if deed == "snooze" else minute

    def round(self, minute: int) -> list[Told]:
        """Return what is told in this minute: to whom, and what."""
        wrong = {thing: fails for thing, fails in self.fails.items() if fails}
        if wrong != self.seen:  # another name alone makes no rule look again
            self._look(wrong, minute)
        self.seen = wrong
        for alert in self.open.values():
            if not alert.is_answered and alert.rests <= minute:
                self._press(alert, minute)
        return sorted(told for to in self.waiting for told in self._told(to, minute))

    def _look(self, wrong: dict[str, int], minute: int) -> None:
        for thing in wrong.keys() - self.open.keys():
            self.open[thing] = OneAlert(thing, minute, minute, wrong[thing], "", rests=minute)
            self._news(self.open[thing], "opened", minute)
        for thing in self.open.keys() - wrong.keys():
            alert = self.open.pop(thing)
            alert.is_over = True
            if self.wishes.ends:
                self._news(alert, "ended", minute)
                if alert.is_escalated:
                    self.waiting["chief"].append((minute, alert, "ended"))
        for thing, alert in self.open.items():
            name, times = self.names[thing], wrong[thing]
            alert.said = f"{name} failed." if times == 1 else f"{name} failed {times} times in a row."
            if self.wishes.each and alert.times != times and not alert.is_answered and alert.rests <= minute:
                alert.told = minute
                self._news(alert, "again", minute)
            alert.times = times

    def _press(self, alert: OneAlert, minute: int) -> None:
        remind, escalate = self.wishes.remind, self.wishes.escalate
        if remind is not None and alert.told + remind <= minute:
            alert.told = minute
            self._news(alert, "reminder", minute)
        if escalate is not None and alert.opened + escalate <= minute and not alert.is_escalated:
            alert.is_escalated = True
            self.waiting["chief"].append((minute, alert, "escalated"))

    def _news(self, alert: OneAlert, kind: str, minute: int) -> None:
        self.waiting["night"].append((self.wishes.due(minute), alert, kind))
        self.waiting["owner"].append((minute, alert, kind))

    def _told(self, to: str, minute: int) -> list[Told]:
        """Return the messages of a channel: one to each reader, with the last that is to be told of each alert."""
        now = [alert for at, alert, _ in self.waiting[to] if at <= minute]
        due = [one for one in self.waiting[to] if any(one[1] is alert for alert in now)]
        due = [one for one in due if one[0] <= minute or one[2] == "ended"]
        self.waiting[to] = [one for one in self.waiting[to] if not any(one is each for each in due)]
        last = {id(alert): (alert, kind) for _, alert, kind in due}
        lines: dict[str, list[str]] = {}
        for alert, kind in last.values():
            reader = self.owners[alert.thing] if to == "owner" else to  # whoever owns it at that moment
            lines.setdefault(reader, []).append(WORDS["ended" if alert.is_over else kind].format(alert.said))
        return [(minute, reader, sorted(told)) for reader, told in lines.items() if reader != "nobody"]


wishes = st.builds(
    Wishes,
    remind=st.sampled_from([None, 10, 13]),
    escalate=st.sampled_from([None, 4, 15]),
    quiet=st.none() | st.tuples(st.integers(0, 40), st.integers(1, 60)).map(lambda it: (it[0], it[0] + it[1])),
    digest=st.sampled_from(["at_once", "at_once", "hourly"]) | st.integers(0, 90),
    each=st.booleans(),
    ends=st.sampled_from([True, True, False]),
)


@pytest.fixture
def things(own_rules: None) -> None:
    """Entities that may fail."""
    for thing in THINGS:
        make_configuration(thing)
    for name in OWNERS[:2]:
        User.objects.create(username=name, email=f"{name}@example.com", is_superuser=True)


@given(
    deeds=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(THINGS), st.sampled_from(DEEDS)), max_size=16),
    wishes=wishes,
)
@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_messages_are_those_of_a_plain_model(things, deeds, wishes):
    begin_anew(wishes)
    model, minute, wanted, got = Model(wishes), 0, list[Told](), list[Told]()
    for wait, thing, deed in [*deeds, (18, THINGS[0], "nothing")]:
        for at in range(minute, minute + wait * STEP, STEP):
            wanted += model.round(at)
            got += told_in(at)
        minute += wait * STEP
        model.do(thing, deed, minute)
        do(thing, deed, minute)
    wanted += model.round(2 * DAY)  # what waited for a daily message, too
    got += told_in(2 * DAY)
    event(f"{min(max((len(lines) for _, _, lines in got), default=0), 3)} at most in a message")
    assert got == wanted


def told_in(minute: int) -> list[Told]:
    """Go a round; return what was told. The first line of a message is that of one of its alerts, and their number."""
    go_round(NOW + minute * MINUTE)
    found = []
    for message in mail.outbox:
        lines = [line for line in message.body.splitlines() if line and not line.startswith((" ", "What is wrong now"))]
        more = f" And {len(lines) - 1} more." if lines[1:] else ""
        assert message.subject == lines[0] + more
        found.append((minute, message.to[0].partition("@")[0], sorted(map(without_times, lines))))
    mail.outbox.clear()
    return sorted(found)


def begin_anew(wishes: Wishes) -> None:
    """Make one rule for two channels, of which one may be quiet, and for whoever is responsible."""
    for model in (AlertNotice, AlertDelivery, Alert, AlertRule, AlertChannel):
        model.objects.all().delete()
    SchedulerConfiguration.objects.update(last_result="", consecutive_failures=0)
    for thing in THINGS:
        Entity.objects.filter(code=thing).update(owner=None, name=thing.capitalize())
    begin, end = (clock_at(minute) for minute in wishes.quiet) if wishes.quiet else (None, None)
    is_daily = isinstance(wishes.digest, int)
    night = AlertChannel.objects.create(
        name="Night", addresses="night@example.com", quiet_from=begin, quiet_until=end,
        digest="daily" if is_daily else wishes.digest, digest_at=clock_at(int(wishes.digest)) if is_daily else None,
    )  # fmt: skip
    chief = AlertChannel.objects.create(name="Chief", addresses="chief@example.com")
    owner = AlertChannel.objects.create(name="Owner", to_responsible=True)
    rule = rule_of(
        "failed", night, owner, remind_every_minutes=wishes.remind, escalate_after_minutes=wishes.escalate,
        tells_each=wishes.each, tells_end=wishes.ends,
    )  # fmt: skip
    rule.escalate_to.set([chief])


def clock_at(minute: int) -> time:
    return time((NOON + minute) // 60, (NOON + minute) % 60)


def do(thing: str, deed: str, minute: int) -> None:
    """Do to the database what is done to the model."""
    of = Entity.objects.filter(code=thing)
    rows = SchedulerConfiguration.objects.filter(**{} if deed.endswith(" all") else {"entity__code": thing})
    if deed.startswith("fail"):
        rows.update(last_result="failed", consecutive_failures=F("consecutive_failures") + 1)
    elif deed.startswith("heal"):
        rows.update(last_result="completed", consecutive_failures=0)
    elif deed == "rename":
        of.update(name=of.get().name.swapcase())
    elif deed in OWNERS:
        of.update(owner=User.objects.filter(username=deed).first())
    alert: Any = Alert.objects.open().filter(entity__code=thing).first()
    if alert is None:
        return
    now = NOW + minute * MINUTE
    if deed == "acknowledge":
        acknowledge(alert.pk, by="ann", comment="", now=now)
    elif deed == "hand back":
        hand_back(alert.pk)
    elif deed in ("snooze", "wake"):
        snooze(alert.pk, by="ann", until=now + 15 * MINUTE if deed == "snooze" else None)
