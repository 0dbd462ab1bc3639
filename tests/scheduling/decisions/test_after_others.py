"""Promise: a plan after others fires exactly when a model in plain Python says so, and each thing has its gate."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.decisions.decide import decide
from scheduling.decisions.decision import Awaited, Statistics, aftermath
from scheduling.models import Plan
from tests.depth import examples

NOW = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
NAMES = ("plan Morning", "plan Evening", "entity branch")


def plan(**fields):
    return Plan(name="Report", after_others=True, **{"armed_from": NOW, **fields})


def others(**completed):
    """Return what is waited for, with when each completed, in minutes from NOW; None for never."""
    return Statistics(
        others=tuple(
            Awaited(name, None if (at := completed.get(name.split()[1])) is None else NOW + at * MINUTE)
            for name in NAMES
        )
    )


def test_it_is_a_triggered_plan_and_its_gates_are_told_one_by_one():
    decision = decide(plan(), others(Morning=2, Evening=-5), NOW + 10 * MINUTE)
    assert [gate.name for gate in decision.gates[-4:]] == ["due", *(f"after:{name}" for name in NAMES)]
    assert [gate.passed for gate in decision.gates[-4:]] == [False, True, False, False]
    assert decision.gate("after:plan Morning").value == "completed 2026-03-02 06:02:00 UTC"
    assert decision.gate("after:plan Evening").value == "not since 2026-03-02 06:00:00 UTC"
    assert decision.gate("due").value == "1 of 3 completed"
    assert decision.reason == (
        "plan Evening: not since 2026-03-02 06:00:00 UTC. entity branch: not since 2026-03-02 06:00:00 UTC."
    )
    assert not decision.would_fire and aftermath(plan(), decision).held_back == ""


def test_all_of_them_let_it_fire_and_are_its_source():
    decision = decide(plan(), others(Morning=2, Evening=3, branch=1), NOW + 10 * MINUTE)
    assert decision.would_fire and decision.slots.fire is None
    assert decision.trigger_source == "After plan Morning, plan Evening, entity branch"


@pytest.mark.parametrize("at", [-1, 0])
def test_what_completed_up_to_the_moment_it_was_armed_does_not_count(at):
    assert not decide(plan(), others(Morning=at, Evening=1, branch=1), NOW + 2 * MINUTE).would_fire


def test_a_completion_that_was_used_does_not_count_again_and_a_later_one_does():
    used = NOW + 5 * MINUTE
    for at, fires in ((used, False), (used - MINUTE, False), (used + timedelta(microseconds=1), True)):
        known = Statistics(others=(Awaited("plan Morning", at, used),))
        assert decide(plan(), known, NOW + 9 * MINUTE).would_fire == fires


def test_after_nothing_it_never_fires():
    decision = decide(plan(), Statistics(), NOW)
    assert not decision.would_fire and decision.reason == "It runs after nothing."


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"is_enabled": False}, "Switched off: it never starts by itself."),
        ({"paused_at": NOW, "paused_by": "anna", "pause_reason": "x"}, "Paused by anna"),
        ({"backoff_until": NOW + 60 * MINUTE, "consecutive_failures": 1}, "Failed once; not tried again before"),
        ({"is_running": True, "run_started_at": NOW, "run_started_by": "anna"}, "Run already running"),
    ],
)
def test_what_holds_back_any_schedule_holds_it_back(fields, reason):
    decision = decide(plan(**fields), others(Morning=1, Evening=1, branch=1), NOW + 2 * MINUTE)
    assert not decision.would_fire and decision.reason.startswith(reason)
    assert decision.gate("due").passed, "what it waits for has completed"


def test_only_where_the_plan_says_so_the_running_one_is_cancelled_for_it():
    busy = {"is_running": True, "run_started_at": NOW, "run_started_by": "anna"}
    ready = others(Morning=1, Evening=1, branch=1)
    for overlap, replaces in (("skip", False), ("queue_one", False), ("cancel_running", True)):
        mine = plan(overlap=overlap, **busy)
        after = aftermath(mine, decide(mine, ready, NOW + 2 * MINUTE))
        assert (after.replaces, after.held_back, after.moves_on) == (replaces, "skipped", False)
    waits = plan(overlap="cancel_running", **busy)
    assert not aftermath(waits, decide(waits, others(Morning=1), NOW + 2 * MINUTE)).replaces


# What happens to a plan after three others, a word for each minute. A cycle looks each minute, and at its end.
_EVENTS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["completes", "fails"]), st.sampled_from(NAMES)),
        st.tuples(st.sampled_from(["ends", "off", "on", "by hand", "fails itself"]), st.just("")),
    ),
    max_size=40,
)


class Model:
    """What the rule says, in plain Python: which of them completed since the last run began, or it was switched on."""

    def __init__(self):
        self.since, self.on, self.running = set(), True, False

    def happens(self, event, name):
        if event == "completes":
            self.since.add(name)
        elif event in ("ends", "fails itself"):
            self.running = False
        elif event in ("off", "on"):
            self.since = self.since if event == "off" or self.on else set()
            self.on = event == "on"
        elif event == "by hand" and not self.running:
            self.begins()

    def begins(self):
        self.since, self.running = set(), True

    def fires(self):
        return self.on and not self.running and self.since == set(NAMES)


class Stored:
    """What the columns say: armed, used, completed; and the decision made of them."""

    def __init__(self):
        self.plan, self.last, self.used = plan(), dict.fromkeys(NAMES), dict.fromkeys(NAMES)

    def happens(self, event, name, now):
        mine = self.plan
        if event == "completes":
            self.last[name] = now
        elif event in ("ends", "fails itself"):
            mine.is_running, mine.run_started_at = False, None
        elif event == "off":
            mine.is_enabled = False
        elif event == "on" and not mine.is_enabled:
            mine.is_enabled, mine.armed_from = True, now
        elif event == "by hand" and not mine.is_running:
            self.begins(now)

    def begins(self, now):
        self.plan.is_running, self.plan.run_started_at = True, now
        self.used = {name: at or self.used[name] for name, at in self.last.items()}

    def fires(self, now):
        known = Statistics(
            last_sign_of_life=now, others=tuple(Awaited(name, self.last[name], self.used[name]) for name in NAMES)
        )
        return decide(self.plan, known, now).would_fire


@settings(max_examples=examples(200), deadline=None)
@given(_EVENTS)
def test_any_sequence_fires_as_the_model_says(events):
    model, stored, now = Model(), Stored(), NOW
    for event, name in events:
        now += MINUTE
        model.happens(event, name)
        stored.happens(event, name, now)
        now += timedelta(seconds=1)
        assert stored.fires(now) == model.fires(), (event, name)
        if model.fires():
            model.begins()
            stored.begins(now)
