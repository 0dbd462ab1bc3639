"""Promises of the replay: every cycle that matters is looked at, and no other is needed."""

from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.cadence.blackout import Blackout, Days, WeeklyWindow
from scheduling.dispatch.cycle import run_cycle
from scheduling.lifecycle import arming
from scheduling.models import Job, JobSchedule, Plan, Run, SchedulerConfiguration, SchedulerLog, SchedulerState
from scheduling.simulation.attempt import NextAttempt
from scheduling.simulation.grid import Grid
from scheduling.simulation.simulate import replay, simulate
from scheduling.simulation.simulate import simulate_cycle as run_simulated_cycle
from scheduling.simulation.world import World
from scheduling.usual_runs import Piece, UsualRun, key_of
from tests.depth import examples
from tests.scheduling.conftest import work_off
from tests.scheduling.simulation.making import (
    HOUR,
    MINUTE,
    START,
    configuration,
    daily,
    entity,
    every,
    grid,
    rows,
    triggered,
)
from tests.scheduling.simulation.real import nothing_dies


def at_minutes(fires) -> list[float]:
    return [(fire.at - START) / MINUTE for fire in fires]


def test_a_daily_schedule_fires_at_its_time_and_says_why():
    found = simulate([daily("06:00", "18:30")], grid(48), arrivals={}, usual={}, everything=SchedulerState())
    assert at_minutes(found.fires) == [0, 750, 1440, 2190]
    first = found.fires[0]
    assert (first.entity, first.slot, first.trigger_source) == ("branch", START, "Schedule")
    assert first.reason == "Due since 2026-03-02 06:00:00 UTC." and first.rows == 0
    assert found.cycles == 48 * 60 and found.not_fired == ()


def test_a_fire_takes_all_pending_rows():
    branch = entity(triggered(trigger_row_threshold=100), rows((1, 60), (2.5, 60), (3, 1)))
    replay([branch], grid())
    [fire] = branch.fires
    assert (at_minutes([fire]), fire.rows, fire.slot) == ([3], 121, None)
    assert fire.trigger_source == "Trigger: 121 rows (threshold 100)"


def test_idle_time_debounce_and_settle_are_waited_for_to_the_cycle():
    idle = entity(triggered(trigger_idle_minutes=15), rows((0.5, 1), (10, 1)))
    replay([idle], grid())
    assert at_minutes(idle.fires) == [16]
    settling = entity(
        triggered(trigger_on_new_rows=True, trigger_debounce_seconds=600, trigger_settle_seconds=90),
        rows((0, 1), (1, 1), (3, 1)),
    )
    replay([settling], grid())
    # At minute 3 yet another row comes: it settles at 4.5.
    assert at_minutes(settling.fires) == [5] and settling.fires[0].rows == 3
    debounced = entity(triggered(trigger_on_new_rows=True, trigger_debounce_seconds=600), rows((0, 1), (3, 1)))
    replay([debounced], grid())
    assert at_minutes(debounced.fires) == [0, 10]


def test_a_batch_holds_the_guard_for_its_usual_duration():
    busy = entity(every(10), lasts=25)
    replay([busy], grid(1))
    assert at_minutes(busy.fires) == [0, 30]
    assert [(event.event, (event.at - START) / MINUTE) for event in busy.not_fired] == [
        ("skipped", 10), ("skipped", 20), ("skipped", 40), ("skipped", 50),
    ]  # fmt: skip


def test_a_batch_of_hours_is_not_taken_for_dead():
    busy = entity(every(60), lasts=200)
    replay([busy], grid(12))
    assert at_minutes(busy.fires) == [0, 240, 480]


def test_a_trigger_that_stands_back_is_told_once_and_fires_when_the_batch_ends():
    busy = entity(triggered(trigger_row_threshold=1), rows((0, 1), (5, 1), (7, 1)), lasts=30)
    replay([busy], grid())
    assert at_minutes(busy.fires) == [0, 30] and busy.fires[1].rows == 2
    assert [event.event for event in busy.not_fired] == ["skipped"]


def test_an_interval_after_completion_counts_from_the_end_of_each_batch():
    found = entity(every(60, interval_anchor="last_completion"), lasts=15)
    replay([found], grid(6))
    assert at_minutes(found.fires) == [60, 135, 210, 285]


