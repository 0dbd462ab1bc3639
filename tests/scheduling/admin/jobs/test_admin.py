"""Pages of jobs: what code owns is read-only and says where it comes from; the rest is the user's."""

import re
from datetime import timedelta
from typing import Literal

import pytest
from django.contrib.admin.models import LogEntry

from scheduling import clock
from scheduling.jobs.declare import daily, once, retry
from scheduling.models import Attempt, AttemptLog, BlackoutCalendar, Job, JobSchedule, Queue, Run, Task
from scheduling.runs.by_hand import start_job_now
from scheduling.schedules.pause import pause
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)


@pytest.fixture
def steward():
    return client_for("Steward")


@pytest.fixture
def job(make_job):
    return make_job(
        "Report", daily("07:00", months="mar"), retry(attempts=3), category="Ops", description="Sums everything up."
    )


def text(client, path):
    response = client.get(path)
    assert response.status_code == 200, path
    return response.content.decode()


def test_the_list_tells_category_sentence_next_run_success_and_duration(job, steward, monkeypatch):
    for status in ("completed", "completed", "failed"):
        run = start_job_now(job, started_by="ann", now=NOW)
        run.tasks.update(status=status, started_at=NOW - timedelta(seconds=90), finished_at=NOW)
        JobSchedule.objects.update(is_running=False, run_started_at=None)
    monkeypatch.setattr(clock, "now", lambda: NOW + HOUR / 2)
    page = text(steward, "/admin/scheduling/job/")
    for words in ("Report", "Ops", "Every day at 07:00, only in March, UTC", "66 % of 3 well",
                  "in 30 min", "1 min 30 s on average", "Run now", "failed"):  # fmt: skip
        assert words in page


def test_the_list_costs_the_same_for_any_number_of_jobs(make_job, steward, django_assert_max_num_queries):
    for number in range(12):
        make_job(f"Job {number}", daily("07:00"))
    with django_assert_max_num_queries(16):
        text(steward, "/admin/scheduling/job/")


def test_what_code_owns_is_shown_with_its_place_and_cannot_be_changed(job, steward):
    page = text(steward, f"/admin/scheduling/job/{job.pk}/change/")
    assert "shop/jobs.py:" in page and "shop.jobs.report" in page and "Sums everything up." in page
    for name in ("name", "path", "category", "description", "queue_name"):
        assert f'name="{name}"' not in page
    data = {"attempts": "5", "retry_interval_seconds": "7", "name": "Hacked", "category": "Hacked", "path": "os.remove"}
    assert steward.post(f"/admin/scheduling/job/{job.pk}/change/", data).status_code == 302
    job.refresh_from_db()
    assert (job.attempts, job.retry_interval_seconds) == (5, 7)
    assert (job.name, job.category, job.path) == ("Report", "Ops", "shop.jobs.report")


@pytest.mark.parametrize(("field", "value"), [("attempts", "0"), ("attempts", "101"), ("retry_interval_seconds", "-1")])
def test_a_bad_number_is_told_at_its_field(job, steward, field, value):
    data = {"attempts": "3", "retry_interval_seconds": "60", field: value}
    response = steward.post(f"/admin/scheduling/job/{job.pk}/change/", data)
    assert response.status_code == 200 and field in response.context["adminform"].form.errors
    job.refresh_from_db()
    assert job.attempts == 3


def test_a_schedule_is_switched_off_and_given_a_calendar_and_its_timing_stays(job, steward):
    schedule, calendar = JobSchedule.objects.get(), BlackoutCalendar.objects.create(name="Holidays")
    url = f"/admin/scheduling/jobschedule/{schedule.pk}/change/"
    page = text(steward, url)
    assert "Every day at 07:00, only in March, UTC" in page and 'name="run_times"' not in page
    data = {"jitter_seconds": "30", "calendar": calendar.pk, "run_times": "01:00", "overlap": "cancel_running"}
    assert steward.post(url, data).status_code == 302
    found = JobSchedule.objects.get()
    assert (found.is_enabled, found.jitter_seconds, found.calendar) == (False, 30, calendar)
    assert (found.run_times, found.overlap, found.next_scheduled_run) == ("07:00", "skip", None)


def test_a_single_moment_that_has_passed_is_refused_at_its_field(make_job, steward):
    make_job("Once", once("2026-03-02 07:00"))
    schedule = JobSchedule.objects.get()
    JobSchedule.objects.update(is_enabled=False)
    response = steward.post(
        f"/admin/scheduling/jobschedule/{schedule.pk}/change/", {"is_enabled": "on", "jitter_seconds": "0"}
    )
    assert "has passed" in str(response.context["adminform"].form.errors["is_enabled"])


