"""Promises of paging by position."""

from datetime import timedelta

import pytest

from scheduling.admin.keyset import Position, read_page
from scheduling.models import SchedulerLog
from tests.scheduling.admin.conftest import NOW, make_event

pytestmark = pytest.mark.django_db


def events(number: int, same_time: int = 3) -> list[int]:
    """Store events, several with the very same instant, and return their ids newest first."""
    made = [make_event(event_time=NOW + timedelta(microseconds=index // same_time)) for index in range(number)]
    return [event.pk for event in reversed(made)]


def page(size=4, **params):
    return read_page(SchedulerLog.objects.all(), params, time_field="event_time", size=size)


def walk(first, towards: str, size=4):
    """Follow one pager link to the end; return all ids in the order seen, page by page."""
    pages, current = [[row.pk for row in first.rows]], first
    while getattr(current, towards):
        current = page(size, **{towards: getattr(current, towards)})
        pages.append([row.pk for row in current.rows])
        assert len(pages) < 50
    return pages


@pytest.mark.parametrize("number", [0, 1, 3, 4, 5, 8, 23])
def test_walking_down_shows_every_event_once(number):
    ids = events(number)
    assert [pk for rows in walk(page(), "older") for pk in rows] == ids


def test_walking_back_up_shows_the_same_pages_again():
    ids = events(23)
    down = walk(page(), "older")
    last = page(older=str(Position(down[-2][-1], SchedulerLog.objects.get(pk=down[-2][-1]).event_time)))
    up = walk(last, "newer")
    assert [pk for rows in reversed(up) for pk in rows] == ids


def test_the_newest_page_has_nothing_newer_and_the_oldest_nothing_older():
    events(8)
    first = page()
    assert first.newer is None and first.older
    assert page(older=first.older).older is None


def test_new_events_do_not_move_the_page_one_reads():
    events(12)
    second = page().older
    before = [row.pk for row in page(older=second).rows]
    make_event(event_time=NOW + timedelta(days=1))
    assert [row.pk for row in page(older=second).rows] == before


@pytest.mark.parametrize("text", ["", "x", "-", "1-", "-5-", "1-2-3x", "9" * 40, f"{10**30}-1", "1--2", "²"])
def test_a_mangled_position_shows_the_newest_page(text):
    ids = events(5)
    assert [row.pk for row in page(older=text).rows] == ids[:4]


def test_pages_by_id_alone_need_no_time():
    ids = events(9)
    seen, params = [], {}
    while True:
        found = read_page(SchedulerLog.objects.all(), params, size=4)
        seen += [row.pk for row in found.rows]
        if not found.older:
            break
        params = {"older": found.older}
    assert seen == ids
