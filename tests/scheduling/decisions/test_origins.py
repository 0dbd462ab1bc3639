"""Promise: what started something is read in the language of its reader, whatever the site said when it was kept."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils.translation import override

from scheduling.decisions.decide import decide
from scheduling.decisions.decision import Awaited, Statistics
from scheduling.decisions.origins import origin
from scheduling.models import Plan, SchedulerConfiguration
from staging.tables.columns import PendingRows
from staging.wording import say

NOW = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)


def by_trigger(**fields) -> str:
    """Return what such a decision about 1,200 rows says that started it."""
    rows = PendingRows(count=1200, oldest_at=NOW - timedelta(minutes=61), newest_at=NOW - timedelta(minutes=9))
    triggered = SchedulerConfiguration(processing_mode="triggered", **fields)
    return str(decide(triggered, Statistics(rows), NOW).trigger_source)


def sources() -> list[str]:
    """Return all that can have started something, as it is said now."""
    plan = Plan(name="Report", after_others=True, armed_from=NOW - timedelta(hours=1))
    after = decide(plan, Statistics(others=(Awaited("plan Morning", NOW),)), NOW)
    return [
        by_trigger(trigger_row_threshold=1000),
        by_trigger(trigger_idle_minutes=5),
        by_trigger(trigger_on_new_rows=True, trigger_debounce_seconds=90),
        by_trigger(trigger_on_new_rows=True, trigger_settle_seconds=30),
        str(after.trigger_source),
        say("Schedule"), f"{say('Schedule')} Nightly", say("Manual"), say("Enqueued"), say("Late reference"),
        say("Approved by {by}", by="ann"), say("Undo of batch {batch}", batch=17), say("Backfill by {by}", by="ann"),
    ]  # fmt: skip


@pytest.mark.parametrize("site", ["en", "nl"])
@pytest.mark.parametrize("reader", ["en", "nl"])
def test_each_is_said_again(settings, site, reader):
    with override("en"):
        english = sources()
    with override(site):
        kept = sources()
    settings.LANGUAGE_CODE = site
    with override(reader):
        assert [origin(text) for text in kept] == sources()
        assert [origin(text) for text in english] == sources()
    assert all(english)


@pytest.mark.parametrize("by", ["Manual", "Schedule"])
def test_a_person_called_like_one_of_them_keeps_the_name(by):
    text = say("Approved by {by}", by=by)
    with override("nl"):
        assert origin(text) == say("Approved by {by}", by=by) and by in origin(text)


@pytest.mark.parametrize("text", ["", "run", "Scheduled", "12 monkeys", "Approved by 12 monkeys", "{a} (b)", "x\ny"])
def test_what_is_none_of_them_stays(text):
    assert origin(text) == text
