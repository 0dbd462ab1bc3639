"""Promises of `why_not`: one JSON document or lines for people, honest exit codes, nothing written."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from scheduling import clock
from scheduling.dispatch.cycle import run_cycle
from scheduling.models import SchedulerLog
from scheduling.schedules.change import apply_schedule
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)


@pytest.fixture
def hourly(make_entity, monkeypatch):
    """An hourly entity whose slot at 6 fired and whose slot at 7 nobody looked at."""
    monkeypatch.setattr(clock, "now", lambda: NOW + 1.5 * HOUR)
    configuration = make_entity()
    values = {"processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": 60}
    apply_schedule(configuration, values, now=NOW - HOUR / 2)
    run_cycle(NOW)
    return configuration


def test_it_prints_one_document(hourly, capsys):
    capsys.readouterr()
    call_command("why_not", "branch", "--from", NOW.isoformat(), "--json")
    document = json.loads(capsys.readouterr().out)
    assert [slot["state"] for slot in document["slots"]] == ["fired", "missed"]
    assert document["slots"][0]["run"] and document["counts"]["missed"] == 1
    assert document["right_now"]["would_fire"] is False and document["right_now"]["gates"]
    assert set(document) == {"entity", "from", "until", "schedule", "counts", "slots", "right_now", "notes"}


def test_it_tells_people_the_reason_and_the_remedy(hourly, capsys):
    capsys.readouterr()
    logged = SchedulerLog.objects.count()
    call_command("why_not", "branch", "--from", NOW.isoformat(), "--until", (NOW + 2 * HOUR).isoformat())
    text = capsys.readouterr().out
    assert "missed   No scheduler has looked since it was due, 30 min ago; catch-up drops it." in text
    assert "Start the scheduler" in text and "not due  Not due yet." in text and "right now: would not start." in text
    assert SchedulerLog.objects.count() == logged


def test_the_last_week_is_the_default(hourly, capsys):
    capsys.readouterr()
    call_command("why_not", "branch", "--json")
    document = json.loads(capsys.readouterr().out)
    assert document["from"] == (NOW + 1.5 * HOUR - timedelta(days=7)).isoformat()
    assert len(document["slots"]) == 7 * 24 and document["counts"]["not due"] == 7 * 24 - 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("nosuch",),
        ("branch", "--from", "yesterday"),
        ("branch", "--from", "2026-03-02T06:00:00"),
        ("branch", "--from", "2026-03-03T06:00:00+00:00", "--until", "2026-03-02T06:00:00+00:00"),
    ],
)
def test_bad_input_ends_with_exit_code_2(hourly, arguments):
    with pytest.raises(CommandError) as error:
        call_command("why_not", *arguments)
    assert error.value.returncode == 2 and "\n" not in str(error.value)
