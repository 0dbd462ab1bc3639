"""Promise: a steward makes a plan, is told of a circle at the steps, mends it, sees the order and runs it; also
without scripts, and on every screen without a fault of accessibility."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection
from playwright.sync_api import expect

from scheduling import clock
from scheduling.jobs.reconcile import sync_jobs
from scheduling.models import Plan, Run, SqlScript
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_dependencies, save_plan
from scheduling.runs.by_hand import start_plans_now
from scheduling.runs.execute import work_off_run
from tests.browser.screens import faults, looks_at_pages
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.plans.conftest import step

CHANGE = "scheduling/plan/{}/change/"


@pytest.fixture
def entities() -> Iterator[dict]:
    """Region and branch; a branch depends on its region."""
    made = {code: make_configuration(code).entity for code in ("region", "branch")}
    save_dependencies(made["branch"], ["region"])
    yield made
    with connection.cursor() as cursor:
        for code in made:
            cursor.execute(f"DROP TABLE stg_{code}")
            cursor.execute(f"DROP TABLE mdm_{code}")


def test_from_an_empty_form_to_a_run(steward, entities):
    page = steward.page
    steward.visit("")
    page.click("a:text-is('Plans')")
    page.click("a.addlink >> text=Add plan")
    page.fill("#id_name", "Nightly")
    page.check('input[name="order"][value="both"]')
    expect(page.locator("#id_run_times")).to_be_hidden()
    page.select_option("#id_schedule_type", "daily")
    page.fill("#id_run_times", "02:30")
    page.select_option("#id_timezone", "Europe/Amsterdam")
    expect(page.locator("#preview-sentence")).to_have_text("Every day at 02:30, Europe/Amsterdam")
    page.select_option("#id_steps-0-what", label="Branch")
    page.select_option("#id_steps-1-what", label="Region")
    page.fill("#id_steps-1-step_index", "2")
    page.click("input[name=_continue]")
    expect(page.locator(".errors-at-a-glance")).to_contain_text("branch > region > branch")
    assert not Plan.objects.exists()
    page.fill("#id_steps-0-step_index", "3")
    page.click("input[name=_continue]")
    expect(page.locator(".messagelist")).to_contain_text("was added successfully")
    expect(page.locator(".waves li")).to_have_text(["region", "branch"])
    page.click("text=Run now …")
    page.click("button:has-text('Run now')")
    expect(page.locator(".messagelist")).to_contain_text("Plan Nightly started.")
    assert Run.objects.get().plans == ["Nightly"]
    assert steward.complaints == []


def test_a_step_that_runs_a_command_is_made_in_the_form_and_its_output_is_on_the_page(steward, entities, settings):
    page = steward.page
    steward.visit("scheduling/plan/add/")
    expect(page.locator("#id_steps-0-what option", has_text="Region")).to_have_count(1)
    expect(page.locator("#id_steps-0-what option", has_text="Command")).to_have_count(0)
    settings.COMMAND_STEPS = {"export": ["/bin/echo", "exported"]}
    sync_jobs(clock.now())
    steward.visit("scheduling/plan/add/")
    page.fill("#id_name", "Export")
    page.select_option("#id_steps-0-what", label="Command")
    page.click("#steps-0 summary")
    page.fill("#id_steps-0-arguments", '{"name": "export", "arguments": 5}')
    page.click("input[name=_continue]")
    expect(page.locator("#steps-0 .errorlist")).to_contain_text("arguments is 5; it must be a list")
    page.fill("#id_steps-0-arguments", '{"name": "export", "arguments": ["branches", 5]}')
    page.click("input[name=_continue]")
    page.click("text=Run now …")
    page.click("button:has-text('Run now')")
    run = Run.objects.get()
    work_off_run(run, time=clock.now)
    page.reload()
    expect(page.locator("body")).to_contain_text("exported branches 5")
    assert run.tasks.get().result == {"exit_code": 0, "output": "exported branches 5"}
    assert steward.complaints == []


def test_a_run_is_given_what_its_plan_takes_and_a_step_runs_after_a_failure_only(steward, entities):
    page = steward.page
    steward.visit("scheduling/plan/add/")
    page.fill("#id_name", "Load a day")
    page.fill("#id_parameters", '{"day": "text", "factor": {"type": "integer", "default": 1}}')
    page.select_option("#id_steps-0-what", label="Region")
    page.select_option("#id_steps-1-what", label="Branch")
    page.fill("#id_steps-1-step_index", "2")
    page.click("#steps-1 summary")
    page.select_option("#id_steps-1-run_if", label="if something before it failed")
    page.click("input[name=_continue]")
    expect(page.locator("#steps-1 summary")).to_have_text("runs if something before it failed")
    expect(page.locator(".node-state")).to_have_text(["○ entity", "○ entity, after a failure"])
    page.click("text=Run now …")
    assert faults(steward, "run-now-with-parameters") == []
    page.fill("#id_argument-factor", "half")
    page.click("button:has-text('Run now')")
    expect(page.locator(".errorlist")).to_have_text(
        ["day is missing.", "The parameter factor takes values of the type integer, not 'half'."]
    )
    assert not Run.objects.exists()
    page.fill("#id_argument-day", "2026-03-01")
    page.fill("#id_argument-factor", "2")
    page.click("button:has-text('Run now')")
    run = Run.objects.get()
    work_off_run(run, time=clock.now)
    page.reload()
    expect(page.locator("dl.facts")).to_contain_text("day: 2026-03-01, factor: 2")
    expect(page.locator("#run-steps")).to_contain_text("Skipped: nothing before it failed.")
    assert steward.complaints == []


@pytest.mark.parametrize("person", [{"java_script_enabled": False}], indirect=True)
def test_a_plan_is_made_and_run_without_scripts(steward, entities):
    page = steward.page
    steward.visit("scheduling/plan/add/")
    page.fill("#id_name", "Weekly")
    page.check('input[name="order"][value="hierarchy"]')
    page.select_option("#id_steps-0-what", label="Region")
    page.click("input[name=_continue]")
    expect(page.locator("#preview-sentence")).to_have_text("Started by people")
    page.click("text=Run now …")
    page.click("button:has-text('Run now')")
    assert Run.objects.get().plans == ["Weekly"]


@looks_at_pages
def test_the_pages_of_plans_have_no_serious_fault(steward, entities):
    inner = save_plan(PlanDraft(Plan(name="Inner"), {}, [step(entities["region"])]), now=clock.now())
    script = SqlScript.objects.create(name="Refresh", sql="SELECT 1")
    steps = [step(entities["branch"], "plan Inner"), step(inner), step(script, "branch", is_cancelled=True)]
    daily = {"schedule_type": "daily", "run_times": "02:30", "timezone": "Europe/Amsterdam"}
    plan = save_plan(PlanDraft(Plan(name="Nightly", description="All of it"), daily, steps), now=clock.now())
    configuration = entities["branch"].configuration.pk
    pages = {
        "list": "scheduling/plan/", "form": CHANGE.format(plan.pk), "new": "scheduling/plan/add/",
        "run": f"scheduling/plan/{plan.pk}/run/", "why not": f"scheduling/plan/{plan.pk}/why-not/",
        "script": f"scheduling/sqlscript/{script.pk}/change/", "scripts": "scheduling/sqlscript/",
        "dependencies": f"scheduling/schedulerconfiguration/{configuration}/dependencies/",
    }  # fmt: skip
    found = []
    for name, path in pages.items():
        steward.visit(path)
        found += faults(steward, name)
    assert found == []


@pytest.mark.parametrize("person", [{}, {"java_script_enabled": False}], indirect=True)
def test_the_slots_of_a_range_are_shown_before_they_run(steward, entities, request):
    nightly = {"schedule_type": "daily", "run_times": "02:30", "timezone": "Europe/Amsterdam"}
    plan = save_plan(PlanDraft(Plan(name="Nightly"), nightly, [step(entities["region"])]), now=clock.now())
    page = steward.page
    steward.visit(CHANGE.format(plan.pk))
    page.click("text=Backfill …")
    page.fill("#id_since", "2026-02-01T00:00")
    page.fill("#id_until", "2026-02-04T00:00")
    page.click("text=Show the slots")
    expect(page.locator("#slots tbody tr")).to_have_count(3)
    without_scripts = bool(request.node.callspec.params["person"])
    found = [] if without_scripts else faults(steward, "backfill")
    page.click("button:has-text('Let 3 slots run')")
    expect(page.locator("dl.facts")).to_contain_text("0 of 3")
    found += [] if without_scripts else faults(steward, "backfill under way")
    assert found == [] and Run.objects.get().trigger_source == "Backfill by steward"
    page.click("text=Cancel this backfill")
    expect(page.locator("#slots")).to_contain_text("did not run")


def test_what_is_not_done_by_its_deadline_is_called_late_wherever_its_run_stands(steward, entities):
    page = steward.page
    steward.visit("scheduling/plan/add/")
    page.fill("#id_name", "In time")
    page.select_option("#id_steps-0-what", label="Region")
    page.fill("#id_due_by", "06:00")
    page.fill("#id_due_after_minutes", "5")
    page.click("input[name=_continue]")
    expect(page.locator(".errors-at-a-glance")).to_be_visible()
    assert not Plan.objects.exists(), "two deadlines at once"
    page.fill("#id_due_by", "")
    page.click("input[name=_continue]")
    expect(page.locator(".messagelist")).to_contain_text("was added successfully")
    assert Plan.objects.get().due_after_minutes == 5
    run = start_plans_now(["In time"], started_by="ann", now=clock.now() - timedelta(minutes=10))
    steward.visit(f"scheduling/run/{run.pk}/change/")
    expect(page.locator(".badge:has-text('late')").first).to_be_visible()
    steward.visit("scheduling/run/?status=late")
    expect(page.locator("main")).to_contain_text("In time")
    expect(page.locator("main .badge:has-text('late')").first).to_be_visible()
    work_off_run(run)
    steward.visit(f"scheduling/run/{run.pk}/change/")
    expect(page.locator(".badge:has-text('completed')").first).to_be_visible()
    assert steward.complaints == []
