"""What decorators make of a function: names, timing, settings, and a mend for every mistake."""

import asyncio
import inspect
from datetime import UTC, date, datetime, time
from itertools import islice, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduling.errors import InvalidDeclaration
from scheduling.jobs import declare as declare_module
from scheduling.jobs.declare import (
    cron,
    daily,
    every,
    job,
    monthly,
    monthly_dow,
    on_failure,
    once,
    retry,
    weekly,
)
from scheduling.jobs.declared import DeclaredJob, Undeclarable, collecting, draft_of
from scheduling.jobs.discover import finished
from scheduling.jobs.timing import schedule_of

AFTER = datetime(2026, 1, 1, tzinfo=UTC)
LOCAL = datetime.fromisoformat("2026-06-01T09:00")


def declare(*decorators):
    """Return what a function with these decorators, top to bottom, declares."""

    def nightly_maintenance(context):
        """Do nothing."""

    function = nightly_maintenance
    for decorator in reversed(decorators):
        function = decorator(function)
    jobs, broken = finished([draft_of(function)])
    return (jobs + broken)[0]


def only(decorator):
    return declare(decorator).schedules[0]


def fires(schedule, count=3):
    cadence, after, found = schedule_of(schedule.columns).cadence(), AFTER, []
    for _ in range(count):
        after = cadence.next_after(after)
        found.append(f"{after:%m-%d %H:%M}")
    return found


NAMES = [
    (daily("03:15"), "Daily_03_15", "Every day at 03:15, UTC"),
    (daily("3:15", days="weekdays"), "Daily_03_15", "Every weekday at 03:15, UTC"),
    (daily(time(3, 15), months="quarters"), "Daily_03_15", None),
    (every(5), "Every_5m", "Every 5 minutes, UTC"),
    (every(5, "minutes"), "Every_5m", "Every 5 minutes, UTC"),
    (every("5m", between="09:00-17:00"), "Every_5m", "Every 5 minutes from 09:00 to 17:00, UTC"),
    (every(2, "hours", days=["sat", "sun"]), "Every_2h", "Every 2 hours at weekends, UTC"),
    (every(1, "day"), "Every_1d", "Every 24 hours, UTC"),
    (weekly("mon, fri", "06:00"), "Weekly_Mon-Fri_06_00", "Every Monday and Friday at 06:00, UTC"),
    (weekly(["fri", "mon"], "06:00"), "Weekly_Mon-Fri_06_00", "Every Monday and Friday at 06:00, UTC"),
    (weekly("weekdays", "06:00"), "Weekly_Weekdays_06_00", "Every weekday at 06:00, UTC"),
    (weekly("weekends", "06:00"), "Weekly_Weekends_06_00", None),
    (weekly("tue", "07:30", every=2, start="2026-03-02"), "Weekly_Tue_07_30", None),
    (monthly("1, last", "00:30"), "Monthly_01-Last_00_30", "On the 1st and last day of every month at 00:30, UTC"),
    (monthly([15, 1], "00:30"), "Monthly_01-15_00_30", "On the 1st and 15th of every month at 00:30, UTC"),
    (
        monthly_dow("first", "mon", "06:00"),
        "MonthlyDow_First_Mon_06_00",
        "On the 1st Monday of every month at 06:00, UTC",
    ),
    (monthly_dow([1, "last"], "mon,fri", "06:00"), "MonthlyDow_First-Last_Mon-Fri_06_00", None),
    (once("2026-06-01 09:00"), "Once_2026_06_01_09_00", "Once on 2026-06-01 at 09:00, UTC"),
    (once(LOCAL), "Once_2026_06_01_09_00", "Once on 2026-06-01 at 09:00, UTC"),
    (cron("0  6 * * 1-5"), "Cron_0_6_*_*_1-5", None),
    (daily("03:15", name="Early"), "Early", "Every day at 03:15, UTC"),
]


def test_the_document_names_every_decorator():
    page = Path("docs/jobs.md").read_text(encoding="utf-8")
    public = (made for name, made in vars(declare_module).items() if inspect.isfunction(made) and name[0] != "_")
    ours = [made.__name__ for made in public if made.__module__ == declare_module.__name__]
    missing = [name for name in ours if f"@{name}(" not in page]
    assert "daily" in ours and not missing, f"Say in docs/jobs.md what these decorators do: {missing}"


