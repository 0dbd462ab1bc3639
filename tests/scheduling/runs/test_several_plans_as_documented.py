"""Any two plans that run together end as a plain-Python model of them says: much of the same machine."""

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant

from scheduling.errors import InvalidPlan
from scheduling.models import Plan
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from tests.depth import examples
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.plan_attempts_model import Says
from tests.scheduling.runs.plan_drafts import SAID, SAYS, SECOND, STEPS, drafted, tries_of, wanted
from tests.scheduling.runs.plan_order_model import MINUTE, is_circle, order_of
from tests.scheduling.runs.test_plans_as_documented import Plans, drive

OTHERS = st.fixed_dictionaries({**SAID, "inside": st.just(False)})
DECLARED = {"day": {"type": "text", "default": "other"}, "regions": {"type": "list", "default": ["other"]}}


class Several(Plans):
    """Two plans that may have steps in common; where they want these in a circle, they do not start together."""

    @initialize(
        told=st.lists(STEPS, min_size=1, max_size=4),
        other=st.lists(OTHERS, min_size=1, max_size=4),
        day=st.sampled_from(["", "", "monday"]),
        says=st.tuples(SAYS, SAYS),
        longest=st.tuples(st.sampled_from([None, 3600]), st.sampled_from([None, 300])),
        due=st.tuples(st.sampled_from([None, 10]), st.sampled_from([None, 5])),
        number=st.integers(1, 4),
    )
    def save_and_start(  # type: ignore[override]
        self,
        told: list[dict[str, Any]],
        other: list[dict[str, Any]],
        day: str,
        says: tuple[Says, Says],
        longest: tuple[int | None, int | None],
        due: tuple[int | None, int | None],
        number: int,
    ) -> None:
        """Save two plans; a person starts both as one run."""
        self.other, self.other_says = wanted(other, 1), says[1]
        self.other_longest, self.other_due = longest[1], due[1]
        self.other_said = {"run_timeout_seconds": longest[1], "due_after_minutes": due[1], **tries_of(says[1])}
        super().save_and_start(told, longest[0], day, says[0], due[0], by_itself=False, number=number)

    def all_names(self) -> list[str]:
        """Save the other plan, too, and return both; the first alone where together they have no order."""
        steps = [drafted(step, self.other) for step in self.other]
        save_plan(PlanDraft(Plan(name="Q", parameters=DECLARED, **self.other_said), {}, steps), now=NOW - MINUTE)
        if not is_circle(order_of(self.plan, self.other)):
            self.longest = self.longest or (self.other_longest and self.other_longest * SECOND)
            self.due = self.due or self.other_due
            return ["P", "Q"]
        with pytest.raises(InvalidPlan, match="circle"):
            start_plans_now(["P", "Q"], started_by="ann", now=NOW)
        self.other = ()
        return ["P"]

    @property
    def said(self) -> Says:
        """Return what the plan named first says that says anything."""
        return self.other_says if self.other and self.says.attempts == 1 < self.other_says.attempts else self.says

    @invariant()
    def both_are_at_work(self) -> None:
        """What the run comes to, both plans have come to."""
        if hasattr(self, "tried") and self.other:
            one, other = Plan.objects.order_by("name").exclude(name="Inner")
            assert (one.is_running, one.running_run_id) == (other.is_running, other.running_run_id)
            assert (one.last_result, one.consecutive_failures) == (other.last_result, other.consecutive_failures)


@pytest.mark.django_db
def test_every_run_of_two_plans_ends_as_the_documentation_says(make_job, make_entity, caplog, settings):
    drive(Several, examples(3), make_job, make_entity, caplog, settings)
