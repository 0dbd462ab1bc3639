"""The start page: does anything need me, what happened, what comes next; each number opens the things it counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scheduling import conf
from scheduling.admin.keyset import link
from scheduling.admin.monitoring.attention import (
    STEPS,
    Counts,
    as_seen,
    asked_for,
    counted_beside,
    is_mine,
    rejected_in_each,
    rests_until,
    steps_of_live_runs,
)
from scheduling.admin.monitoring.first_steps import FirstStep, steps_for
from scheduling.admin.monitoring.lanes import Planned, planned, totals
from scheduling.admin.monitoring.timeline import (
    DEFAULT_SPAN,
    MARKS,
    SPAN_WORDS,
    SPANS,
    Timeline,
    span_asked,
    timeline_for,
)
from scheduling.admin.schedules.chosen import first_few
from scheduling.admin.schedules.finding import place_in
from scheduling.alerts.addresses import naming_people
from scheduling.schedules.sentence import describe
from staging.models import Entity
from staging.pages import sight
from staging.wording import counted, say

_NEXT_RUNS = 10
LIVE_SECONDS = 30


@dataclass(frozen=True)
class Card:
    """One number with its title, where it leads, and how it looks: good, warn, bad, busy or nothing."""

    name: str
    title: str
    number: int
    url: str
    look: str
    words: str


@dataclass(frozen=True)
class NextRun:
    """What runs next: its name, the address of its page (empty when it has none), and when it does, in words."""

    planned: Planned
    url: str
    sentence: str


@dataclass(frozen=True)
class LiveRun:
    """One run that has not ended: its name, its state, how many of its steps have, and whether one is held."""

    pk: int
    name: str
    state: str
    done: int
    total: int
    is_held: bool


class Home:
    """What the start page shows to one person at one moment; each part is read when it is asked for."""

    live_seconds = LIVE_SECONDS
    marks = tuple(MARKS.items())

    def __init__(self, request: HttpRequest, now: datetime):
        self._request, self._now = request, now

    @cached_property
    def of(self) -> str:
        """Return the names of the entities that this person is limited to; empty for all."""
        ids = sight(Entity, self._request)
        names = Entity.objects.filter(pk__in=ids or ()).order_by("name").values_list("name", flat=True)
        return "" if ids is None else first_few(list(names)) or say("no entity")

    @property
    def counts(self) -> Counts:
        """Return the counts of rows."""
        return self._figures[0]

    @cached_property
    def _figures(self) -> tuple[Counts, list[tuple[Any, ...]]]:
        """Return all counts, the totals of the timeline, and how far live runs are; one statement for all of it."""
        request, span = self._request, SPANS[span_asked(self._request)]
        naming, seen = naming_people(), as_seen(request)
        told = [(each.pk, *each.roles) for each in naming]
        key = None if seen is None else (seen, span, conf.cycle_silence(), self.is_all_paused, *told)

        def beside(now: datetime) -> list[QuerySet[Any]]:
            return [*totals(request, now - span), *steps_of_live_runs(request)]

        return counted_beside(asked_for(request, naming), beside, self._now, key)

    @cached_property
    def cards(self) -> list[Card]:
        """Return the cards, most urgent first; of what a person may not see there is none."""
        found = [card for card in _cards(self.counts, self._rejected) if card is not None]
        return [replace(card, url=_of_mine(card)) for card in found] if is_mine(self._request) else found

    @cached_property
    def live(self) -> list[LiveRun]:
        """Return the oldest runs that have not ended, with how far they are; the number of all stands on its card."""
        rows = (row for row in self._figures[1] if row[0] == STEPS)
        found = []
        for _lane, pk, name, states, total, done in rows:
            state, _blank, held = states.partition(" ")
            found.append(LiveRun(pk, name, state, done, total, bool(held)))
        return sorted(found, key=lambda run: run.pk)

    @cached_property
    def _rejected(self) -> tuple[int, int, int] | None:
        """Return how many rejected rows wait, in how many entities, and how many tables cannot be counted."""
        if not self._request.user.has_perm("staging.view_rows"):
            return None
        counts = rejected_in_each(self._request)
        return sum(filter(None, counts)), sum(1 for count in counts if count), counts.count(None)

    @cached_property
    def _planned(self) -> Sequence[Planned]:
        return planned(self._request, self._now)

    @property
    def is_all_paused(self) -> bool:
        """Return whether nothing starts by itself."""
        return rests_until(self._request) is not None

    @cached_property
    def sees_schedules(self) -> bool:
        """Return whether there may be next runs for this person."""
        return bool(self._request.user.has_perm("scheduling.view_schedulerconfiguration"))

    @cached_property
    def next_runs(self) -> list[NextRun]:
        """Return what fires next, soonest first, the overdue before it; what is paused does not fire."""
        ahead = [one for one in self._planned if one.at is not None and not one.is_paused][:_NEXT_RUNS]
        return [NextRun(one, place_in(one.model, one.pk), _in_words(one)) for one in ahead]

    @cached_property
    def timeline(self) -> Timeline:
        """Return the drawing and the table of the period that was asked for."""
        lanes = [row for row in self._figures[1] if row[0] != STEPS]
        return timeline_for(self._request, lanes, self._planned, self._now)

    @property
    def spans(self) -> list[tuple[str, str, bool]]:
        """Return the periods to choose from: address, words, and whether it is the one that is shown."""
        whose = self._whose
        return [
            (link({"span": span, **whose}), str(words), span == self.timeline.span)
            for span, words in SPAN_WORDS.items()
        ]

    @property
    def whose(self) -> list[tuple[str, str, bool]]:
        """Return whose things the page may show: address, words, and whether they do."""
        span = {"span": "" if self.timeline.span == DEFAULT_SPAN else self.timeline.span}
        own = is_mine(self._request)
        return [
            (link({"mine": "", **span}), say("Everybody’s"), not own),
            (link({"mine": "yes", **span}), say("Mine"), own),
        ]

    @property
    def _whose(self) -> dict[str, str]:
        return {"mine": "yes" if is_mine(self._request) else ""}

    @property
    def poll(self) -> str:
        """Return what the live view fetches."""
        span = self.timeline.span
        return reverse("admin:scheduling_schedulerconfiguration_home") + link(
            {"span": "" if span == DEFAULT_SPAN else span, **self._whose}
        )

    @cached_property
    def first_steps(self) -> list[FirstStep]:
        """Return the checklist of a new installation, empty for one that has made its way or whoever dismissed it."""
        return steps_for(self._request, self.counts)


def _in_words(one: Planned) -> str:
    """Return when it runs: as its schedule says, or after a failure."""
    return say("The next attempt of run {run}", run=one.pk) if one.is_attempt else describe(one.schedule)


_TITLES = {
    "alerts": _("Wrong now"),
    "channels": _("Alert channels that fail"),
    "failed": _("Runs failed in 24 hours"),
    "live": _("Running or waiting to run"),
    "holding": _("Runs with a held step"),
    "late": _("Runs that are late"),
    "overdue": _("Overdue"),
    "rejected": _("Rejected rows that wait for a person"),
    "held": _("Held for approval"),
    "paused": _("Paused"),
}


def _cards(counts: Counts, rejected: tuple[int, int, int] | None) -> list[Card | None]:
    runs, batches = reverse("admin:scheduling_run_changelist"), reverse("admin:staging_batch_changelist")
    alerts = reverse("admin:scheduling_alert_changelist")
    lists = {
        name: reverse(f"admin:scheduling_schedulerconfiguration_{name}") for name in ("overdue", "paused", "rejected")
    }
    nothing = {
        "alerts": say("Nothing is wrong."),
        "failed": say("Nothing failed."), "live": say("Nothing runs now."), "overdue": say("Everything is on time."),
        "held": say("Nothing waits for a decision."), "paused": say("Nothing is paused."),
    }  # fmt: skip

    def card(name: str, number: int | None, url: str, look: str, words: str) -> Card | None:
        if number is None:
            return None
        good = "good" if look in ("bad", "warn") else ""
        return Card(name, str(_TITLES[name]), number, url, look if number else good, words if number else nothing[name])

    return [
        card("alerts", counts.alerts, alerts, "bad", say("See what, and who is on it")),
        card(
            "channels",
            counts.channels or None,
            reverse("admin:scheduling_alertchannel_changelist") + "?messages=fail",
            "bad",
            say("See the channels"),
        ),
        card("failed", counts.failed, f"{runs}?status=still_failed&ended=24h", "bad", say("See them and why")),
        card("overdue", counts.overdue, lists["overdue"], "bad", say("See what did not start")),
        card("late", counts.late or None, f"{runs}?status=late", "bad", say("See which, and since when")),
        card("live", counts.live, f"{runs}?status=live", "busy", say("See them")),
        card("holding", counts.holding or None, f"{runs}?status=held", "warn", say("See which, and who holds it")),
        _of_rows(rejected, lists["rejected"]),
        card("held", counts.held, f"{batches}?status=held", "warn", say("Review them")),
        card("paused", counts.paused, lists["paused"], "warn", say("See what, by whom and why")),
    ]


def _of_mine(card: Card) -> str:
    """Return where a card of one's own leads: to the same list of what is one's own; of channels nobody has any."""
    return card.url if card.name == "channels" else f"{card.url}{'&' if '?' in card.url else '?'}mine=yes"


def _of_rows(rejected: tuple[int, int, int] | None, url: str) -> Card | None:
    if rejected is None:
        return None
    rows, entities, unknown = rejected
    words = say("No row waits.")
    if rows:
        words = say("In {entities}: see them", entities=counted(entities, "entity", "entities"))
    if unknown:
        words = say("{tables} cannot be counted: see which", tables=counted(unknown, "table", "tables"))
    return Card("rejected", str(_TITLES["rejected"]), rows, url, "warn" if rows or unknown else "good", words)