def test_switching_several_at_once(make_job, steward):
    for name in ("One", "Two"):
        make_job(name, daily("07:00"))
    url = "/admin/scheduling/jobschedule/"
    for action, enabled in (("switch_off", False), ("switch_on", True)):
        chosen = list(JobSchedule.objects.values_list("pk", flat=True))
        asked = steward.post(url, {"action": action, "_selected_action": chosen}).content.decode()
        assert "2 schedules?" in asked and "One: Daily_07_00, Two: Daily_07_00" in asked
        assert set(JobSchedule.objects.values_list("is_enabled", flat=True)) == {not enabled}
        told = {"action": action, "_selected_action": chosen, "confirmed": "yes"}
        assert "Switched" in steward.post(url, told, follow=True).content.decode()
        assert set(JobSchedule.objects.values_list("is_enabled", flat=True)) == {enabled}


def test_the_next_runs_are_those_that_will_fire(job, steward):
    schedule = JobSchedule.objects.get()
    page = text(steward, f"/admin/scheduling/jobschedule/{schedule.pk}/change/")
    assert len(re.findall(r"2026-03-\d\d 07:00:00 UTC", page)) >= 10


def test_run_now_asks_first_and_leads_to_the_run(job):
    operator = client_for("Operator")
    page = text(operator, f"/admin/scheduling/job/{job.pk}/run/")
    assert "tried up to 3 times" in page and not Run.objects.exists()
    response = operator.post(f"/admin/scheduling/job/{job.pk}/run/")
    run = Run.objects.get()
    assert response.headers["Location"] == f"/admin/scheduling/run/{run.pk}/change/"
    assert (run.started_by, run.title) == ("operator", "Report")
    response = operator.post(f"/admin/scheduling/job/{job.pk}/run/", follow=True)
    assert "already running" in response.content.decode() and Run.objects.count() == 1


def test_a_viewer_sees_no_run_now_and_may_not(job):
    viewer = client_for("Viewer")
    for path in ("", f"{job.pk}/change/"):
        assert "Run now" not in text(viewer, f"/admin/scheduling/job/{path}")
    assert viewer.post(f"/admin/scheduling/job/{job.pk}/run/").status_code == 403


def test_the_history_is_filtered_by_job_outcome_and_day(make_job, steward):
    one, two = make_job("One"), make_job("Two", body=lambda context: 1 / 0)
    for job, day in ((one, 0), (one, 3), (two, 3)):
        start_job_now(job, started_by="ann", now=NOW + timedelta(days=day))
        work_off(NOW + timedelta(days=day))

    def shown(query):
        page = text(steward, f"/admin/scheduling/job/runs/?{query}")
        return page.count('data-label="Job">job One'), page.count('data-label="Job">job Two')

    assert shown("") == (2, 1)
    assert shown(f"job={one.pk}") == (2, 0)
    assert shown("outcome=failed") == (0, 1)
    assert shown("outcome=live") == (0, 0)
    assert shown("since=2026-03-03") == (1, 1)
    assert shown("until=2026-03-02") == (1, 0)
    assert shown("since=2026-03-05&until=2026-03-05&outcome=completed") == (1, 0)
    assert shown("job=x&outcome=y&since=z&until=9999-12-31") == (2, 1)


def test_the_run_page_shows_progress_and_the_captured_log_escaped(make_job, steward):
    def body(context):
        context.progress(3, 4, "third shelf")
        context.logger.info("<script>alert(1)</script> line")

    run = start_job_now(make_job("Report", body=body), started_by="ann", now=NOW)
    work_off(NOW)
    page = text(steward, f"/admin/scheduling/run/{run.pk}/change/")
    assert "third shelf" in page and "&lt;script&gt;alert(1)&lt;/script&gt; line" in page
    assert "<script>alert" not in page and "job Report" in page
    AttemptLog.objects.update(dropped=1200)
    assert "1,200 lines in the middle were not kept" in text(steward, f"/admin/scheduling/run/{run.pk}/change/")
    assert Attempt.objects.count() == Task.objects.count() == 1


def test_a_removed_job_and_one_with_a_problem_say_so(make_job, steward):
    gone = make_job("Gone", daily("07:00"))
    make_job.drafts.pop("gone")
    make_job.reconcile()
    assert "does not declare this job any more" in text(steward, f"/admin/scheduling/job/{gone.pk}/change/")
    assert "not declared" in text(steward, "/admin/scheduling/job/?code=removed")
    assert "Gone" not in text(steward, "/admin/scheduling/jobschedule/")
    assert steward.get(f"/admin/scheduling/jobschedule/{JobSchedule.objects.get().pk}/change/").status_code == 200
    broken = Job.objects.create(name="Broken", path="shop.jobs.b", source="shop/jobs.py:2", problem="@daily: '25:00'")
    assert "&#x27;25:00&#x27;" in text(steward, f"/admin/scheduling/job/{broken.pk}/change/")


