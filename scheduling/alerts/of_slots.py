"""Slots that a backfill fills in side by side are told each by itself: no run of another slot says anything of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from scheduling.alerts.findings import BACKFILLED, LATELY, Round, Seen
from scheduling.models import BackfillSlot, JobSchedule, Plan, Run
from scheduling.statements import prepared
from scheduling.states import RunKind, RunStatus

_KINDS = (RunKind.PLAN, RunKind.JOB)


class Warned(NamedTuple):
    """What is told of a slot that completed with warnings."""

    slot: datetime
    warnings: int


class _Slot(NamedTuple):
    """A slot that was filled in, with what a rule may name of it."""

    run: int
    title: str
    slot: datetime
    plan: int | None
    categories: str | None  # of the plan
    job: int | None
    category: str | None  # of the job

    def seen(self, value: object, run: int) -> Seen:
        """Return it with what is told of it, and the run that explains it."""
        if self.plan is not None:
            owner, named, kind = self.plan, self.categories or "", Plan.KIND
        else:
            owner, named, kind = self.job or 0, self.category or "", JobSchedule.KIND
        return Seen(BACKFILLED, self.run, owner, self.title, named, value, run, of=kind)


class _End(NamedTuple):
    """A run that did all of the work of a slot."""

    run: int
    warnings: int


def failed_slots(asked: Round) -> list[Seen]:
    """Return the runs that filled in slots side by side and failed, until each is made good or its slot completed."""
    return asked.once("failed slots", lambda: [*_failed_slots(asked)])


def warned_slots(asked: Round) -> list[Seen]:
    """Return the runs that filled in slots side by side of which the last that completed gave warnings.

    It is the run itself, a restart, or a later run for the slot; the value is `Warned`.
    """
    return asked.once("warned slots", lambda: [*_warned_slots(asked)])


def side_by_side() -> QuerySet[BackfillSlot]:
    """Return the slots that were filled in side by side, each by its own run."""
    return BackfillSlot.objects.filter(
        backfill__side_by_side__isnull=False, is_left_out=False, run__kind__in=_KINDS
    )  # fmt: skip


def again_of_slots(jobs: Collection[int]) -> set[int]:
    """Return the restarts of runs that filled in slots of these jobs side by side, and theirs in turn.

    They are of the slot, too.
    """
    of_jobs = side_by_side().filter(backfill__job_schedule__job__in=jobs)
    first = Run.objects.filter(restart_of__in=of_jobs.order_by().values("run")).order_by()
    found = next_ones = set(first.values_list("pk", flat=True))
    while next_ones:
        next_ones = set(Run.objects.filter(restart_of__in=next_ones).order_by().values_list("pk", flat=True))
        found = found | next_ones
    return found


def _failed_slots(asked: Round) -> Iterator[Seen]:
    def lately(since: datetime) -> QuerySet[Any, Any]:
        return side_by_side().filter(run__status=RunStatus.FAILED, run__finished_at__gt=since).values_list("run")

    runs = _wrong_already(asked) | {run for (run,) in prepared("failed slots", lately, since=asked.now - LATELY)}
    if not runs:
        return
    again = Run.objects.filter(
        Q(status=RunStatus.COMPLETED) | Q(made_good_by__isnull=False), is_partial=False,
        title=OuterRef("run__title"), scheduled_for=OuterRef("slot"), pk__gt=OuterRef("run"),
    )  # fmt: skip
    failed = side_by_side().filter(~Exists(again), run__status=RunStatus.FAILED, run__made_good_by__isnull=True)
    for one in _slots(failed, runs):
        yield one.seen(one.slot, one.run)


def _warned_slots(asked: Round) -> Iterator[Seen]:
    runs = _wrong_already(asked) | _first_of(_warned_lately(asked))
    slots = {(one.title, one.slot): one for one in _slots(side_by_side(), runs)} if runs else {}
    ends = _last_ends(slots)
    for key, one in slots.items():  # of two that were filled in for one slot the later speaks for it
        if (end := ends.get(key)) is not None and end.warnings:
            yield one.seen(Warned(one.slot, end.warnings), end.run)


def _slots(rows: QuerySet[BackfillSlot], runs: Collection[int]) -> list[_Slot]:
    """Return those of these slots that these runs filled in, in the order of the runs."""
    of_plan, of_job = ("plan", "plan__categories"), ("job_schedule__job", "job_schedule__job__category")
    columns = (f"backfill__{column}" for column in of_plan + of_job)
    found = rows.filter(run__in=runs).order_by("run").values_list("run", "run__title", "slot", *columns)
    return [_Slot(*row) for row in found]


def _warned_lately(asked: Round) -> set[int]:
    """Return the runs that ended lately with warnings, and filled in a slot side by side or repeat another run."""

    def lately(since: datetime) -> QuerySet[Any, Any]:
        filled = side_by_side().filter(run=OuterRef("pk"))
        of_slots = Q(restart_of__isnull=False) | Exists(filled)
        return Run.objects.filter(of_slots, warnings__gt=0, finished_at__gt=since, kind__in=_KINDS).values_list("pk")

    return {run for (run,) in prepared("warned slots", lately, since=asked.now - LATELY)}


def _first_of(runs: Iterable[int]) -> set[int]:
    """Return the runs that these repeat, however often; one that repeats nothing is its own."""
    found, left = set[int](), {*runs}
    while left:
        repeats = dict(Run.objects.filter(pk__in=left).values_list("pk", "restart_of"))
        found |= {run for run, before in repeats.items() if before is None}
        left = {before for before in repeats.values() if before is not None}
    return found


def _last_ends(slots: Collection[tuple[str, datetime]]) -> dict[tuple[str, datetime], _End]:
    """Return the last run that completed all of each of these slots, by title and slot; restarts are of its slot."""
    if not slots:
        return {}
    last: dict[tuple[str, datetime], _End] = {}
    whole = Run.objects.filter(is_partial=False, kind__in=_KINDS).order_by()
    names, instants = {title for title, _ in slots}, {slot for _, slot in slots}
    columns = ("pk", "title", "scheduled_for", "status", "warnings")
    rows = whole.filter(title__in=names, scheduled_for__in=instants).values_list(*columns)
    found = [(pk, (title, at), *end) for pk, title, at, *end in rows]
    while found:
        for pk, of, status, warnings in found:
            if status == RunStatus.COMPLETED and (of not in last or last[of].run < pk):
                last[of] = _End(pk, warnings)
        slot_of = {pk: of for pk, of, *_ in found}
        restarts = whole.filter(restart_of__in=slot_of).values_list("pk", "restart_of", "status", "warnings")
        found = [(pk, slot_of[before], *end) for pk, before, *end in restarts]
    return last


def _wrong_already(asked: Round) -> set[int]:
    return {int(run) for run, _ in asked.wrong_already(BACKFILLED)}
