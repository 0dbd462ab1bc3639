"""Promises about load and quiet: nobody is counted twice, no moment is left out."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.cadence.blackout import Stretch
from scheduling.forecast.load import busy, load_of, quiet_of, works_of
from scheduling.forecast.values import FIRES, HELD, ROLLED, SKIPPED, ExpectedFire
from scheduling.usual_runs import Piece
from tests.depth import examples

START = datetime(2026, 3, 2, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
UNTIL = START + timedelta(days=1)


def fire(minute: float, lasts: float | None = 10, state: str = FIRES, queue: str = "default") -> ExpectedFire:
    milliseconds = None if lasts is None else round(lasts * 60_000)
    task = Piece("batch", 1, lasts=(1 if lasts is None else lasts) * MINUTE, queue=queue)
    return ExpectedFire(START + minute * MINUTE, "branch", "Daily", state, milliseconds, pieces=(task,))


def steps(load) -> list[tuple[float, float, int]]:
    return [((step.start - START) / MINUTE, (step.end - START) / MINUTE, step.running) for step in load.steps]


def test_runs_that_overlap_add_up_against_the_limit():
    [load] = load_of(works_of([fire(10), fire(15), fire(15)]), {"default": 2}, START, UNTIL)
    assert steps(load) == [(0, 10, 0), (10, 15, 1), (15, 20, 3), (20, 25, 2), (25, 1440, 0)]
    assert load.peak == 3 and [step.running for step in load.overloaded] == [3]


def test_each_queue_has_its_own_load_and_an_empty_one_is_shown():
    loads = load_of(works_of([fire(10, queue="big")]), {"big": 1, "default": 4}, START, UNTIL)
    assert [(load.queue, load.limit, load.peak) for load in loads] == [("big", 1, 1), ("default", 4, 0)]


def test_slots_that_do_not_run_are_no_load_and_do_not_break_the_quiet():
    silent = [fire(100, state=HELD), fire(200, state=SKIPPED)]
    assert load_of(works_of(silent), {"default": 1}, START, UNTIL)[0].peak == 0
    assert quiet_of(works_of(silent), START, UNTIL) == (Stretch(START, UNTIL),)
    assert load_of(works_of([fire(100, state=ROLLED)]), {"default": 1}, START, UNTIL)[0].peak == 1


def test_a_run_nobody_has_seen_counts_as_a_minute_and_a_quick_one_as_a_second():
    assert busy(fire(0, None)).end == START + MINUTE
    assert busy(fire(0, 0)).end == START + timedelta(seconds=1)


def test_a_run_from_before_counts_from_the_start_and_one_that_is_over_not_at_all():
    [load] = load_of(works_of([fire(-5), fire(-60)]), {"default": 1}, START, UNTIL)
    assert steps(load) == [(0, 5, 1), (5, 1440, 0)]


def test_quiet_stretches_shorter_than_half_an_hour_are_not_worth_telling():
    found = quiet_of(works_of([fire(29), fire(69), fire(1420, 40)]), START, UNTIL)
    assert [((part.start - START) / MINUTE, (part.end - START) / MINUTE) for part in found] == [(39, 69), (79, 1420)]


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.integers(-60, 1500), st.integers(1, 300)), max_size=12), st.integers(0, 1439))
def test_every_minute_has_the_load_that_counting_finds(runs, minute):
    fires = sorted((fire(at, lasts) for at, lasts in runs), key=lambda one: one.at)
    [load] = load_of(works_of([one for one in fires if one.at < UNTIL]), {"default": 1}, START, UNTIL)
    at = START + minute * MINUTE
    assert [a.end for a in load.steps[:-1]] == [b.start for b in load.steps[1:]]
    assert (load.steps[0].start, load.steps[-1].end) == (START, UNTIL)
    running = sum(begin <= minute < begin + lasts for begin, lasts in runs)
    assert next(step.running for step in load.steps if step.start <= at < step.end) == running
    if any(part.start <= at < part.end for part in quiet_of(works_of(fires), START, UNTIL)):
        assert running == 0


def plan_fire(minute: float, *pieces: tuple[str, float, float | None], expected: float | None = None) -> ExpectedFire:
    made = tuple(
        Piece("batch", 1, after * MINUTE, (1 if lasts is None else lasts) * MINUTE, queue=queue)
        for queue, after, lasts in pieces
    )
    milliseconds = None if expected is None else round(expected * 60_000)
    return ExpectedFire(START + minute * MINUTE, "plan Nightly", "Daily", FIRES, milliseconds, pieces=made)


def test_a_plan_is_a_load_of_its_steps_in_their_queues_one_after_the_other():
    nightly = plan_fire(10, ("default", 0, 5), ("default", 0, 8), ("heavy", 8, 20), ("default", 28, 1))
    found = {
        load.queue: load for load in load_of(works_of([nightly, fire(12, 2)]), {"default": 2, "heavy": 1}, START, UNTIL)
    }
    assert steps(found["default"]) == [
        (0, 10, 0), (10, 12, 2), (12, 14, 3), (14, 15, 2), (15, 18, 1), (18, 38, 0), (38, 39, 1), (39, 1440, 0)
    ]  # fmt: skip
    assert steps(found["heavy"]) == [(0, 18, 0), (18, 38, 1), (38, 1440, 0)]
    assert [step.running for step in found["default"].overloaded] == [3]


def test_a_step_nobody_has_seen_counts_as_a_minute_and_makes_the_run_as_long_as_its_steps():
    unseen = plan_fire(0, ("default", 0, None), ("default", 40, 5))
    assert busy(unseen).end == START + 45 * MINUTE
    assert busy(plan_fire(0, ("default", 0, 50), expected=10)).end == START + 10 * MINUTE
    [load] = load_of(works_of([unseen]), {"default": 1}, START, UNTIL)
    assert steps(load) == [(0, 1, 1), (1, 40, 0), (40, 45, 1), (45, 1440, 0)]


def test_steps_that_outlast_the_usual_run_break_the_quiet_too():
    found = quiet_of(works_of([plan_fire(60, ("default", 0, 90), expected=10)]), START, UNTIL)
    assert [((part.start - START) / MINUTE, (part.end - START) / MINUTE) for part in found] == [(0, 60), (150, 1440)]


def test_a_step_after_the_end_of_the_period_is_no_load_of_it():
    [load] = load_of(works_of([plan_fire(1430, ("default", 0, 5), ("default", 20, 5))]), {"default": 1}, START, UNTIL)
    assert steps(load) == [(0, 1430, 0), (1430, 1435, 1), (1435, 1440, 0)]


def test_a_plan_that_cannot_run_is_no_load():
    assert load_of(works_of([plan_fire(10)]), {"default": 1}, START, UNTIL)[0].peak == 0
