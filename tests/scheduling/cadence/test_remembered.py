"""A cadence with a memory answers as the cadence itself does."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.cadence.parse import parse_cadence
from scheduling.cadence.remembered import Remembered
from tests.depth import examples

START = datetime(2026, 3, 28, tzinfo=UTC)
PLAIN = [
    parse_cadence({"kind": "daily", "times": ["02:30", "14:00"]}, "Europe/Amsterdam"),
    parse_cadence({"kind": "interval", "every_minutes": 7, "anchor": "wall_clock"}, "America/New_York"),
    parse_cadence({"kind": "once", "at_local": "2026-03-29T02:30:00"}, "Europe/Amsterdam"),
]


@settings(max_examples=examples(60))
@given(st.sampled_from(PLAIN), st.lists(st.integers(-100, 4000), min_size=1, max_size=30))
def test_it_answers_the_same_in_any_order_of_questions(plain, minutes):
    remembered = Remembered.of(plain)
    for instant in (START + timedelta(minutes=minute) for minute in minutes):
        assert remembered.next_after(instant) == plain.next_after(instant)
        assert remembered.previous_before(instant) == plain.previous_before(instant)
    assert remembered.describe() == plain.describe()


def test_a_walk_asks_each_question_once(monkeypatch):
    asked = []
    real = type(PLAIN[0]).next_after
    monkeypatch.setattr(type(PLAIN[0]), "next_after", lambda self, at: (asked.append(at), real(self, at))[1])
    remembered = Remembered.of(PLAIN[0])
    slot = remembered.next_after(START)
    for _ in range(9):
        assert remembered.next_after(slot) == remembered.next_after(slot + timedelta(minutes=1))
        slot = remembered.next_after(slot)
    assert len(asked) == 10
