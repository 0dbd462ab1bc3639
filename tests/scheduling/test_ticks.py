"""Promise: cycles stand on the full minute, on every host, whichever second beat or `run_local` was started on."""

from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import pytest
from celery.app import app_or_default
from hypothesis import given
from hypothesis import strategies as st

from scheduler_project.celery import OnTheTick
from scheduling import clock, conf, tasks
from scheduling.dispatch import local
from scheduling.dispatch.cycle import latest_tick, until_next_tick
from scheduling.dispatch.firing import CycleReport
from scheduling.dispatch.local import LocalRunner

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
INTERVALS = (1, 5, 7, 60, 90, 600, 3600, 86_400)


@pytest.fixture
def each_minute(settings):
    settings.DISPATCH_INTERVAL_SECONDS = 60


@given(st.timedeltas(timedelta(0), timedelta(days=40_000)), st.sampled_from(INTERVALS))
def test_a_tick_is_a_multiple_of_the_interval_from_midnight(later, interval):
    now = NOON + later
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conf, "dispatch_interval", lambda: timedelta(seconds=interval))
        last, following = latest_tick(now), now + until_next_tick(now)
        assert last <= now < following <= last + timedelta(seconds=interval)
        for tick in (last, following):
            midnight = tick.replace(hour=0, minute=0, second=0, microsecond=0)
            assert latest_tick(tick) == tick and (tick - midnight).total_seconds() % interval == 0


@pytest.mark.parametrize(
    ("last", "now", "due", "seconds"),
    [
        ("11:59:31", "11:59:45", False, 15),
        ("11:59:31", "12:00:00", True, 60),
        ("12:00:00", "12:00:01", False, 59),
        ("12:00:00", "12:04:30", True, 30),
        ("12:00:30", "12:00:00", False, 60),
        ("13:00:00", "12:00:10", True, 50),
    ],
    ids=["not yet", "the minute is full", "sent", "late", "a clock a little behind", "a clock put back an hour"],
)
def test_beat_sends_on_the_full_minute(each_minute, last, now, due, seconds):
    at = {text: datetime.fromisoformat(f"2026-11-20 {text}+00:00") for text in (last, now)}
    ticks = OnTheTick(60.0, nowfun=lambda: at[now], app=app_or_default())
    assert ticks.is_due(at[last]) == (due, seconds)


def test_run_local_begins_at_once_and_goes_on_at_the_full_minutes(each_minute, monkeypatch):
    began, takes = [], iter([0.2, 0.3, 61.0, 0.1, 0.1])
    now = NOON + timedelta(seconds=41)
    runner = LocalRunner(threads=1)

    def wait(seconds):
        nonlocal now
        now += timedelta(seconds=seconds - 0.01)  # a wait may end a moment too early
        return len(began) == 5 or now > NOON + timedelta(hours=1)

    def step():
        nonlocal now
        began.append(now)
        now += timedelta(seconds=next(takes))

    monkeypatch.setattr(local, "lasting_connection", nullcontext)  # this test has no database
    monkeypatch.setattr(local, "forget_connections", lambda: None)
    monkeypatch.setattr(clock, "now", lambda: now)
    monkeypatch.setattr(runner._stop, "wait", wait)
    runner._repeat(step)
    ticks = [round((each - NOON).total_seconds()) for each in began]
    assert ticks == [41, 60, 120, 240, 300]


@pytest.mark.parametrize(("second", "waits"), [(59.97, 0.03), (58.5, 1.5), (57.5, 0), (0, 0), (30, 0)])
def test_a_cycle_of_beat_that_comes_a_moment_early_waits_for_its_tick(each_minute, monkeypatch, second, waits):
    now = NOON + timedelta(seconds=second)
    slept, began = [], []
    monkeypatch.setattr(clock, "follow", lambda **_: None)
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=sum(slept)))
    monkeypatch.setattr(clock, "sleep", slept.append)
    monkeypatch.setattr(tasks, "run_cycle", lambda at: began.append(at) or CycleReport(at, ran=False))
    monkeypatch.setattr(tasks, "go_round", lambda at: None)
    tasks.dispatch()
    assert sum(slept) == pytest.approx(waits) and began == [now + timedelta(seconds=sum(slept))]
