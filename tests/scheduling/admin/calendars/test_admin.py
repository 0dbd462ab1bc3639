"""Promises of the blackout calendars' pages: periods with their rules, users, next dark stretches, and the import."""

import re
from datetime import date, timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation
from django.utils.translation import gettext

from scheduling import clock
from scheduling.models import BlackoutCalendar, BlackoutPeriod, SchedulerConfiguration
from tests.scheduling.admin.conftest import make_configuration

pytestmark = pytest.mark.django_db
LIST = "/admin/scheduling/blackoutcalendar/"
NASTY = "<script>alert('x')</script>"
ICS = "\r\n".join([
    "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN",
    "BEGIN:VEVENT", "UID:1", "DTSTAMP:20260101T000000Z", "DTSTART;VALUE=DATE:20261225", "DTEND;VALUE=DATE:20261227",
    "SUMMARY:Christmas", "END:VEVENT",
    "BEGIN:VEVENT", "UID:2", "DTSTAMP:20260101T000000Z", "DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=YEARLY",
    "SUMMARY:New Year", "END:VEVENT", "END:VCALENDAR", "",
])  # fmt: skip


def make_calendar(name: str = "Holidays", **fields) -> BlackoutCalendar:
    return BlackoutCalendar.objects.create(**{"name": name, "timezone": "Europe/Amsterdam", **fields})


def add_days(calendar: BlackoutCalendar, *firsts: date, **fields) -> None:
    BlackoutPeriod.objects.bulk_create(BlackoutPeriod(calendar=calendar, first_day=first, **fields) for first in firsts)


def sent(*periods: dict, name: str = "Holidays", initial: int = 0, **fields) -> dict:
    """Return what the form sends."""
    data = {"name": name, "description": "", "timezone": "Europe/Amsterdam", "policy": "skip",
            "periods-TOTAL_FORMS": str(len(periods)), "periods-INITIAL_FORMS": str(initial), **fields}  # fmt: skip
    for number, period in enumerate(periods):
        data |= {f"periods-{number}-{column}": value for column, value in period.items()}
    return data


def text_of(response) -> str:
    assert response.status_code == 200
    return response.content.decode()


def upload(client, calendar, content: str | bytes, name: str = "holidays.csv", **fields):
    file = SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)
    return client.post(f"{LIST}{calendar.pk}/import/", {"file": file, **fields})


def confirm(client, calendar, page: str, **fields):
    signed = re.search(r'name="drafts" value="([^"]+)"', page)[1]
    return client.post(f"{LIST}{calendar.pk}/import/", {"drafts": signed, **fields}, follow=True)