def test_slots_in_a_blackout_are_held_or_roll_to_its_end():
    dark = (Days(date(2026, 3, 3), date(2026, 3, 3)),)
    held = entity(daily("06:00", blackout=Blackout("Feast", "UTC", False, dark)))
    replay([held], grid(72))
    assert at_minutes(held.fires) == [0, 2880]
    [event] = held.not_fired
    assert (event.event, event.count) == ("held", 1) and "held by a blackout" in event.reason
    rolled = entity(daily("06:00", blackout=Blackout("Feast", "UTC", True, dark)))
    replay([rolled], grid(72))
    assert at_minutes(rolled.fires) == [0, 2520, 2880]


def test_a_trigger_waits_for_the_end_of_a_blackout():
    lunch = Blackout("Lunch", "UTC", False, (WeeklyWindow(tuple(range(7)), time(12), time(13)),))
    waiting = entity(triggered(trigger_row_threshold=1, blackout=lunch), rows((370, 5)))
    replay([waiting], grid())
    assert at_minutes(waiting.fires) == [420] and [event.event for event in waiting.not_fired] == ["held"]


def test_nothing_is_due_in_a_pause_and_nothing_of_it_is_made_up():
    paused = every(60, paused_at=START + HOUR, paused_until=START + 4 * HOUR, paused_by="ann", pause_reason="move")
    found = entity(paused)
    replay([found], grid(7))
    assert at_minutes(found.fires) == [0, 300, 360]
    [event] = found.not_fired
    assert (event.event, event.count) == ("paused", 0) and "move" in event.reason


def test_a_pause_that_was_over_before_does_not_count():
    over = every(60, paused_at=START - 2 * HOUR, paused_until=START - HOUR)
    found = entity(over)
    replay([found], grid(2))
    assert at_minutes(found.fires) == [0, 60]


def test_a_pause_of_everything_holds_all_until_it_ends():
    everything = SchedulerState(paused_at=START + HOUR / 2, paused_until=START + 2 * HOUR)
    kinds = [every(60), triggered(trigger_row_threshold=1)]
    kinds[1].entity.code = "customer"
    found = simulate(kinds, grid(4), arrivals={"customer": rows((40, 1))}, usual={}, everything=everything)
    assert [(fire.entity, minute) for fire, minute in zip(found.fires, at_minutes(found.fires), strict=True)] == [
        ("branch", 0), ("customer", 120), ("branch", 180),
    ]  # fmt: skip


def test_a_cycle_slower_than_the_cadence_misses_slots_and_counts_them():
    minutely = entity(every(1))
    replay([minutely], grid(1, step=20 * MINUTE))
    assert at_minutes(minutely.fires) == [0, 20, 40]
    assert [(event.event, event.count) for event in minutely.not_fired] == [("missed", 19), ("missed", 19)]


def test_a_schedule_that_cannot_be_read_is_told_and_stops_nobody():
    broken = configuration("broken", processing_mode="scheduled", schedule_type="daily", run_times="25:00")
    found = simulate([broken, daily("06:00")], grid(), arrivals={}, usual={}, everything=SchedulerState())
    assert [fire.entity for fire in found.fires] == ["branch"]
    [event] = found.not_fired
    assert (event.entity, event.event) == ("broken", "error")


def test_the_original_is_left_as_it_was():
    original = every(10)
    before = {name: value for name, value in vars(original).items() if name != "_state"}
    replay([entity(original, lasts=5)], grid())
    assert {name: value for name, value in vars(original).items() if name != "_state"} == before


def test_a_year_of_one_entity_looks_at_no_more_cycles_than_slots(monkeypatch):
    looked = []
    year = entity(daily("06:00"))
    monkeypatch.setattr(year, "cycle", lambda now, cycle=year.cycle: (looked.append(now), cycle(now)))
    replay([year], grid(365 * 24))
    assert len(year.fires) == len(looked) == 365


