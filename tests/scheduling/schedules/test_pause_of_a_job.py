"""The pause of a job holds for all its schedules, now and later, and stands apart from their own pauses."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command

from scheduling.dag.manifest import ManifestTask
from scheduling.decisions.decide import decide
from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import ChangedMeanwhile, InvalidSchedule
from scheduling.explanations.why_not import why_not
from scheduling.forecast.forecast import forecast
from scheduling.jobs.declare import daily, every, once
from scheduling.jobs.edit import edit_schedule
from scheduling.kinds import measured
from scheduling.models import Job, JobSchedule, Run, SchedulerLog
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.fire import Cause, Fire, scheduled_jobs
from scheduling.runs.start import start_many
from scheduling.schedules.pause import (
    pause,
    pause_everything,
    resume,
    resume_everything,
    resume_what_is_over,
)
from scheduling.schedules.sentence import describe
from scheduling.simulation.grid import Grid
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.runs.pieces import start
from tests.scheduling.simulation.real import simulated

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
TEXT = "The job is paused by ann since 2026-03-02 06:00:00 UTC, until 2026-03-02 09:00:00 UTC: audit."


@pytest.fixture
def job(make_job):
    return make_job("Report", every(1, "hour", name="Hourly"), daily("07:30", name="Daily"))


def schedule(name="Hourly"):
    return JobSchedule.objects.select_related("job").get(name=name)


def pause_job(job, until=NOW + 3 * HOUR, now=NOW):
    return pause(job, by="ann", reason="audit", until=until, now=now)


def test_the_decision_of_every_schedule_names_the_pause_of_the_job(job):
    assert pause_job(job) and not pause_job(job)
    for name in ("Hourly", "Daily"):
        found = schedule(name)
        decision = decide(found, measured(found, NOW + HOUR), NOW + HOUR)
        gate = decision.gate("pause")
        assert (decision.would_fire, decision.reason, gate.passed, gate.text) == (False, TEXT, False, TEXT)
        assert found.next_scheduled_run is None
    pause(schedule(), by="ben", reason="mine", now=NOW + MINUTE)
    text = decide(schedule(), measured(schedule(), NOW + HOUR), NOW + HOUR).reason
    assert text == f"Paused by ben since 2026-03-02 06:01:00 UTC: mine. {TEXT}"


def test_nothing_of_a_paused_job_fires_and_it_goes_on_by_itself_from_the_end(job):
    pause_job(job)
    for minutes in range(0, 181, 30):
        assert run_cycle(NOW + minutes * MINUTE).fired == []
    job.refresh_from_db()
    assert job.paused_at is None and schedule().next_scheduled_run == NOW + 4 * HOUR
    assert schedule("Daily").next_scheduled_run == NOW + 25.5 * HOUR, "what fell into the pause does not run later"
    assert run_cycle(NOW + 4 * HOUR).fired == ["job Report"]
    events = SchedulerLog.objects.filter(event_type__in=["paused", "resumed", "missed"]).order_by("id")
    assert [(event.event_type, event.message, event.job_id) for event in events] == [
        ("paused", "Job paused by ann, until 2026-03-02 09:00:00 UTC: audit", job.pk),
        ("resumed", "Job resumed by the scheduler, at the end of the pause.", job.pk),
    ]


def test_a_schedule_that_comes_or_is_changed_meanwhile_rests_too(job, make_job):
    pause_job(job, until=None)
    make_job("Report", every(1, "hour", name="Hourly"), daily("07:30", name="Daily"), every(5, name="New"))
    edit_schedule(schedule("Daily"), {"is_enabled": False}, now=NOW)
    edit_schedule(schedule("Daily"), {"is_enabled": True}, now=NOW)
    assert {found.next_scheduled_run for found in JobSchedule.objects.all()} == {None}
    assert run_cycle(NOW + 2 * HOUR).fired == []
    assert decide(schedule("New"), measured(schedule("New"), NOW), NOW).reason.startswith("The job is paused by ann")
    assert resume(job, by="ben", now=NOW + 2 * HOUR) and not resume(job, by="ben", now=NOW + 2 * HOUR)
    assert schedule("New").next_scheduled_run == NOW + 2 * HOUR + 5 * MINUTE


def test_pauses_of_the_job_of_a_schedule_and_of_everything_stand_apart(job):
    pause_job(job, until=None)
    pause(schedule(), by="ben", reason="mine", until=NOW + HOUR, now=NOW)
    resume_what_is_over(NOW + HOUR)
    assert schedule().paused_at is None and schedule().next_scheduled_run is None, "its job still rests"
    pause(schedule("Daily"), by="ben", reason="mine", now=NOW + HOUR)
    pause_everything(by="cleo", reason="move", now=NOW + HOUR)
    resume_everything(by="cleo", now=NOW + 2 * HOUR)
    assert schedule().next_scheduled_run is None
    resume(job, by="ann", now=NOW + 2 * HOUR)
    assert schedule().next_scheduled_run == NOW + 3 * HOUR
    assert schedule("Daily").next_scheduled_run is None and schedule("Daily").paused_by == "ben"


def test_a_pause_between_decision_and_fire_wins(job):
    found = schedule()
    pause_job(job)
    cause = Cause("k", "Schedule", "scheduler", NOW + HOUR, "Due.", by_itself=True, slot=NOW + HOUR)
    assert isinstance(_fired(found, cause), ChangedMeanwhile)
    assert not Run.objects.exists()
    JobSchedule.objects.update(next_scheduled_run=NOW + HOUR)  # as an edit at the same moment could leave it
    assert run_cycle(NOW + HOUR).fired == [] and not Run.objects.exists()
    assert isinstance(_fired(schedule(), cause), ChangedMeanwhile) and not Run.objects.exists()


def _fired(found: JobSchedule, cause: Cause) -> object:
    (answer,) = start_many([fire for fire in scheduled_jobs([(found, cause)]) if isinstance(fire, Fire)])
    return answer


def test_people_and_plans_run_a_paused_job(job):
    pause_job(job)
    start_job_now(job, started_by="ben", now=NOW)
    work_off(NOW)
    task = ManifestTask(key="job Report", workload="job", target_id=job.pk)
    start(task, title="P")
    work_off(NOW)
    assert set(Run.objects.values_list("status", flat=True)) == {"completed"} and Run.objects.count() == 2


def test_what_runs_when_it_is_paused_goes_on_and_its_end_plans_nothing(job):
    JobSchedule.objects.filter(name="Hourly").update(interval_anchor="last_completion", interval_minutes=60)
    run_cycle(NOW + 1.5 * HOUR)
    pause_job(job, now=NOW + 1.5 * HOUR)
    work_off(NOW + 2 * HOUR)
    assert Run.objects.get().status == "completed"
    assert schedule().last_completed_at == NOW + 2 * HOUR and schedule().next_scheduled_run is None


def test_why_not_tells_the_pause_of_the_job_while_it_lasts_and_after(job):
    pause_job(job)
    (slot,) = why_not(schedule(), since=NOW + HOUR, until=NOW + HOUR, now=NOW + 2 * HOUR).slots
    assert (slot.state.value, slot.reason) == ("not due", TEXT)
    assert slot.remedy == "Resume the job, or wait for the end of its pause; run now works meanwhile."
    resume_what_is_over(NOW + 3 * HOUR)
    slot = why_not(schedule(), since=NOW, until=NOW + HOUR, now=NOW + 4 * HOUR).slots[-1]
    assert slot.reason.startswith("Job paused by ann") and "Job resumed by the scheduler" in slot.reason


def test_why_not_does_not_take_the_pause_of_another_schedule_for_its_own(job):
    pause(schedule("Daily"), by="ben", reason="mine", now=NOW)
    resume(schedule("Daily"), by="ben", now=NOW + 1.25 * HOUR)
    found = why_not(schedule(), since=NOW + HOUR, until=NOW + HOUR, now=NOW + 2 * HOUR).slots[0]
    assert "Paused" not in found.reason and found.state.value == "missed"


def test_the_forecast_starts_at_the_end_of_the_pause_and_says_why_once(job):
    pause_job(job)
    ahead = forecast(NOW, NOW + 6 * HOUR, now=NOW)
    assert [fire.at - NOW for fire in ahead.fires] == [4 * HOUR, 5 * HOUR]
    assert ahead.notes == (f"job Report: {TEXT}",)
    resume(job, by="ann", now=NOW)
    pause_job(job, until=None)
    assert forecast(NOW, NOW + 6 * HOUR, now=NOW).fires == ()


def test_the_simulation_pauses_the_job_when_it_was_paused(job):
    pause_job(job, now=NOW + 1.75 * HOUR)
    found = simulated(Grid(NOW, NOW + 5 * HOUR, MINUTE), {})
    assert [fire.at - NOW for fire in found.fires] == [0 * HOUR, HOUR, 1.5 * HOUR, 4 * HOUR]
    paused = [(event.subject.schedule, event.reason) for event in found.not_fired if event.event == "paused"]
    assert [name for name, _ in paused] == ["Daily", "Hourly"]
    assert all(reason.startswith("The job is paused by ann since 2026-03-02 07:45:00 UTC") for _, reason in paused)


def test_status_lists_what_is_paused(job, make_entity, capsys):
    pause_job(job)
    pause(schedule("Daily"), by="ben", reason="mine", now=NOW)
    pause(make_entity("branch"), by="cleo", reason="late", now=NOW)
    pause_everything(by="dora", reason="move", now=NOW)
    call_command("status", "--json")
    paused = json.loads(capsys.readouterr().out)["paused"]
    assert paused[1] == {
        "what": "job Report", "by": "ann", "since": "2026-03-02T06:00:00+00:00", "until": "2026-03-02T09:00:00+00:00",
        "reason": "audit",
    }  # fmt: skip
    assert sorted((one["what"], one["by"], one["until"]) for one in paused) == [
        ("branch", "cleo", None), ("everything", "dora", None), ("job Report", "ann", "2026-03-02T09:00:00+00:00"),
        ("job Report: Daily", "ben", None),
    ]  # fmt: skip


def test_a_single_moment_that_a_pause_holds_has_not_passed(make_job):
    job = make_job("Once", once("2026-03-02 08:00"))
    pause_job(job)
    assert "passed" not in describe(JobSchedule.objects.select_related("job").get())


@pytest.mark.parametrize(("reason", "until"), [("  ", None), ("why", NOW)])
def test_a_pause_without_reason_or_end_in_the_future_is_refused(job, reason, until):
    with pytest.raises(InvalidSchedule):
        pause(job, by="ann", reason=reason, until=until, now=NOW)
    assert not Job.objects.filter(paused_at__isnull=False).exists()
    assert schedule().next_scheduled_run == NOW + HOUR


def test_a_job_that_comes_back_is_as_users_left_it(job, make_job):
    pause_job(job, until=None)
    draft = make_job.drafts.pop("report")
    make_job.reconcile()
    make_job.drafts["report"] = draft
    make_job.reconcile(NOW + HOUR)
    job.refresh_from_db()
    assert job.paused_by == "ann" and run_cycle(NOW + 2 * HOUR).fired == []
