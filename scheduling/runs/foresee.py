"""Foresees a backfill: which slots of a range would run, and what becomes of the others. Writes nothing."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from scheduling import conf
from scheduling.cadence.errors import CadenceError
from scheduling.decisions.between import slots_between
from scheduling.errors import CannotBackfill, InvalidArguments
from scheduling.models import JobSchedule, Run, RunSchedule, Schedule
from scheduling.models.backfill import MOST_AT_ONCE
from scheduling.runs.fire import slot_key, slots_key
from scheduling.states import IntervalAnchor, RunStatus, SlotFate
from staging.wording import aloud, say

_YEARS = (1970, 9000)


@dataclass(frozen=True)
class Range:
    """What a person wants: the slots from `since` on until before `until`, and how they run.

    `side_by_side`: so many at once, None for one after the other. `stops_on_failure`: when a run fails or is cancelled,
    none that has not begun does. `repeats`: slots that ran before run once more.
    """

    since: datetime
    until: datetime
    side_by_side: int | None = None
    stops_on_failure: bool = True
    repeats: bool = False

    def faults(self, now: datetime) -> dict[str, list[str]]:
        """Return what is wrong with it, by the name of what is wrong."""
        found: dict[str, list[str]] = {}
        for name, at in (("from", self.since), ("until", self.until)):
            if not _YEARS[0] <= at.year <= _YEARS[1]:
                found[name] = [say("Stay between the years {first} and {last}.", first=_YEARS[0], last=_YEARS[1])]
        if not found and self.until <= self.since:
            found["until"] = [say("This is not later than the start.")]
        elif not found and self.until > now:
            found["until"] = [say("This is in the future: slots to come are the schedule's own.")]
        if self.side_by_side is not None and not 2 <= self.side_by_side <= MOST_AT_ONCE:
            found["side_by_side"] = [say("Write a number from 2 to {most}.", most=MOST_AT_ONCE)]
        return found


@dataclass(frozen=True)
class FoundSlot:
    """One slot of the range, the one before it, what becomes of it, and the last run that it had."""

    slot: datetime
    previous: datetime | None
    state: SlotFate
    run_id: int | None = None


@dataclass(frozen=True)
class BackfillOutlook:
    """What a backfill would do. `more_from`: the first slot beyond the most that one may have; None when all are in."""

    schedule: RunSchedule
    range: Range
    slots: Sequence[FoundSlot] = ()
    more_from: datetime | None = None

    @property
    def to_run(self) -> list[FoundSlot]:
        """Return the slots that would run."""
        return [each for each in self.slots if each.state == SlotFate.WILL_RUN]

    def as_json(self) -> dict[str, Any]:
        """Return the document of the command and the API."""
        return {
            "what": self.schedule.what,
            "schedule": self.schedule.own_name,
            "from": self.range.since.isoformat(),
            "until": self.range.until.isoformat(),
            "side_by_side": self.range.side_by_side,
            "will_run": len(self.to_run),
            "slots": [
                {
                    "slot": each.slot.isoformat(),
                    "previous_slot": each.previous.isoformat() if each.previous else None,
                    "state": each.state.value,
                    "run": each.run_id,
                }
                for each in self.slots
            ],
            "most": conf.backfill_slots(),
            "more_from": self.more_from.isoformat() if self.more_from else None,
        }


def foresee(schedule: Schedule, wanted: Range, now: datetime) -> BackfillOutlook:
    """Return which slots of the range would run, and what becomes of the others. Writes nothing.

    They are those that the schedule, as it is now, had: in its zone, with its calendar. Raises CannotBackfill for what
    has no such slots, and InvalidArguments with what is wrong with the range, by name.
    """
    found = _fillable(schedule)
    if faults := wanted.faults(now):
        raise InvalidArguments(faults)
    since, until = wanted.since.astimezone(UTC), wanted.until.astimezone(UTC)
    try:
        slots = slots_between(found, since, until, now, conf.backfill_slots())
    except CadenceError as error:
        raise CannotBackfill(say("This schedule cannot be read: {error}", error=aloud(error))) from None
    runs = runs_by_slot(found, [slot for slot, _ in slots.fired])
    own_from = _own_from(found)
    told = [
        *(fate_of(slot, previous, runs.get(slot), wanted, own_from) for slot, previous in slots.fired),
        *(FoundSlot(slot, None, SlotFate.HELD) for slot in slots.held),
    ]
    return BackfillOutlook(found, wanted, sorted(told, key=lambda each: each.slot), slots.more_from)


def _fillable(schedule: Schedule) -> RunSchedule:
    """Return a schedule that has slots which can run after the event. Raises CannotBackfill."""
    if not isinstance(schedule, RunSchedule):
        text = say("A batch takes the rows that wait now, whatever its slot: there is nothing to backfill.")
        raise CannotBackfill(text)
    refuse_gone(schedule)
    if not schedule.schedule_type:
        text = say("{what} has no times of its own, so no slots to backfill.", what=_as_begin(schedule))
        raise CannotBackfill(text)
    if schedule.interval_anchor == IntervalAnchor.LAST_COMPLETION:
        text = say(
            "The slots of {what} count from the end of its last run: it has none in the past.", what=schedule.what
        )
        raise CannotBackfill(text)
    return schedule


def refuse_gone(schedule: RunSchedule) -> None:
    """Raise CannotBackfill for a cancelled plan, and for a schedule that the code does not declare any more."""
    is_gone = schedule.removed_at if isinstance(schedule, JobSchedule) else schedule.is_cancelled  # type: ignore[attr-defined]
    if is_gone:
        raise CannotBackfill(say("{what} does not run any more.", what=_as_begin(schedule)))


def _as_begin(schedule: RunSchedule) -> str:
    """Return what a schedule is called where a sentence begins with it."""
    return f"{schedule.what[0].upper()}{schedule.what[1:]}"


def _own_from(schedule: Schedule) -> datetime | None:
    """Return the first slot that the schedule still fires itself; None while it fires nothing."""
    return schedule.next_scheduled_run if schedule.is_enabled else None


def fate_of(
    slot: datetime, previous: datetime | None, run: Run | None, wanted: Range, own_from: datetime | None
) -> FoundSlot:
    """Return what becomes of a slot that had this run; `own_from`: from which slot on its schedule runs them itself."""
    state = SlotFate.WILL_RUN
    if own_from is not None and slot >= own_from:
        state = SlotFate.DUE
    elif run is not None and run.goes_on:
        state = SlotFate.UNDER_WAY
    elif run is not None and not wanted.repeats and (run.status == RunStatus.COMPLETED or run.made_good_by_id):
        state = SlotFate.RAN
    return FoundSlot(slot, previous, state, run.pk if run else None)


def runs_by_slot(schedule: Schedule, slots: Collection[datetime]) -> dict[datetime, Run]:
    """Return the run of each of these slots that had one: one that lives, else one that did its work, else the last.

    A restart that goes on stands for the run that it repeats.
    """
    begin = slot_key(schedule, *slots) if len(slots) == 1 else slots_key(schedule)  # of one slot an index leads to it
    had = Run.objects.filter(fire_key__startswith=begin, scheduled_for__in=slots)
    runs = list(had.only("status", "scheduled_for", "made_good_by", "next_attempt_at").order_by("pk"))
    repeated = _repeated_now() if runs else {}
    found: dict[datetime, Run] = {}
    for run in runs:
        slot, at_work = cast(datetime, run.scheduled_for), repeated.get(run.pk, run)
        if slot not in found or _weight(at_work) >= _weight(found[slot]):
            found[slot] = at_work
    return found


def _repeated_now() -> dict[int, Run]:
    """Return the restarts that go on, by each run that they repeat, however often it was tried in between."""
    live = Run.objects.going_on().filter(restart_of__isnull=False)
    live = live.only("status", "restart_of", "made_good_by", "next_attempt_at")
    ahead = {cast(int, run.restart_of_id): run for run in live}
    found: dict[int, Run] = {}
    while ahead:
        found |= ahead
        before = Run.objects.filter(pk__in=ahead, restart_of__isnull=False).values_list("restart_of", "pk")
        ahead = {of: ahead[pk] for of, pk in before if of is not None and of not in found}
    return found


def _weight(run: Run) -> int:
    if run.goes_on:
        return 2
    return int(run.status == RunStatus.COMPLETED or run.made_good_by_id is not None)
