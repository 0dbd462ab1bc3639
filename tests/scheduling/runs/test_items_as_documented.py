"""Any plan whose steps run for each item of a list ends as a plain-Python model of it says: by the same machine."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from scheduling.runs.intervene import complete_step, hold_step, let_step_go_on, retry_now, skip_step
from tests.depth import examples
from tests.scheduling.runs.plan_attempts_model import Says
from tests.scheduling.runs.plan_drafts import NUMBER, OUTCOMES, SAID, SAYS
from tests.scheduling.runs.test_plans_as_documented import Plans, drive

SOURCES = st.sampled_from([None, "written", "written", "parameter", "query", "result", "result"])
STEPS = st.fixed_dictionaries({**SAID, "each": SOURCES, "wait": st.none(), "inside": st.just(False)})
HANDS = st.sampled_from([skip_step, complete_step, hold_step, hold_step, let_step_go_on, let_step_go_on, retry_now])
ENDS = st.tuples(NUMBER, OUTCOMES, st.integers(0, 2))


class Items(Plans):
    """A few steps, most of which run for each of some items; more is done to these than to whole plans."""

    @initialize(
        told=st.lists(STEPS, min_size=1, max_size=4), rows=st.integers(0, 3), says=SAYS, day=st.sampled_from(["", "x"])
    )
    def save_and_start(self, told: list[dict[str, Any]], rows: int, says: Says, day: str) -> None:  # type: ignore[override]
        """Save a plan and start it, after some rows landed."""
        super().save_and_start(told, None, day, says, None, by_itself=False, number=1)
        self.deliver(rows)

    rest = edit = None  # type: ignore[assignment]

    @rule(ends=st.lists(ENDS, min_size=1, max_size=6))
    def work_on(self, ends: list[tuple[int, str, int]]) -> None:
        """Workers do several steps and items, one after the other, each with an end of its own."""
        for number, how, gives in ends:
            self.work(number, how, gives)

    @rule(bad=st.sets(NUMBER, max_size=3), how=OUTCOMES)
    def work_out(self, bad: set[int], how: str) -> None:
        """Workers do all there is, a few of it with an end as told."""
        for number in range(30):
            if self.attempts or any(map(self.model.claimable, self.model.steps)):
                self.work(0, how if number in bad else "gives", 2)

    @precondition(lambda self: self.model.has_ended)
    @rule(is_now=st.booleans())
    def restart_what_failed(self, is_now: bool) -> None:
        """A person restarts what failed, which goes on with the lists of before."""
        self.restart("failed", 0, is_now)

    @rule(numbers=st.lists(NUMBER, min_size=1, max_size=4))
    def take_several(self, numbers: list[int]) -> None:
        """Workers begin several steps and items."""
        for number in numbers:
            self.take(number, is_late=False)

    @precondition(lambda self: self.model.step_of)
    @rule(number=NUMBER, verb=HANDS, whole=st.booleans())
    def lay_hands_on_items(self, number: int, verb: Callable[..., None], whole: bool) -> None:
        """A person does something to an item, or to a step that has some."""
        keys = list(self.model.step_of.values() if whole else self.model.step_of)
        self.lay_hands_on(list(self.model.steps).index(self._some(keys, number)), verb)


@pytest.mark.django_db
def test_every_item_ends_as_the_documentation_says(make_job, make_entity, caplog, settings):
    drive(Items, examples(5), make_job, make_entity, caplog, settings)
