"""A fire as one frozen value, whoever wants it: what the run is of, what it does, and why it starts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scheduling import events
from scheduling.dag.manifest import Manifest
from scheduling.lifecycle.guard import Bid
from scheduling.models import Job, Run, Schedule, SchedulerLog
from scheduling.runs.rights import Person
from scheduling.states import EventType
from staging.models import Batch


@dataclass(frozen=True)
class Cause:
    """Why a run starts. `fire_key` is unique to it: what fires twice with one key starts once.

    `by_itself`: the scheduler decided it, on what it had read of the schedule; `slot` is None for a trigger. `slots`
    are the columns by which the schedule moves on together with the fire, and `passed` the events that tell of those
    that came to nothing. `details` is what the log keeps of the decision, and `rows_queued` the rows it saw waiting.
    `person`: who asked for it, when somebody did.
    """

    fire_key: str
    trigger_source: str
    started_by: str
    now: datetime
    reason: str = ""
    by_itself: bool = False
    slot: datetime | None = None
    slots: Mapping[str, Any] = field(default_factory=dict)
    passed: Sequence[SchedulerLog] = ()
    rows_queued: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)
    restart_of: Run | None = None
    person: Person | None = None


@dataclass(frozen=True)
class Subject:
    """What a run is a run of, and the guards that let it run once at a time: those of its schedules and of its job.

    The schedules stand as they were read. A job is guarded also against runs that none of its schedules started.
    """

    kind: str
    title: str = ""
    plans: Sequence[str] = ()
    entity_id: int | None = None
    schedules: Sequence[Schedule] = ()
    job: Job | None = None

    def about(self) -> list[dict[str, int]]:
        """Return the columns of the log that say whom an event is about, one for each event that tells the fire."""
        if self.job is not None:
            return [{"job_id": self.job.pk}]
        return [schedule.subject for schedule in self.schedules] or [{}]

    def guards(self) -> set[tuple[str, int]]:
        """Return what no two fires of one transaction may share."""
        return {(schedule.KIND, schedule.pk) for schedule in self.schedules} | (
            {("job", self.job.pk)} if self.job is not None else set()
        )


@dataclass(frozen=True)
class Fire:
    """One run that is to start. `message` is what the log says of it; `event` adds to the log event, or replaces."""

    subject: Subject
    manifest: Manifest
    cause: Cause
    message: str
    event: Mapping[str, Any] = field(default_factory=dict)

    def bids(self) -> list[Bid]:
        """Return what it wants of the guards of its schedules."""
        cause = self.cause
        return [Bid(seen, cause.trigger_source, cause.by_itself, cause.slots) for seen in self.subject.schedules]

    def events(self, run: Run, batch: Batch | None) -> list[SchedulerLog]:
        """Return what the log keeps of it, and of the slots that it passed."""
        facts = {"trigger_source": run.trigger_source, "message": self.message, "run_id": run.pk}
        if batch is not None:
            facts["batch_id"] = batch.pk
        about, *others = self.subject.about()
        told = [{**about, **facts, **self.event}, *({**other, **facts} for other in others)]
        return [*(events.event(EventType.FIRED, now=self.cause.now, **each) for each in told), *self.cause.passed]
