"""A decision as a value: its gates, which slot would run, what became of the others, and what follows."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple, Protocol

from django.utils.translation import gettext_noop

from scheduling import conf
from scheduling.cadence.blackout import Blackout
from scheduling.lifecycle import arming
from scheduling.models import Schedule
from scheduling.states import CatchUp, EventType, Overlap, ProcessingMode
from staging.phrases import code_of
from staging.tables.columns import PendingRows
from staging.wording import KeepsSaid, ReadAsSaid, Said, counted, in_one_language, say

# An outage of a year at one slot a minute is half a million slots; nobody needs to know the count that exactly.
_MOST = 50_000
_TICK = timedelta(microseconds=1)
# The gate "due" sums these up: one that fails holds nothing back by itself.
_SUMMED_UP = ("trigger:", "after:")

# What is paused, as the beginning of a sentence that goes on with who, since when and why.
PAUSED = gettext_noop("Paused")
JOB_PAUSED = gettext_noop("The job is paused")
EVERYTHING_PAUSED = gettext_noop("Everything is paused")


@dataclass(frozen=True)
class Span:
    """A number of slots in a row."""

    first: datetime
    last: datetime
    count: int


class DueSlots(NamedTuple):
    """What the slots up to now come to.

    `fire` is the slot to run now, `following` the one after it (or after now); `missed` were due while nothing ran and
    will not run; `held` fell into a blackout. `through` is the last slot that was counted. `late` says that `fire`
    belongs to the past and runs by the catch-up policy; `on_time` is then the slot of now, if there is one too, and
    `late_through` the last slot before it. `late_runs_left` is how many runs of this catch-up may still be late, that
    of `fire` included; None when none is under way.
    """

    fire: datetime | None = None
    following: datetime | None = None
    missed: Span | None = None
    held: Span | None = None
    through: datetime | None = None
    late: bool = False
    on_time: datetime | None = None
    late_through: datetime | None = None
    late_runs_left: int | None = None


_NO_SLOTS = DueSlots()


@dataclass
class SortedSlots:
    """The due slots, each where it belongs."""

    open: list[datetime] = field(default_factory=list)
    held: list[datetime] = field(default_factory=list)
    rolled_to: datetime | None = None


def due_slots(schedule: Schedule, now: datetime, blackout: Blackout | None) -> DueSlots:
    """Return what the schedule's slots up to `now` come to. Reads no table and no clock.

    Slots that are older than the time a late cycle may take were missed: what then happens is the catch-up policy's
    to say. Missed slots are found from the cadence, not from the log, so it does not matter what was down.
    """
    first = schedule.next_scheduled_run
    if first is None or first > now:
        return DueSlots(following=first)
    cadence = schedule.cadence()
    slots = [first, *islice(cadence.between(first, now), _MOST)] if cadence and first < now else [first]
    if cadence and len(slots) > _MOST and (latest := cadence.previous_before(now + _TICK)):
        slots.append(latest)  # whether a slot is on time is the last one's to say
    following = cadence.next_after(now) if cadence else None
    due = sort_slots(slots, blackout, now)
    if due.rolled_to is not None:
        following = min(due.rolled_to, following) if following else due.rolled_to
    told = schedule.caught_up_through  # behind a slot that waits for its turn, what was held has been told already
    held = _span([slot for slot in due.held if told is None or slot > told])
    if not due.open:
        return DueSlots(following=following, held=held, through=slots[-1])
    counted = max(slots[-1], due.open[-1])
    return _choose(schedule, due.open, following, held, counted, now)


def sort_slots(slots: list[datetime], blackout: Blackout | None, now: datetime) -> SortedSlots:
    """Tell open slots from dark ones. A rolled slot becomes one at the end of its blackout, however many roll there."""
    if blackout is None:
        return SortedSlots(open=sorted(set(slots)) if len(slots) > 1 else slots)
    found, open_slots, end = SortedSlots(), set(), None
    for slot in sorted(slots):
        if end is None or slot >= end:  # else it is in the same blackout, whose end was looked for once
            end = blackout.end_of(slot)
        if end is None:
            open_slots.add(slot)
            continue
        found.held.append(slot)
        if blackout.rolls and end <= now:
            open_slots.add(end)
        elif blackout.rolls:
            found.rolled_to = end
    found.open = sorted(open_slots)
    return found


def _choose(
    schedule: Schedule,
    slots: list[datetime],
    following: datetime | None,
    held: Span | None,
    through: datetime,
    now: datetime,
) -> DueSlots:
    """Apply the catch-up policy to open slots that are due."""
    latest = slots[-1]
    # Most simulated slots are due at once: for these no setting need be read.
    on_time = latest if latest == now or now - latest <= conf.missed_after() else None
    late = slots[:-1] if on_time else slots
    if not late:  # as in most decisions
        return DueSlots(on_time, following, held=held, through=through)
    to_run, dropped = _sort_late(schedule, late, on_time, now)
    missed = _span(dropped)
    if to_run and on_time and _was_left_out(schedule, on_time):
        on_time = None
    queue = to_run + ([on_time] if on_time else [])
    if not queue:
        return DueSlots(following=following, missed=missed, held=held, through=through)
    after = queue[1] if len(queue) > 1 else following
    if not to_run:
        return DueSlots(queue[0], after, missed, held, through)
    late_through, left = late[-1] if on_time else None, _late_runs_left(schedule)
    return DueSlots(queue[0], after, missed, held, through, True, on_time, late_through, left)


def _sort_late(
    schedule: Schedule, late: list[datetime], on_time: datetime | None, now: datetime
) -> tuple[list[datetime], list[datetime]]:
    """Return the late slots that run, oldest first, and those that are dropped and have not been told yet."""
    told = [slot for slot in late if schedule.caught_up_through and slot <= schedule.caught_up_through]
    new = late[len(told) :]
    left = _late_runs_left(schedule)
    if left is not None and schedule.late_runs_left is not None:
        # What came due while the late ones ran is late itself: it runs in place of older ones, never beside them, or
        # a schedule as quick as the cycle would never be on time again.
        waiting = told + _recent(schedule, new, now)
        to_run = waiting[len(waiting) - left :] if left < len(waiting) else waiting
        return to_run, [slot for slot in late if slot not in to_run]
    # Of the slots told before, the first one waits for its run (its worker died, or it was its turn to run late);
    # the others do too when all missed slots run, else they were dropped or skipped then.
    waiting = told if schedule.catch_up == CatchUp.ALL else told[:1]
    to_run = waiting + _worth_running(schedule, new, on_time, now)
    return to_run, [slot for slot in new if slot not in to_run]


def _late_runs_left(schedule: Schedule) -> int | None:
    """Return how many runs of this catch-up may still be late; None where the policy does not count them."""
    if schedule.catch_up != CatchUp.ALL:
        return None
    return schedule.catch_up_limit if schedule.late_runs_left is None else schedule.late_runs_left


def _was_left_out(schedule: Schedule, slot: datetime) -> bool:
    """Return whether a slot of now was told before that it does not run, because an earlier one waits already."""
    one_waits = schedule.overlap != Overlap.SKIP and schedule.catch_up != CatchUp.ALL
    return one_waits and schedule.caught_up_through is not None and slot <= schedule.caught_up_through


def _worth_running(schedule: Schedule, late: list[datetime], on_time: datetime | None, now: datetime) -> list[datetime]:
    """Return the late slots that still run: none, the last one unless one on time replaces it, or all within limits."""
    recent = _recent(schedule, late, now)
    if schedule.catch_up == CatchUp.LAST:
        return [] if on_time else recent[-1:]
    if schedule.catch_up == CatchUp.ALL:
        return recent[-schedule.catch_up_limit :]
    return []


def _recent(schedule: Schedule, late: list[datetime], now: datetime) -> list[datetime]:
    """Return the late slots that are not too old to run."""
    oldest = now - timedelta(minutes=schedule.catch_up_window_minutes)
    return [slot for slot in late if slot >= oldest]


def _span(slots: list[datetime]) -> Span | None:
    """Return the slots as first, last and count; None when there are none."""
    return Span(slots[0], slots[-1], len(slots)) if slots else None


class PauseFacts(Protocol):
    """Whatever carries the four facts of a pause."""

    paused_at: datetime | None
    paused_by: str
    pause_reason: str
    paused_until: datetime | None


def missed_sentence(span: Span) -> Said:
    """Return «3 slots missed, from … to …; catch-up drops them.»."""
    slots = counted(span.count, "slot missed", "slots missed")
    if span.count == 1:
        return say("{slots}: {first}; catch-up drops them.", slots=slots, first=span.first)
    return say("{slots}, from {first} to {last}; catch-up drops them.", slots=slots, first=span.first, last=span.last)


def missed_event(span: Span) -> Said:
    """Return «3 slots missed while no scheduler ran, from … to ….», as the log tells it."""
    slots = counted(span.count, "slot missed while no scheduler ran", "slots missed while no scheduler ran")
    return span_sentence(slots, span)


def held_sentence(span: Span) -> Said:
    """Return «3 slots held by a blackout, from … to ….»."""
    return span_sentence(counted(span.count, "slot held by a blackout", "slots held by a blackout"), span)


def span_sentence(slots: Said, span: Span) -> Said:
    """Return how many slots came to what, and which they are."""
    if span.count == 1:
        return say("{slots}: {first}.", slots=slots, first=span.first)
    return say("{slots}, from {first} to {last}.", slots=slots, first=span.first, last=span.last)


def pause_sentence(subject: str, pause: PauseFacts) -> Said:
    """Return who paused, why and until when, in one sentence; `subject` is the code of what is paused."""
    return say(
        "{subject}{by}{since}{until}{why}.",
        subject=say(subject),
        by=say(" by {user}", user=pause.paused_by) if pause.paused_by else "",
        since=say(" since {instant}", instant=pause.paused_at) if pause.paused_at else "",
        until=say(", until {instant}", instant=pause.paused_until) if pause.paused_until else "",
        why=say(": {reason}", reason=pause.pause_reason) if pause.pause_reason else "",
    )


def pauses_of(schedule: Schedule) -> list[Said]:
    """Return a sentence for each pause that keeps this schedule still: its own, and that of its job."""
    own = [pause_sentence(PAUSED, schedule)] if schedule.paused_at is not None else []
    above = schedule.paused_with
    return [*own, pause_sentence(JOB_PAUSED, above)] if above is not None else own


@dataclass
class Gate(KeepsSaid):
    """One condition: what was measured, what it was held against, and whether it let the fire pass."""

    name: str
    passed: bool
    value: ReadAsSaid = ReadAsSaid()
    limit: ReadAsSaid = ReadAsSaid()
    text: ReadAsSaid = ReadAsSaid()

    def as_json(self) -> dict[str, Any]:
        """Return the gate as commands and pages show it."""
        return {"gate": self.name, "passed": self.passed, "value": self.value, "limit": self.limit, "text": self.text}

    def as_logged(self) -> dict[str, Any]:
        """Return the gate as the log keeps it: with the codes of its texts; what has none is its own code."""
        texts = {"said": self.text, "value_said": self.value, "limit_said": self.limit}
        codes = {name: code for name, text in texts.items() if (code := code_of(text))}
        return {**self.as_json(), **codes}


@dataclass(frozen=True)
class Awaited:
    """One thing that a plan runs after: when it completed last, and which completion the plan has begun a run with."""

    what: str
    completed_at: datetime | None = None
    used_at: datetime | None = None
    is_gone: bool = False  # cancelled: it completes no more

    def since(self, armed_from: datetime | None) -> datetime | None:
        """Return the instant after which a completion counts; None when any does."""
        return max((at for at in (self.used_at, armed_from) if at is not None), default=None)

    def is_met(self, armed_from: datetime | None) -> bool:
        """Return whether it completed since."""
        since = self.since(armed_from)
        return self.completed_at is not None and (since is None or self.completed_at > since)


class Statistics(NamedTuple):
    """What was measured for a decision: the pending rows, and the last sign of life of what runs."""

    pending: PendingRows = PendingRows()
    last_sign_of_life: datetime | None = None
    everything_paused: str = ""  # the sentence that says so, empty when nothing is
    waits_for_worker: bool = False  # its batch was started and no worker has claimed it: silent, but not dead
    held_by: str = ""  # who holds it, so that no worker claims it
    altered: str = ""  # how the entity's tables differ from their definition, where they were looked at
    others: tuple[Awaited, ...] = ()  # what a plan runs after


@dataclass
class Decision(KeepsSaid):
    """Whether something would fire now. All gates are evaluated, also after one that failed."""

    would_fire: bool
    reason: ReadAsSaid = ReadAsSaid()
    trigger_source: ReadAsSaid = ReadAsSaid()
    gates: tuple[Gate, ...] = ()
    slots: DueSlots = _NO_SLOTS

    def gate(self, name: str) -> Gate | None:
        """Return the gate of this name, if the decision has it."""
        return next((gate for gate in self.gates if gate.name == name), None)

    def would_fire_but_for(self, *names: str) -> bool:
        """Return whether only the named gates stand in the way."""
        return not self.would_fire and all(
            gate.passed or gate.name in names or gate.name.startswith(_SUMMED_UP) for gate in self.gates
        )

    def blocking(self) -> tuple[Gate, ...]:
        """Return the gates that must all pass: those that "due" sums up are not among them."""
        return tuple(gate for gate in self.gates if not gate.name.startswith(_SUMMED_UP))

    def gates_as_json(self) -> list[dict[str, Any]]:
        """Return all gates as commands and pages show them."""
        with in_one_language():
            return [gate.as_json() for gate in self.gates]

    def gates_as_logged(self) -> list[dict[str, Any]]:
        """Return all gates as the log keeps them: beside each text what it was made from."""
        with in_one_language():
            return [gate.as_logged() for gate in self.gates]


@dataclass(frozen=True)
class Aftermath:
    """What follows when nothing fires.

    `moves_on`: the schedule passes the slots that came to nothing; `keep` is a slot that goes on waiting for its run.
    `held_back` names the event when something was due and had to stand back, else it is empty. `left_out` is the slot
    of now that does not run because one before it waits already. `replaces`: what runs is cancelled for what waits.
    """

    moves_on: bool = False
    keep: datetime | None = None
    held_back: str = ""
    left_out: datetime | None = None
    replaces: bool = False


def aftermath(schedule: Schedule, decision: Decision) -> Aftermath:
    """Return what follows from a decision not to fire. Reads no table and no clock.

    A slot that runs late by the catch-up policy waits for its turn, and so does one whose overlap policy lets it wait
    for the run before; any other is passed, for the next one will come.
    """
    slots, blocked = decision.slots, decision.would_fire_but_for("overlap", "back_off", "blackout")
    blackout = decision.gate("blackout")
    event = EventType.SKIPPED if blackout is None or blackout.passed else EventType.HELD
    cancels = schedule.overlap == Overlap.CANCEL_RUNNING
    if schedule.processing_mode != ProcessingMode.SCHEDULED:
        replaces = cancels and decision.would_fire_but_for("overlap")
        return Aftermath(held_back=event if blocked else "", replaces=replaces)
    if (slots.fire and not blocked) or slots.through is None:
        return Aftermath()
    waits = slots.late or (schedule.overlap != Overlap.SKIP and decision.would_fire_but_for("overlap"))
    keep = slots.fire if blocked and waits else None
    one_waits = schedule.overlap != Overlap.SKIP and schedule.catch_up != CatchUp.ALL
    left_out = slots.on_time if keep and one_waits else None
    told = slots.fire is not None and (keep is None or left_out is not None)
    replaces = cancels and keep is not None
    return Aftermath(True, keep, event if told else "", left_out, replaces)


def past_slots(
    schedule: Schedule, slots: DueSlots, now: datetime, *, fires: bool = False, after: Aftermath | None = None
) -> dict[str, Any]:
    """Return the columns by which a schedule moves on from its slots; call only when some were due.

    `fires`: the slot of the decision runs; otherwise `after` may keep one waiting. A slot of now behind a late one is
    not counted yet: when its turn comes it is on time, or told as missed.
    """
    keep = after.keep if after else None
    queued = slots.late and slots.on_time is not None and not (after and after.left_out)
    more = slots.on_time is not None or (slots.following is not None and slots.following <= now)
    left = slots.late_runs_left
    if left is not None and fires:
        left = left - 1 if more else None
    following = keep or slots.following or schedule.planned_after(now)
    through = slots.late_through if queued else slots.through
    return arming.moved_on(following, through, left if fires or keep else None)
