"""Job schedules in the cycle: fire once, skip while running, catch up exactly as told, a single moment once."""

from datetime import timedelta

import pytest

from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.cycle import run_cycle
from scheduling.dispatch.recover import recover
from scheduling.jobs.declare import daily, every, once, retry
from scheduling.models import Attempt, JobSchedule, Run, SchedulerLog, SchedulerState, Task
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.runs.pieces import start

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def cycle(now):
    """Run a cycle and all the work it queued."""
    report = run_cycle(now)
    work_off(now)
    return report


def schedule(name=None):
    return JobSchedule.objects.get(**({"name": name} if name else {}))


def runs():
    return [f"{run.scheduled_for:%d %H:%M} {run.status}" for run in Run.objects.filter(kind="job").order_by("id")]


def events(kind):
    return list(SchedulerLog.objects.filter(event_type=kind).order_by("id").values_list("message", flat=True))


def test_a_due_schedule_fires_runs_and_completes_once(make_job):
    job = make_job("Report", daily("07:00"), body=lambda context: f"{context.scheduled_for:%H:%M}")
    assert cycle(NOW).fired == []
    assert cycle(NOW + HOUR).fired == ["job Report"]
    assert cycle(NOW + HOUR).fired == cycle(NOW + HOUR + MINUTE).fired == []
    assert runs() == ["02 07:00 completed"]
    assert Task.objects.get().message == "07:00"
    found = schedule()
    assert (found.last_result, found.is_running, found.last_completed_at) == ("completed", False, NOW + HOUR)
    assert found.next_scheduled_run == NOW + HOUR + DAY
    assert set(SchedulerLog.objects.values_list("job", flat=True)) == {job.pk}


def test_two_schedules_of_a_job_do_not_run_it_twice_at_once(make_job):
    make_job("Report", daily("07:00", name="A"), daily("07:00", name="B", days="weekdays"))
    run_cycle(NOW + HOUR)
    assert Run.objects.count() == 1
    assert run_cycle(NOW + HOUR + MINUTE).fired == []
    work_off(NOW + HOUR + MINUTE)
    assert not JobSchedule.objects.filter(is_running=True).exists()
    told = events("skipped")
    assert len(told) == 1 and "already running" in told[0]


@pytest.mark.parametrize(("overlap", "count"), [("skip", 1), ("queue_one", 2)])
def test_a_run_longer_than_its_interval_does_not_jam_the_schedule(make_job, overlap, count):
    make_job("Report", every(5, name="Often"), overlap=overlap)
    run_cycle(NOW + 5 * MINUTE)
    attempt = claim_next(worker="test", now=NOW + 5 * MINUTE)
    for minute in range(6, 14):
        run_cycle(NOW + minute * MINUTE)
        Attempt.objects.update(heartbeat_at=NOW + minute * MINUTE)
    run_attempt(attempt, time=lambda: NOW + 14 * MINUTE)
    run_cycle(NOW + 14 * MINUTE)
    assert Run.objects.count() == count
    assert len(events("skipped")) == 2 - count
    work_off(NOW + 14 * MINUTE)
    run_cycle(NOW + 15 * MINUTE)
    assert Run.objects.count() == count + 1 and schedule().next_scheduled_run == NOW + 20 * MINUTE


def test_a_long_run_does_not_undo_what_users_edit_meanwhile(make_job):
    make_job("Report", every(5, name="Often"))
    run_cycle(NOW + 5 * MINUTE)
    attempt = claim_next(worker="test", now=NOW + 5 * MINUTE)
    JobSchedule.objects.update(is_enabled=False, jitter_seconds=7)
    run_attempt(attempt, time=lambda: NOW + 6 * MINUTE)
    found = schedule()
    assert (found.is_enabled, found.jitter_seconds, found.is_running) == (False, 7, False)


DOWN_UNTIL = NOW + timedelta(hours=3, minutes=30)  # slots 07:00, 08:00 and 09:00 passed while everything was down


@pytest.mark.parametrize(
    ("catch_up", "expected"),
    [
        (0, []),
        (1, ["02 09:00 completed"]),
        (2, ["02 08:00 completed", "02 09:00 completed"]),
        (9, ["02 07:00 completed", "02 08:00 completed", "02 09:00 completed"]),
    ],
)
def test_zero_catch_up_means_zero_and_n_means_at_most_n(make_job, catch_up, expected):
    make_job("Report", every(1, "hour", name="Hourly", catch_up=catch_up))
    for minute in range(5):
        cycle(DOWN_UNTIL + minute * MINUTE)
    assert runs() == expected
    missed = 3 - len(expected)
    assert len(events("missed")) == (1 if missed else 0)
    assert schedule().next_scheduled_run == NOW + 4 * HOUR


def test_catch_up_does_not_reach_further_back_than_its_minutes(make_job):
    make_job("Report", every(1, "hour", name="Hourly", catch_up=9, catch_up_minutes=100))
    for minute in range(5):
        cycle(DOWN_UNTIL + minute * MINUTE)
    assert runs() == ["02 08:00 completed", "02 09:00 completed"]


