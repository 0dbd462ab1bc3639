"""Promise: whatever is said of when and where enqueued work runs is understood, or refused by its name."""

import string
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scheduling.errors import InvalidOptions
from scheduling.jobs.options import ASKED, HIGHEST, LONGEST_KEY, LOWEST, asked_for, understood
from scheduling.states import KeyOverlap

NOW = datetime(2026, 3, 1, 6, tzinfo=UTC)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["\x00", "\ud800"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=3,
)
SENSIBLE = st.fixed_dictionaries(
    {},
    optional={
        "key": st.text(string.ascii_letters, min_size=1, max_size=LONGEST_KEY),
        "overlap": st.sampled_from(KeyOverlap.values),
        "queue": st.just("mail"),
        "priority": st.integers(LOWEST, HIGHEST),
    },
)
TIMES = st.one_of(
    st.just({}),
    st.integers(0, 10**8).map(lambda seconds: {"after_seconds": seconds}),
    st.integers(-(10**8), 10**8).map(lambda seconds: {"at": (NOW + timedelta(seconds=seconds)).isoformat()}),
)


@given(st.dictionaries(st.sampled_from(ASKED) | st.text(max_size=5), ANYTHING, max_size=4))
def test_anything_is_understood_or_refused_by_a_name_that_was_given(said: dict[str, Any]) -> None:
    try:
        understood(asked_for(said), NOW)
    except InvalidOptions as refused:
        assert refused.errors and set(refused.errors) <= set(said)


@given(SENSIBLE, TIMES)
def test_what_makes_sense_is_understood_as_it_was_said(said: dict[str, Any], time: dict[str, Any]) -> None:
    found = understood(asked_for(said | time), NOW)
    assert (found.key, found.queue or None, found.priority) == tuple(map(said.get, ("key", "queue", "priority")))
    assert found.overlap == said.get("overlap", "skip")
    if "at" in time:
        wanted = datetime.fromisoformat(time["at"])
    else:
        wanted = NOW + timedelta(seconds=time.get("after_seconds", 0))
    assert found.not_before == (wanted if wanted > NOW else None)
