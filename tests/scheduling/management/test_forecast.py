"""Promises of the command forecast: the document of the contract, honest exit codes."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db


def run(capsys, *arguments: str) -> str:
    capsys.readouterr()
    call_command("forecast", *arguments)
    return capsys.readouterr().out


@pytest.fixture
def daily(make_entity):
    return make_entity(
        processing_mode="scheduled", schedule_type="daily", run_times="07:00", timezone="Europe/Amsterdam",
        next_scheduled_run=NOW, armed_from=NOW - timedelta(days=1),
    )  # fmt: skip


def test_the_document_is_the_one_of_the_contract(daily, capsys):
    document = json.loads(run(capsys, "--now", NOW.isoformat(), "--json"))
    [fire] = document["fires"]
    assert {name: fire[name] for name in ("at", "what", "sentence")} == {
        "at": "2026-03-02T06:00:00+00:00",
        "what": "branch",
        "sentence": "Every day at 07:00, Europe/Amsterdam",
    }
    assert document["until"] == "2026-03-03T06:00:00+00:00" and document["not_fired"] == []
    assert document["quiet"] == [{"from": "2026-03-02T06:01:00+00:00", "until": "2026-03-03T06:00:00+00:00"}]


def test_it_looks_between_any_two_instants(daily, capsys):
    span = ("--from", "2026-07-01T00:00:00+02:00", "--until", "2026-07-08T00:00:00+02:00")
    fires = json.loads(run(capsys, *span, "--json"))["fires"]
    assert [fire["at"] for fire in fires] == [f"2026-07-0{day}T05:00:00+00:00" for day in range(1, 8)]


def test_without_an_end_it_looks_a_day_ahead(daily, capsys):
    document = json.loads(run(capsys, "--from", "2026-07-01T00:00:00Z", "--json"))
    assert document["until"] == "2026-07-02T00:00:00+00:00" and len(document["fires"]) == 1


def test_the_text_tells_it_all(daily, make_entity, capsys):
    make_entity("region", processing_mode="triggered", trigger_row_threshold=500)
    lines = run(capsys, "--now", NOW.isoformat()).splitlines()
    assert lines[0] == "2026-03-02T06:00:00+00:00  branch  fires  Every day at 07:00, Europe/Amsterdam"
    assert lines[1] == "when data arrives: region  When 500 rows wait"
    assert lines[2].startswith("quiet: from 2026-03-02T06:01:00")


def test_what_fires_often_shares_a_line(daily, make_entity, capsys):
    every_minute = {"schedule_type": "interval", "interval_minutes": 1, "next_scheduled_run": NOW}
    make_entity("price", processing_mode="scheduled", **every_minute)
    lines = run(capsys, "--now", NOW.isoformat()).splitlines()
    assert lines[1] == (
        "2026-03-02T06:00:00+00:00  price  fires 1,440 times until 2026-03-03T05:59:00+00:00  Every minute, UTC"
    )
    assert len([line for line in lines if "fires" in line]) == 2


def test_with_nothing_to_fire_it_says_so(capsys):
    assert run(capsys).startswith("Nothing will fire.")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--from", "tomorrow"),
        ("--until", "2026-03-04T06:00:00"),
        ("--from", NOW.isoformat(), "--until", NOW.isoformat()),
        ("--from", "9999-12-31T23:59:59Z"),
        ("--from", "0001-01-01T00:00:00+14:00"),
        ("--from", "2026-03-04T06:00:00Z", "--until", "2126-03-04T06:00:00Z"),
        ("--now", "never"),
    ],
)
def test_bad_instants_end_with_exit_code_2_and_one_line(arguments):
    with pytest.raises(CommandError) as error:
        call_command("forecast", *arguments)
    assert error.value.returncode == 2 and "\n" not in str(error.value)
