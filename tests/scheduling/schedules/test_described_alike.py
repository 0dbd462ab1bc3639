"""Promise: schedules that are alike say the same, each reader in his language."""

from datetime import UTC, datetime

from django.utils.translation import override

from scheduling.models import Plan
from scheduling.schedules.sentence import describe
from staging.wording import in_one_language

AT = datetime(2026, 11, 24, 6, tzinfo=UTC)


def daily(times: str) -> Plan:
    return Plan(schedule_type="daily", run_times=times, next_scheduled_run=AT)


def test_what_is_alike_says_the_same_in_each_language():
    english = describe(daily("06:00"))
    with override("nl"):
        dutch = describe(daily("06:00"))
        assert dutch == describe(daily("06:00")) != english and describe(daily("07:00")) != dutch
    assert describe(daily("06:00")) == english


def test_what_is_said_in_one_language_stays_in_it_whatever_is_active():
    english = describe(daily("08:00"))
    with in_one_language(), override("nl"):
        assert describe(daily("08:00")) == english
    with override("nl"):
        assert describe(daily("08:00")) != english