@pytest.mark.parametrize(("decorator", "name", "sentence"), NAMES)
def test_each_decorator_is_one_schedule_with_a_stable_name_and_a_sentence(decorator, name, sentence):
    schedule = only(decorator)
    assert schedule.name == name
    if sentence:
        assert schedule_of(schedule.columns).describe() == sentence


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        (daily("06:00", days="mon", weeks="first"), ["01-05 06:00", "02-02 06:00", "03-02 06:00"]),
        (daily("06:00", months="mar"), ["03-01 06:00", "03-02 06:00", "03-03 06:00"]),
        (daily("06:00", start="2026-02-01", end=date(2026, 2, 3)), ["02-01 06:00", "02-02 06:00", "02-03 06:00"]),
        (daily("06:00", timezone="Europe/Amsterdam"), ["01-01 05:00", "01-02 05:00", "01-03 05:00"]),
        (every(6, "hours", between="09:00-17:00"), ["01-01 09:00", "01-01 15:00", "01-02 09:00"]),
        (every(30, between="23:30-00:30"), ["01-01 00:30", "01-01 23:30", "01-02 00:00"]),
        (every(2, "days"), ["01-02 00:00", "01-04 00:00", "01-06 00:00"]),
        (weekly("tue", "07:30", every=2, start="2026-03-02"), ["03-03 07:30", "03-17 07:30", "03-31 07:30"]),
        (weekly("mon", "07:30", months=[2, 3], weeks="last"), ["02-23 07:30", "03-30 07:30"]),
        (monthly([31], "00:30"), ["01-31 00:30", "03-31 00:30", "05-31 00:30"]),
        (monthly("1, last", "00:30", days="weekdays"), ["01-01 00:30", "03-31 00:30", "04-01 00:30"]),
        (monthly_dow("first,third", "mon", "06:00"), ["01-05 06:00", "01-19 06:00", "02-02 06:00"]),
        (monthly_dow("last", "fri", "06:00", months="quarters"), ["01-30 06:00", "04-24 06:00", "07-31 06:00"]),
        (cron("*/30 * * * *", between="08:00-08:30", days="mon"), ["01-05 08:00", "01-05 08:30", "01-12 08:00"]),
    ],
)
def test_filters_dates_and_zones_compose_with_every_kind(decorator, expected):
    assert fires(only(decorator), len(expected)) == expected


def test_the_example_of_the_contract():
    found = declare(
        job("Nightly maintenance", category="Ops", description="Vacuums stale rows."),
        daily("03:15", days="weekdays", timezone="Europe/Amsterdam"),
        retry(attempts=3, interval_seconds=60),
    )
    assert isinstance(found, DeclaredJob)
    assert (found.name, found.settings.category) == ("Nightly maintenance", "Ops")
    assert found.settings.description == "Vacuums stale rows."
    assert (found.retry.attempts, found.retry.interval_seconds) == (3, 60)
    assert [schedule.name for schedule in found.schedules] == ["Daily_03_15"]
    assert found.source.startswith("tests/scheduling/jobs/test_declare.py:")


def test_without_job_it_is_named_after_the_function_and_without_cadence_people_start_it():
    assert declare(daily("03:15")).name == "Nightly maintenance"
    assert declare(job("By hand")).schedules == ()


def test_the_time_zone_of_the_job_holds_for_schedules_that_name_none():
    found = declare(job("A", timezone="Asia/Tokyo"), daily("03:15"), daily("04:15", timezone="UTC"))
    assert [schedule.columns["timezone"] for schedule in found.schedules] == ["Asia/Tokyo", "UTC"]


@pytest.mark.parametrize("order", [*permutations(range(4))])
def test_reordering_renames_nothing_and_doubles_are_numbered(order):
    given = [
        daily("09:00", days="weekdays"),
        daily("09:00", days="weekends"),
        daily("09:00", timezone="Asia/Tokyo"),
        daily("17:00"),
    ]
    found = {schedule.name: schedule.columns for schedule in declare(*(given[index] for index in order)).schedules}
    usual = {schedule.name: schedule.columns for schedule in declare(*given).schedules}
    assert found == usual
    assert sorted(found) == ["Daily_09_00", "Daily_09_00_2", "Daily_09_00_3", "Daily_17_00"]


