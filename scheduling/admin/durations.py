"""How long the last runs of the same took: a drawing of bars and its table, beside what is usual; one statement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.db.models import QuerySet
from django.urls import reverse

from scheduling.admin.drawing import BAR, LABEL, Bar, Drawing, Lane, percent
from scheduling.formatters import milliseconds
from scheduling.models import Run
from staging.wording import say

MOST = 30
_HIGH = 5 * BAR  # pixels of the longest
_FLAT = 2  # pixels of what took no time: it can still be seen
_SHARE = 0.7  # of its place that a bar fills


@dataclass(frozen=True)
class Lasted:
    """One run that began: how long it took, so far while it runs."""

    pk: int
    status: str
    started_at: datetime
    took: int
    is_final: bool
    is_usual: bool

    @property
    def url(self) -> str:
        """Return the address of its page."""
        return reverse("admin:scheduling_run_change", args=[self.pk])

    @property
    def words(self) -> str:
        """Return all of it as a sentence."""
        took, state = milliseconds(self.took), say(self.status)
        return say("Run {run}, {began}: {took}, {state}", run=self.pk, began=self.started_at, took=took, state=state)


@dataclass(frozen=True)
class Durations:
    """The last runs of the same, the oldest first, and what is usual among those beside `of`; milliseconds."""

    runs: tuple[Lasted, ...] = ()
    of: int | None = None

    @property
    def usual(self) -> int | None:
        """Return the median of those that say what is usual, without the run that the page is about; None for none."""
        times = [run.took for run in self.runs if run.is_usual and run.pk != self.of]
        return round(median(times)) if times else None

    @property
    def own(self) -> Lasted | None:
        """Return the run that the page is about; None when it has not begun, or the page is about no run."""
        return next((run for run in self.runs if run.pk == self.of), None)

    def _mark(self, run: Lasted) -> str:
        """Return the class of a bar; that of the page's own run has a mark of its own beside that of its state."""
        return f"span-{run.status.replace(' ', '-')}" + (" own" if run.pk == self.of else "")

    @property
    def drawing(self) -> Drawing:
        """Return a bar for each, as high as it took long; across them a line at what is usual."""
        longest, usual = max((run.took for run in self.runs), default=0), self.usual
        bottom, place = LABEL + 5 + _HIGH, 100 / max(len(self.runs), 1)

        def high(took: int) -> int:
            return max(round(_HIGH * took / longest), _FLAT) if longest else _FLAT

        def bar(number: int, run: Lasted) -> Bar:
            x, width = percent(number * place), percent(place * _SHARE)
            return Bar(x, str(bottom - high(run.took)), width, str(high(run.took)), self._mark(run), run.words, run.url)

        bars = tuple(bar(number, run) for number, run in enumerate(self.runs))
        label = say("longest: {took}", took=milliseconds(longest))
        limit = "" if usual is None else str(bottom - high(usual))
        return Drawing(bottom + 6, (), (Lane(label, LABEL - 2, bars, limit),))


def durations_of(runs: QuerySet[Run], now: datetime, *, of: int | None = None) -> Durations:
    """Return how long the newest of these runs took that have begun; with `of`, up to that run."""
    begun = runs.filter(started_at__isnull=False)
    if of is not None:
        begun = begun.filter(pk__lte=of)
    newest = begun.order_by("-pk").only("status", "warnings", "started_at", "finished_at", "restart_of")[:MOST]
    return Durations(tuple(_lasted(run, now) for run in reversed(newest)), of)


def _lasted(run: Run, now: datetime) -> Lasted:
    began = run.started_at or now
    took = max((run.finished_at or now) - began, timedelta())
    milliseconds_taken = round(took.total_seconds() * 1000)
    return Lasted(run.pk, run.shown_status, began, milliseconds_taken, run.finished_at is not None, run.is_usual)
