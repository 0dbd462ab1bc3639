"""When tasks are expected to start: after everything they depend on, and not a moment later."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduling.dag.graph import CycleFound
from scheduling.dag.pace import starts

MINUTE = timedelta(minutes=1)


def minutes(order, lasts):
    found = starts(order, {key: value * MINUTE for key, value in lasts.items()})
    return {key: value / MINUTE for key, value in found.items()}


def test_a_task_starts_after_the_slowest_of_those_it_depends_on():
    order = {"region": [], "rates": [], "branch": ["region", "rates"], "till": ["branch"]}
    assert minutes(order, {"region": 3, "rates": 20, "branch": 4, "till": 1}) == {
        "region": 0, "rates": 0, "branch": 20, "till": 24
    }  # fmt: skip


def test_a_quick_task_does_not_wait_for_a_slow_one_of_its_wave():
    order = {"slow": [], "quick": [], "behind": ["quick"]}
    assert minutes(order, {"slow": 60, "quick": 1, "behind": 1})["behind"] == 1


def test_what_has_no_order_is_refused():
    with pytest.raises(CycleFound):
        starts({"a": ["b"], "b": ["a"]}, {"a": MINUTE, "b": MINUTE})


@given(st.lists(st.tuples(st.integers(0, 50), st.sets(st.integers(0, 19))), min_size=1, max_size=20))
def test_nobody_starts_early_and_everybody_starts_as_soon_as_possible(rows):
    order = {str(place): {str(prior) for prior in priors if prior < place} for place, (_, priors) in enumerate(rows)}
    lasts = {str(place): length for place, (length, _) in enumerate(rows)}
    found = minutes(order, lasts)
    for key, priors in order.items():
        ends = [found[prior] + lasts[prior] for prior in priors]
        assert found[key] == max(ends, default=0)
