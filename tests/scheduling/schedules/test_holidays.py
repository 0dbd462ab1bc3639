"""Promises of the import: files are read whole, each fault has its line, and nothing is stored by halves."""

from datetime import date

import pytest

from scheduling.errors import InvalidSchedule
from scheduling.models import BlackoutCalendar, BlackoutPeriod
from scheduling.schedules.drafts import PeriodDraft
from scheduling.schedules.holidays import MAX_BYTES, import_holidays, read_holidays

TODAY = date(2026, 3, 2)
NEW_YEAR, CHRISTMAS, BOXING = date(2026, 1, 1), date(2026, 12, 25), date(2026, 12, 26)


def read(content: str | bytes, name: str = "days.csv") -> list[PeriodDraft]:
    return read_holidays(content, name, today=TODAY)


def facts(drafts: list[PeriodDraft]) -> list[tuple]:
    return [(draft.first_day, draft.last_day, draft.note) for draft in drafts]


@pytest.mark.parametrize(
    "content",
    [
        "2026-01-01,,New Year\n2026-12-25,2026-12-26,Christmas",
        "date,last_date,note\n2026-01-01,,New Year\n\n2026-12-25,2026-12-26,Christmas\n",
        "Date;Last date;Note\r\n2026-01-01;;New Year\r\n2026-12-25;2026-12-26;Christmas\r\n",
        "note,date,last_date\nNew Year,2026-01-01,\nChristmas,2026-12-25,2026-12-26",
        b"\xef\xbb\xbf2026-01-01,New Year\n2026-12-25, 2026-12-26, Christmas\n",
    ],
)
def test_csv_is_read_with_and_without_a_header_by_comma_and_semicolon(content):
    assert facts(read(content)) == [(NEW_YEAR, None, "New Year"), (CHRISTMAS, BOXING, "Christmas")]


def test_a_date_alone_is_enough_and_a_quoted_note_keeps_its_comma():
    assert facts(read('2026-01-01\n2026-12-25,,"Yes, Christmas"')) == [
        (NEW_YEAR, None, ""), (CHRISTMAS, None, "Yes, Christmas"),
    ]  # fmt: skip


def test_every_fault_of_a_csv_is_told_with_its_line():
    with pytest.raises(InvalidSchedule) as error:
        read("date,last_date\n2026-13-01\n2026-12-25\n25.12.2026\n2026-12-26,2026-12-25\n2026-12-27,,note,more")
    errors = error.value.errors
    assert list(errors) == ["line 2", "line 4", "line 5", "line 6"]
    assert "no day 2026-13-01" in errors["line 2"][0] and "write it like 2026-12-31" in errors["line 4"][0]
    assert "before the first day" in errors["line 5"][0] and "put a note with commas in quotes" in errors["line 6"][0]


def test_many_faults_are_counted_not_listed():
    with pytest.raises(InvalidSchedule) as error:
        read("nonsense\n" * 50)
    assert len(error.value.errors) == 21 and error.value.errors["file"] == ["There are 30 more faults."]


@pytest.mark.parametrize(
    "content", [b"2026-01-01,\xe9t\xe9", b"ok\n\xff\xfe\x00", "", "\n\n", "date,note\n", '"', "\x00"]
)
def test_what_is_no_holiday_file_is_refused_without_a_trace_of_python(content):
    with pytest.raises(InvalidSchedule):
        read(content)


def test_a_file_that_is_too_large_is_refused_before_it_is_read():
    with pytest.raises(InvalidSchedule, match="at most 1,000,000 are read"):
        read(b"x" * (MAX_BYTES + 1))
    with pytest.raises(InvalidSchedule, match="a calendar takes 2,000"):
        read("2026-01-01\n" * 2001)


