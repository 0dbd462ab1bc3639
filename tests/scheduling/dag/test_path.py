"""Where the time of a run went: a chain without holes, through the steps that decided when it ended."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.dag.path import Spent, TimedStep, Try, by_step, critical_path
from tests.depth import examples

T0 = datetime(2026, 3, 2, 6, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def at(minute):
    return None if minute is None else T0 + minute * MINUTE


def step(name, *after, tries=(), queued=None, held=None, ended=None, put_off=False, is_wait=False):
    """Return a step in minutes; a try is (start, end) or (start, end, True) for an interrupted one."""
    made = [Try(at(each[0]), at(each[1]), *each[2:]) for each in tries]
    return TimedStep(name, after, made, at(queued), at(held), at(ended), put_off, is_wait)


def told(steps, end):
    """Return the chain of steps that are numbered from 0, as (name, what, minutes)."""
    pieces = critical_path(dict(enumerate(steps)), T0, at(end))
    return [(piece.step, piece.what, piece.took / MINUTE) for piece in pieces]


def test_the_chain_goes_through_what_ended_last_of_those_before():
    steps = [
        step("region", tries=[(1, 3)], queued=0, ended=3),
        step("rates", tries=[(0, 20)], queued=0, ended=20),
        step("branch", 0, 1, tries=[(22, 26)], queued=20, ended=26),
        step("till", 0, tries=[(3, 8)], queued=3, ended=8),
    ]
    assert told(steps, 26) == [("rates", "worked", 20), ("branch", "queued", 2), ("branch", "worked", 4)]


def test_waits_for_a_retry_a_worker_that_stopped_and_a_hold_are_told_apart():
    steps = [
        step("a", tries=[(1, 2), (5, 6, True), (7, 9)], queued=6, ended=9),
        step("b", 0, tries=[(20, 21)], queued=18, ended=21),
    ]
    assert told(steps, 21) == [
        ("a", "queued", 1), ("a", "worked", 1), ("a", "retry", 3), ("a", "worked", 1), ("a", "queued", 1),
        ("a", "worked", 2), ("b", "held", 9), ("b", "queued", 2), ("b", "worked", 1),
    ]  # fmt: skip


def test_a_wait_awaits_from_its_release_to_its_end_whenever_somebody_looked():
    steps = [
        step("a", tries=[(0, 2)], queued=0, ended=2),
        step("wait", 0, tries=[(30, 30)], queued=29, ended=30, is_wait=True),
        step("b", 1, tries=[(31, 40)], queued=30, ended=40),
    ]
    assert told(steps, 40) == [("a", "worked", 2), ("wait", "awaited", 28), ("b", "queued", 1), ("b", "worked", 9)]


@pytest.mark.parametrize(("held", "pieces"), [(None, [("awaited", 10)]), (6, [("awaited", 6), ("held", 4)])])
def test_a_wait_that_is_not_over_awaits_so_far(held, pieces):
    steps = [step("wait", queued=0, held=held, put_off=held is None, is_wait=True)]
    assert told(steps, 10) == [("wait", *piece) for piece in pieces]


def test_what_a_person_ended_begins_the_chain_where_nothing_of_it_released_it():
    """B was skipped while A, before it, was still at work; C went on at once."""
    steps = [
        step("a", tries=[(0, 30)], queued=0, ended=30),
        step("b", 0, ended=5),
        step("c", 1, tries=[(5, 40)], queued=5, ended=40),
    ]
    assert told(steps, 40) == [("b", "otherwise", 5), ("c", "worked", 35)]


def test_a_failure_that_somebody_marked_later_waited_for_a_person():
    steps = [step("a", tries=[(0, 2)], queued=0, ended=60), step("b", 0, tries=[(61, 62)], queued=60, ended=62)]
    assert told(steps, 62) == [
        ("a", "worked", 2), ("a", "otherwise", 58), ("b", "queued", 1), ("b", "worked", 1),
    ]  # fmt: skip


def test_a_failure_that_was_passed_over_released_what_came_after_it_before_its_last_end():
    steps = [
        step("a", tries=[(0, 10), (30, 50)], queued=30, ended=50),
        step("b", 0, tries=[(10, 70)], queued=10, ended=70),
    ]
    assert told(steps, 70) == [("a", "worked", 10), ("b", "worked", 60)]


def test_what_was_blocked_at_the_end_gives_way_to_what_failed():
    steps = [step("a", tries=[(0, 4)], queued=0, ended=4), step("b", 0, ended=4), step("c", 1, ended=4)]
    assert told(steps, 4) == [("a", "worked", 4)]


@pytest.mark.parametrize(
    ("live", "expected"),
    [
        (step("b", 0, queued=2), [("b", "queued", 8)]),
        (step("b", 0, tries=[(3, None)], queued=2), [("b", "queued", 1), ("b", "worked", 7)]),
        (step("b", 0, held=4), [("b", "queued", 2), ("b", "held", 6)]),
        (step("b", 0, tries=[(2, 5)], queued=5, put_off=True), [("b", "worked", 3), ("b", "retry", 5)]),
        (step("b", 0, tries=[(2, 5)], queued=8), [("b", "worked", 3), ("b", "retry", 3), ("b", "queued", 2)]),
    ],
)
def test_of_a_live_run_it_is_what_keeps_it_now(live, expected):
    steps = [step("a", tries=[(0, 2)], queued=0, ended=2), live, step("c", 1)]
    assert told(steps, 10) == [("a", "worked", 2), *expected]


def test_clocks_of_two_hosts_that_differ_a_little_break_no_chain():
    late = TimedStep("a", (), (Try(T0, at(10) + timedelta(seconds=2)),), T0, None, at(10) + timedelta(seconds=2))
    steps = [late, step("b", 0, tries=[(10, 12)], queued=10, ended=12)]
    assert told(steps, 12) == [("a", "worked", 10), ("b", "worked", 2)]


def test_nothing_has_no_chain():
    assert critical_path({}, T0, at(5)) == ()


# --- any times -------------------------------------------------------------------------------------------------------

MOMENTS = st.one_of(st.none(), st.integers(-5, 60))


@st.composite
def any_steps(draw):
    """Steps whose instants are whatever a table may hold, also what no engine writes."""
    steps = []
    for number in range(draw(st.integers(1, 8))):
        after = draw(st.lists(st.integers(0, number - 1), unique=True)) if number else []
        tries, begin = [], draw(st.integers(-5, 30))
        for _ in range(draw(st.integers(0, 3))):
            end = begin + draw(st.integers(0, 9))
            tries.append((begin, end, draw(st.booleans())))
            begin = end + draw(st.integers(0, 9))
        ended = draw(MOMENTS)
        if tries and ended is None and draw(st.booleans()):
            tries[-1] = (tries[-1][0], None)
        steps.append(
            step(str(number), *after, tries=tries, queued=draw(MOMENTS), held=draw(MOMENTS), ended=ended,
                 put_off=draw(st.booleans()), is_wait=draw(st.booleans()))
        )  # fmt: skip
    return steps


@settings(max_examples=examples(300))
@given(any_steps(), st.integers(1, 60))
def test_the_pieces_lie_end_to_end_from_the_start_to_the_end_and_no_step_comes_twice(steps, end):
    pieces = critical_path(dict(enumerate(steps)), T0, at(end))
    edges = [T0, *(piece.end for piece in pieces)]
    assert [piece.start for piece in pieces] == edges[:-1] and edges[-1] == at(end)
    assert all(piece.took > timedelta() for piece in pieces)
    names = [piece.step for piece in pieces]
    assert names == [name for name in dict.fromkeys(names) for _ in range(names.count(name))]
    assert sum((sum(spent.values(), timedelta()) for spent in by_step(pieces).values()), timedelta()) == end * MINUTE


@settings(max_examples=examples(200))
@given(st.lists(st.tuples(st.integers(1, 20), st.sets(st.integers(0, 7))), min_size=1, max_size=8))
def test_where_nothing_waits_the_chain_is_the_longest_way_through_the_steps(drawn):
    steps, ends = [], []
    for number, (lasts, wanted) in enumerate(drawn):
        after = sorted(prior for prior in wanted if prior < number)
        begin = max((ends[prior] for prior in after), default=0)
        ends.append(begin + lasts)
        steps.append(step(str(number), *after, tries=[(begin, ends[-1])], queued=begin, ended=ends[-1]))
    pieces = critical_path(dict(enumerate(steps)), T0, at(max(ends)))
    assert {piece.what for piece in pieces} == {Spent.WORKED}
    assert sum((piece.took for piece in pieces), timedelta()) == max(ends) * MINUTE