@given(st.lists(st.sampled_from(["Daily_09_00", "Daily_09_00_2", "daily_09_00", "A"]), max_size=6))
def test_every_schedule_of_a_job_has_a_name_of_its_own(names):
    found = declare(job("A"), *(daily("09:00", name=name) for name in names)).schedules
    assert len({schedule.name.lower() for schedule in found}) == len(names)


def test_catch_up_is_none_unless_asked_and_a_single_moment_is_made_up_for():
    assert only(daily("03:15")).columns["catch_up"] == "none"
    assert only(daily("03:15", catch_up=0)).columns["catch_up"] == "none"
    three = only(daily("03:15", catch_up=3, catch_up_minutes=60)).columns
    assert (three["catch_up"], three["catch_up_limit"], three["catch_up_window_minutes"]) == ("all", 3, 60)
    assert only(once("2026-06-01 09:00")).columns["catch_up"] == "all"
    assert only(once("2026-06-01 09:00", catch_up=0)).columns["catch_up"] == "none"


def test_an_async_function_and_a_decorated_method_of_no_class_are_jobs():
    @daily("03:15")
    async def slow_report(context):
        await asyncio.sleep(0)

    jobs, broken = finished([draft_of(slow_report)])
    assert [found.name for found in jobs] == ["Slow report"] and not broken


MISTAKES = [
    (daily("25:00"), "@daily: '25:00' is not a time of day; hours go from 00 to 23, minutes from 00 to 59."),
    (daily("6pm"), "@daily: '6pm' is not a time; write 18:00."),
    (daily("03:15", day="mon"), "@daily: There is no option day; did you mean days?"),
    (daily("03:15", days="mnday"), "@daily: 'mnday' is not a day of the week; did you mean mon?"),
    (daily("03:15", days=""), "@daily: Write at least a day such as mon, or leave it out."),
    (daily("03:15", months="febuary"), "@daily: 'febuary' is not a month; did you mean feb?"),
    (daily("03:15", weeks="frist"), "@daily: 'frist' is not a week of the month; did you mean first?"),
    (daily("03:15", between="09:00"), "@daily: '09:00' is not a stretch of the day; write it like 09:00-17:00."),
    (daily("03:15", between="09:00-10:00"), "It can never fire"),
    (daily("03:15", timezone="Europe/Amsterdm"), "did you mean Europe/Amsterdam?"),
    (daily("03:15", start="tomorrow"), "@daily: 'tomorrow' is not a date; write it like 2026-01-31."),
    (daily("03:15", start="2026-02-01", end="2026-01-01"), "The last day 2026-01-01 is before the first day"),
    (daily("03:15", jitter_seconds=-1), "@daily: jitter_seconds is -1; write seconds from 0 to 86400."),
    (daily("03:15", catch_up=-1), "@daily: catch_up is -1; write a whole number from 0 to 1000."),
    (daily("03:15", enabled="no"), "@daily: enabled is 'no'; write True or False."),
    (retry(backoff="no"), "@retry: backoff is 'no'; write True or False."),
    (daily("03:15", dst_gap="jump"), "@daily: dst_gap: 'jump' is not known; write first_valid, shift or skip."),
    (daily("03:15", name=" "), "The name of a schedule has 1 to 100 characters."),
    (daily(), 'write it like @daily("03:15").'),
    (every(0), "@every: 0 is not a distance; write a whole number from 1, such as 5, or 5m."),
    (every(5, "minuets"), "@every: 'minuets' is not a unit; did you mean minutes?"),
    (every(30, "seconds"), "@every: The scheduler looks once a minute; write whole minutes."),
    (every(400, "days"), "@every: That is more than a year; write at most 366 days."),
    (weekly("", "06:00"), "@weekly: Write at least a day such as mon, or leave it out."),
    (weekly("mon", "06:00", every=0), "@weekly: every is 0; write a whole number from 1 to 520."),
    (monthly("32", "06:00"), "@monthly: '32' is not a day of the month; write 1 to 31 or last."),
    (monthly("30", "06:00", months="feb"), "It can never fire"),
    (monthly_dow("first", "mon", "06:00", weeks="last"), "@monthly_dow: It has no use for weeks; leave it out."),
    (once("2026-06-01"), "@once: '2026-06-01' has no time of day; write it like 2026-06-01 09:00."),
    (once("soon"), "@once: 'soon' is not a date with a time; write it like 2026-06-15 09:00."),
    (once("2026-06-01 09:00+02:00"), "has an offset; write local time"),
    (once("2026-06-01 09:00", days="mon"), "@once: It has no use for days; leave it out."),
    (cron("0 6 * *"), "@cron: "),
    (retry(attempts=0), "@retry: attempts is 0; write the total number of runs, from 1 to 100."),
    (retry(interval_seconds=-5), "@retry: interval_seconds is -5; write seconds from 0 to 86400."),
    (retry(on="OSError"), "@retry: on is 'OSError'; write a class of errors, or several in parentheses."),
    (retry(not_on=(OSError, 5)), "@retry: not_on is 5; write a class of errors, or several in parentheses."),
    (retry(on=KeyboardInterrupt), "write a class of errors, or several in parentheses."),
    (retry(backoff=True, max_wait=0), "@retry: max_wait is 0; write seconds from 1 to 86400."),
    (retry(max_wait=60), "@retry: max_wait limits what backoff doubles; add backoff=True, or take it away."),
    (on_failure("mail"), "@on_failure: 'mail' cannot be called; write a function that is not async."),
    (retry(times=3), "write it like @retry(attempts=3, interval_seconds=60)."),
    (job("x" * 101), "@job: The name is longer than 100 characters; shorten it."),
    (job("A", overlap="twice"), "@job: overlap is 'twice'; write skip, queue_one or cancel_running."),
    (job("A", timeout_seconds=0), "@job: timeout_seconds is 0; write whole seconds from 1, or leave it out."),
    (job("A", timezone="Mars/Base"), "is not a time zone"),
    (job("A", priority="high"), "@job: priority is 'high'; write a whole number, higher goes first."),
    (daily, '@daily says nothing by itself; write its arguments, @daily("03:15").'),
]