def test_a_schedule_is_paused_explained_and_resumed(job):
    operator, schedule = client_for("Operator"), JobSchedule.objects.get()
    url = f"/admin/scheduling/jobschedule/{schedule.pk}"
    assert operator.post(f"{url}/pause/", {"pause_reason": "Audit"}).status_code == 302
    assert "Audit" in text(operator, f"{url}/change/") and "Audit" in text(operator, f"{url}/why-not/")
    assert JobSchedule.objects.get().paused_by == "operator"
    operator.post(f"{url}/resume/")
    assert JobSchedule.objects.get().paused_at is None


def test_the_log_is_filtered_by_job(job, make_job, steward):
    start_job_now(job, started_by="ann", now=clock.now())
    start_job_now(make_job("Other"), started_by="ann", now=clock.now())
    page = text(steward, "/admin/scheduling/schedulerlog/?entity=job+report")
    assert "Job Report started by ann." in page and "Job Other started" not in page


def test_a_job_is_paused_from_its_page_with_all_its_schedules_and_resumed(make_job):
    job = make_job("Report", daily("07:00", timezone="Europe/Amsterdam"), daily("08:00", timezone="Europe/Amsterdam"))
    operator, viewer = client_for("Operator"), client_for("Viewer")
    url = f"/admin/scheduling/job/{job.pk}"
    asked = text(operator, f"{url}/pause/")
    assert "Pause Report?" in asked and "Until (Europe/Amsterdam)" in asked and "all its schedules" in asked
    assert "Say why" in operator.post(f"{url}/pause/", {"pause_reason": " "}).content.decode()
    facts = {"pause_reason": "Audit", "paused_until": "2090-06-15T09:00"}
    page = operator.post(f"{url}/pause/", facts, follow=True).content.decode()
    assert "Report is paused." in page and "Report is paused: none of its schedules starts it." in page
    schedule = JobSchedule.objects.first()
    assert "Resume" in page and "Pause …" not in page
    own = "with its job by operator since"
    for path, words in ((f"{url}/change/", "by operator since"), ("/admin/scheduling/job/", "by operator since"),
                        ("/admin/scheduling/jobschedule/", own),
                        (f"/admin/scheduling/jobschedule/{schedule.pk}/change/", "and with it all its schedules"),
                        (f"/admin/scheduling/jobschedule/{schedule.pk}/why-not/", "Its job is paused.")):  # fmt: skip
        page = text(viewer, path)
        assert words in page and "Audit" in page and "Thu 2090-06-15 09:00:00 Europe/Amsterdam" in page, path
        assert ">Resume<" not in page, "a viewer has no such button"
    page = operator.post(f"{url}/resume/", follow=True).content.decode()
    assert "Report goes on from now" in page and "Pause …" in page
    job.refresh_from_db()
    assert job.paused_at is None
    assert all(found.next_scheduled_run > clock.now() for found in JobSchedule.objects.all())
    assert [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")] == [
        "Changed Paused: Audit.", "Changed Resumed."
    ]  # fmt: skip


def test_jobs_are_paused_and_resumed_together_from_the_list(make_job):
    jobs = [make_job(name, daily("07:00")) for name in ("One", "Two")]
    operator, url = client_for("Operator"), "/admin/scheduling/job/"
    chosen = {"_selected_action": [job.pk for job in jobs], "index": "0"}
    asked = operator.post(url, {"action": "pause_selected", **chosen}).content.decode()
    assert "Pause 2 jobs?" in asked and "One, Two" in asked
    facts = {"action": "pause_selected", "confirmed": "yes", "pause_reason": "Move", **chosen}
    assert "Paused: One, Two." in operator.post(url, facts, follow=True).content.decode()
    assert set(Job.objects.values_list("paused_by", "pause_reason")) == {("operator", "Move")}
    assert "One" in text(operator, f"{url}?paused=yes") and ">One<" not in text(operator, f"{url}?paused=no")
    assert "Report" not in text(operator, "/admin/scheduling/jobschedule/?paused=no")
    assert "One: Daily_07_00" in text(operator, "/admin/scheduling/jobschedule/?paused=yes")
    page = operator.post(url, {"action": "resume_selected", "confirmed": "yes", **chosen}, follow=True).content.decode()
    assert "On from now: One, Two." in page and not Job.objects.filter(paused_at__isnull=False).exists()


