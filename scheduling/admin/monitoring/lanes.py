"""Reads what everything did in a period, for the timeline of the start page: totals of all, and marks of the first.

An entity is told by its batches, whichever run they were part of; a plan and a job by their runs; what came to nothing
by the log. Four statements, however many there are; those with trouble come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, cast

from django.db.models import Case, Count, F, Model, Q, QuerySet, Sum, TextField, Value, When
from django.db.models.functions import Coalesce, Concat
from django.http import HttpRequest

from scheduling.admin.monitoring.attention import TOTALS, as_seen, overdue_before, rests_until, those_asked
from scheduling.dispatch.recover import attempts_ahead
from scheduling.models import JobSchedule, Plan, Run, Schedule, SchedulerConfiguration, SchedulerLog
from scheduling.models import run as runs
from scheduling.models.schedule import CadenceFields, ScheduleQuerySet, schedule_models
from scheduling.schedules.deadlines import late_runs
from scheduling.statements import prepared_values
from scheduling.states import EventType, RunKind
from staging.models import Batch, batch
from staging.pages import seen
from staging.wording import say

MOST_MARKS = 2_500  # read for the drawing, newest first
FAILED, MISSED, REJECTED, LIVE, LATE = "failed", "missed", "rejected", "live", "late"
_TOLD = (EventType.SKIPPED, EventType.HELD, EventType.MISSED, EventType.ERROR)
_BAD = (FAILED, MISSED, "error")
_RUNS = (RunKind.PLAN, RunKind.JOB, RunKind.ORDERED)
_KIND_OF_RUN = Case(When(kind=RunKind.JOB, then=Value("job")), default=Value("plan"))
_STATES: dict[type[Model], Any] = {
    Batch: batch.SHOWN_STATUS,
    Run: runs.SHOWN_STATUS,
    SchedulerLog: F("event_type"),
}
Key = tuple[str, Any]  # what a lane is of: ("entity", 3), ("plan", "Plan Nightly"), ("job", "Report")


@dataclass(frozen=True)
class Mark:
    """One thing on a lane: a stretch of work, or an instant; `pk` of the batch, run or event behind it."""

    state: str
    start: datetime
    end: datetime | None
    of: str
    pk: int
    rejected: int = 0


@dataclass
class Planned:
    """What fires next as the start page needs it: a schedule in force, of hundreds few are looked at any closer.

    Or the next attempt of a run that failed: that run is its model.
    """

    key: Key
    name: str
    model: type[Schedule] | type[Run]
    values: tuple[Any, ...]
    is_paused: bool
    is_overdue: bool

    @property
    def at(self) -> datetime | None:
        """Return its next run."""
        at: datetime | None = self.values[_AT]
        return at

    @property
    def pk(self) -> int:
        """Return the key of the schedule."""
        pk: int = self.values[0]
        return pk

    @property
    def is_attempt(self) -> bool:
        """Return whether it is the next attempt of a run."""
        return self.model is Run

    @cached_property
    def schedule(self) -> Schedule:
        """Return the schedule with what tells when it starts."""
        own: dict[str, Any] = {"processing_mode": "scheduled"} if self.model is SchedulerConfiguration else {}
        return cast("type[Schedule]", self.model)(**dict(zip(_COLUMNS, self.values, strict=True)), **own)


class _Counts(dict[str, int]):
    """How many there are of each; of anything else none. A thousand of them are made for a page."""

    def __missing__(self, state: str) -> int:
        return 0


@dataclass(slots=True)
class TimeLane:
    """One entity, plan or job: its counts by state, and its marks when it is among the first."""

    key: Key
    name: str
    counts: _Counts = field(default_factory=_Counts)
    marks: list[Mark] = field(default_factory=list)
    next_at: datetime | None = None
    is_overdue: bool = False
    next_of: Planned | None = None

    @property
    def trouble(self) -> int:
        """Return how much went wrong."""
        return sum(self.counts[state] for state in _BAD) + self.is_overdue

    @property
    def is_logged(self) -> bool:
        """Return whether the log tells anything of it."""
        return any(self.counts[state] for state in _TOLD)


_COLUMNS = [
    "id",
    *(each.attname for each in CadenceFields._meta.local_fields if not each.attname.startswith("paus")),
    "is_running",
]
_AT, _RUNS_NOW = _COLUMNS.index("next_scheduled_run"), _COLUMNS.index("is_running")
_NAMED_BY: dict[type[Schedule], str] = {SchedulerConfiguration: "entity__name", Plan: "name", JobSchedule: "job__name"}
_KEYED_BY: dict[type[Schedule], str] = {SchedulerConfiguration: "entity_id", Plan: "pk", JobSchedule: "job_id"}
TITLES = {"plan": "Plan ", "job": ""}  # before the name of what a run is of, as runs are titled
_NOTHING = Value(None, TextField())
_AGAIN = "again"  # the kind of what is no schedule: a run that failed and is tried again


def planned(request: HttpRequest, now: datetime) -> list[Planned]:
    """Return every schedule in force, and every next attempt, that this person sees and asked for; one statement.

    The soonest is the first.
    """
    kinds = {model.KIND: model for model in schedule_models()}
    may = [model for model in kinds.values() if _may_view(request, model)]
    late, key = overdue_before(now), as_seen(request)

    def in_force() -> QuerySet[Any]:
        parts = [_in_force(request, model) for model in may]
        first, *further = [*parts, _ahead(request)] if _may_view(request, Run) else parts
        return first.union(*further, all=True)

    rows = () if not may else in_force() if key is None else prepared_values(("in force", key), in_force)
    made = [_planned(row, kinds, late) for row in rows]
    if resting := rests_until(request):
        made = [replace(one, is_paused=one.is_paused or (one.at or now) < resting, is_overdue=False) for one in made]
    return sorted(made, key=lambda one: (one.at is None, one.at or now, one.name))


def _may_view(request: HttpRequest, model: type[Model]) -> bool:
    return bool(request.user.has_perm(f"{model._meta.app_label}.view_{model._meta.model_name}"))


def _in_force(request: HttpRequest, model: type[Schedule]) -> QuerySet[Any]:
    rows = those_asked(seen(cast(ScheduleQuerySet, model._default_manager.all()).automatic(), request), request)
    by = [F(column) for column in model.PAUSED_BY]
    return (
        rows.order_by()
        .annotate(
            of=Value(model.KIND),
            keyed=F(_KEYED_BY.get(model, "pk")),
            called=F(_NAMED_BY.get(model, "name")),
            further=F("name") if model is JobSchedule else Value(""),
            still=Coalesce(*by) if len(by) > 1 else by[0],
        )
        .values_list("of", "keyed", "called", "further", "still", *_COLUMNS)
    )


def _ahead(request: HttpRequest) -> QuerySet[Any]:
    """Return the next attempts, in the columns of schedules."""
    runs = those_asked(seen(attempts_ahead(), request), request).order_by()
    known = {"id": F("pk"), _COLUMNS[_AT]: F("next_attempt_at"), _COLUMNS[_RUNS_NOW]: Value(False)}
    shown = {f"own_{name}": known.get(name, _NOTHING) for name in _COLUMNS}
    told = {"of": Value(_AGAIN), "keyed": Value(0), "called": F("title"), "further": Value(""), "still": _NOTHING}
    return runs.annotate(**told, **shown).values_list(*told, *shown)


def _planned(row: tuple[Any, ...], kinds: Mapping[str, type[Schedule]], late: datetime) -> Planned:
    kind, owner, called, further, still, *values = row
    if kind == _AGAIN:
        return Planned(("plan", called), called, Run, tuple(values), is_paused=False, is_overdue=False)
    key: Key = ("entity", owner) if kind == "configuration" else (kind, f"{TITLES.get(kind, f'{kind} ')}{called}")
    at, is_running = values[_AT], values[_RUNS_NOW]
    is_overdue = still is None and not is_running and at is not None and at < late
    return Planned(
        key, f"{_shown(key, called)} {further}".strip(), kinds[kind], tuple(values), still is not None, is_overdue
    )


def _shown(key: Key, name: str) -> str:
    """Return what people call a lane."""
    return say("Job {job}", job=name) if key[0] == "job" else name if key[0] == "entity" else str(key[1])


def lanes_of(totals: Iterable[tuple[Any, ...]], plans: Iterable[Planned], until: datetime) -> list[TimeLane]:
    """Return a lane for all that did or should have done something, or will until `until`.

    Those with trouble come first, then by name.
    """
    lanes: dict[Key, TimeLane] = {}
    for kind, owner, name, state, number, rejected in totals:
        key: Key = (kind, owner) if kind == "entity" else (kind, name)
        lane = lanes.setdefault(key, TimeLane(key, _shown(key, name)))
        lane.counts[state] += number
        lane.counts[REJECTED] += rejected or 0
    for one in plans:
        if one.at is not None and one.at < until and not one.is_paused:
            name = one.name if one.key[0] == "entity" else _shown(one.key, str(one.key[1]))
            lane = lanes.setdefault(one.key, TimeLane(one.key, name))
            lane.is_overdue = lane.is_overdue or one.is_overdue
            lane.next_at = lane.next_at or one.at
            lane.next_of = lane.next_of or one
    return sorted(lanes.values(), key=lambda lane: (not lane.trouble, lane.name.lower()))


def mark_lanes(request: HttpRequest, lanes: Sequence[TimeLane], start: datetime, now: datetime) -> None:
    """Put what happened since `start` on these lanes, at most MOST_MARKS, the newest; one statement.

    A run that is late `now` is told as that.
    """
    first, length, sight = {lane.key: lane for lane in lanes}, now - start, as_seen(request)
    key = None if sight is None else ("marks", sight, length, *((lane.key, lane.is_logged) for lane in lanes))

    def marks(now: datetime) -> QuerySet[Any]:
        parts = _marks(request, now - length, now, lanes)
        if not parts:
            return Run.objects.none().values_list("pk")
        return parts[0].union(*parts[1:], all=True).order_by("-begins")[:MOST_MARKS]

    rows = marks(now) if key is None else prepared_values(key, marks, now=now)
    for kind, owner, name, state, began, ended, of, pk, rejected in rows:
        if lane := first.get((kind, owner) if kind == "entity" else (kind, name)):
            lane.marks.append(Mark(state, began, ended, of, pk, rejected))


def _sources(request: HttpRequest, start: datetime) -> list[tuple[QuerySet[Any], dict[str, Any]]]:
    """Return what tells of the period: rows, and the columns by which they are put on lanes."""
    found: list[tuple[QuerySet[Any], dict[str, Any]]] = []
    since = Q(finished_at__gte=start) | Q(finished_at__isnull=True)
    if _may_view(request, Batch):
        rows = those_asked(seen(Batch.objects.filter(since), request), request)
        found.append((rows, {"lane": Value("entity"), "keyed": F("entity_id"), "called": F("entity__name")}))
    if _may_view(request, Run):
        rows_of_runs = those_asked(seen(Run.objects.filter(since, kind__in=_RUNS), request), request)
        found.append((rows_of_runs, {"lane": _KIND_OF_RUN, "keyed": Value(0), "called": F("title")}))
    if _may_view(request, SchedulerLog):
        events = SchedulerLog.objects.filter(event_type__in=_TOLD, run_id__isnull=True, event_time__gte=start)
        told = those_asked(seen(events, request), request)
        for of, title in (
            ("entity", F("entity__name")),
            ("plan", Concat(Value(TITLES["plan"]), F("plan__name"))),
            ("job", F("job__name")),
        ):
            columns = {"lane": Value(of), "keyed": F(f"{of}_id"), "called": title}
            found.append((told.filter(**{f"{of}__isnull": False}), columns))
    return found


def totals(request: HttpRequest, start: datetime) -> list[QuerySet[Any]]:
    """Return queries of how much of each state every lane has had since `start`, in the columns of TOTALS."""
    return [
        rows.order_by()
        .annotate(**columns, state=_STATES[rows.model])
        .values(*TOTALS[:4])
        .annotate(number=Count("pk"), bad=Sum("rejected") if rows.model is Batch else Value(0))
        .values_list(*TOTALS)
        for rows, columns in _sources(request, start)
    ]


def _marks(request: HttpRequest, start: datetime, now: datetime, lanes: Sequence[TimeLane]) -> list[QuerySet[Any]]:
    """Return queries of what is put on these lanes; of the log only for those of which it tells anything."""
    named = [lane.key for lane in lanes]
    told = [lane.key for lane in lanes if lane.is_logged]
    parts, late = [], When(late_runs(now), then=Value(LATE))
    for rows, columns in _sources(request, start):
        is_log, is_batch = rows.model is SchedulerLog, rows.model is Batch
        of_entity = is_batch or (is_log and columns["called"] == F("entity__name"))
        keys = [key for kind, key in (told if is_log else named) if (kind == "entity") == of_entity]
        if not keys:
            continue
        parts.append(
            rows.order_by()
            .annotate(
                **columns,
                state=_STATES[rows.model] if rows.model is not Run else Case(late, default=_STATES[Run]),
                begins=F("event_time") if is_log else Coalesce("started_at", "created_at"),
                ends=F("event_time" if is_log else "finished_at"),
                of=Value(rows.model._meta.model_name),
                bad=F("rejected") if is_batch else Value(0),
            )
            .filter(**{"entity__in" if of_entity else "called__in": keys})
            .values_list("lane", "keyed", "called", "state", "begins", "ends", "of", "pk", "bad")
        )
    return parts
