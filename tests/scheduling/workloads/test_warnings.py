"""Promise: what completed with warnings is seen as such, whatever it was, and by every reader."""

import json
import threading

import pytest
from django.core.management import call_command
from django.db import connection

from scheduling.alerts.conditions import find
from scheduling.alerts.findings import Round
from scheduling.dag.manifest import ManifestTask
from scheduling.errors import FatalJobError
from scheduling.jobs.declare import on_success, on_warning, retry
from scheduling.models import AlertRule, AttemptLog, Plan, PlanStep, Run, SqlScript, Task
from scheduling.runs.by_hand import run_document, start_batch_now, start_job_now, start_plans_now
from scheduling.states import RunKind
from scheduling.testing import call, clock_at
from staging.models import Batch
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.runs.pieces import start, work

pytestmark = pytest.mark.django_db(transaction=True)


def ended(run) -> Run:
    work_off(NOW)
    return Run.objects.get(pk=run.pk)


def test_a_job_that_warns_completes_with_warnings(make_job):
    def body(context):
        for shelf in (1, 2):
            context.warn(f"Shelf {shelf}\nis empty, 100 % of it.")
        return "Counted."

    run = ended(start_job_now(make_job("Report", body=body), started_by="ann", now=NOW))
    task = Task.objects.get()
    assert (run.status, run.warnings, run.shown_status) == ("completed", 2, "completed with warnings")
    assert (task.status, task.warnings, task.shown_status) == ("completed", 2, "completed with warnings")
    assert task.message == "Counted. 2 warnings, the first: Shelf 1 is empty, 100 % of it."
    assert run_document(run)["tasks"][0]["warnings"] == 2
    lines = AttemptLog.objects.get().lines.splitlines()
    assert [line.partition(",")[2][4:] for line in lines] == [
        f"WARNING Shelf {shelf} is empty, 100 % of it." for shelf in (1, 2)
    ]


