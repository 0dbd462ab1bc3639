"""Promise: what no schedule tells of is watched, too: enqueued jobs, jobs by hand, ordered work with its scripts."""

from datetime import timedelta

import pytest

from scheduling.alerts.conditions import find
from scheduling.alerts.findings import Round
from scheduling.alerts.watch import go_round
from scheduling.jobs.declare import every
from scheduling.models import Alert, Job, Plan, Queue, Run, SchedulerConfiguration, SqlScript
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.enqueue import enqueue
from scheduling.runs.ordered import script, submit
from scheduling.runs.restart import restart_run
from tests.scheduling.alerts.conftest import NOW, rule_of
from tests.scheduling.alerts.test_conditions import HOUR, said
from tests.scheduling.conftest import work_off

pytestmark = pytest.mark.django_db


def leads(rule, now=NOW) -> set[str]:
    """Return the pages that explain what the rule finds."""
    return {one.leads_to for one in find(rule, Round(now)).breaches}


def test_warnings_of_a_job_are_told_also_where_no_schedule_tells_of_it(make_job, channel):
    """What code enqueues runs beside its schedules; a job without any is run by people."""
    warnings = {"Letter": 1, "Report": 3}

    def body(context):
        """Warn, or not, as it is told."""
        for number in range(warnings[context.job]):
            context.warn(f"Page {number} is empty.")

    make_job("Letter", every(1, "hours"), body=body, category="Post")
    report = make_job("Report", body=body)
    rule = rule_of("warned", channel)
    some, many = rule_of("warned", name="some", categories=["Post"]), rule_of("warned", name="many", number=3)
    letter = enqueue(make_job.function("Letter"), {}, now=NOW)
    by_hand = start_job_now(report, started_by="ann", now=NOW)
    work_off(NOW)
    once, thrice = "Job Letter completed with a warning.", "Job Report completed with 3 warnings."
    assert (said(rule), said(some), said(many)) == ([once, thrice], [once], [thrice])
    assert leads(rule) == {f"run:{letter.pk}", f"run:{by_hand.pk}"}
    go_round(NOW)
    go_round(NOW + 30 * HOUR)  # nothing was done about it
    assert Alert.objects.open().filter(rule=rule).count() == 2
    warnings["Letter"] = warnings["Report"] = 0
    enqueue(make_job.function("Letter"), {}, now=NOW + 30 * HOUR)
    work_off(NOW + 30 * HOUR)
    assert said(rule, NOW + 30 * HOUR) == [thrice]
    Job.objects.filter(pk=report.pk).update(removed_at=NOW)  # of what the code does not declare nothing is expected
    assert said(rule, NOW + 30 * HOUR) == []


def test_a_later_run_that_fails_ends_the_warnings_and_begins_the_failure(make_job):
    outcome = {"fails": False}

    def body(context):
        """Warn, and then fail or not."""
        context.warn("Little paper is left.")
        if outcome["fails"]:
            raise ValueError("no paper")

    report = make_job("Report", body=body)
    warned, failed = rule_of("warned"), rule_of("failed")
    start_job_now(report, started_by="ann", now=NOW)
    work_off(NOW)
    assert (len(said(warned)), said(failed)) == (1, [])
    outcome["fails"] = True
    later = NOW + timedelta(minutes=1)
    start_job_now(report, started_by="ann", now=later)
    work_off(later)
    assert (said(warned, later), said(failed, later)) == ([], ["Job Report failed."])


def test_warnings_of_a_schedule_are_not_told_a_second_time_as_those_of_its_job(make_job):
    def body(context):
        """Warn."""
        context.warn("Little paper is left.")

    job = make_job("Letter", every(1, "hours"), body=body)
    start_job_now(job, started_by="ann", now=NOW)
    work_off(NOW)
    subjects = [one.subject for one in find(rule_of("warned"), Round(NOW)).breaches]
    assert [subject.partition(":")[0] for subject in subjects] == ["job"]


