"""Brings the database in line with what code declares: create, take over the timing, keep what users set, switch off.

Code owns what a job is and when it fires; users own whether it fires, its jitter, how often it is tried. What is not
declared any more stays with its history and comes back as users left it. Nothing here ever starts a run: a schedule
that is new, changed or back counts from now.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction

from scheduling.jobs.declared import DeclaredJob, DeclaredSchedule
from scheduling.jobs.discover import Found, discover
from scheduling.lifecycle import arming
from scheduling.models import Job, JobSchedule, Queue, SchedulerState
from scheduling.queues import DEFAULT_QUEUE
from staging.wording import say

logger = logging.getLogger(__name__)

# What code says of when a schedule fires; a change of one of these arms it anew.
TIMING = (
    "schedule_type", "interval_minutes", "interval_anchor", "interval_start", "window_start", "window_end",
    "run_times", "run_days", "run_days_of_month", "run_weeks_of_month", "run_months", "run_once_at", "every_n_weeks",
    "every_n_months", "anchor_date", "cron_expression", "starts_on", "ends_on", "timezone", "dst_gap", "dst_overlap",
    "catch_up", "catch_up_limit", "catch_up_window_minutes",
)  # fmt: skip
_OF_SCHEDULE = ("name", *TIMING, "overlap", "removed_at", *arming.ARMING)
_OF_JOB = (
    "name",
    "path",
    "source",
    "category",
    "description",
    "queue_name",
    "priority",
    "timeout_seconds",
    "retry_backoff",
    "removed_at",
    "problem",
)


@dataclass
class Reconciled:
    """What changed, jobs by name and schedules as "job: schedule"; `problems` are declarations not carried out."""

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    disabled: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, list[str]]:
        """Return the document of `sync_jobs --json`; problems are in it when there are any."""
        document = {"created": self.created, "updated": self.updated, "disabled": self.disabled}
        return document | ({"problems": self.problems} if self.problems else {})


def sync_jobs(now: datetime, *, also: Iterable[str] = ()) -> Reconciled:
    """Find what code declares and reconcile it; `also` names modules beside those of the installed apps."""
    return reconcile(discover(also), now)


def reconcile(found: Found, now: datetime) -> Reconciled:
    """Store what was found, all of it or nothing. Processes that start at once take turns; the second changes nothing.

    The rows are locked while they are compared, so that no edit of a user is lost; what code does not own is not
    written.
    """
    with transaction.atomic():
        SchedulerState.objects.get_or_create(pk=1)
        SchedulerState.objects.select_for_update().get(pk=1)
        work = _Reconciliation(found, now)
        work.jobs()
        work.schedules()
    for problem in work.result.problems:
        logger.error("not declared: %s", problem, extra={"event": "job_broken"})
    return work.result


class _Reconciliation:
    """One reconciliation in memory: four reads, then two inserts and an update of each row that changed."""

    def __init__(self, found: Found, now: datetime):
        self._found, self._now = found, now
        self.result = Reconciled(problems=[str(fault) for fault in found.broken])
        self._stored = {job.name: job for job in Job.objects.select_for_update()}
        self._declared: list[tuple[DeclaredJob, Job]] = []
        self._gone: set[int] = set()
        self._queues = {DEFAULT_QUEUE, *Queue.objects.filter(is_cancelled=False).values_list("name", flat=True)}

    def jobs(self) -> None:
        """Create, change, and mark as removed."""
        declared = {job.name: job for job in self._found.jobs}
        by_path = {job.path: job for job in self._stored.values() if job.name not in declared}
        paths = {job.path for job in self._found.jobs}
        by_name = {job.name: job for path, job in by_path.items() if path not in paths}
        created: list[Job] = []
        changed: list[Job] = []
        for each in self._found.jobs:
            job = self._stored.get(each.name) or by_path.pop(each.path, None) or only_other_case(each.name, by_name)
            if job is None:
                job = Job(attempts=each.retry.attempts, retry_interval_seconds=each.retry.interval_seconds)
                created.append(job)
            self._declared.append((each, job))
            taken = _take_over(job, _job_columns(each) | {"problem": self._lacks(each)})
            if taken and job.pk:
                changed.append(job)
                if taken != {"source"}:  # another line of the same file is no news
                    self.result.updated.append(job.name)
        changed += self._undeclared()
        self._write_jobs(created, changed)

    def schedules(self) -> None:
        """The same for the schedules of what is declared, and of what is gone."""
        stored: dict[int, dict[str, JobSchedule]] = {}
        for schedule in JobSchedule.objects.select_for_update(of=("self",)).select_related("job"):
            stored.setdefault(schedule.job_id, {})[schedule.name] = schedule
        created: list[JobSchedule] = []
        changed: list[JobSchedule] = []
        for each, job in self._declared:
            known = carried_over(stored.get(job.pk, {}), each.schedules)
            for declared in each.schedules:
                schedule = known.pop(declared.name, None)
                if schedule is None:
                    created.append(self._new(each, declared, job))
                elif self._renew(schedule, each, declared):
                    changed.append(schedule)
            changed += self._removed(known.values())
        for job_id in self._gone:
            changed += self._removed(stored.get(job_id, {}).values())
        JobSchedule.objects.bulk_create(created)
        _save(changed, _OF_SCHEDULE)
        self.result.created += [str(schedule) for schedule in created]

    def _lacks(self, each: DeclaredJob) -> str:
        """Return what a job needs and does not have; it is declared all the same, and cannot run until it has it."""
        if each.settings.queue in self._queues:
            return ""
        problem = say(
            "@job: There is no queue named {queue!r}; make it in the admin, or name another one.",
            queue=each.settings.queue,
        )
        self.result.problems.append(f"{each.source} {each.name}: {problem}")
        return problem

    def _undeclared(self) -> list[Job]:
        """Mark stored jobs without a declaration as broken when it cannot be read, else as gone; return the changed."""
        matched = {job.pk for _, job in self._declared}
        changed = []
        for job in self._stored.values():
            if job.pk in matched:
                continue
            problem, removed_at = self._problem_of(job), job.removed_at
            if not problem:
                self._gone.add(job.pk)
                removed_at = removed_at or self._now
            if taken := _take_over(job, {"problem": problem, "removed_at": removed_at}):
                changed.append(job)
                (self.result.disabled if "removed_at" in taken else self.result.updated).append(job.name)
        return changed

    def _problem_of(self, job: Job) -> str:
        """Return why a job that is not declared may only be broken and not gone: it or its module is undeclarable."""
        module = job.path.rpartition(".")[0]
        for fault in self._found.broken:
            if fault.path in (job.path, module) or fault.name == job.name:
                return " ".join(fault.faults)
        return ""

    def _write_jobs(self, created: list[Job], changed: list[Job]) -> None:
        Job.objects.bulk_create(created)
        _save(changed, _OF_JOB)
        self.result.created += [job.name for job in created]

    def _new(self, each: DeclaredJob, declared: DeclaredSchedule, job: Job) -> JobSchedule:
        schedule = JobSchedule(job=job, name=declared.name, is_enabled=declared.is_enabled)
        schedule.jitter_seconds = declared.jitter_seconds
        _take_over(schedule, _schedule_columns(each, declared))
        self._arm(schedule)
        return schedule

    def _renew(self, schedule: JobSchedule, each: DeclaredJob, declared: DeclaredSchedule) -> bool:
        """Take over what code says; arm anew when it fires at other times, or is back. Return whether it changed."""
        taken = _take_over(schedule, _schedule_columns(each, declared))
        if schedule.removed_at is not None or taken & set(TIMING):
            self._arm(schedule)
        elif not taken:
            return False
        self.result.updated.append(str(schedule))
        return True

    def _arm(self, schedule: JobSchedule) -> None:
        """Let the schedule count from now: what lies before neither fires nor was missed."""
        schedule.removed_at = None
        arming.put(schedule, arming.armed(schedule, self._now))

    def _removed(self, schedules: Iterable[JobSchedule]) -> list[JobSchedule]:
        """Switch off what code does not declare any more, and leave what users set."""
        found = [schedule for schedule in schedules if schedule.removed_at is None]
        for schedule in found:
            schedule.removed_at = self._now
            arming.put(schedule, arming.next_at(None))
            self.result.disabled.append(str(schedule))
        return found


def _save(rows: Iterable[Job | JobSchedule], columns: Iterable[str]) -> None:
    """Store these columns of rows that changed. One by one: a statement for all of them takes twenty times as long."""
    for row in rows:
        row.save(update_fields=columns)


def _job_columns(each: DeclaredJob) -> dict[str, Any]:
    settings = each.settings
    return {
        "name": each.name,
        "path": each.path,
        "source": each.source,
        "category": settings.category,
        "description": settings.description,
        "queue_name": settings.queue,
        "priority": settings.priority,
        "timeout_seconds": settings.timeout_seconds,
        "retry_backoff": each.retry.backoff,
        "removed_at": None,
    }


def _schedule_columns(each: DeclaredJob, declared: DeclaredSchedule) -> dict[str, Any]:
    """Return every column that code owns; what the declaration does not name has its default."""
    fresh = JobSchedule()
    defaults = {column: getattr(fresh, column) for column in TIMING}
    return {**defaults, **declared.columns, "name": declared.name, "overlap": each.settings.overlap}


def _take_over(row: Job | JobSchedule, columns: Mapping[str, Any]) -> set[str]:
    """Set what differs and return its names."""
    changed = {column for column, value in columns.items() if getattr(row, column) != value}
    for column in changed:
        setattr(row, column, columns[column])
    return changed


Row = TypeVar("Row")


def carried_over(stored: Mapping[str, JobSchedule], declared: Iterable[DeclaredSchedule]) -> dict[str, JobSchedule]:
    """Return the stored schedules of a job by the name under which they go on.

    What the code does not declare under its name any more goes on as what it declares newly: as the one that differs in
    case only, else, where the job loses one and gains one of the same kind, as that one. All others keep their names.
    """
    lost = {name: row for name, row in stored.items() if row.removed_at is None}
    gained = {each.name: each for each in declared if each.name not in stored}
    for each in declared:
        lost.pop(each.name, None)
    found = dict(stored)
    for name in list(gained):
        if row := only_other_case(name, lost):
            found[name] = found.pop(row.name)
            del lost[row.name], gained[name]
    _carry(found, lost, gained, lambda name, kind: kind)
    _carry(found, lost, gained, lambda name, kind: name.partition("_")[0])  # the decorator: "Daily", with days or not
    return found


def only_other_case(name: str, rows: Mapping[str, Row]) -> Row | None:
    """Return the one of these rows whose name differs in case only, None when there is none or more than one."""
    same = [row for other, row in rows.items() if other.casefold() == name.casefold()]
    return same[0] if len(same) == 1 else None


def _carry(
    found: dict[str, JobSchedule],
    lost: dict[str, JobSchedule],
    gained: dict[str, DeclaredSchedule],
    kind_of: Callable[[str, str], str],
) -> None:
    """Let each lost schedule that is alone of its kind go on as the gained one that is alone of the same kind."""
    old: dict[str, list[str]] = {}
    new: dict[str, list[str]] = {}
    for name, row in lost.items():
        old.setdefault(kind_of(name, row.schedule_type), []).append(name)
    for name, each in gained.items():
        new.setdefault(kind_of(name, str(each.columns["schedule_type"])), []).append(name)
    for kind, names in old.items():
        if len(names) == len(new.get(kind, ())) == 1:
            ((was,), (becomes,)) = names, new[kind]
            found[becomes] = found.pop(was)
            del lost[was], gained[becomes]
