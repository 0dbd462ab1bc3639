"""What a run of a plan does, in plain Python, written from `docs/plans.md` and `docs/runs.md` and nothing else.

A plan is a list of `Wanted`; a run of it a `PlanRun`, which workers, people and cycles do things to. It knows no
database and nothing of the engine: what both come to must be the same after each thing that is done.

What runs for each item of a list is in `items_model`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Self

from tests.scheduling.runs.plan_order_model import MINUTE, Wanted, all_before, in_order, order_of

ENDED = ("completed", "failed", "cancelled", "blocked", "skipped")
NOT_DONE = ("failed", "blocked")
DONE_OR_FAILED = ("completed", "skipped", "failed")


@dataclass
class Step:
    """One step of a run, and how it stands."""

    of: Wanted
    priors: set[str]
    allowed: int
    status: str = "waiting"
    made: int = 0
    before: int = 0  # of these attempts, those of earlier rounds
    next_at: datetime | None = None  # it is put off until then
    earliest: datetime | None = None  # where the pause doubles, it is so long at least, and a fifth longer at most
    is_held: bool = False
    turn: datetime | None = None  # since when it was its turn
    looked: bool = False
    claimed: datetime | None = None
    asked_to_stop: datetime | None = None
    gave: Any = None
    by_hand: bool = False
    is_fatal: bool = False  # its work said that trying again is pointless
    runs_anyway: bool = False  # a person let it run now, whatever stands before it

    @property
    def has_begun(self) -> bool:
        """Return whether a worker had it in this round, be it for a look."""
        return self.made > self.before or self.looked

    @property
    def passes(self) -> bool:
        """Return whether what depends on its success goes on."""
        return self.status in ("completed", "skipped") or (self.status == "failed" and self.of.passable)

    @property
    def may_run_now(self) -> bool:
        """Return whether a person may let it run now: no worker has it, and it is neither held, in line nor a wait."""
        is_put_off = self.status == "queued" and self.next_at is not None and not self.of.is_wait
        return not self.is_held and (is_put_off or self.status in ("waiting", "blocked", *DONE_OR_FAILED))

    def begin_anew(self, status: str, turn: datetime | None = None) -> None:
        """Begin a new round of attempts: it is as if nothing had been done. Who holds it still does."""
        self.status, self.turn, self.before, self.allowed = status, turn, self.made, self.made + self.of.attempts
        self.next_at, self.looked, self.gave, self.by_hand, self.is_fatal = None, False, None, False, False
        self.runs_anyway = status == "queued"


@dataclass
class PlanRun:
    """A run of a plan: told what workers, people and the clock do, it says how every step and the run stand."""

    plan: tuple[Wanted, ...]
    now: datetime
    longest: timedelta | None = None  # from the first step that a worker takes
    order: dict[str, set[str]] = field(default_factory=dict)
    gave_before: dict[str, Any] = field(default_factory=dict)
    begun: datetime | None = None
    time_was_up: bool = False
    is_the_last: bool = False  # a person cancelled what its time had been up for

    def __post_init__(self) -> None:
        """Begin."""
        self.order = self.order or order_of(self.plan)
        wanted = {step.key: step for step in self.plan}
        self.steps = {key: Step(wanted[key], set(self.order[key]), wanted[key].attempts) for key in self.order}
        self._go_on()

    # --- what is asked of it -----------------------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """Return how the run stands, or ended."""
        if any(step.status not in ENDED for step in self.steps.values()):
            return "running" if self.begun else "pending"
        ends = {self.steps[key].status for key in self.order}
        if self.time_was_up:
            return "failed"
        if "cancelled" in ends or any(step.asked_to_stop for step in self.steps.values()):
            return "cancelled"
        return "failed" if ends & set(NOT_DONE) else "completed"

    @property
    def has_ended(self) -> bool:
        """Return whether nothing more becomes of it."""
        return self.status in ("completed", "failed", "cancelled")

    @property
    def failures(self) -> list[Step]:
        """Return what failed."""
        return [self.steps[key] for key in self.order if self.steps[key].status == "failed"]

    @property
    def takes_hands(self) -> bool:
        """Return whether people may do something to single steps."""
        return not self.has_ended and not any(step.asked_to_stop for step in self.steps.values())

    def claimable(self, key: str) -> bool:
        """Return whether a worker may take a step now."""
        step = self.steps[key]
        return step.status == "queued" and (step.next_at is None or step.next_at <= self.now)

    # --- workers -----------------------------------------------------------------------------------------------------

    def take(self, key: str) -> None:
        """A worker takes a step."""
        step = self.steps[key]
        self.begun = self.begun or self.now
        step.status, step.claimed, step.next_at, step.made = "running", self.now, None, step.made + 1

    def look(self, key: str, rows: int = 0) -> None:
        """A worker looks whether a wait is over; it is no attempt while it is not."""
        step = self.steps[key]
        self.begun = self.begun or self.now
        assert step.turn is not None
        gives_up = step.turn + step.of.limit if step.of.limit else None
        if step.of.waits_for is None:
            until = step.of.waits_until if step.of.waits is None else step.turn + step.of.waits
            assert until is not None
            is_over = until <= self.now
        else:
            until, is_over = self.now + MINUTE, step.of.waits_for <= rows  # somebody looks once a minute
        is_late = gives_up is not None and gives_up <= self.now
        if is_over or is_late:
            step.made, step.is_fatal = step.made + 1, False
            self._end(step, "completed" if is_over else "failed")
        else:
            step.looked, step.status, step.next_at = True, "queued", min(until, gives_up or until)

    def completes(self, key: str, gave: int | None) -> None:
        """The work of a step is done, and gave something."""
        self.steps[key].gave = gave
        self._end(self.steps[key], "completed")

    def fails(self, key: str, *, is_value_error: bool = True, is_fatal: bool = False, is_lost: bool = False) -> None:
        """An attempt fails: it is tried again while it may be, else the step fails."""
        step = self.steps[key]
        step.is_fatal = is_fatal
        retried = is_lost or is_value_error or not step.of.only_value_errors
        if is_fatal or step.asked_to_stop or not retried or step.made >= step.allowed:
            self._end(step, "cancelled" if is_lost and step.asked_to_stop else "failed")
        else:
            used = max(step.made - (step.allowed - step.of.attempts), 1)  # one that was interrupted is none
            pause = step.of.pause * (2 ** (used - 1) if step.of.doubles else 1)
            step.status, step.next_at = "queued", self.now + pause
            step.earliest = step.next_at if step.of.doubles else None

    def is_handed_back(self, key: str) -> None:
        """The worker is told to stop: no attempt is used, and the step is queued at once."""
        step = self.steps[key]
        if step.asked_to_stop:
            self._end(step, "cancelled")
        else:
            step.status, step.allowed = "queued", step.allowed + 1

    # --- the cycle ---------------------------------------------------------------------------------------------------

    def cycle(self, *, silent: timedelta, grace: timedelta) -> None:
        """What is silent for too long is lost; what is late or asked to stop is given up; a run's time may be up."""
        running = [step for step in self.steps.values() if step.status == "running" and step.claimed]
        for step in running:
            if self.now - step.claimed > silent:  # type: ignore[operator]
                self.fails(step.of.key, is_lost=True)
        for step in running:
            if step.status == "running" and step.of.limit and step.claimed + step.of.limit + grace <= self.now:  # type: ignore[operator]
                self.fails(step.of.key, is_value_error=False)
        for step in running:
            if step.status == "running" and step.asked_to_stop and step.asked_to_stop + grace <= self.now:
                self._end(step, "cancelled")
        for step in self.steps.values():
            if step.status == "queued":
                self._put_in_line(step)
        is_up = self.longest and self.begun and self.begun + self.longest <= self.now
        if is_up and self.takes_hands:
            self.cancel()
            self.time_was_up = True

    # --- people ------------------------------------------------------------------------------------------------------

    def cancel(self) -> bool:
        """End what no worker has, ask what runs to stop; return whether there was anything."""
        found, self.is_the_last = False, self.time_was_up
        for step in self.steps.values():
            if step.status in ("waiting", "queued"):
                step.status, step.is_held, step.next_at, found = "cancelled", False, None, True
            elif step.status == "running":
                step.asked_to_stop, found = step.asked_to_stop or self.now, True
        return found

    def end_by_hand(self, key: str, status: str) -> bool:
        """Skip a step, or mark it as succeeded; return whether that can be done."""
        step = self.steps[key]
        if not self.takes_hands or step.status not in ("waiting", "queued", "failed"):
            return False
        failed = step.status == "failed"
        step.status, step.is_held, step.next_at, step.gave, step.by_hand = status, False, None, None, True
        if failed:
            self._forget_failure()
        self._go_on()
        return True

    def hold(self, key: str) -> bool:
        """Hold a step that waits, or is queued."""
        step = self.steps[key]
        if not self.takes_hands or step.is_held or step.status not in ("waiting", "queued"):
            return False
        step.looked = step.looked or (step.of.is_wait and step.status == "queued")  # its time goes on
        step.status, step.is_held = "waiting", True
        return True

    def let_go(self, key: str) -> bool:
        """Let a held step go on."""
        step = self.steps[key]
        if not self.takes_hands or not step.is_held:
            return False
        step.is_held = False
        self._put_in_line(step)
        self._go_on()
        return True

    def retry(self, key: str) -> bool:
        """Release a failed step again, or let one that is put off, or a wait, start at once."""
        step = self.steps[key]
        if not self.takes_hands:
            return False
        if step.status == "queued" and step.next_at is not None:
            step.next_at = None
            return True
        if step.status != "failed":
            return False
        step.status, step.allowed, step.turn, step.looked = "queued", step.made + 1, self.now, False
        self._forget_failure()
        self._go_on()
        return True

    def run_now(self, key: str, *, on: bool) -> bool:
        """Run a step now, whatever stands before it; `on`: and all that comes after it once more, in its order.

        What has not begun of what comes right after it waits for it, and so does what was blocked.
        """
        behind = [other for other in self.order if key in all_before([other], self.order)] if on else []
        if not self.takes_hands or not self._may_run_now(key, behind):
            return False
        for other in behind:
            self._begin_anew(other, "waiting")
        self._begin_anew(key, "queued", self.now)
        for other in self.steps.values():
            if key in other.priors and other.status == "queued" and not other.has_begun and not other.runs_anyway:
                other.status, other.turn, other.next_at = "waiting", None, None
        self._forget_failure()
        self._go_on()
        return True

    def _may_run_now(self, key: str, behind: list[str]) -> bool:
        """Return whether a step may run now, and those behind it once more."""
        return self.steps[key].may_run_now and not any(self.steps[other].status == "running" for other in behind)

    def _begin_anew(self, key: str, status: str, turn: datetime | None = None) -> None:
        self.steps[key].begin_anew(status, turn)

    def restarted(self, what: str, key: str) -> Self | None:
        """Return the run that does this one again: `whole`, what `failed`, `from` a step on, or a step `only`.

        None when nothing of it is left to do.
        """
        chosen = set(self.order)
        if what == "failed":
            chosen = self._left_to_do()
        elif what != "whole":
            after = {other for other in self.order if key in all_before([other], self.order)}
            chosen = {key} | (after if what == "from" else set())
        named = key if what in ("from", "only") else ""
        order = self._between(chosen, named if named else None)
        if not order:
            return None
        gave = {k: self.steps[k].gave for k in self.order if self.steps[k].status == "completed"}
        plan = tuple(replace(step, asks=()) if step.key == named else step for step in self.plan if step.key in order)
        before = {k: value for k, value in (self.gave_before | gave).items() if k not in order}
        return type(self)(plan, self.now, self.longest, order, before)

    def _left_to_do(self) -> set[str]:
        """Return what did not come to a good end, and what asks about that."""
        well = {key for key, step in self.steps.items() if step.status in ("completed", "skipped")}
        chosen = set(self.order) - well
        asking = {key for key, step in self.steps.items() if step.of.run_if != "all_succeeded"}
        chosen |= {key for key in asking if all_before([key], self.order) & chosen}
        for key in in_order(self.order):
            step = self.steps[key]
            if step.status == "skipped" and any(asked in chosen for asked, _ in step.of.asks):
                chosen.add(key)
        return chosen

    def _between(self, chosen: Collection[str], named: str | None) -> dict[str, set[str]]:
        """Return the order of these alone; an order through others is kept."""
        found = {}
        for key in self.order:
            if key in chosen:
                nearest, seen, ahead = set[str](), set[str](), [key]
                while ahead:
                    for prior in self.order[ahead.pop()] - seen:
                        seen.add(prior)
                        (nearest.add if prior in chosen else ahead.append)(prior)
                found[key] = nearest
        if named is None:
            return found
        for key in list(in_order(found)):  # what runs after a failure only, and has nothing before it, is not begun
            if self.steps[key].of.run_if == "any_failed" and not found[key] and key != named:
                del found[key]
                for priors in found.values():
                    priors.discard(key)
        return found

    # --- what follows ------------------------------------------------------------------------------------------------

    def _put_in_line(self, step: Step) -> None:
        """What is put off until a time that has come is put off no more."""
        step.next_at = step.next_at if step.next_at and step.next_at > self.now else None

    def _end(self, step: Step, status: str) -> None:
        step.status, step.next_at, step.claimed = status, None, None
        self._go_on()

    def _forget_failure(self) -> None:
        """What asks how others end, and has not begun, waits again: something goes on after all, or did not fail."""
        for step in self.steps.values():
            asks = step.of.run_if != "all_succeeded" and not step.runs_anyway
            if step.status == "queued" and asks and not step.has_begun:
                step.status, step.turn = "waiting", None

    def _go_on(self) -> None:
        """Block what cannot run, let wait again what can after all, and queue or skip what waits for nothing."""
        changed = True
        while changed:
            changed = False
            for step in self.steps.values():
                if step.status in ("waiting", "blocked") and (to := self._follows(step)) != step.status:
                    step.status, changed = to, True
                    if to == "queued":
                        step.turn = step.turn or self.now

    def _follows(self, step: Step) -> str:
        """Return what becomes of a step that waits or is blocked, with all before it as it stands."""
        priors = [self.steps[key] for key in step.priors]
        if step.runs_anyway:
            return "waiting" if step.is_held else "queued"
        if step.of.run_if == "all_succeeded":
            if any(prior.status in NOT_DONE and not prior.passes for prior in priors):
                return "blocked"
            if step.is_held or not all(prior.passes for prior in priors):
                return "waiting"
        elif step.is_held or not all(prior.status in ENDED for prior in priors):
            return "waiting"
        if step.has_begun:
            return "queued"
        if step.of.run_if == "any_failed" and priors and not any(prior.status in NOT_DONE for prior in priors):
            return "skipped"  # without any before it a person named it in a restart: it runs
        return "queued" if all(self._holds(key, least) for key, least in step.of.asks) else "skipped"

    def _holds(self, key: str, least: int) -> bool:
        gave = self._gave(key)
        return gave is not None and gave >= least

    def _gave(self, key: str) -> Any:
        """Return what a step gave, where it is not part of this run before; None for nothing."""
        if key not in self.steps:
            return self.gave_before.get(key)
        return self.steps[key].gave if self.steps[key].status == "completed" else None
