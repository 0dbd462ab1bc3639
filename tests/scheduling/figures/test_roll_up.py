"""Promises of the roll-up: pages show what one would count on paper, whenever it ran, whatever was deleted since."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduling.figures.count import full_hour
from scheduling.figures.read import figures_of
from scheduling.figures.roll_up import free_for_deletion, roll_up
from scheduling.housekeeping.cleanup import cleanup
from scheduling.lifecycle.steps import release_again
from scheduling.lifecycle.tasks import end_task, lock_run
from scheduling.models import FiguresMark, HourOfFigures, RetentionPolicy, Run, Task
from scheduling.states import RunKind
from tests.depth import examples
from tests.scheduling.conftest import NOW
from tests.scheduling.figures.ended import Ended, on_paper, store

pytestmark = pytest.mark.django_db

HOUR, MINUTE, DAY = timedelta(hours=1), timedelta(minutes=1), timedelta(days=1)
SUBJECTS = [("job", 1), ("job", 2), ("batch", 1), ("plan", "Nightly")]

ENDS = st.tuples(
    st.just("end"),
    st.sampled_from(SUBJECTS),
    st.sampled_from(["completed", "failed", "cancelled"]),
    st.integers(0, 59),  # minutes that it took to be stored
    st.integers(0, 3 * 3600),
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from([0, 1, 7, 59, 60, 61, 600, 1440, 3000, 9000]),  # minutes that pass before it
        st.one_of(ENDS, ENDS, ENDS, st.sampled_from([(each,) for each in ("roll", "crash", "cleanup", "release")])),
    ),
    max_size=40,
)


def dies(*args, **kwargs):
    raise KeyboardInterrupt


def has_no_room(now):
    raise DatabaseError("the disk is full")


class World:
    """Things end, are rolled up, deleted and released again; everything that ended is remembered beside."""

    def __init__(self):
        self.now, self.remembered, self.failed = NOW, [], []

    def end(self, owner, status, late, seconds):
        """Something ended `late` minutes ago and is stored only now; a failed task may be released again."""
        each = Ended(*owner, status, self.now - late * MINUTE, timedelta(seconds=seconds))
        goes_on = status == "failed" and each.kind != "plan"
        stored = store(each, run_status="running" if goes_on else None)
        self.remembered.append(each)
        if goes_on:
            self.failed.append((each, stored))

    def roll(self):
        roll_up(self.now)

    def crash(self):
        """The process dies when it has stored a day of hours and not yet said so."""
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(FiguresMark, "save", dies)
            with pytest.raises(KeyboardInterrupt):
                roll_up(self.now)

    def cleanup(self):
        cleanup(self.now)

    def release(self):
        """People release the task that failed longest ago; it fails no more, and completes at once."""
        if not self.failed:
            return
        each, task = self.failed.pop(0)
        with transaction.atomic():
            lock_run(task.run_id)
            assert release_again(task, turn=1, now=self.now, message="Again.")
        self.remembered.remove(each)
        Task.objects.filter(pk=task.pk).update(started_at=self.now - MINUTE)
        end_task(task.pk, "completed", now=self.now)
        Run.objects.filter(pk=task.run_id).update(status="completed", finished_at=self.now)
        self.remembered.append(Ended(each.kind, each.subject, "completed", self.now, MINUTE))

    def check(self):
        for kind, subject in SUBJECTS:
            shown = figures_of(RunKind(kind), [subject], self.now)[subject]
            assert shown == on_paper(self.remembered, kind, subject, self.now), (kind, subject, self.now)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, runs_days=st.sampled_from([1, 2, 8, 40]))
def test_pages_show_what_one_would_count_on_paper(steps, runs_days):
    with transaction.atomic():
        RetentionPolicy(pk=1, runs_days=runs_days).save()
        world = World()
        for minutes, (verb, *details) in steps:
            world.now += minutes * MINUTE
            getattr(world, verb)(*details)
            world.check()
        transaction.set_rollback(True)


def job_ended(at, status="completed", took=MINUTE):
    each = Ended("job", 1, status, at, took)
    return each, store(each)


def shown(now):
    return figures_of(RunKind.JOB, [1], now)[1]


def test_figures_of_a_month_outlive_the_runs():
    RetentionPolicy(pk=1, runs_days=1).save()
    remembered = [job_ended(NOW - days * DAY + 2 * HOUR, took=days * MINUTE)[0] for days in range(1, 30)]
    before = shown(NOW)
    assert cleanup(NOW)["runs"] == 28 and Run.objects.count() == 1
    assert shown(NOW) == before == on_paper(remembered, "job", 1, NOW)
    assert (before.month.runs, before.month.average, before.week.longest) == (29, 15 * MINUTE, 7 * MINUTE)


def test_runs_stay_until_they_are_rolled_up(monkeypatch):
    job_ended(NOW - 100 * DAY)
    with monkeypatch.context() as patched:
        patched.setattr("scheduling.housekeeping.cleanup.roll_up", has_no_room)
        assert cleanup(NOW)["runs"] == 0
    assert cleanup(NOW)["runs"] == 1
    assert HourOfFigures.objects.get().completed == 1


def test_a_second_time_changes_nothing():
    job_ended(NOW - 5 * HOUR)
    assert roll_up(NOW) == (1, 0)
    assert roll_up(NOW) == (0, 0)


def test_an_hour_is_counted_an_hour_after_it_is_over():
    job_ended(NOW - HOUR)
    roll_up(NOW + HOUR - MINUTE)
    assert not HourOfFigures.objects.exists()
    roll_up(NOW + HOUR)
    assert HourOfFigures.objects.get().hour == full_hour(NOW - HOUR)


def test_what_is_stored_very_late_counts_from_the_next_time_on():
    roll_up(NOW)
    job_ended(NOW - 20 * HOUR)
    roll_up(NOW + HOUR)
    assert shown(NOW + HOUR).day.runs == 1


def test_what_was_counted_and_is_gone_counts_no_more():
    _, task = job_ended(NOW - 5 * HOUR)
    roll_up(NOW)
    Run.objects.filter(pk=task.run_id).delete()
    roll_up(NOW)
    assert shown(NOW).day.runs == 0


def test_a_clock_that_was_ahead_is_put_right_by_the_next_time():
    roll_up(NOW + 9 * HOUR)
    job_ended(NOW + HOUR)
    roll_up(NOW + 3 * HOUR)
    assert shown(NOW + 3 * HOUR).day.runs == 1
    assert FiguresMark.current().rolled_before == NOW + 2 * HOUR


def test_what_may_be_deleted_is_never_counted_again():
    job_ended(NOW - 10 * HOUR)
    roll_up(NOW)
    assert free_for_deletion(NOW - 5 * HOUR) == NOW - 5 * HOUR
    Run.objects.all().delete()
    roll_up(NOW)
    assert shown(NOW).day.runs == 1
    assert free_for_deletion(NOW + DAY) == NOW - HOUR, "never beyond what is rolled up"


def test_hours_go_after_four_hundred_days():
    job_ended(NOW - 399 * DAY)
    job_ended(NOW - 401 * DAY)
    assert roll_up(NOW) == (2, 1)
    assert HourOfFigures.objects.get().hour == NOW - 399 * DAY


def test_a_run_of_two_plans_counts_for_both():
    run = store(Ended("plan", "Nightly", "completed", NOW - 3 * HOUR, MINUTE))
    Run.objects.filter(pk=run.pk).update(plans=["Nightly", "Weekly"])
    for _ in range(2):
        found = figures_of(RunKind.PLAN, ["Nightly", "Weekly"], NOW)
        assert [each.day.average for each in found.values()] == [MINUTE, MINUTE]
        roll_up(NOW)
