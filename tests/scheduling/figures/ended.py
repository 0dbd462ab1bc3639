"""Ended runs as tests of the figures need them, and the figures as one would count them on paper."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count

from scheduling.figures.count import COUNTED, full_hour
from scheduling.figures.read import PERIODS, Figures, Lately
from scheduling.models import FiguresMark, Queue, Run, Task
from scheduling.states import RunKind

_numbers = count(1)


@dataclass
class Ended:
    """One ended piece of work, as a test remembers it."""

    kind: str
    subject: int | str
    status: str
    at: datetime
    took: timedelta


def store(each: Ended, *, run_status: str | None = None) -> Task | Run:
    """Store a run of a plan, or a run with one task of a job or an entity; `run_status` when it goes on."""
    is_plan = each.kind == RunKind.PLAN
    run = Run.objects.create(
        kind=each.kind,
        plans=[each.subject] if is_plan else [],
        fire_key=f"test:{next(_numbers)}",
        status=run_status or each.status,
        created_at=each.at - each.took,
        started_at=each.at - each.took,
        finished_at=None if run_status else each.at,
    )
    if is_plan:
        return run
    return run.tasks.create(
        key="work",
        workload=each.kind,
        target_id=each.subject,
        queue=Queue.objects.get_or_create(name="default")[0],
        status=each.status,
        started_at=each.at - each.took,
        finished_at=each.at,
    )


def on_paper(remembered: Iterable[Ended], kind: str, subject: int | str, now: datetime) -> Lately:
    """Return the figures that one would count from everything that ever ended."""
    mark, found = FiguresMark.current(), {}
    for period, length in PERIODS.items():
        begin = now - length
        whole_hour = mark.is_deleted(full_hour(begin))
        ended = [
            each
            for each in remembered
            if (each.kind, each.subject) == (kind, subject)
            and (full_hour(begin) <= each.at if whole_hour else begin < each.at)
            and each.at <= now
        ]
        lengths = [each.took for each in ended if each.status == "completed"]
        counts = {status: sum(each.status == status for each in ended) for status in COUNTED}
        found[period] = Figures(**counts, took=sum(lengths, timedelta()), longest=max(lengths, default=timedelta()))
    return Lately(**found)
