"""Promises of `import_calendar`: it makes the calendar, tells every fault with its line, and stores all or nothing."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from scheduling.models import BlackoutCalendar, BlackoutPeriod

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(capsys, tmp_path):
    """Return a function that imports a file of this content and returns the one document."""

    def call(content: str, *options: str, file: str = "days.csv") -> dict:
        path = tmp_path / file
        path.write_text(content, encoding="utf-8")
        capsys.readouterr()
        call_command("import_calendar", "Holidays", str(path), *options, "--json")
        return json.loads(capsys.readouterr().out)

    return call


def test_a_calendar_is_made_and_filled(run):
    document = run("2026-12-25,2026-12-26,Christmas", "--timezone", "Europe/Amsterdam")
    assert document == {
        "calendar": "Holidays", "created": True, "timezone": "Europe/Amsterdam", "imported": 1, "known": 0,
    }  # fmt: skip
    assert BlackoutCalendar.objects.get().timezone == "Europe/Amsterdam"


def test_a_second_import_adds_what_is_new_and_replace_exchanges(run):
    run("2026-12-25")
    again = run("2026-12-25\n2027-01-01")
    assert (again["created"], again["imported"], again["known"]) == (False, 1, 1)
    run("2028-01-01", "--replace")
    assert BlackoutPeriod.objects.get().first_day.year == 2028


def test_an_icalendar_file_is_known_by_its_name(run):
    event = "BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20261225\r\nRRULE:FREQ=YEARLY\r\nEND:VEVENT\r\n"
    assert run(f"BEGIN:VCALENDAR\r\n{event}END:VCALENDAR\r\n", file="days.ics")["imported"] == 1
    assert BlackoutPeriod.objects.get().kind == "yearly"


@pytest.mark.parametrize(
    ("content", "options", "text"),
    [
        (
            "2026-12-25\nsoon\n2026-99-01",
            [],
            "line 2: 'soon' is not a date; write it like 2026-12-31.\nline 3: There is",
        ),
        ("2026-12-25", ["--timezone", "Mars/Olympus"], "timezone: 'Mars/Olympus' is not a time zone"),
        (
            "2026-01-01,2090-01-01",
            [],
            "periods: Nothing could start for years: it is dark from 2026-01-01 to 2090-01-01",
        ),
        ("", [], "file: There are no days in this file."),
    ],
)
def test_a_bad_file_ends_with_exit_code_2_and_leaves_nothing(run, content, options, text):
    with pytest.raises(CommandError) as error:
        run(content, *options)
    assert error.value.returncode == 2 and text in str(error.value)
    assert not BlackoutCalendar.objects.exists()


def test_a_file_that_is_not_there_is_bad_input(tmp_path):
    with pytest.raises(CommandError) as error:
        call_command("import_calendar", "Holidays", str(tmp_path / "nosuch.csv"))
    assert error.value.returncode == 2 and "No such file" in str(error.value)