@pytest.mark.parametrize(("decorator", "message"), MISTAKES)
def test_a_mistake_is_raised_on_import_with_its_place_and_its_mend(decorator, message):
    with pytest.raises(InvalidDeclaration) as raised:
        declare(decorator)
    assert message in str(raised.value)
    assert "tests/scheduling/jobs/test_declare.py:" in str(raised.value)
    assert "nightly_maintenance" in str(raised.value)


@pytest.mark.parametrize(("decorator", "message"), MISTAKES)
def test_while_collecting_a_mistake_is_noted_and_the_job_is_not_declared(decorator, message):
    with collecting():
        found = declare(job("Named"), decorator, daily("04:00")) if decorator is not daily else declare(daily)
    assert isinstance(found, Undeclarable)
    assert message in str(found)


def test_all_mistakes_of_a_job_are_told_at_once():
    with collecting():
        found = declare(job("A", overlap="twice"), daily("25:00"), retry(attempts=0))
    assert len(found.faults) == 3


@pytest.mark.parametrize(
    "function",
    [lambda: None, lambda *context: None, lambda *, context: None],
)
def test_a_function_that_does_not_take_the_context_is_refused(function):
    with pytest.raises(InvalidDeclaration, match=r"write def .*\(context\)"):
        daily("03:15")(function)


def test_a_generator_is_refused():
    def lines(context):
        yield 1

    with pytest.raises(InvalidDeclaration, match="take out the yield"):
        daily("03:15")(lines)


def test_two_jobs_of_one_name_leave_the_first():
    def one(context): ...
    def two(context): ...

    jobs, broken = finished([draft_of(job("Report")(one)), draft_of(job("report")(two))])
    assert [found.path.rsplit(".")[-1] for found in jobs] == ["one"]
    assert "name one of them otherwise" in str(broken[0])


def test_the_function_itself_is_left_as_it_is():
    def f(context):
        return "done"

    assert job("A")(daily("03:15")(retry()(f))) is f


def test_every_schedule_names_instants_that_ascend():
    for decorator, _, _ in NAMES:
        cadence = schedule_of(only(decorator).columns).cadence()
        found = list(islice(cadence.between(AFTER, datetime(2027, 1, 1, tzinfo=UTC)), 5))
        assert found == sorted(set(found)) and found
