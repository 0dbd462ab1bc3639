"""The slots to come as a forecast tells them: the engine of the simulation looks ahead, from what is stored or afresh.

A look that begins now starts from what is stored: a slot that waits, what runs, a pause, a back-off. One that begins at
another instant knows only the cadence, the calendar and the pauses.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from scheduling import conf
from scheduling.forecast.values import FIRES, HELD, ROLLED, SKIPPED, ExpectedFire
from scheduling.models import Schedule
from scheduling.schedules.sentence import describe
from scheduling.simulation.attempt import NextAttempt
from scheduling.simulation.grid import Moments
from scheduling.simulation.schedule import Simulated
from scheduling.simulation.simulate import cycles_of
from scheduling.simulation.world import World
from scheduling.states import EventType, IntervalAnchor
from scheduling.usual_runs import Piece
from staging.wording import Later


def enter(
    world: World,
    schedule: Schedule,
    start: datetime,
    now: datetime,
    left: Sequence[Piece] = (),
    attempt: NextAttempt | None = None,
) -> None:
    """Let a schedule take part in a look at what comes from `start` on, as things stand `now`.

    `left` are the pieces of its run that are still to do, `attempt` is the one that it waits for. Raises CadenceError
    when it cannot be read.
    """
    # After its first run an interval after completion depends on what ran before: it goes all the way from now.
    follows = schedule.interval_anchor == IntervalAnchor.LAST_COMPLETION and now < start
    if start == now or follows:
        world.add(schedule, start=now, is_stored=True, left=left, attempt=attempt)
    else:
        blackout = schedule.blackout()
        world.add(schedule, start=blackout.rolls_from(start) if blackout else start)


def slots_ahead(world: World, start: datetime, until: datetime) -> Iterator[ExpectedFire]:
    """Yield the slots from `start` until before `until`, ascending: those that fire and those that do not.

    Lazy: what nobody asks for is not looked at.
    """
    members = world.members()
    tellers = {id(member): _Teller(member) for member in members}
    begin = min((member.start for member in members), default=start)
    for looked_at in cycles_of(members, Moments(begin, until, conf.dispatch_interval())):
        for member in looked_at:
            for slot in tellers[id(member)].told():
                if slot.at >= start:
                    yield slot


class _Teller:
    """Tells what happened to one schedule as slots."""

    def __init__(self, member: Simulated) -> None:
        schedule, seen = member.schedule, member.usual.seen
        self._member, self._what, self._sentence = member, schedule.what, describe(schedule)
        self._entity_id = schedule.subject.get("entity_id")
        self._milliseconds = None if seen is None else round(seen / timedelta(milliseconds=1))
        self._blackout = schedule.blackout()
        self._rolled_to: datetime | None = None

    def told(self) -> list[ExpectedFire]:
        """Return what happened since it was last asked."""
        member, found = self._member, list[ExpectedFire]()
        if member.not_fired:
            events, member.not_fired = member.not_fired, []
            for event in events:
                if event.event == EventType.HELD and self._blackout and self._blackout.rolls:
                    self._rolled_to = self._blackout.end_of(event.at)
                elif event.event in _STATES:
                    found.append(self._slot(event.at, _STATES[event.event], event.kept("reason")))
        if member.fires:
            fires, member.fires = member.fires, []
            for fire in fires:
                state = ROLLED if fire.slot and fire.slot == self._rolled_to else FIRES
                found.append(self._slot(fire.at, state, fire.kept("reason"), fire.pieces))
        return found

    def _slot(
        self, at: datetime, state: str, reason: str | Later, again: tuple[Piece, ...] | None = None
    ) -> ExpectedFire:
        """Return a slot; `again`: the pieces of an attempt that does less than a usual run."""
        pieces, milliseconds = self._member.usual.pieces, self._milliseconds
        if again is not None:
            lasts = max((piece.after + piece.lasts for piece in again), default=timedelta())
            pieces, milliseconds = again, round(lasts / timedelta(milliseconds=1))
        return ExpectedFire(at, self._what, self._sentence, state, milliseconds, self._entity_id, reason, pieces)


# What a forecast tells of what does not fire; that slots were missed, or a pause began, is no slot to come.
_STATES: dict[str, str] = {EventType.HELD: HELD, EventType.SKIPPED: SKIPPED}
