"""Promise: what reaches outside is off until a setting allows something of it, and every door says so in a sentence."""

from datetime import timedelta

import pytest
from django.core.management import call_command

from scheduling import clock
from scheduling.admin.plans.targets import targets_for
from scheduling.checks import errands_are_allowed_as_written
from scheduling.dispatch.cycle import run_cycle
from scheduling.doctor import stuck
from scheduling.doctor.examine import examined
from scheduling.doctor.patient import Patient
from scheduling.errands.command import command
from scheduling.errands.http_request import http_request
from scheduling.errors import InvalidManifest, InvalidPlan, TryLater
from scheduling.jobs.reconcile import sync_jobs
from scheduling.models import Job, Plan, Run, SchedulerLog, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_job_now, start_plans_now
from scheduling.runs.enqueue import enqueue
from scheduling.testing import run_inline
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db

BOTH = pytest.mark.parametrize(
    ("name", "setting", "value", "function", "arguments"),
    [
        ("Command", "COMMAND_STEPS", {"yes": ["/bin/echo", "yes"]}, command, {"name": "yes"}),
        ("HTTP request", "HTTP_STEPS", ["https://api.example.com"], http_request, {"url": "https://x.example.com"}),
    ],
)


def sync():
    """Take in what the code declares, as each process does at its start."""
    found = sync_jobs(clock.now())
    assert found.problems == []


def known():
    """Return the jobs that a step of a plan is offered."""
    return {value.removeprefix("job:") for value in targets_for(Plan(), True, None).by_value}


@BOTH
def test_it_is_there_only_while_the_setting_allows_something(settings, name, setting, value, function, arguments):
    sync()
    assert not {"Command", "HTTP request"} & known()
    setattr(settings, setting, value)
    sync()
    assert {"Command", "HTTP request"} & known() == {name}
    setattr(settings, setting, type(value)())
    sync()
    assert name not in known()


@BOTH
def test_every_door_says_that_it_is_off(settings, name, setting, value, function, arguments):
    off = f"The job '{name}' is switched off: the setting {setting} allows nothing."
    plan = lambda: PlanDraft(Plan(name="Nightly"), {}, [step(name, arguments=arguments)])  # noqa: E731
    sync()
    with pytest.raises(InvalidPlan, match=off):
        save_plan(plan(), now=clock.now())
    with pytest.raises(InvalidManifest, match=off):
        enqueue(function, arguments)
    setattr(settings, setting, value)
    sync()
    save_plan(plan(), now=clock.now())
    waiting = start_plans_now(["Nightly"], started_by="ann", now=clock.now())
    assert examined(Patient(clock.now()), [stuck.looks]) == []
    setattr(settings, setting, type(value)())
    sync()
    with pytest.raises(InvalidPlan, match=off):
        start_plans_now(["Nightly"], started_by="ann", now=clock.now())
    with pytest.raises(InvalidManifest, match=off):
        start_job_now(Job.objects.get(name=name), arguments, started_by="ann", now=clock.now())
    (finding,) = examined(Patient(clock.now()), [stuck.looks])
    assert (finding.id, finding.text) == ("plan.job", f"plan Nightly cannot run. {off}")
    run_inline()  # what was queued before, or a worker that knows other settings
    assert off in Task.objects.get(run=waiting).message


def test_values_of_a_run_are_arguments(settings):
    settings.COMMAND_STEPS = {"say": ["/bin/echo"]}
    sync()
    given = {"name": "say", "arguments": ["{{day}}", "{{rows}}"]}
    plan = Plan(name="Nightly", parameters={"day": "text", "rows": "integer"})
    save_plan(PlanDraft(plan, {}, [step("Command", arguments=given)]), now=clock.now())
    start_plans_now(["Nightly"], {"day": "2026-03-01; id", "rows": 5}, started_by="ann", now=clock.now())
    (task,) = run_inline()
    assert task.result == {"exit_code": 0, "output": "2026-03-01; id 5"}


