"""Every interleaving of a small world: the engine's rules keep all promises, and each rule left out breaks one."""

from dataclasses import replace

import pytest

from tests.scheduling.runs.explorer import Rules, Scenario, explore

JOIN = ((), (), (0, 1))
SCENARIOS = {
    "one task, everything goes wrong": Scenario(losses=1, crashes=2, wrong_releases=2, cancels=1, attempts_allowed=3),
    "one task, three workers": Scenario(workers=3, losses=1, crashes=1, wrong_releases=2, cancels=1),
    "two tasks, room for one": Scenario(((), ()), workers=3, limit=1, losses=1, crashes=1, wrong_releases=1),
    "three tasks, room for two": Scenario(((), (), ()), workers=3, limit=2, crashes=1, attempts_allowed=1),
    "a chain": Scenario(((), (0,)), losses=1, crashes=1, wrong_releases=1, cancels=1),
    "a join": Scenario(JOIN, losses=1, crashes=1, wrong_releases=1),
    "a join that is cancelled": Scenario(JOIN, crashes=1, cancels=1),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_interleaving_breaks_a_promise(name):
    assert explore(SCENARIOS[name], Rules()) == {}


BROKEN = [
    ({"guarded_claim": False}, Scenario(losses=1), "two live attempts"),
    ({"guarded_claim": False}, Scenario(cancels=1), "a final state changed"),
    ({"fenced_effect": False}, Scenario(wrong_releases=1), "a zombie wrote"),
    ({"fenced_finish": False}, Scenario(wrong_releases=1), "a zombie finished"),
    (
        {"fenced_finish": False, "final_absorbs": False},
        Scenario(wrong_releases=1, attempts_allowed=1),
        "a final state changed",
    ),
    ({"counted_at_claim": False}, Scenario(wrong_releases=2), "tried too often"),
    ({"queue_locked": False}, Scenario(((), ()), limit=1), "limit exceeded"),
    ({"resends": False}, Scenario(losses=1), "stuck"),
    ({"resends": False}, Scenario(((), ()), limit=1), "stuck"),
    ({"run_locked": False, "safety_net": False}, Scenario(JOIN), "stuck"),
]


@pytest.mark.parametrize(("off", "scenario", "promise"), BROKEN)
def test_without_a_rule_a_promise_is_broken(off, scenario, promise):
    found = explore(scenario, replace(Rules(), **off))
    assert promise in found, f"the explorer does not see what goes wrong without {', '.join(off)}"
    assert found[promise], "it tells how it comes to that"


def test_without_the_lock_of_the_run_the_safety_net_still_releases_a_join():
    assert explore(Scenario(JOIN), replace(Rules(), run_locked=False)) == {}
