"""Promises of `sync_jobs` and `run_job`: one document, exit codes, a sentence for every mistake."""

import json
import re
from datetime import date

import pytest
from django.core.management import CommandError, call_command

from scheduling.errors import FatalJobError
from scheduling.jobs import reconcile
from scheduling.jobs.declared import Undeclarable
from scheduling.jobs.discover import Found
from scheduling.models import Queue, Run, SchedulerLog, Task
from scheduling.runs.by_hand import start_job_now
from scheduling.states import Starter
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db(transaction=True)


def answer(capsys, *args):
    """Return the JSON document and the exit code of a command."""
    code = 0
    try:
        call_command(*args, "--json")
    except SystemExit as end:
        code = end.code
    return json.loads(capsys.readouterr().out), code


def test_sync_jobs_answers_to_the_letter(capsys):
    document, code = answer(capsys, "sync_jobs")
    assert code == 0 and list(document) == ["created", "updated", "disabled"]
    assert {"Retention", "Retention: By setting"} <= set(document["created"])
    assert answer(capsys, "sync_jobs") == ({"created": [], "updated": [], "disabled": []}, 0)


def test_sync_jobs_tells_what_could_not_be_declared(capsys, monkeypatch):
    fault = Undeclarable("Report", "shop.jobs.report", "shop/jobs.py:3", ("@daily: bad.",))
    monkeypatch.setattr(reconcile, "discover", lambda also: Found((), (fault,)))
    document, code = answer(capsys, "sync_jobs")
    assert code == 1 and document["problems"] == ["shop/jobs.py:3 Report: @daily: bad."]


@pytest.mark.parametrize("name", ["Report", "report", "shop.jobs.report"])
def test_run_job_inline_waits_for_the_end(make_job, capsys, name):
    make_job("Report", body=lambda context: "all clean")
    document, code = answer(capsys, "run_job", name, "--inline")
    run = Run.objects.get()
    task = {"task": "job Report", "status": "completed", "attempts": 1, "message": "all clean"}
    steps = {"steps_done": 1, "steps_total": 1}
    assert (document, code) == ({"run": run.pk, "status": "completed", **steps, "tasks": [task]}, 0)


def test_run_job_queues_it_otherwise(make_job, capsys):
    make_job("Report")
    document, code = answer(capsys, "run_job", "Report")
    assert (document["status"], document["tasks"][0]["status"], code) == ("pending", "queued", 0)


def test_a_failed_job_ends_with_1(make_job, capsys):
    def body(context):
        raise FatalJobError("broken")

    make_job("Report", body=body)
    document, code = answer(capsys, "run_job", "Report", "--inline")
    assert (document["status"], code) == ("failed", 1) and "broken" in document["tasks"][0]["message"]


def test_a_running_job_is_refused_with_3_and_a_wrong_name_with_2(make_job):
    start_job_now(make_job("Report"), started_by="ann", now=NOW)
    for name, code, text in (("Report", 3, "already running"), ("Reprt", 2, "Did you mean 'Report'?")):
        with pytest.raises(CommandError, match=text) as refused:
            call_command("run_job", name)
        assert refused.value.returncode == code


def test_text_is_one_line(make_job, capsys):
    make_job("Report", body=lambda context: "all clean")
    call_command("run_job", "Report", "--inline")
    assert capsys.readouterr().out == f"run {Run.objects.get().pk}: completed  all clean\n"


@pytest.fixture
def letter(make_job):
    def body(context, member: int, day: date | None = None):
        """Tell what it was given."""
        return f"{member} {day}"

    return make_job("Letter", body=body)


def test_run_job_gives_arguments(letter, capsys):
    given = '{"member": 5, "day": "2026-03-01"}'
    document, code = answer(capsys, "run_job", "Letter", "--arguments", given, "--inline")
    assert (document["tasks"][0]["message"], code) == ("5 2026-03-01", 0)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{}", "member is missing"),
        ('{"member": "five", "colour": 1}', "member is 'five'; it must be a whole number.*no argument 'colour'"),
        ("[5]", "must be a JSON object"),
        ("{member: 5}", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_arguments_that_do_not_fit_end_with_2_and_start_nothing(letter, given, told):
    with pytest.raises(CommandError, match=told) as refused:
        call_command("run_job", "Letter", "--arguments", given)
    assert refused.value.returncode == 2 and not Run.objects.exists()


def test_run_job_enqueues_beside_other_runs_and_of_a_key_one(letter, capsys):
    start_job_now(letter, {"member": 1}, started_by="ann", now=NOW)
    Queue.objects.create(name="mail", max_running=1)
    given = ("run_job", "Letter", "--arguments", '{"member": 5}')
    how = {"key": "5", "overlap": "replace", "queue": "mail", "priority": 3, "after_seconds": 3600}
    document, code = answer(capsys, *given, "--enqueue", json.dumps(how))
    task = Task.objects.get(run=document["run"])
    assert (code, task.unique_key, task.queue.name, task.priority, task.side_by_side) == (0, "5", "mail", 3, True)
    assert task.next_attempt_at is not None and task.run.started_by == "command"
    assert SchedulerLog.objects.get(run_id=task.run_id).starter == Starter.PERSON
    again, _ = answer(capsys, "run_job", "Letter", "--arguments", '{"member": 6}', "--enqueue", json.dumps(how))
    assert again["run"] == document["run"] and Task.objects.get(pk=task.pk).arguments == {"member": 6}
    changed = SchedulerLog.objects.get(event_type="changed")
    told = f"What run {document['run']} of Letter does was replaced by command."
    assert (changed.message, changed.run_id, changed.job) == (told, document["run"], letter)
    other, _ = answer(capsys, *given, "--enqueue")
    assert other["run"] != document["run"] and Run.objects.count() == 3


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("[]", "--enqueue must be a JSON object"),
        ('{"keyy": "5"}', "no option 'keyy'"),
        ('{"at": "2026-03-01"}', "at is '2026-03-01'; it must be an instant"),
        ('{"at": "2026-03-01T06:00:00+00:00", "after_seconds": 1}', "at or after, not both"),
        ('{"after_seconds": -1}', "-1 is no whole number of seconds"),
        ('{"after_seconds": 1e400}', "no whole number of seconds"),
        ('{"after_seconds": 316224001}', "more than ten years away"),
        ('{"overlap": ["skip"]}', "write one of skip"),
        ('{"queue": "nowhere"}', "no queue named 'nowhere'"),
        ('{"priority": 40000}', "priority is 40000"),
        ('{"key": "a\\u0000"}', "A key is text"),
    ],
)
def test_options_that_do_not_fit_end_with_2_and_start_nothing(letter, how, told):
    with pytest.raises(CommandError, match=re.escape(told)) as refused:
        call_command("run_job", "Letter", "--arguments", '{"member": 5}', "--enqueue", how)
    assert refused.value.returncode == 2 and not Run.objects.exists()