@pytest.mark.parametrize("items", [{}, {"for_each": ["a", "b"]}], ids=["once", "for each item"])
def test_a_step_with_long_values_has_a_name_and_two_that_begin_alike_have_two(settings, items):
    settings.HTTP_STEPS = ["https://api.example.com"]
    sync()
    urls = [f"https://api.example.com/{'x' * 300}/{end}" for end in "ab"]
    steps = [step("HTTP request", arguments={"url": url}, **items) for url in urls]
    plan = save_plan(PlanDraft(Plan(name="Nightly"), {}, steps), now=clock.now())
    keys = {each.key for each in plan.steps.all()}
    assert len(keys) == 2 and {len(key) for key in keys} == {190 if items else 200}
    run = start_plans_now(["Nightly"], started_by="ann", now=clock.now())
    assert {task.key for task in run.tasks.all()} == keys


def test_a_command_starts_it_where_it_is_on(settings):
    settings.COMMAND_STEPS = {"yes": ["/bin/echo", "yes"]}
    call_command("sync_jobs")
    call_command("run_job", "Command", arguments='{"name": "yes"}', inline=True)
    assert Run.objects.get().status == "completed"


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("HTTP_STEPS", ["api.example.com"], "api.example.com is no beginning of an address"),
        ("HTTP_STEPS", ["https://api.example.com/?x=1"], "is no beginning of an address"),
        ("HTTP_STEPS", ["https://api.example.com:port"], "https://api.example.com:port is no beginning of an address"),
        ("HTTP_STEPS", ["https://[::1"], "https://[::1 is no beginning of an address"),
        ("HTTP_STEPS", ["https://@api.example.com"], "is no beginning of an address"),
        ("HTTP_STEPS", ["https://api.example.com/v1/../v2"], "is no beginning of an address"),
        ("COMMAND_STEPS", {"a": "/bin/true"}, "COMMAND_STEPS: a is a list of texts, or has argv, folder, environment"),
        ("COMMAND_STEPS", {"a": {"argv": ["/bin/true"], "shell": True}}, "COMMAND_STEPS: a is a list"),
        ("COMMAND_STEPS", {"a": ["true"]}, "COMMAND_STEPS: a names its program and its folder by whole paths."),
        ("COMMAND_STEPS", ["/bin/true"], "COMMAND_STEPS is a JSON object"),
    ],
)
def test_a_setting_that_cannot_be_read_lets_nothing_start(settings, setting, value, told):
    assert errands_are_allowed_as_written(None) == []
    setattr(settings, setting, value)
    (error,) = errands_are_allowed_as_written(None)
    assert told in error.msg and error.id == "scheduling.E007"


def test_a_slot_of_a_plan_whose_job_is_off_is_told_in_a_sentence_and_hinders_no_other_plan(settings, caplog):
    settings.COMMAND_STEPS = {"yes": ["/bin/echo", "yes"]}
    sync()
    each_minute = {"schedule_type": "interval", "interval_minutes": 1, "is_enabled": True}
    for name, job, given in (("Nightly", "Command", {"name": "yes"}), ("Other", "Retention", {})):
        save_plan(PlanDraft(Plan(name=name, **each_minute), {}, [step(job, arguments=given)]), now=NOW)
    settings.COMMAND_STEPS = {}
    sync()
    assert "plan Other" in run_cycle(NOW + timedelta(minutes=3)).fired
    said = SchedulerLog.objects.filter(plan__name="Nightly").values_list("message", flat=True)
    assert any("The job 'Command' is switched off" in message for message in said)
    assert "Traceback" not in caplog.text and not Run.objects.filter(plans__name="Nightly").exists()


def test_it_takes_a_length_of_time_to_say_when_to_try_again():
    with pytest.raises(TypeError, match="TryLater takes a timedelta, not 30"):
        TryLater("busy", 30)
