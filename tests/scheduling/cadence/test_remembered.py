"""A cadence with a memory answers as the cadence itself does."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.cadence.parse import parse_cadence
from scheduling.cadence.remembered import Remembered, remembered
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
    walked = Remembered.of(plain)
    for instant in (START + timedelta(minutes=minute) for minute in minutes):
        assert walked.next_after(instant) == plain.next_after(instant)
        assert walked.previous_before(instant) == plain.previous_before(instant)
    assert walked.describe() == plain.describe()


def test_a_walk_asks_each_question_once(monkeypatch):
    asked = []
    real = type(PLAIN[0]).next_after
    monkeypatch.setattr(type(PLAIN[0]), "next_after", lambda self, at: (asked.append(at), real(self, at))[1])
    walked = Remembered.of(PLAIN[0])
    slot = walked.next_after(START)
    for _ in range(9):
        assert walked.next_after(slot) == walked.next_after(slot + timedelta(minutes=1))
        slot = walked.next_after(slot)
    assert len(asked) == 10


def test_equal_cadences_share_one_memory_and_others_do_not():
    again = parse_cadence({"kind": "daily", "times": ["14:00", "02:30"]}, "Europe/Amsterdam")
    elsewhere = parse_cadence({"kind": "daily", "times": ["02:30", "14:00"]}, "Europe/Lisbon")
    assert remembered(again) is remembered(
        parse_cadence({"kind": "daily", "times": ["14:00", "02:30"]}, again.timezone)
    )
    assert remembered(elsewhere) is not remembered(again)
    assert [remembered(one).next_after(START) for one in (again, elsewhere)] == [
        one.next_after(START) for one in (again, elsewhere)
    ]
