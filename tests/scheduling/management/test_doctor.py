"""Promises of `doctor`: the findings as text or as one document, with exit codes a supervisor can go by."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from scheduling import clock
from scheduling.doctor.finding import DoctorFinding, Level
from scheduling.models import Heartbeat

pytestmark = pytest.mark.django_db

BAD = DoctorFinding("cycle.never", Level.ERROR, "No cycle.", "Start it.")
ODD = DoctorFinding("paused.everything", Level.WARNING, "Paused.", "Run: manage.py resume all")


def doctor(monkeypatch, *found: DoctorFinding, **options: bool) -> tuple[str, int]:
    """Return what the command prints of these findings, and its exit code."""
    monkeypatch.setattr("scheduling.management.commands.doctor.findings", lambda: list(found))
    out, code = StringIO(), 0
    try:
        call_command("doctor", stdout=out, **options)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return out.getvalue(), code


def test_nothing_wrong_is_said_with_exit_code_0(monkeypatch):
    assert doctor(monkeypatch) == ("Nothing is wrong.\n", 0)


def test_an_error_is_exit_code_1_and_each_finding_stands_with_its_mend(monkeypatch):
    text, code = doctor(monkeypatch, BAD, ODD)
    assert code == 1
    assert text.splitlines() == [
        "error    cycle.never: No cycle.",
        "         Start it.",
        "warning  paused.everything: Paused.",
        "         Run: manage.py resume all",
    ]


def test_a_warning_alone_is_exit_code_0(monkeypatch):
    assert doctor(monkeypatch, ODD)[1] == 0


def test_the_document_is_that_of_the_contract(monkeypatch):
    text, code = doctor(monkeypatch, BAD, json=True)
    assert code == 1
    assert json.loads(text) == {
        "findings": [{"id": "cycle.never", "level": "error", "text": "No cycle.", "mend": "Start it."}]
    }


def test_it_looks_at_this_installation_and_the_page_shows_the_same(admin_client):
    Heartbeat.note("local@h:1", Heartbeat.WORKER, clock.now())
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("doctor", json=True, stdout=out)
    document = json.loads(out.getvalue())
    assert "cycle.never" in {one["id"] for one in document["findings"]}
    shown = admin_client.get("/admin/scheduling/heartbeat/doctor/")
    assert [one.as_json() for one in shown.context["findings"]] == document["findings"]
    assert "No cycle has ever run here" in shown.content.decode()


def test_the_page_of_workers_leads_to_it(admin_client):
    assert "/admin/scheduling/heartbeat/doctor/" in admin_client.get("/admin/scheduling/heartbeat/").content.decode()
