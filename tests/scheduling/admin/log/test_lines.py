"""Promises of the lines of the log: equal skips are one line, and walking its pages finds each event once."""

from datetime import timedelta
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.admin.keyset import OLDEST
from scheduling.admin.log.lines import folded, read_lines
from scheduling.models import SchedulerLog
from staging.models import Entity
from tests.depth import examples
from tests.scheduling.admin.conftest import NOW, make_event

KINDS = (("skipped", "overlap"), ("skipped", "back_off"), ("held", "blackout"), ("skipped", None), ("fired", None))


def events_of(told: list[tuple[int, int]]) -> list[SchedulerLog]:
    """Return events, newest first: the number of their entity, and of their kind."""
    return [
        SchedulerLog(pk=len(told) - place, entity_id=entity, event_type=KINDS[kind][0], reason=KINDS[kind][1],
                     message=f"Slot {place}" if KINDS[kind][1] else "Same.", event_time=NOW - timedelta(minutes=place))
        for place, (entity, kind) in enumerate(told)
    ]  # fmt: skip


TOLD = st.lists(st.tuples(st.integers(1, 3), st.integers(0, len(KINDS) - 1)), max_size=60)


@given(TOLD)
@settings(max_examples=examples(60))
def test_a_line_is_a_run_of_equal_skips_of_its_subject_and_no_event_is_lost(told):
    events = events_of(told)
    lines, number = folded(events, most=100)
    assert number == len(events) == sum(line.count for line in lines)
    expected = []
    last = {}
    for event in events:
        kind = (event.event_type, event.reason)
        if event.event_type == "fired" or last.get(event.entity_id) != kind:
            expected.append(event.pk)
        last[event.entity_id] = kind
    assert [line.event.pk for line in lines] == expected
    assert all((line.first is None) is (line.count == 1) for line in lines)
    assert all(line.first < line.last == line.event.event_time for line in lines if line.count > 1)


@given(TOLD, st.integers(1, 5))
@settings(max_examples=examples(60))
def test_the_same_events_are_as_many_lines_from_either_end(told, most):
    events = events_of(told)
    assert len(folded(events, most=100)[0]) == len(folded(events[::-1], most=100)[0])
    lines, number = folded(events, most)
    assert len(lines) <= most and (number == len(events) or len(lines) == most)


@pytest.mark.django_db
@pytest.mark.parametrize("folds", [True, False])
def test_walking_to_the_end_and_back_finds_each_event_once(folds):
    entities = [Entity.objects.create(code=code, name=code) for code in ("a", "b", "c")]
    for number in range(700):
        kind, reason = KINDS[(number // 9) % 5]
        make_event(entity=entities[number % 3], event_type=kind, reason=reason, event_time=NOW - timedelta(number // 4))
    rows = SchedulerLog.objects.all()

    def walk(params: dict[str, str], way: str) -> list[list[int]]:
        found = []
        while True:
            lines, page, problem = read_lines(rows, params, folds=folds, is_bounded=False)
            assert problem == "" and len(lines) <= 50 and sum(line.count for line in lines) == len(page.rows)
            found.append([event.pk for event in page.rows])
            if getattr(page, way) is None:
                return found
            params = {way: getattr(page, way)}

    everything = list(rows.order_by("-event_time", "-id").values_list("pk", flat=True))
    assert list(chain.from_iterable(walk({}, "older"))) == everything
    back = walk({"newer": str(OLDEST)}, "newer")
    assert list(chain.from_iterable(reversed(back))) == everything
    if folds:
        assert len(back) < 14
