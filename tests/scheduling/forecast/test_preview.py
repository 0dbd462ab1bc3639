"""A preview: the sentence and the next fires of values nobody saved, or their faults."""

from datetime import UTC, date, datetime, timedelta

import pytest

from scheduling.forecast.preview import SchedulePreview
from scheduling.forecast.preview import preview_schedule as preview_of
from scheduling.models import BlackoutCalendar, SchedulerConfiguration
from scheduling.schedules.sentence import describe
from staging.models import Entity

BRANCH = Entity(code="branch", name="Branch")
NOW = datetime(2026, 11, 20, 6, 0, tzinfo=UTC)
DAILY = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "6:00, 18:00"}


def preview(values: dict, **options) -> SchedulePreview:
    return preview_of(values, entity=BRANCH, **options)


def instants(shown: SchedulePreview) -> list[datetime]:
    return [fire.at for fire in shown.fires]


def test_valid_values_give_the_sentence_and_the_next_fires() -> None:
    shown = preview(DAILY, now=NOW, count=3)
    assert shown.sentence == "Every day at 06:00 and 18:00, UTC"
    assert instants(shown) == [NOW + timedelta(hours=12 * number) for number in (1, 2, 3)]
    assert shown.errors == {}


def test_broken_values_give_their_faults_only() -> None:
    shown = preview(DAILY | {"run_times": "6am"}, now=NOW)
    assert (shown.sentence, shown.fires) == ("", [])
    assert shown.errors == {"run_times": ["'6am' is not a time; write 06:00."]}


def test_a_schedule_that_ends_shows_what_is_left() -> None:
    assert len(preview(DAILY | {"ends_on": "2026-11-20"}, now=NOW).fires) == 1


def test_an_interval_after_completion_counts_from_a_run_that_ends_now() -> None:
    values = {
        "processing_mode": "scheduled",
        "schedule_type": "interval",
        "interval_minutes": 30,
        "interval_anchor": "last_completion",
    }
    shown = preview(values, now=NOW)
    assert instants(shown)[:2] == [NOW + timedelta(minutes=30), NOW + timedelta(minutes=60)]
    assert shown.sentence == "30 minutes after the last completion, UTC"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({}, "Started by people"),
        ({"processing_mode": "triggered", "trigger_row_threshold": 1}, "When 1 row waits"),
        ({"processing_mode": "triggered", "trigger_row_threshold": 5000}, "When 5,000 rows wait"),
        (
            {
                "processing_mode": "triggered",
                "trigger_row_threshold": 500,
                "trigger_idle_minutes": 15,
                "trigger_on_new_rows": True,
            },
            "When 500 rows wait, a row has waited 15 minutes or new rows arrive",
        ),
    ],
)
def test_every_mode_has_its_sentence(values: dict[str, object], sentence: str) -> None:
    shown = preview(values, now=NOW)
    assert (shown.sentence, shown.fires) == (sentence, [])


def test_a_schedule_that_cannot_be_read_is_described_not_raised() -> None:
    broken = SchedulerConfiguration(processing_mode="scheduled", schedule_type="daily", run_times="6am")
    assert describe(broken) == "This schedule cannot be read: times: '6am' is not a time; write 06:00."


def test_once_shows_its_one_run_and_says_when_it_has_passed() -> None:
    values = {"processing_mode": "scheduled", "schedule_type": "once", "run_once_at": "2026-11-20 06:01"}
    shown = preview(values, now=NOW)
    assert (shown.sentence, instants(shown)) == ("Once on 2026-11-20 at 06:01, UTC", [NOW + timedelta(minutes=1)])
    passed = preview(values, now=NOW + timedelta(minutes=1))
    assert passed.fires == []
    assert passed.sentence == "Once on 2026-11-20 at 06:01, UTC. This has passed: it does not run again"


@pytest.mark.django_db
@pytest.mark.parametrize(("policy", "states"), [("skip", ["held", "fires"]), ("roll", ["rolled", "fires"])])
def test_a_slot_in_a_blackout_is_shown_for_what_becomes_of_it(policy, states) -> None:
    calendar = BlackoutCalendar.objects.create(name="Stocktaking", policy=policy)
    calendar.periods.create(kind="days", first_day=date(2026, 11, 21))
    shown = preview(DAILY | {"run_times": "6:00", "calendar": calendar}, now=NOW, count=2)
    assert [fire.state for fire in shown.fires] == states
    assert shown.fires[0].at == NOW + timedelta(days=1, hours=18 if policy == "roll" else 0)


def test_a_schedule_that_is_switched_off_shows_what_switching_it_on_would_give() -> None:
    assert [fire.state for fire in preview(DAILY | {"is_enabled": False}, now=NOW).fires] == ["fires"] * 5