def ics(*events: str) -> bytes:
    """Return an iCalendar file; each event is its lines without the frame."""
    framed = "".join(
        f"BEGIN:VEVENT\r\nUID:{number}\r\n{event}\r\nEND:VEVENT\r\n" for number, event in enumerate(events)
    )
    head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n"
    return (head + framed.replace("\n", "\r\n").replace("\r\r", "\r") + "END:VCALENDAR\r\n").encode()


def kinds(content: bytes) -> list[tuple]:
    return [(d.kind, d.first_day, d.last_day, d.run_days) for d in read(content, "days.ics")]


@pytest.mark.parametrize(
    ("event", "periods"),
    {
        "one day": ("DTSTART;VALUE=DATE:20261225", [("days", CHRISTMAS, None, "")]),
        "its end is the day after": (
            "DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261227", [("days", CHRISTMAS, BOXING, "")]),
        "a duration": ("DTSTART;VALUE=DATE:20261225\nDURATION:P2D", [("days", CHRISTMAS, BOXING, "")]),
        "an end on the start": (
            "DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261225", [("days", CHRISTMAS, None, "")]),
        "midnight to midnight": (
            "DTSTART;TZID=Europe/Amsterdam:20261225T000000\nDTEND;TZID=Europe/Amsterdam:20261227T000000",
            [("days", CHRISTMAS, BOXING, "")]),
        "yearly without end": (
            "DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY", [("yearly", CHRISTMAS, CHRISTMAS, "")]),
        "yearly, said in full": (
            "DTSTART;VALUE=DATE:20261225\nDURATION:P2D\nRRULE:FREQ=YEARLY;INTERVAL=1;BYMONTH=12;BYMONTHDAY=25",
            [("yearly", CHRISTMAS, BOXING, "")]),
        "yearly with an end": (
            "DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY;UNTIL=20281225T235959Z",
            [("days", date(year, 12, 25), None, "") for year in (2026, 2027, 2028)]),
        "the fourth Thursday of November": (
            "DTSTART;VALUE=DATE:20251127\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;COUNT=3",
            [("days", date(2025, 11, 27), None, ""), ("days", date(2026, 11, 26), None, ""),
             ("days", date(2027, 11, 25), None, "")]),
        "every weekend": (
            "DTSTART;VALUE=DATE:20260103\nRRULE:FREQ=WEEKLY;BYDAY=SU,SA", [("weekly", None, None, "sat,sun")]),
        "yearly but for one year": (
            "DTSTART;VALUE=DATE:20281225\nRRULE:FREQ=YEARLY\nEXDATE;VALUE=DATE:20291225",
            [("days", date(year, 12, 25), None, "") for year in (2028, 2030)]),
        "with a day more": (
            "DTSTART;VALUE=DATE:20261225\nRDATE;VALUE=DATE:20270105",
            [("days", CHRISTMAS, None, ""), ("days", date(2027, 1, 5), None, "")]),
        "29 February each year": (
            "DTSTART;VALUE=DATE:20240229\nRRULE:FREQ=YEARLY", [("yearly", date(2024, 2, 29), date(2024, 2, 29), "")]),
    }.values(),
)  # fmt: skip
def test_whole_day_events_become_periods(event, periods):
    found = kinds(ics(event))
    assert [
        (kind, first, last if last != first or kind == "yearly" else None, days) for kind, first, last, days in found
    ] == periods


def test_a_recurrence_without_end_stops_at_the_horizon():
    found = read(ics("DTSTART;VALUE=DATE:20200101\nRRULE:FREQ=MONTHLY;BYMONTHDAY=-1"), "days.ics")
    assert found[0].first_day == date(2020, 1, 31) and found[-1].first_day == date(2031, 2, 28)


def test_a_moved_occurrence_takes_the_place_of_the_one_it_replaces():
    file = ics("DTSTART;VALUE=DATE:20291225\nRRULE:FREQ=YEARLY").replace(b"END:VCALENDAR", (
        b"BEGIN:VEVENT\r\nUID:0\r\nRECURRENCE-ID;VALUE=DATE:20291225\r\nDTSTART;VALUE=DATE:20291227\r\n"
        b"END:VEVENT\r\nEND:VCALENDAR"))  # fmt: skip
    assert [draft.first_day for draft in read(file, "days.ics")] == [date(2030, 12, 25), date(2029, 12, 27)]


