"""The verb behind «why did it not run?»: reads what is known of a period and has it explained."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q
from django.db.models.fields.json import KT

from scheduling.cadence.errors import CadenceError
from scheduling.decisions.decide import decide
from scheduling.errors import InvalidSchedule
from scheduling.explanations.explain import explain_slots
from scheduling.explanations.explanation import Explanation
from scheduling.explanations.facts import EventFact, RunFact
from scheduling.explanations.outcomes import explain_triggers
from scheduling.kinds import measured
from scheduling.models import Run, Schedule, SchedulerLog, SiteFacts
from scheduling.schedules.sentence import describe
from scheduling.states import CLOCK, EventType, IntervalAnchor, ProcessingMode
from staging.wording import is_of_site, say

PERIOD = timedelta(days=7)
MOST_SLOTS = 2_000
MOST_READ = 20_000
_MOST_CLOCKS = 20
_YEARS = (1900, 9990)
_TICK = timedelta(microseconds=1)
_ABOUT_SLOTS = (EventType.SKIPPED, EventType.HELD, EventType.MISSED, EventType.ERROR)
_PAUSES = (EventType.PAUSED, EventType.RESUMED)
_DETAILS = ("slot", "gate", "first", "last", "count", "of", "schedule")
# An event that is about no schedule in particular is about all of them.
_OF_NOBODY = dict.fromkeys(("entity_id", "plan_id", "job_id"))


def why_not(
    schedule: Schedule,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    now: datetime,
    site: SiteFacts | None = None,
) -> Explanation:
    """Return every slot of the period with what became of it, and what holds right now; writes nothing.

    The period includes both ends and is the last seven days when not given; of very many slots the last
    `MOST_SLOTS` are explained and a note says so. `site`: where that was read before. Raises InvalidSchedule when the
    period ends before it starts.
    """
    since, until = _period(since, until, now)
    slots, notes = _slots(schedule, since, until)
    read_from = slots[0] if len(slots) > MOST_SLOTS else since
    runs, (events, clocks) = _runs(schedule, read_from, until), _events(schedule, read_from)
    if MOST_READ in (len(runs), len(events)):
        notes.append(say("Only the last {most:,} runs and log events were read.", most=MOST_READ))
    site = SiteFacts.read() if site is None else site
    state = site.state
    if schedule.processing_mode == ProcessingMode.TRIGGERED:
        explained = explain_triggers(runs, events)
    else:
        blackout = schedule.blackout()
        explained = explain_slots(schedule, slots, runs, events, now, blackout=blackout, state=state).slots
    found = tuple(slot for slot in explained if read_from <= slot.at <= until)
    if len(found) > MOST_SLOTS:
        found = found[-MOST_SLOTS:]
        notes.append(_only_the_last(found[0].at))
    return Explanation(
        slots=found,
        entity=schedule.what,
        since=since,
        until=until,
        sentence=describe(schedule),
        decision=decide(schedule, measured(schedule, now, state), now),
        notes=(*notes, *_notes(schedule, clocks, read_from, now, site.log_days)),
    )


def _only_the_last(first: datetime) -> str:
    return say(
        "Only the last {most:,} slots are listed, from {first}; ask for less time.",
        most=MOST_SLOTS,
        first=first,
    )


def _period(since: datetime | None, until: datetime | None, now: datetime) -> tuple[datetime, datetime]:
    """Return both ends, filled in; raises InvalidSchedule when there is no such period."""
    for end, name in ((since, "since"), (until, "until")):
        if end is not None and not _YEARS[0] <= end.year < _YEARS[1]:
            raise InvalidSchedule(
                {name: [say("Stay between the years {first} and {last}.", first=_YEARS[0], last=_YEARS[1])]}
            )
    until = until or (now if since is None or since < now else since + PERIOD)
    since = since or until - PERIOD
    if since > until:
        raise InvalidSchedule({"until": [say("The period ends before it starts; exchange them.")]})
    return since, until


def _slots(schedule: Schedule, since: datetime, until: datetime) -> tuple[list[datetime], list[str]]:
    """Return the slots of the period, ascending, of very many one more than is listed, and what is to be noted."""
    try:
        cadence = schedule.cadence()
    except CadenceError as error:
        return [], [say("The schedule cannot be read, so only runs and log events are listed: {error}", error=error)]
    slots: list[datetime] = []
    at = cadence.previous_before(until + _TICK) if cadence else None
    while cadence and at is not None and at >= since and len(slots) <= MOST_SLOTS:
        slots.append(at)
        at = cadence.previous_before(at)
    return slots[::-1], []


def _runs(schedule: Schedule, since: datetime, until: datetime) -> list[RunFact]:
    """Read the runs that the scheduler started for slots, or by triggers, of the period; one statement."""
    span = (since, until)
    in_time = Q(scheduled_for__range=span) | Q(scheduled_for=None, created_at__range=span)
    own = f"{schedule.KIND}:{schedule.pk}:"
    runs = Run.objects.filter(in_time, fire_key__startswith=own).exclude(fire_key__startswith=f"{own}manual:")
    runs = runs.filter(**schedule.subject) if schedule.READS_ROWS else runs  # an index leads to an entity's runs
    runs = runs.order_by("-id")
    tries = ("attempt_number", "next_attempt_at")
    columns = ("id", "created_at", "status", "scheduled_for", "trigger_source", "error", *tries)
    return [RunFact(**row) for row in runs.values(*columns)[:MOST_READ]]


def _events(schedule: Schedule, since: datetime) -> tuple[list[EventFact], list[EventFact]]:
    """Read the log from the period's start until now: what was missed is often found out later. One statement.

    Returned are the events of slots and pauses, and those of hosts that ran no cycles because their clocks were off.
    """
    clocks = Q(**_OF_NOBODY, event_type=EventType.ERROR, details__of=CLOCK)
    own = Q(**schedule.subject, event_type__in=[*_ABOUT_SLOTS, *_PAUSES])
    of_all = Q(**_OF_NOBODY, event_type__in=_PAUSES)
    details: dict[str, Any] = {name: KT(f"details__{name}") for name in _DETAILS}
    if not is_of_site():
        details["said"] = F("details__said")
    rows = (
        SchedulerLog.objects.filter(own | of_all | clocks, event_time__gte=since)
        .order_by("-event_time", "-id")
        .values("id", "event_time", "event_type", "message", "run_id", *_OF_NOBODY, **details)[:MOST_READ]
    )
    found = [EventFact.of_row(row) for row in rows]
    events = [event for event in found if event.of != CLOCK]
    name = getattr(schedule, "name", "")
    about = [event for event in events if event.of != "schedule" or event.schedule == name]
    return about, [event for event in found if event.of == CLOCK]


def _notes(schedule: Schedule, clocks: list[EventFact], since: datetime, now: datetime, days: int) -> list[str]:
    """Return what a reader must know about the list, the log being kept for `days`; of the clocks the first ones."""
    told = [event for event in reversed(clocks) if event.at <= now][:_MOST_CLOCKS]
    notes: list[str] = [say("{at}: {text}", at=each.at, text=each.message) for each in told]
    if since < now - timedelta(days=days):
        notes.append(say("The log is kept for {days} days: of slots before that only the runs are known.", days=days))
    if schedule.processing_mode == ProcessingMode.MANUAL:
        notes.append(say("Manual: people start it; the scheduler never does."))
    if schedule.processing_mode == ProcessingMode.TRIGGERED:
        notes.append(say("Triggered: it has no slots; its fires and what held it back are listed."))
    if schedule.interval_anchor == IntervalAnchor.LAST_COMPLETION:
        notes.append(say("Counted from the end of the last run: its past runs and its next slot are known, no others."))
    return notes