_ZONES = st.sampled_from(["UTC", "Europe/Amsterdam", "America/New_York", "Australia/Lord_Howe"])
_BLACKOUTS = st.one_of(
    st.none(),
    st.builds(
        lambda rolls, start, length: Blackout(
            "Dark", "Europe/Amsterdam", rolls, (WeeklyWindow((0, 1), time(start), time((start + length) % 24, 30)),)
        ),
        st.booleans(),
        st.integers(0, 23),
        st.integers(0, 9),
    ),
)
_PAUSES = st.one_of(
    st.just({}),
    st.builds(
        lambda begin, length: {
            "paused_at": START + begin * MINUTE,
            "paused_until": START + (begin + length) * MINUTE if length else None,
        },
        st.integers(-100, 700),
        st.integers(0, 300),
    ),
)
_TIMES = st.lists(st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59)), min_size=1, max_size=3)
_SCHEDULES = st.one_of(
    st.builds(lambda times: {"schedule_type": "daily", "run_times": ", ".join(times)}, _TIMES),
    st.builds(
        lambda minutes, anchor: {
            "schedule_type": "interval",
            "interval_minutes": minutes,
            "interval_anchor": anchor,
        },
        st.integers(1, 300),
        st.sampled_from(["wall_clock", "epoch", "last_completion"]),
    ),
    st.builds(lambda step: {"schedule_type": "cron", "cron_expression": f"*/{step} 5-9 * * *"}, st.integers(1, 59)),
).map(lambda fields: {"processing_mode": "scheduled", **fields})
_CATCH_UP = st.fixed_dictionaries({"catch_up": st.sampled_from(["none", "last", "all"]), "timezone": _ZONES})
_TRIGGERS = st.fixed_dictionaries(
    {
        "processing_mode": st.just("triggered"),
        "trigger_row_threshold": st.one_of(st.none(), st.integers(1, 200)),
        "trigger_idle_minutes": st.one_of(st.none(), st.integers(1, 90)),
        "trigger_on_new_rows": st.booleans(),
        "trigger_debounce_seconds": st.integers(0, 3000),
        "trigger_settle_seconds": st.integers(0, 600),
    }
)
_CONFIGURATIONS = st.builds(
    lambda kind, more, pause, blackout: configuration(blackout=blackout, **kind, **more, **pause),
    st.one_of(_SCHEDULES, _TRIGGERS),
    _CATCH_UP,
    _PAUSES,
    _BLACKOUTS,
)
_ARRIVALS = st.lists(st.tuples(st.floats(-10, 720, width=32), st.integers(1, 100)), max_size=40).map(
    lambda landed: rows(*landed)
)
_EVERYTHING = st.one_of(st.just({}), _PAUSES)


@settings(max_examples=examples(60), deadline=None)
@given(
    of=_CONFIGURATIONS,
    arrivals=_ARRIVALS,
    lasts=st.sampled_from([0, 0, 0.5, 7, 45, 200]),
    everything=_EVERYTHING,
    step=st.sampled_from([60, 60, 60, 17, 420]),
)
def test_jumping_finds_what_a_walk_through_every_cycle_finds(of, arrivals, lasts, everything, step):
    cycles = grid(12, step=timedelta(seconds=step))
    jumping = entity(of, arrivals, lasts, SchedulerState(**everything))
    replay([jumping], cycles)
    walking = entity(of, arrivals, lasts, SchedulerState(**everything))
    for now in cycles:
        walking.cycle(now)
    assert jumping.fires == walking.fires
    assert jumping.not_fired == walking.not_fired


@pytest.mark.django_db
@pytest.mark.parametrize(
    "fields",
    [
        {"processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": 7},
        {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "06:20, 07:05"},
        {"processing_mode": "triggered", "trigger_row_threshold": 4},
        {"processing_mode": "triggered", "trigger_idle_minutes": 20},
        {"processing_mode": "triggered", "trigger_on_new_rows": True, "trigger_debounce_seconds": 900},
    ],
)
def test_real_cycles_on_a_real_database_fire_the_same(fields, make_entity, deposit):
    stored = make_entity(armed_from=START, next_scheduled_run=None, **fields)
    if stored.cadence():
        SchedulerConfiguration.objects.filter(pk=stored.pk).update(
            next_scheduled_run=stored.cadence().next_after(START - timedelta(microseconds=1))
        )
    landed = rows((3, 2), (3.5, 1), (11, 3), (12, 1), (40, 5), (70, 1))
    cycles = Grid(START, START + timedelta(minutes=80), MINUTE)
    waiting = list(landed)
    for now in cycles:
        while waiting and waiting[0].at <= now:
            deposit(rows=waiting[0].rows, at=waiting.pop(0).at, prefix=f"at{now:%H%M}_{len(waiting)}_")
        with nothing_dies():
            run_cycle(now)
        work_off(now)
    real = [(run.created_at, run.scheduled_for, run.trigger_source) for run in Run.objects.order_by("created_at")]
    simulated = entity(stored, landed)
    replay([simulated], cycles)
    assert [(fire.at, fire.slot, fire.trigger_source) for fire in simulated.fires] == real and len(real) > 1
    queued = (
        SchedulerLog.objects.filter(event_type="fired").order_by("event_time").values_list("rows_queued", flat=True)
    )
    assert [fire.rows for fire in simulated.fires] == list(queued)