def test_ordered_work_that_fails_is_told_by_its_title_until_a_run_of_that_title_completes(channel):
    """Its scripts have no other place where anybody would look."""
    SqlScript.objects.create(name="Close", sql="SELECT 1 FROM nowhere")
    rule = rule_of("failed", channel)
    some = rule_of("failed", name="some", categories=["Post"])

    def month_end(minute: int) -> Run:
        now = NOW + timedelta(minutes=minute)
        run = submit([(10, script("Close"))], title="Month end", submitted_by="finance", now=now)
        work_off(now)
        return run

    first = month_end(0)
    assert said(rule) == ["Month end failed."] and said(some) == [] and leads(rule) == {f"run:{first.pk}"}
    go_round(NOW)
    last = month_end(1)
    go_round(NOW + timedelta(minutes=1))
    alert = Alert.objects.get()
    assert (alert.subject, alert.leads_to) == ("ordered:Month end", f"run:{last.pk}")
    day = NOW + 30 * HOUR
    assert said(rule, day) == ["Month end failed 2 times in a row."]  # nothing was done about it
    SqlScript.objects.update(sql="SELECT 1")
    restart_run(last, only_failed=True, started_by="ann", now=day)
    work_off(day)
    assert said(rule, day) == []


def test_ordered_work_that_completes_with_warnings_is_told_by_its_title(channel):
    ended = {"kind": "ordered", "status": "completed", "created_at": NOW, "finished_at": NOW}
    for number, title in enumerate(("Month end", "Month end", "Year end", "T" * 190, "T" * 190 + "!")):
        last = Run.objects.create(title=title, fire_key=f"o{number}", warnings=number, **ended)
    rule = rule_of("warned", channel)
    assert said(rule)[:2] == ["Month end completed with a warning.", f"{'T' * 190} completed with 3 warnings."]
    go_round(NOW)
    subjects = set(Alert.objects.open().values_list("subject", flat=True))
    assert {"ordered:Month end", "ordered:Year end"} < subjects and len(subjects) == 4
    Run.objects.create(title=last.title, fire_key="o9", **ended)
    Run.objects.create(title="Month end", fire_key="o10", **ended)
    assert [line[:8] for line in said(rule)] == ["TTTTTTTT", "Year end"]


def test_what_runs_within_a_plan_is_told_of_the_plan_alone(make_job):
    """A job and a script of a plan warn by the run of the plan."""
    job = make_job("Letter")
    ended = {"status": "completed", "warnings": 2, "finished_at": NOW}
    run = Run.objects.create(kind="plan", title="Plan Nightly", fire_key="p", created_at=NOW, **ended)
    queue, _ = Queue.objects.get_or_create(name="default")
    run.tasks.create(key="job Letter", workload="job", target_id=job.pk, queue=queue, **ended)
    assert said(rule_of("warned")) == []


def test_nothing_completed_asks_what_people_and_code_start_where_the_rule_names_it(make_job, customer):
    """A rule about everything expects nothing of it: nobody knows when it comes."""
    report = make_job("Report", body=lambda context: None, category="Post")
    Plan.objects.create(name="Nightly", last_completed_at=NOW - HOUR)
    Plan.objects.create(name="Off", last_completed_at=NOW - HOUR, is_enabled=False)
    SchedulerConfiguration.objects.update(last_completed_at=NOW - HOUR)
    rule = rule_of("nothing_completed", minutes=30)
    jobs = rule_of("nothing_completed", name="jobs", minutes=30, categories=["Post"])
    named = rule_of("nothing_completed", name="named", minutes=30)
    named.plans.set(Plan.objects.all())
    named.entities.add(customer.entity)
    assert said(jobs) == []  # it never completed
    start_job_now(report, started_by="ann", now=NOW - HOUR)
    work_off(NOW - HOUR)
    assert said(rule) == []
    at = "completed nothing since 2026-11-20 11:00:00 UTC."
    assert said(jobs) == [f"Job Report {at}"] and leads(jobs) == {f"unscheduled:{report.pk}"}
    assert said(named) == [f"Customer {at}", f"Plan Nightly {at}"]
    enqueue(make_job.function("Report"), {}, now=NOW - timedelta(minutes=10))
    work_off(NOW - timedelta(minutes=10))
    assert said(jobs) == []
