"""Steps that run for each item of a list, in plain Python, written from `docs/plans.md` and nothing else.

Such a step is one `Wanted`; its items are `Step`s of their own, which come to be when its list is decided. A step is
taken twice, for a look each time: for its list, and for its end when all its items have ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self

from tests.scheduling.runs.plan_model import ENDED, PlanRun, Step

MOST = 3  # items of a step
Given = int | None | tuple[Any, ...]  # what a job gave, in short; of a step for each item what each of them gave


def returned(number: int | None) -> Any:
    """Return what a job returns whose value is this number in short; None for nothing."""
    return None if number is None else {"n": number, "list": list(range(number))}


@dataclass
class ItemsRun(PlanRun):
    """A run of a plan, some steps of which may run for each item of a list."""

    regions: tuple[str, ...] = ()  # the list that is a parameter of the plan
    lists: dict[str, list[Any]] = field(default_factory=dict)  # of the steps that have decided, or go on with one
    done: dict[str, dict[int, Given]] = field(default_factory=dict)  # items of earlier runs, and what they gave
    step_of: dict[str, str] = field(default_factory=dict)  # of each item

    def items(self, key: str) -> list[Step]:
        """Return the items of a step that are to run, in their order."""
        return [self.steps[item] for item, step in self.step_of.items() if step == key]

    def item(self, key: str) -> Any:
        """Return the item that the task of one is for."""
        return self.lists[self.step_of[key]][number_of(key) - 1]

    @property
    def failures(self) -> list[Step]:
        """Return what failed: of a step that failed, its items, too."""
        failed = {step.of.key for step in super().failures}
        items = [item for key in failed for item in self.items(key) if item.status == "failed"]
        return super().failures + items

    # --- workers -----------------------------------------------------------------------------------------------------

    def look(self, key: str, rows: int = 0) -> None:
        """A worker looks for the list of a step, or for its end; or whether a wait is over."""
        step = self.steps[key]
        if step.of.each is None:
            return super().look(key, rows)
        self.begun = self.begun or self.now
        if not self.items(key):
            items = self.lists[key] if key in self.lists else self._decided(step, rows)
            if items is None or len(items) > MOST:
                step.made, step.is_fatal = step.made + 1, True
                return self._end(step, "failed")
            if items:
                self.lists[key] = items
            self._make(step, items)
        if any(item.status not in ENDED for item in self.items(key)):
            step.status, step.looked = "waiting", True
            return self._go_on()
        return self._end_as_items(step)

    def _decided(self, step: Step, rows: int) -> list[Any] | None:
        """Return the items of a step; None where no list is."""
        each = step.of.each
        assert each is not None
        if each.source == "written":
            return list(each.at)
        if each.source == "parameter":
            return list(self.regions)
        if each.source == "query":
            return ["b"] * rows
        found = self._gave(each.at)
        if found is None:
            return None
        return [returned(item) for item in found] if isinstance(found, tuple) else list(range(found))

    def _make(self, step: Step, items: list[Any]) -> None:
        key = step.of.key
        for number in range(1, len(items) + 1):
            if number not in self.done.get(key, {}):
                of = replace(step.of, key=f"{key} [{number}]", run_if="all_succeeded", asks=(), each=None)
                self.steps[of.key] = Step(of, set(), of.attempts)
                self.step_of[of.key] = key

    def _end_as_items(self, step: Step) -> None:
        key = step.of.key
        step.made, step.is_fatal = step.made + 1, False
        if any(item.status == "failed" for item in self.items(key)):
            return self._end(step, "failed")
        gave = dict(self._ended_well(key))
        step.gave = tuple(gave[number] for number in sorted(gave))
        return self._end(step, "completed")

    def _ended_well(self, key: str) -> dict[int, Given]:
        """Return the items of a step that are done, here or in earlier runs, and what they gave."""
        here = {item: step for item, step in self.step_of.items() if step == key}
        well = [self.steps[item] for item in here if self.steps[item].status in ("completed", "skipped")]
        return self.done.get(key, {}) | {number_of(item.of.key): item.gave for item in well}

    # --- people ------------------------------------------------------------------------------------------------------

    def end_by_hand(self, key: str, status: str) -> bool:
        """Skip a step with those of its items that no worker has, or mark it; or an item."""
        if not super().end_by_hand(key, status):
            return False
        for item in self.items(key):
            if item.status in ("waiting", "queued"):
                item.status, item.is_held, item.next_at, item.gave = "skipped", False, None, None
        self._go_on()
        return True

    def hold(self, key: str) -> bool:
        """Hold a step, none of whose items starts then that no worker has; or an item, which makes room for another."""
        if not super().hold(key):
            return False
        for item in self.items(key):
            item.status = "waiting" if item.status == "queued" else item.status
        self._go_on()
        return True

    def let_go(self, key: str) -> bool:
        """Let a held step go on, with its items, or an item."""
        for item in self.items(key) if self.takes_hands and self.steps[key].is_held else ():
            self._put_in_line(item)
        return super().let_go(key)

    def retry(self, key: str) -> bool:
        """Release a step, and so its failed items; or an item of a step that goes on, which runs when there is room."""
        step = self.steps[key]
        if not self.takes_hands or (key in self.step_of and self.steps[self.step_of[key]].status in ENDED):
            return False
        again = [step] if key in self.step_of else self.items(key)
        again = [item for item in again if item.status == "failed"]
        if step.status != "failed" or not again:
            return super().retry(key)
        for item in again:
            item.status, item.allowed = "waiting", item.made + 1
        if key not in self.step_of:
            step.status, step.allowed = "waiting", step.made + 1
            self._forget_failure()
        self._go_on()
        return True

    def _may_run_now(self, key: str, behind: list[str]) -> bool:
        """Return whether a step may run now: an item may not, and no item may be at work, nor wait of that step."""
        if key in self.step_of or any(item.status not in ENDED for item in self.items(key)):
            return False
        taken = (item.status == "running" for each in (key, *behind) for item in self.items(each))
        return super()._may_run_now(key, behind) and not any(taken)

    def _begin_anew(self, key: str, status: str, turn: datetime | None = None) -> None:
        """Begin a new round; the items of a step that had begun make place for those of the list that it decides."""
        if self.steps[key].has_begun:
            for item in [item for item, step in self.step_of.items() if step == key]:
                del self.steps[item], self.step_of[item]
            self.lists.pop(key, None)
            self.done.pop(key, None)
        super()._begin_anew(key, status, turn)

    def restarted(self, what: str, key: str) -> Self | None:
        """Return the run that does this one again; what failed goes on with the lists of before."""
        made = super().restarted(what, key)
        if made is None:
            return None
        made.regions = self.regions
        for each in made.order if what == "failed" else ():
            if each in self.lists and self.steps[each].status not in ("completed", "skipped"):
                made.lists[each], made.done[each] = self.lists[each], self._ended_well(each)
        return made

    # --- what follows ------------------------------------------------------------------------------------------------

    def _follows(self, step: Step) -> str:
        """Return what becomes of a step, or an item, that waits: an item starts when there is room for it."""
        if (key := self.step_of.get(step.of.key)) is None:
            to = super()._follows(step)
            is_at_work = any(item.status not in ENDED for item in self.items(step.of.key))
            return "waiting" if to == "queued" and is_at_work else to
        whole = self.steps[key]
        at_work = sum(item.status in ("queued", "running") for item in self.items(key))
        room = whole.of.each.side_by_side if whole.of.each else None
        goes_on = not step.is_held and not whole.is_held and whole.status not in ("queued", "running")
        return "queued" if goes_on and (room is None or at_work < room) else "waiting"

    def _holds(self, key: str, least: int) -> bool:
        gave = self._gave(key)
        first = (gave or (None,))[0] if isinstance(gave, tuple) else gave
        return first is not None and first >= least


def number_of(key: str) -> int:
    """Return the number of an item."""
    return int(key.rpartition("[")[2].rstrip("]"))
