"""Jitter keeps the order, stays below the next slot, and is the same everywhere and always."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.cadence.jittered import Jittered
from scheduling.cadence.parse import parse_cadence
from tests.depth import examples

START = datetime(2026, 3, 27, tzinfo=UTC)
KINDS = [
    {"kind": "daily", "times": ["02:30"]},
    {"kind": "interval", "every_minutes": 1},
    {"kind": "weekly", "days": ["mon"], "times": ["00:00", "00:01"]},
    {"kind": "once", "at_local": "2026-03-28T09:00"},
]


def jittered(document, seconds, seed="job/Daily"):
    cadence = parse_cadence(document, "Europe/Amsterdam")
    return Jittered(timezone="Europe/Amsterdam", cadence=cadence, seed=seed, seconds=seconds)


@settings(max_examples=examples(25), deadline=None)
@given(st.sampled_from(KINDS), st.integers(0, 7200), st.text(max_size=5), st.integers(0, 3 * 86400))
def test_each_slot_fires_once_late_by_at_most_the_jitter_and_before_the_next_slot(kind, seconds, seed, offset):
    cadence = jittered(kind, seconds, seed)
    start, end = START + timedelta(seconds=offset), START + timedelta(seconds=offset, hours=8)
    wide = timedelta(seconds=seconds)
    slots = list(cadence.cadence.between(start - wide, end))
    fires = list(cadence.between(start, end))
    assert fires == sorted(set(fires))
    for fire in fires:
        slot = cadence.cadence.previous_before(fire + timedelta(microseconds=1))
        following = cadence.cadence.next_after(slot)
        assert slot in slots or slot < start
        assert slot <= fire <= slot + wide
        assert following is None or fire < following
        assert cadence.previous_before(fire + timedelta(microseconds=1)) == fire
    inside = [slot for slot in slots if start < slot <= end - wide]
    assert len([fire for fire in fires if fire <= end]) >= len(inside)


def test_it_is_stable_and_differs_by_schedule():
    fires = {seed: jittered(KINDS[0], 3600, seed).next_after(START) for seed in ("a", "b", "c")}
    assert fires == {seed: jittered(KINDS[0], 3600, seed).next_after(START) for seed in ("a", "b", "c")}
    assert len(set(fires.values())) == 3


def test_no_jitter_changes_nothing():
    assert jittered(KINDS[0], 0).next_after(START) == jittered(KINDS[0], 0).cadence.next_after(START)


@pytest.mark.parametrize(("seconds", "text"), [(300, "up to 5 minutes later"), (60, "up to 1 minute later")])
def test_the_sentence_says_how_much_later(seconds, text):
    assert jittered(KINDS[0], seconds).rhythm() == f"Every day at 02:30, {text}"