def test_cancelled_events_are_left_out_and_notes_are_kept():
    found = read(
        ics("DTSTART;VALUE=DATE:20260101\nSTATUS:CANCELLED", "DTSTART;VALUE=DATE:20261225\nSUMMARY:Christmas\\, day 1"),
        "x.ics",
    )
    assert facts(found) == [(CHRISTMAS, CHRISTMAS, "Christmas, day 1")] or facts(found) == [
        (CHRISTMAS, None, "Christmas, day 1")
    ]


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ("DTSTART:20261225T090000Z\nDTEND:20261225T100000Z", "it has times of day"),
        ("DTSTART:20261225T000000Z", "it has times of day"),
        ("SUMMARY:Lunch", "it has no start"),
        ("DTSTART;VALUE=DATE:20269925", "its DTSTART cannot be read"),
        ("DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261220", "it ends before it starts"),
        ("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=DAILY", "make a weekly window of it"),
        ("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=DAILY;INTERVAL=0", "make a weekly window of it"),
        ("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=HOURLY", "it recurs within the day"),
        ("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=SOMETIMES", "its RRULE cannot be read"),
        ("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "it never comes"),
        ("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY\nRRULE:FREQ=DAILY", "several recurrence rules"),
    ],
)
def test_other_events_are_refused_with_the_line_and_the_reason(event, text):
    with pytest.raises(InvalidSchedule) as error:
        read(ics("DTSTART;VALUE=DATE:20260101", event), "days.ics")
    line = 8
    assert list(error.value.errors) == [f"line {line}"] and text in error.value.errors[f"line {line}"][0]


@pytest.mark.parametrize(
    "content", [b"hello", b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20260101\r\n", b""]
)
def test_a_broken_icalendar_file_is_refused(content):
    with pytest.raises(InvalidSchedule):
        read(content, "days.ics")


@pytest.fixture
def calendar(db) -> BlackoutCalendar:
    return BlackoutCalendar.objects.create(name="Holidays", timezone="Europe/Amsterdam")


def test_duplicates_are_ignored_in_the_file_and_in_the_calendar(calendar):
    drafts = read("2026-01-01,New Year\n2026-01-01,2026-01-01,again\n2026-12-25")
    assert import_holidays(calendar, drafts, replace=False) == 2
    assert import_holidays(calendar, drafts, replace=False) == 0
    assert BlackoutPeriod.objects.count() == 2


def test_replacing_exchanges_dates_and_leaves_weekly_windows(calendar):
    BlackoutPeriod.objects.create(calendar=calendar, kind="weekly", run_days="sun")
    import_holidays(calendar, read("2026-01-01"), replace=False)
    assert import_holidays(calendar, read("2026-12-25"), replace=True) == 1
    assert sorted(calendar.periods.values_list("kind", "first_day")) == [("days", CHRISTMAS), ("weekly", None)]


def test_an_import_after_which_nothing_could_start_stores_nothing(calendar):
    import_holidays(calendar, read("2026-01-01"), replace=False)
    with pytest.raises(InvalidSchedule, match="Nothing could start for years"):
        import_holidays(calendar, read("2026-01-01,2099-01-01"), replace=True)
    assert list(calendar.periods.values_list("first_day", flat=True)) == [NEW_YEAR]


def test_what_is_imported_darkens_its_days(calendar):
    import_holidays(calendar, read(ics("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY"), "x.ics"), replace=False)
    from datetime import UTC, datetime

    blackout = calendar.blackout()
    assert blackout.covers(datetime(2040, 12, 25, 12, tzinfo=UTC)) and not blackout.covers(
        datetime(2040, 12, 26, 12, tzinfo=UTC)
    )