def test_a_fire_at_the_end_of_the_span_belongs_to_the_next_one():
    found = entity(daily("06:00"))
    replay([found], Grid(START, START + timedelta(days=1), MINUTE))
    assert [fire.at for fire in found.fires] == [datetime(2026, 3, 2, 6, tzinfo=UTC)]


_LENGTHS = st.sampled_from([0, 0.5, 3, 11, 45])
_OVERLAPS = st.sampled_from(["skip", "queue_one", "cancel_running"])


@st.composite
def _worlds(draw):
    """Return entities, plans with steps on them and on jobs, jobs with several schedules, and the work of each."""
    entities = [draw(_CONFIGURATIONS) for _ in range(2)]
    for number, one in enumerate(entities, start=1):
        one.pk = one.entity.pk = number
        one.entity.code = f"entity_{number}"
    works = {key_of(one): UsualRun(draw(_LENGTHS) * MINUTE) for one in entities}
    jobs = [Job(id=number, name=f"Job {number}") for number in (1, 2)]
    schedules = []
    for number in range(1, 4):
        fields = {name: value for name, value in draw(_SCHEDULES).items() if name != "processing_mode"}
        fields |= draw(_CATCH_UP) | draw(_PAUSES)
        schedules.append(JobSchedule(id=number, name=f"S{number}", job=draw(st.sampled_from(jobs)),
                                     overlap=draw(_OVERLAPS), **fields))  # fmt: skip
        works[key_of(schedules[-1])] = UsualRun(draw(_LENGTHS) * MINUTE)
    plans = []
    for number in (1, 2):
        fields = {name: value for name, value in draw(_SCHEDULES).items() if name != "processing_mode"}
        plan = Plan(id=number, name=f"P{number}", overlap=draw(_OVERLAPS), **fields, **draw(_CATCH_UP))
        steps = tuple(
            Piece(draw(st.sampled_from(["batch", "job"])), draw(st.integers(1, 2)), after * MINUTE,
                 draw(_LENGTHS) * MINUTE, is_first=not after)
            for after in draw(st.lists(st.sampled_from([0, 0, 1, 2.5, 20]), max_size=3))
        )  # fmt: skip
        faults = draw(st.sampled_from(["", "", "", "Nothing to run."]))
        works[key_of(plan)] = UsualRun(draw(_LENGTHS) * MINUTE, steps, faults)
        plans.append(plan)
    waits = {key_of(plan): draw(_attempts(works[key_of(plan)].pieces)) for plan in plans if draw(st.booleans())}
    return [*entities, *plans, *schedules], works, waits


@st.composite
def _attempts(draw, pieces):
    """Return the next attempt that a plan waits for, of some of these pieces."""
    again = tuple(piece for piece in pieces if draw(st.booleans()))
    at = START + draw(st.sampled_from([0, 0.5, 7, 30, 100])) * MINUTE
    return NextAttempt(at, again, draw(_LENGTHS) * MINUTE, draw(st.booleans()), "Manual", "Attempt 2 of 3")


@settings(max_examples=examples(30), deadline=None)
@given(world=_worlds(), arrivals=_ARRIVALS, everything=_EVERYTHING, step=st.sampled_from([60, 60, 60, 420]))
def test_jumping_finds_what_walking_finds_also_where_kinds_touch_each_other(world, arrivals, everything, step):
    schedules, works, waits = world
    cycles, everything = grid(6, step=timedelta(seconds=step)), SchedulerState(**everything)
    landed = {"entity_1": arrivals[::2], "entity_2": arrivals[1::2]}
    found = []
    for walks in (False, True):
        made = World(landed, works, everything, START)
        for schedule in schedules:
            made.add(schedule, attempt=waits.get(key_of(schedule)))
        members = made.members()
        for member in members:
            if member.attempt is not None:  # its run holds the guard
                arming.put(member.schedule, {"is_running": True, "run_started_at": START})
        if walks:
            for now in cycles:
                run_simulated_cycle(members, now)
        else:
            replay(members, cycles)
        found.append([(member.fires, member.not_fired) for member in members])
    assert found[0] == found[1]
