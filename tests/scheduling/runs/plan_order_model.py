"""What the steps of a plan say, and what each of them waits for, in plain Python, written from `docs/plans.md`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

MINUTE = timedelta(minutes=1)
INNER = "plan Inner"


@dataclass(frozen=True)
class Each:
    """Where a step that runs for each item has its list from, and how many items work side by side; None for all."""

    source: str  # "written", "parameter", "result" or "query"
    at: Any = None  # the list that is written, or the step that gave it
    side_by_side: int | None = None


@dataclass(frozen=True)
class Wanted:
    """One step as its plan says it; `after` and `asks` name steps by their keys.

    `inside`: it is a step of the plan INNER, which is a step, of this key, of the plan.
    """

    key: str
    number: int = 1
    after: frozenset[str] = frozenset()
    run_if: str = "all_succeeded"
    asks: tuple[tuple[str, int], ...] = ()  # of such a step, that it gave this number or more
    passable: bool = False
    attempts: int = 1
    pause: timedelta = MINUTE
    doubles: bool = False
    only_value_errors: bool = False  # these alone are tried again
    limit: timedelta | None = None
    waits: timedelta | None = None  # so long after it was its turn
    waits_until: datetime | None = None
    inside: bool = False
    waits_for: int | None = None  # so many rows, or until a query of them is true
    each: Each | None = None

    @property
    def is_wait(self) -> bool:
        """Return whether it waits instead of working."""
        return (self.waits, self.waits_until, self.waits_for) != (None, None, None)

    @property
    def is_looked_at(self) -> bool:
        """Return whether a worker that takes it only looks: its work is to wait, or that of its items."""
        return self.is_wait or self.each is not None

    @property
    def named(self) -> set[str]:
        """Return the steps that it names, or asks: for their success, what they gave, or its list."""
        listed = {self.each.at} if self.each is not None and self.each.source == "result" else set()
        return {*self.after, *(key for key, _ in self.asks), *listed}


def order_of(*plans: Sequence[Wanted]) -> dict[str, set[str]]:
    """Return what each step of a run of these plans waits for: what any of them wants, and what conditions hide.

    Where they want each other's steps in a circle there is no order: it is returned as it is.
    """
    found: dict[str, set[str]] = {}
    for plan in plans:
        for key, priors in _wanted_by(plan).items():
            found[key] = found.get(key, set()) | priors
    if is_circle(found):
        return found
    steps = {step.key: step for step in together(*plans)}
    for key in in_order(found):
        if steps[key].run_if == "any_failed":
            found[key] = all_before([key], found)
        for prior in list(found[key]):
            if steps[prior].run_if != "all_succeeded":
                found[key] |= found[prior]
    return found


def together(*plans: Sequence[Wanted]) -> tuple[Wanted, ...]:
    """Return the steps of several plans: what both have is as the first has it, what is inside comes last."""
    steps: dict[str, Wanted] = {}
    for step in sorted((step for plan in plans for step in plan), key=lambda step: step.inside):
        steps.setdefault(step.key, step)
    return tuple(step for step in steps.values() if step.key != INNER)


def is_circle(order: dict[str, set[str]]) -> bool:
    """Return whether something waits for itself."""
    return any(key in all_before([key], order) for key in order)


def _wanted_by(plan: Sequence[Wanted]) -> dict[str, set[str]]:
    """Return what each step of a plan waits for: the number before, and what it names or asks."""
    found = _before([step for step in plan if not step.inside])
    if INNER in found:  # its steps come after all it waits for; what waits for it waits for all of them
        inside, before = _before([step for step in plan if step.inside]), found.pop(INNER)
        found = {key: priors - {INNER} | (set(inside) if INNER in priors else set()) for key, priors in found.items()}
        found |= {key: priors | before for key, priors in inside.items()}
    return found


def _before(steps: list[Wanted]) -> dict[str, set[str]]:
    """Return what each of these steps of one plan names, asks, and has before it by the numbers."""
    ordinary = [step for step in steps if step.run_if != "finally"]
    found: dict[str, set[str]] = {}
    for step in steps:
        before = step.named
        if step.run_if == "finally":
            before |= {other.key for other in ordinary}
        elif lower := {other.number for other in ordinary if other.number < step.number}:
            before |= {other.key for other in ordinary if other.number == max(lower)}
        found[step.key] = before
    return found


def all_before(keys: Iterable[str], order: dict[str, set[str]]) -> set[str]:
    """Return everything that comes before these, near and far."""
    found, ahead = set[str](), list(keys)
    while ahead:
        for prior in order[ahead.pop()] - found:
            found.add(prior)
            ahead.append(prior)
    return found


def in_order(order: dict[str, set[str]]) -> Iterator[str]:
    """Yield each key after all before it."""
    done: set[str] = set()
    while len(done) < len(order):
        for key in order:
            if key not in done and order[key] <= done:
                done.add(key)
                yield key
