"""What becomes of a whole plan that is tried again, in plain Python, written from `docs/plans.md` and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.scheduling.runs.plan_model import PlanRun

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Says:
    """What a plan says about trying it again."""

    attempts: int = 1
    interval: timedelta = timedelta(minutes=1)
    doubles: bool = False

    def wait(self, made: int) -> timedelta:
        """Return the wait after so many attempts."""
        return min(self.interval * 2 ** (made - 1), _DAY) if self.doubles else self.interval


@dataclass
class Tried:
    """The newest run of a plan, and which attempt it is; told what happens, it says how the plan stands."""

    run: PlanRun
    says: Says  # as it was when the first attempt started
    deadline: datetime | None = None
    is_by_itself: bool = False
    number: int = 1
    next_at: datetime | None = None
    is_settled: bool = False
    ends: list[str] = field(default_factory=list)  # all results of the plan
    retried: int = 0  # ends that another attempt followed
    failures: int = 0  # in a row
    backs_off: bool = False
    earlier: list[tuple[int, bool, bool]] = field(default_factory=list)  # has it failed, left the next one nothing out
    made_good: set[int] = field(default_factory=set)  # of those that failed

    @property
    def goes_on(self) -> bool:
        """Return whether the plan is at work: nothing else of it may begin."""
        return not self.run.has_ended or self.next_at is not None

    def is_late(self, now: datetime) -> bool:
        """Return whether its deadline is missed while it goes on."""
        return self.goes_on and self.deadline is not None and self.deadline < now

    def settle(self, now: datetime) -> None:
        """Note the end of the run, once: another attempt is waited for, or that was the result of the plan."""
        if self.is_settled or not self.run.has_ended:
            return
        self.is_settled = True
        if self.run.status == "failed" and self.number < self.says.attempts and not self._is_pointless():
            self.next_at = now + self.says.wait(self.number)
            self.retried += 1
            return
        self._is_over(backs_off=True)
        if self.run.status == "completed":
            for before, has_failed, covers in reversed(self.earlier):
                if not covers:
                    break
                self.made_good |= {before} if has_failed else set()

    def cancel_wait(self) -> bool:
        """End the wait for good: the plan has failed and does not back off."""
        if self.next_at is None:
            return False
        self._is_over(backs_off=False)
        return True

    def counts_from_now(self) -> None:
        """Forget the failures: somebody brought the plan back."""
        self.failures, self.backs_off = 0, False

    def may_begin(self, now: datetime, *, is_off: bool, is_all_paused: bool) -> bool:
        """Return whether a cycle begins the next attempt now."""
        is_due = self.next_at is not None and self.next_at <= now
        return is_due and not is_all_paused and not (is_off and self.is_by_itself)

    def begin(self, pk: int, made: PlanRun, *, says: Says, by_hand: bool = True) -> None:
        """Another run of what was before begins: as the next attempt, or as a start where none is waited for."""
        well = {key for key, step in self.run.steps.items() if step.status in ("completed", "skipped")}
        self.earlier.append((pk, self.run.status == "failed", not set(self.run.order) - well - set(made.order)))
        if self.next_at is None:
            self.number, self.says, self.deadline = 1, says, None
        else:
            self.number += 1
        self.is_by_itself = self.is_by_itself and not by_hand
        self.run, self.next_at, self.is_settled = made, None, False

    def start(self, made: PlanRun, *, says: Says, deadline: datetime | None) -> None:
        """A person starts the plan: nothing of what was before counts."""
        self.run, self.says, self.deadline, self.number = made, says, deadline, 1
        self.next_at, self.is_settled, self.is_by_itself, self.earlier = None, False, False, []

    def _is_over(self, *, backs_off: bool) -> None:
        self.next_at = None
        self.ends.append(self.run.status)
        if self.run.status == "completed":
            self.failures, self.backs_off = 0, False
        elif self.run.status == "failed":
            self.failures, self.backs_off = self.failures + 1, backs_off

    def _is_pointless(self) -> bool:
        is_fatal = any(step.is_fatal for step in self.run.failures)
        ends = {self.run.steps[key].status for key in self.run.order}
        return is_fatal or self.run.is_the_last or ends <= {"completed", "skipped"}