@pytest.mark.parametrize(
    ("wakes", "catch_up", "fires"),
    [
        (MINUTE, 1, True),
        (5 * HOUR, 1, True),
        (23 * HOUR, 1, True),
        (26 * HOUR, 1, False),
        (5 * HOUR, 0, False),
    ],
)
def test_a_single_moment_fires_once_also_after_an_outage_within_its_window(make_job, wakes, catch_up, fires):
    make_job("Report", once("2026-03-02 07:00", catch_up=catch_up))
    for minute in range(3):
        cycle(NOW + HOUR + wakes + minute * MINUTE)
    assert runs() == (["02 07:00 completed"] if fires else [])
    found = schedule()
    assert found.is_enabled == (not fires) and found.next_scheduled_run is None
    make_job.reconcile(NOW + 30 * HOUR)
    cycle(NOW + 31 * HOUR)
    assert len(runs()) == int(fires) and schedule().is_enabled == (not fires)


def test_starting_by_hand_does_not_consume_a_single_moment_nor_a_slot(make_job):
    job = make_job("Report", once("2026-03-02 07:00"), daily("08:00"))
    start_job_now(job, started_by="ann", now=NOW)
    work_off(NOW)
    cycle(NOW + HOUR)
    cycle(NOW + 2 * HOUR)
    assert [run.scheduled_for for run in Run.objects.order_by("id")] == [None, NOW + HOUR, NOW + 2 * HOUR]


def test_nothing_fires_of_a_switched_off_removed_or_paused_schedule(make_job):
    make_job("Off", daily("07:00", enabled=False))
    make_job("Gone", daily("07:00"))
    del make_job.drafts["gone"]
    make_job.reconcile()
    make_job("Rests", daily("07:00"))
    JobSchedule.objects.filter(job__name="Rests").update(paused_at=NOW, pause_reason="x")
    assert cycle(NOW + HOUR).fired == []
    SchedulerState.objects.update_or_create(pk=1, defaults={"paused_at": NOW, "pause_reason": "x"})
    make_job("Fine", daily("07:00"))
    assert cycle(NOW + HOUR).fired == []


def test_a_worker_that_died_counts_as_an_attempt_and_the_job_is_tried_again(make_job):
    make_job("Report", daily("07:00"), retry(attempts=2, interval_seconds=60), body=lambda c: f"try {c.attempt}")
    run_cycle(NOW + HOUR)
    dead = claim_next(worker="dies", now=NOW + HOUR)
    later = NOW + HOUR + timedelta(minutes=31)
    recover(later)
    assert Task.objects.get().status == "queued"
    work_off(later + 2 * MINUTE)
    assert Task.objects.get().message == "try 2" and Run.objects.get().status == "completed"
    run_attempt(dead, time=lambda: later + 3 * MINUTE)  # the dead one wakes up
    assert Task.objects.get().message == "try 2"
    assert list(Attempt.objects.order_by("number").values_list("outcome", flat=True)) == ["lost", "completed"]


def test_when_every_attempt_lost_its_worker_the_run_fails_and_the_schedule_goes_on(make_job):
    make_job("Report", daily("07:00"), retry(attempts=2, interval_seconds=60))
    now = NOW + HOUR
    run_cycle(now)
    for _ in range(2):
        assert claim_next(worker="dies", now=now)
        now += timedelta(minutes=31)
        recover(now)
        now += 2 * MINUTE
    assert Run.objects.get().status == "failed" and claim_next(worker="x", now=now) is None
    assert not schedule().is_running
    assert cycle(NOW + HOUR + DAY).fired == ["job Report"]


def test_a_job_that_ignores_a_cancel_is_given_up_and_what_it_still_does_counts_for_nothing(make_job):
    make_job("Report", daily("07:00"))
    run_cycle(NOW + HOUR)
    attempt = claim_next(worker="test", now=NOW + HOUR)
    run = Run.objects.get()
    cancel_run(run, by="bob", now=NOW + HOUR)
    for minute in range(1, 40):
        recover(NOW + HOUR + minute * MINUTE)
    run.refresh_from_db()
    assert run.status == "cancelled" and not schedule().is_running
    run_attempt(attempt, time=lambda: NOW + 2 * HOUR)
    run.refresh_from_db()
    assert run.status == "cancelled" and Task.objects.get().status == "cancelled"


def test_one_broken_schedule_delays_no_other(make_job):
    make_job("Broken", daily("07:00"), queue="nowhere")
    make_job("Fine", daily("07:00"))
    report = cycle(NOW + HOUR)
    assert (report.fired, report.errors) == (["job Fine"], ["job Broken"])
    assert "no queue named 'nowhere'" in events("error")[0]


def test_jitter_moves_the_start_and_stays_the_same(make_job):
    make_job("Report", daily("07:00", jitter_seconds=1800))
    due = schedule().next_scheduled_run
    assert NOW + HOUR <= due <= NOW + HOUR + timedelta(seconds=1800)
    assert cycle(due - timedelta(seconds=1)).fired == [] and cycle(due).fired == ["job Report"]
    assert Run.objects.get().scheduled_for == due


def test_a_slot_is_left_out_and_told_while_a_plan_runs_the_job(make_job):
    job = make_job("Report", daily("07:00"), body=lambda context, region="": f"of {region}")
    step = ManifestTask(key="job Report", workload="job", target_id=job.pk, arguments={"region": "north"})
    start(step, title="Plan Nightly")
    assert run_cycle(NOW + HOUR).fired == []
    assert "Job Report is already running (run" in events("skipped")[0]
    assert schedule().next_scheduled_run == NOW + HOUR + DAY and Run.objects.count() == 1
    work_off(NOW + HOUR)
    assert Task.objects.get().message == "of north"
    assert cycle(NOW + HOUR + DAY).fired == ["job Report"]
