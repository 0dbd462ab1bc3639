"""Promises of `sync_jobs` and `run_job`: one document, exit codes, a sentence for every mistake."""

import json
from datetime import date

import pytest
from django.core.management import CommandError, call_command

from scheduling.errors import FatalJobError
from scheduling.jobs import reconcile
from scheduling.jobs.declared import Undeclarable
from scheduling.jobs.discover import Found
from scheduling.models import Run
from scheduling.runs.by_hand import start_job_now
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
