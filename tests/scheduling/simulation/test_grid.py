"""Promises of the virtual clock."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from scheduling.simulation.grid import Grid
from tests.scheduling.simulation.making import MINUTE, START

SECOND = timedelta(seconds=1)


def test_cycles_begin_at_the_start_and_end_before_the_end():
    assert list(Grid(START, START + 3 * MINUTE, MINUTE)) == [START, START + MINUTE, START + 2 * MINUTE]
    assert len(Grid(START, START + SECOND, MINUTE)) == 1 and len(Grid(START, START, MINUTE)) == 0


@given(st.integers(1, 500), st.integers(1, 90), st.integers(-50, 600), st.integers(0, 40))
def test_the_first_cycle_from_an_instant_is_the_one_a_walk_finds(length, step, wanted, passed):
    grid = Grid(START, START + length * SECOND, step * SECOND)
    after, instant = START + passed * step * SECOND, START + wanted * SECOND
    walked = next((cycle for cycle in grid if cycle >= instant and cycle > after), None)
    assert grid.first_from(instant, after) == walked