def test_a_viewer_cannot_pause_a_job_whatever_the_door(job):
    viewer, url = client_for("Viewer"), f"/admin/scheduling/job/{job.pk}"
    assert "Pause …" not in text(viewer, f"{url}/change/")
    assert viewer.get(f"{url}/pause/").status_code == viewer.post(f"{url}/resume/").status_code == 403
    assert viewer.post(f"{url}/pause/", {"pause_reason": "Mine"}).status_code == 403
    viewer.post("/admin/scheduling/job/", {"action": "pause_selected", "confirmed": "yes", "pause_reason": "Mine",
                                           "_selected_action": [job.pk]})  # fmt: skip
    job.refresh_from_db()
    assert job.paused_at is None


def test_run_now_of_a_paused_job_says_so_and_starts_it(job):
    operator = client_for("Operator")
    pause(job, by="ann", reason="Audit", now=clock.now())
    page = text(operator, f"/admin/scheduling/job/{job.pk}/run/")
    assert "is paused" in page and "It starts all the same" in page
    operator.post(f"/admin/scheduling/job/{job.pk}/run/")
    assert Run.objects.get().title == "Report"


def test_run_now_asks_for_what_the_job_takes_and_tells_each_fault_at_its_field(make_job):
    def body(context, member: int, colour: Literal["red", "blue"] = "red", urgent: bool = False, name: str = "<b>"):
        """Take some arguments."""

    job, operator = make_job("Letter", body=body), client_for("Operator")
    url = f"/admin/scheduling/job/{job.pk}/run/"
    asked = text(operator, url)
    assert "Required: a whole number." in asked and "Empty: &lt;b&gt;." in asked and "<b>" not in asked
    refused = operator.post(url, {"argument-member": "five", "argument-colour": "green"})
    page = refused.content.decode()
    assert refused.status_code == 200 and "Select a valid choice" in page
    page = operator.post(url, {"argument-member": "five"}).content.decode()
    assert "member is &#x27;five&#x27;; it must be a whole number." in page and 'value="five"' in page
    assert "member is missing." in operator.post(url, {}).content.decode()
    assert not Run.objects.exists()
    given = {"argument-member": "5", "argument-colour": "blue", "argument-urgent": "true", "argument-name": "7"}
    assert operator.post(url, given).status_code == 302
    assert Task.objects.get().arguments == {"member": 5, "colour": "blue", "urgent": True, "name": "7"}
    page = text(operator, f"/admin/scheduling/run/{Run.objects.get().pk}/change/")
    assert "given colour: blue, member: 5" in " ".join(page.split())


def test_run_now_enqueues_when_and_where_it_is_told(make_job):
    job, operator = make_job("Letter"), client_for("Operator")
    Queue.objects.create(name="mail", max_running=1)
    url = f"/admin/scheduling/job/{job.pk}/run/"
    assert "Not before (" in text(operator, url)
    usual = {
        "enqueue-key": "",
        "enqueue-overlap": "skip",
        "enqueue-at": "",
        "enqueue-queue": "",
        "enqueue-priority": "",
    }
    operator.post(url, usual)
    assert Task.objects.get().side_by_side is False
    operator.post(url, usual | {"enqueue-beside": "on"})
    how = {"enqueue-key": "EU", "enqueue-overlap": "replace", "enqueue-at": "2100-03-01T06:00", "enqueue-queue": "mail"}
    page = operator.post(url, usual | how).content.decode()
    assert "That is more than ten years away." in page and Run.objects.count() == 2
    tomorrow = f"{clock.now() + timedelta(days=1):%Y-%m-%dT06:00}"
    for _ in range(2):
        assert operator.post(url, usual | how | {"enqueue-at": tomorrow}).status_code == 302
    beside, keyed = Task.objects.order_by("pk")[1:]
    assert beside.side_by_side and beside.unique_key is None and beside.run.started_by == keyed.run.started_by
    assert (keyed.unique_key, keyed.queue.name, keyed.next_attempt_at.hour) == ("EU", "mail", 6)


def test_a_priority_of_zero_is_one_and_enqueues(make_job):
    job, operator = make_job("Letter"), client_for("Operator")
    Job.objects.update(priority=5)
    operator.post(f"/admin/scheduling/job/{job.pk}/run/", {"enqueue-priority": "0"})
    task = Task.objects.get()
    assert (task.side_by_side, task.priority) == (True, 0)


@pytest.mark.parametrize("overlap", ["skip", "replace", "queue_one"])
def test_run_now_tells_whether_what_was_given_is_enqueued_or_left_out(make_job, overlap):
    job, operator = make_job("Letter"), client_for("Operator")
    how = {"enqueue-key": "EU", "enqueue-overlap": overlap}
    told = [operator.post(f"/admin/scheduling/job/{job.pk}/run/", how, follow=True).content.decode() for _ in range(2)]
    left_out = f"Letter was not enqueued: run {Run.objects.get().pk} of this key was there already."
    assert ["Letter is enqueued." in each for each in told] == [True, overlap == "replace"]
    assert [left_out in each for each in told] == [False, overlap != "replace"]