def test_warnings_of_several_threads_are_all_counted():
    def body(context):
        threads = [threading.Thread(target=lambda: [context.warn("x") for _ in range(500)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert call(body).warnings == 2000


def test_only_the_last_attempt_counts_and_a_failure_is_no_success(make_job):
    def body(context):
        context.warn("Look.")
        if context.attempt < 3:
            raise ValueError("shelf")

    run = start_job_now(make_job("Report", retry(3, 0), body=body), started_by="ann", now=NOW)
    assert (ended(run).warnings, Task.objects.get().message) == (1, "Done. 1 warning: Look.")

    def fails(context):
        context.warn("Look.")
        raise FatalJobError("no")

    run = ended(start_job_now(make_job("Other", body=fails), started_by="ann", now=NOW))
    assert (run.status, run.warnings, run.shown_status) == ("failed", 0, "failed")


def test_hooks_are_told_of_warnings(make_job):
    heard = []

    def note(name):
        return lambda context, end: heard.append((name, end.warnings))

    def body(context, times: int = 0):
        for _ in range(times):
            context.warn("Look.")

    job = make_job("Report", on_success(note("on_success")), on_warning(note("on_warning")), body=body)
    for times, expected in ((0, [("on_success", 0)]), (2, [("on_success", 2), ("on_warning", 2)])):
        heard.clear()
        start_job_now(job, arguments={"times": times}, started_by="ann", now=NOW)
        work_off(NOW)
        assert sorted(heard) == expected


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite gives no warnings")
def test_a_script_that_raises_warnings_completes_with_them():
    script = SqlScript.objects.create(
        name="Warn",
        sql="DO $$ BEGIN RAISE NOTICE 'no'; RAISE WARNING 'shelf %% is empty', 1; RAISE WARNING 'b'; END $$",
    )
    run = start(ManifestTask("script Warn", RunKind.SCRIPT, script.pk))
    work()
    run.refresh_from_db()
    task = run.tasks.get()
    assert (run.status, run.warnings, task.warnings) == ("completed", 2, 2)
    assert task.message.endswith("2 warnings, the first: shelf 1 is empty")


def test_a_batch_counts_what_it_rejected_and_what_it_warned_of(make_entity, deposit):
    branch = make_entity()
    deposit(rows=2)
    deposit(rows=1, staff="many", prefix="c")
    run = ended(start_batch_now(branch, started_by="ann", now=NOW).run)
    batch = Batch.objects.get()
    assert (batch.rejected, batch.warned, batch.shown_status) == (1, 0, "completed with warnings")
    assert (run.warnings, run.shown_status) == (1, "completed with warnings")
    branch.refresh_from_db()
    assert (branch.last_result, branch.last_warnings, branch.shown_result) == (
        "completed", 1, "completed with warnings",
    )  # fmt: skip
    branch.entity.attributes.update(on_error="skip_field")
    deposit(rows=2, staff="many", prefix="d")
    run = ended(start_batch_now(branch, started_by="ann", now=NOW).run)
    batch = Batch.objects.order_by("pk").last()
    assert (batch.rejected, batch.warned, run.warnings) == (0, 2, 2)
    assert run.tasks.get().message == "2 inserted, 2 with a warning."
    ended(start_batch_now(branch, started_by="ann", now=NOW).run)
    branch.refresh_from_db()
    assert (branch.last_warnings, branch.shown_result) == (0, "completed")


def test_a_plan_has_the_warnings_of_its_steps(make_job):
    def body(context):
        context.warn("Look.")

    plan = Plan.objects.create(name="Nightly")
    for number, name in enumerate(("One", "Two")):
        make_job(name, body=body)
        PlanStep.objects.create(plan=plan, job_name=name, step_index=number)
    run = ended(start_plans_now(["Nightly"], started_by="ann", now=NOW))
    plan.refresh_from_db()
    assert (run.status, run.warnings, plan.shown_result) == ("completed", 2, "completed with warnings")


def test_an_alert_tells_of_warnings_until_a_run_gives_none(make_entity):
    branch = make_entity()
    rule = AlertRule.objects.create(name="Warned", condition="warned")
    few = AlertRule.objects.create(name="Many", condition="warned", number=3)

    def said(rule):
        return [str(each.said()) for each in find(rule, Round(NOW)).breaches]

    assert said(rule) == []
    for warnings, expected in ((1, "Branch completed with a warning."), (2, "Branch completed with 2 warnings.")):
        type(branch).objects.update(last_result="completed", last_warnings=warnings)
        assert said(rule) == [expected] and said(few) == []
    type(branch).objects.update(last_warnings=3)
    assert said(few) == ["Branch completed with 3 warnings."]
    type(branch).objects.update(last_result="failed")
    assert said(rule) == said(few) == []


def test_pages_show_and_find_what_completed_with_warnings(make_entity, deposit, admin_client):
    branch = make_entity()
    runs = []
    for staff in ("5", "many"):
        deposit(staff=staff, prefix=staff)
        runs.append(ended(start_batch_now(branch, started_by="ann", now=NOW).run))
    clean, warned = runs
    for page in ("scheduling/run/?status=warned", "staging/batch/?status=warned"):
        text = admin_client.get(f"/admin/{page}").text
        of = warned if "run" in page else Batch.objects.get(task_id=warned.tasks.get().pk)
        assert f"/{of.pk}/change/" in text and "</span> completed with warnings</span>" in text
        other = clean if "run" in page else Batch.objects.get(task_id=clean.tasks.get().pk)
        assert f"/{other.pk}/change/" not in text
    for page in (f"scheduling/run/{warned.pk}/change/", f"scheduling/schedulerconfiguration/{branch.pk}/change/"):
        assert "</span> completed with warnings</span>" in admin_client.get(f"/admin/{page}").text
    listed = admin_client.get("/admin/scheduling/schedulerconfiguration/?last_result=warned").text
    assert "bar-completed-with-warnings" in listed and "</span> completed with warnings</span>" in listed
    with clock_at(NOW):
        assert "bar-completed-with-warnings" in admin_client.get("/admin/").text


def test_commands_and_lists_of_the_api_tell_it_apart(make_entity, deposit, admin_client, capsys):
    branch = make_entity()
    runs = []
    for staff in ("5", "many"):
        deposit(staff=staff, prefix=staff)
        runs.append(ended(start_batch_now(branch, started_by="ann", now=NOW).run))
    told = []
    for run in runs:
        call_command("show_run", str(run.pk))
        call_command("show_run", str(run.pk), "--json")
        *lines, document = capsys.readouterr().out.splitlines()
        told.append((lines[0], " ".join(lines[1].split()), json.loads(document).get("warnings")))
    clean, warned = runs
    assert told == [
        (f"run {clean.pk}: completed", "completed branch 1 inserted.", None),
        (f"run {warned.pk}: completed with warnings", "completed with warnings branch 1 rejected.", 1),
    ]
    for things, key, expected in (
        ("runs", "run", warned.pk),
        ("batches", "batch", Batch.objects.get(task_id=warned.tasks.get().pk).pk),
    ):
        found = admin_client.get(f"/api/v1/{things}?status=warned").json()["results"]
        assert [each[key] for each in found] == [expected]