def test_a_calendar_is_made_with_periods_of_every_kind_in_their_stored_form(steward):
    periods = (
        {"kind": "days", "first_day": "2026-12-25", "last_day": "2026-12-26", "note": "Christmas", "run_days": "mon"},
        {"kind": "yearly", "first_day": "2026-01-01"},
        {"kind": "weekly", "run_days": ["sun", "sat"], "window_start": "22:00", "window_end": "06:00"},
        {"kind": "days"},
    )
    response = steward.post(f"{LIST}add/", sent(*periods))
    assert response.status_code == 302, text_of(response)
    columns = ("kind", "first_day", "last_day", "run_days", "note")
    assert list(BlackoutPeriod.objects.order_by("id").values_list(*columns)) == [
        ("days", date(2026, 12, 25), date(2026, 12, 26), "", "Christmas"),
        ("yearly", date(2026, 1, 1), None, "", ""), ("weekly", None, None, "sat,sun", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(("period", "message"), [
    ({"kind": "days"}, None),
    ({"kind": "yearly"}, "Write the first day"),
    ({"kind": "days", "first_day": "2026-12-26", "last_day": "2026-12-25"}, "The last day is before the first day"),
    ({"kind": "days", "first_day": "christmas"}, "christmas"),
    ({"kind": "weekly"}, "needs at least one day"),
    ({"kind": "weekly", "run_days": "sat", "window_start": "10:00"}, "The window has a start only"),
    ({"kind": "weekly", "run_days": "someday"}, "Select a valid choice"),
    ({"kind": "monthly", "first_day": "2026-01-01"}, "Select a valid choice"),
    ({"kind": "days", "first_day": "2026-12-25", "note": "x" * 101}, "100"),
    ({"kind": "weekly", "run_days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]}, "Nothing could ever start"),
])  # fmt: skip
def test_a_fault_is_told_and_nothing_is_stored(steward, period, message):
    response = steward.post(f"{LIST}add/", sent(period))
    if message is None:
        assert response.status_code == 302, "an empty line is no period"
    else:
        assert message in text_of(response) and not BlackoutCalendar.objects.exists()


@pytest.mark.parametrize(("fields", "message"), [
    ({"name": " "}, "required"), ({"timezone": "Mars/Olympus"}, "Select a valid choice"),
    ({"policy": "x"}, "valid choice"),
])  # fmt: skip
def test_a_fault_of_the_calendar_stands_at_its_field(steward, fields, message):
    assert message in text_of(steward.post(f"{LIST}add/", {**sent(), **fields}))
    assert not BlackoutCalendar.objects.exists()


def test_a_new_calendar_begins_with_the_zone_of_the_site(steward, settings):
    settings.TIME_ZONE = "Europe/Paris"
    assert '<option value="Europe/Paris" selected>' in text_of(steward.get(f"{LIST}add/"))


def test_a_name_is_taken_only_once(steward):
    make_calendar()
    assert "already exists" in text_of(steward.post(f"{LIST}add/", sent()))


def test_a_calendar_that_would_be_always_dark_with_what_it_has_is_refused(steward):
    calendar = make_calendar()
    half = BlackoutPeriod.objects.create(calendar=calendar, kind="weekly", run_days="mon,tue,wed,thu")
    rest = {"kind": "weekly", "run_days": ["fri", "sat", "sun"]}
    kept = {"id": half.pk, "calendar": calendar.pk, "kind": "weekly", "run_days": ["mon", "tue", "wed", "thu"]}
    data = sent(kept, rest, initial=1)
    assert "Nothing could ever start" in text_of(steward.post(f"{LIST}{calendar.pk}/change/", data))
    assert BlackoutPeriod.objects.count() == 1
    exchanged = sent({**kept, "DELETE": "on"}, rest, initial=1)
    assert steward.post(f"{LIST}{calendar.pk}/change/", exchanged).status_code == 302
    assert BlackoutPeriod.objects.get().run_days == "fri,sat,sun"


def test_saving_without_a_change_changes_nothing_and_says_so_in_no_history(steward):
    calendar = make_calendar()
    period = BlackoutPeriod.objects.create(
        calendar=calendar, kind="weekly", run_days="sat,sun", window_start="22:00", window_end="06:00", note="Weekend"
    )
    line = {"id": period.pk, "calendar": calendar.pk, "kind": "weekly", "run_days": ["sat", "sun"], "note": "Weekend",
            "window_start": "22:00", "window_end": "06:00"}  # fmt: skip
    before = list(BlackoutPeriod.objects.values())
    assert steward.post(f"{LIST}{calendar.pk}/change/", sent(line, initial=1)).status_code == 302
    assert list(BlackoutPeriod.objects.values()) == before
    assert LogEntry.objects.get().get_change_message() == "No fields changed."


def test_the_page_tells_who_uses_it_and_when_it_is_dark_next(viewer):
    calendar = make_calendar()
    today = clock.now().date()
    add_days(calendar, today + timedelta(days=3), today + timedelta(days=300), today - timedelta(days=30))
    make_configuration("customer", calendar=calendar)
    make_configuration("branch")
    page = text_of(viewer.get(f"{LIST}{calendar.pk}/change/"))
    assert ">Customer</a>" in page and ">Branch</a>" not in page
    dark = page.split('id="dark-next"')[1].split("</table>")[0]
    assert dark.count('<th scope="row"') == 2
    assert f"{today + timedelta(days=3):%a}" in dark and "00:00 Europe/Amsterdam" in dark
    assert "nothing has to be saved again" in page


def test_the_list_tells_users_periods_and_whether_it_is_dark_now(viewer):
    calendar = make_calendar()
    add_days(calendar, clock.now().date() - timedelta(days=1), last_day=clock.now().date() + timedelta(days=1))
    make_configuration("customer", calendar=calendar)
    page = text_of(viewer.get(LIST))
    assert "1 schedule<" in page and "</span> dark</span>" in page and "are left out" in page


def test_the_list_costs_the_same_for_two_and_for_twelve(superuser):
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            text_of(superuser.get(LIST))
        return len(captured)

    for number in range(2):
        add_days(make_calendar(f"Calendar {number}"), date(2030, 1, 1))
    few = queries()
    for number in range(2, 12):
        calendar = make_calendar(f"Calendar {number}")
        add_days(calendar, date(2030, 1, 1), date(2031, 1, 1))
        make_configuration(f"entity_{number}", calendar=calendar)
    assert queries() == few <= 10


def test_a_calendar_in_use_is_not_deleted_and_the_page_says_by_whom(steward):
    calendar = make_calendar()
    make_configuration("customer", calendar=calendar)
    page = text_of(steward.get(f"{LIST}{calendar.pk}/delete/"))
    assert ">Customer</a> uses Holidays" in page and "Yes, I’m sure" not in page
    steward.post(f"{LIST}{calendar.pk}/delete/", {"post": "yes"})
    chosen = {"action": "delete_selected", "_selected_action": [calendar.pk], "post": "yes", "index": "0"}
    steward.post(LIST, chosen)
    assert BlackoutCalendar.objects.count() == 1


def test_a_free_calendar_is_deleted_with_its_periods(steward):
    calendar = make_calendar()
    add_days(calendar, date(2030, 1, 1))
    steward.post(f"{LIST}{calendar.pk}/delete/", {"post": "yes"})
    assert not BlackoutCalendar.objects.exists() and not BlackoutPeriod.objects.exists()


def test_changing_a_calendar_leaves_the_schedules_as_they_are(steward):
    calendar = make_calendar()
    make_configuration("customer", calendar=calendar)
    before = list(SchedulerConfiguration.objects.values())
    assert steward.post(f"{LIST}{calendar.pk}/change/", sent({"kind": "yearly", "first_day": "2026-05-01"})).status_code
    assert BlackoutPeriod.objects.count() == 1 and list(SchedulerConfiguration.objects.values()) == before


def test_of_very_many_periods_those_that_matter_are_shown_and_all_are_kept(steward):
    calendar = make_calendar()
    today = clock.now().date()
    add_days(calendar, *(today + timedelta(days=2 * number) for number in range(-150, 150)))
    BlackoutPeriod.objects.create(calendar=calendar, kind="weekly", run_days="sun")
    page = text_of(steward.get(f"{LIST}{calendar.pk}/change/"))
    assert 'name="periods-INITIAL_FORMS" value="151"' in page and "150 others" not in page
    assert f'value="{today - timedelta(days=2)}"' not in page and f'value="{today + timedelta(days=2)}"' in page
    last = BlackoutPeriod.objects.order_by("-first_day").exclude(kind="weekly").first()
    line = {"id": last.pk, "calendar": calendar.pk, "kind": "days", "first_day": last.first_day, "note": "Mine"}
    assert steward.post(f"{LIST}{calendar.pk}/change/", sent(line, initial=1)).status_code == 302
    assert BlackoutPeriod.objects.count() == 301 and BlackoutPeriod.objects.get(note="Mine").pk == last.pk


def test_names_and_notes_are_shown_as_text(steward):
    calendar = make_calendar(NASTY, description=NASTY)
    add_days(calendar, date(2030, 1, 1), note=NASTY)
    configuration = make_configuration("customer", calendar=calendar)
    page = text_of(upload(steward, calendar, f"2026-12-25,,{NASTY}", name=f"{NASTY}.csv"))
    assert NASTY not in page and "alert(" in page
    assert NASTY not in text_of(confirm(steward, calendar, page))
    of_calendar = [f"{LIST}{calendar.pk}/{page}/" for page in ("change", "history", "import", "delete")]
    of_configuration = f"/admin/scheduling/schedulerconfiguration/{configuration.pk}"
    for path in (LIST, *of_calendar, f"{of_configuration}/change/", f"{of_configuration}/test-run/"):
        page = text_of(steward.get(path))
        assert NASTY not in page and "alert(" in page, path


def test_an_import_shows_what_the_file_says_and_stores_it_only_when_confirmed(steward):
    calendar = make_calendar()
    page = text_of(upload(steward, calendar, ICS, name="holidays.ics"))
    assert "<strong>2 periods</strong> in holidays.ics" in page and "Christmas" in page and "New Year" in page
    assert not BlackoutPeriod.objects.exists()
    assert "2 periods imported." in text_of(confirm(steward, calendar, page))
    assert sorted(BlackoutPeriod.objects.values_list("kind", "first_day", "last_day", "note")) == [
        ("days", date(2026, 12, 25), date(2026, 12, 26), "Christmas"),
        ("yearly", date(2026, 1, 1), date(2026, 1, 1), "New Year"),
    ]  # fmt: skip
    assert LogEntry.objects.get().get_change_message() == "Changed Imported 2 periods from holidays.ics."
    again = text_of(confirm(steward, calendar, text_of(upload(steward, calendar, ICS, name="holidays.ics"))))
    assert "0 periods imported; 2 were there already." in again and BlackoutPeriod.objects.count() == 2


def test_replacing_exchanges_days_and_keeps_weekly_windows(steward):
    calendar = make_calendar()
    add_days(calendar, date(2025, 12, 25))
    BlackoutPeriod.objects.create(calendar=calendar, kind="weekly", run_days="sun")
    page = text_of(upload(steward, calendar, "date,note\n2026-12-25,Christmas\n", replace="on"))
    assert "will be taken out" in page
    confirm(steward, calendar, page, replace="on")
    assert sorted(BlackoutPeriod.objects.values_list("kind", "first_day")) == [
        ("days", date(2026, 12, 25)), ("weekly", None),
    ]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), [
    ("2026-12-25\nchristmas\n2026-02-30", "line 2"), ("2026-12-25\n2026-02-30", "There is no day 2026-02-30"),
    ("", "There are no days in this file"), (b"\xff\xfe\x00", "not UTF-8"), ("x" * 1_000_001, "at most 1,000,000"),
    ("2000-01-01,9990-01-01", "dark"),
])  # fmt: skip
def test_a_file_that_cannot_be_read_is_told_with_its_lines(steward, content, message):
    calendar = make_calendar()
    page = text_of(upload(steward, calendar, content))
    if 'name="drafts"' in page:
        page = text_of(confirm(steward, calendar, page))
    assert message in page and not BlackoutPeriod.objects.exists()


def test_without_a_file_the_field_says_so(steward):
    assert "Choose a file." in text_of(steward.post(f"{LIST}{make_calendar().pk}/import/", {}))


def test_what_was_shown_cannot_be_changed_nor_stored_in_another_calendar(steward):
    calendar, other = make_calendar(), make_calendar("Other")
    page = text_of(upload(steward, calendar, "2026-12-25"))
    assert "Choose the file again" in text_of(confirm(steward, other, page))
    response = steward.post(f"{LIST}{calendar.pk}/import/", {"drafts": "nonsense"}, follow=True)
    assert "Choose the file again" in text_of(response) and not BlackoutPeriod.objects.exists()


def test_a_viewer_sees_the_calendar_and_no_way_to_change_it(viewer):
    calendar = make_calendar()
    add_days(calendar, date(2030, 1, 1), note="New Year")
    page = text_of(viewer.get(f"{LIST}{calendar.pk}/change/"))
    assert "New Year" in page and "Import holidays" not in page and 'name="_save"' not in page


def test_each_field_of_a_period_names_its_column_in_the_language_of_the_reader(steward):
    """Where a row is a card nobody sees the head of the table."""
    page = steward.get(f"{LIST}add/", headers={"accept-language": "nl"}).content.decode()
    with translation.override("nl"):
        labels = [gettext("First day"), gettext("Last day")]
    assert labels[0] != "First day"
    for label in labels:
        assert f'data-label="{label}"' in page
    assert 'data-label="First day"' not in page
