"""Promises of how states, instants and lengths of time are shown."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils.translation import override

from scheduling.formatters import (
    BADGES,
    badge,
    clock_words,
    day_words,
    fact_words,
    fire_time,
    gate_name,
    lean,
    measured,
    milliseconds,
    moment,
    moment_words,
    since,
    span,
    typed_words,
    weekday_words,
)
from scheduling.states import AttemptOutcome, RunStatus, TaskStatus
from staging.models import OUTCOMES
from staging.states import BatchStatus
from tests.catalogue import dutch_with

NOW = datetime(2026, 11, 20, 12, 0, 5, tzinfo=UTC)


@pytest.mark.parametrize(("length", "text"), [
    (timedelta(), "0 s"), (timedelta(seconds=-3), "0 s"), (timedelta(seconds=119), "119 s"),
    (timedelta(seconds=120), "2 min"), (timedelta(minutes=119), "119 min"), (timedelta(hours=2), "2 h"),
    (timedelta(hours=47), "47 h"), (timedelta(days=2), "2 days"),
])  # fmt: skip
def test_a_length_of_time_is_told_in_its_largest_unit(length, text):
    assert span(length) == text


def test_before_and_after_now():
    assert since(NOW - timedelta(minutes=3), NOW) == "3 min ago"
    assert since(NOW + timedelta(hours=3), NOW) == "in 3 h"
    assert since(None, NOW) == ""


@pytest.mark.parametrize(("value", "text"), [
    (None, ""), (0, "0 ms"), (340, "340 ms"), (12_400, "12.4 s"), (200_000, "3 min 20 s"),
])  # fmt: skip
def test_durations(value, text):
    assert milliseconds(value) == text


def test_instants_are_readable_by_people_and_machines():
    assert moment(NOW) == '<time datetime="2026-11-20T12:00:05+00:00">2026-11-20 12:00:05</time>'
    assert "Fri 2026-11-20 13:00:05 Europe/Amsterdam" in fire_time(NOW, "Europe/Amsterdam")
    assert moment(None) == fire_time(None) == ""


def test_one_form_where_the_page_names_the_zone_and_where_people_typed_it():
    local = NOW.astimezone(ZoneInfo("Europe/Amsterdam"))
    assert moment_words(NOW, "Europe/Amsterdam") == "2026-11-20 13:00:05"
    assert weekday_words(local) == f"{day_words(local.date())} {clock_words(local)}" == "Fri 2026-11-20 13:00:05"
    assert typed_words(time(6)) == "06:00" and typed_words(time(6, 0, 30)) == "06:00:30"
    assert typed_words(datetime.fromisoformat("2026-06-15T09:00")) == "2026-06-15 09:00"
    with override("nl"):
        assert fire_time(NOW).count("vr 2026-11-20 12:00:05 UTC") == 1


def test_facts_of_the_log_are_said_in_words():
    assert fact_words("2026-11-20T12:00:05+00:00") == "2026-11-20 12:00:05 UTC"
    assert [fact_words(value) for value in (True, 12, None, "Nightly")] == ["yes", "12", "blank", "Nightly"]
    assert fact_words("2026-99-20T12:00:05Z") == "2026-99-20T12:00:05Z"
    assert fact_words("9999-12-31T23:59:59-12:00").startswith("9999")


@pytest.mark.parametrize(
    "word", sorted({*RunStatus.values, *TaskStatus.values, *AttemptOutcome.values, *BatchStatus.values})
)
def test_every_state_has_a_badge_of_its_own(word):
    assert word in BADGES


def test_a_badge_escapes_its_word():
    assert "<b>" not in badge("<b>") and badge("") == ""
    assert '{"a": {7*6}}' in badge('{"a": {7*6}}').replace("&quot;", '"')


def test_gate_names_are_words():
    assert gate_name("trigger:row_threshold") == "Trigger: row threshold"


def test_states_and_ages_are_said_in_the_language_of_their_reader():
    with dutch_with({"failed": "mislukt", "{span} ago": "{span} geleden"}) as language, override(language):
        assert "mislukt</span>" in badge("failed") and "badge-bad" in badge("failed")
        assert since(NOW - timedelta(minutes=5), NOW) == "5 min geleden"
        assert str(TaskStatus.FAILED.label) == "mislukt"


def test_lean_html_keeps_what_a_text_area_holds_and_all_that_is_no_indent():
    assert lean("<p>\n    <b>a\n b</b>\n\n\t<i>c</i></p>") == "<p>\n<b>a\n b</b>\n<i>c</i></p>"
    assert lean("<select>\n  <option>a</option>\n  <option>b</option>\n</select>") == (
        "<select>\n<option>a<option>b</select>"
    )
    for text in ("<textarea>\n\n \n</textarea>", "<td>\n\u00a0\n</td>", "<pre>\n  a\n\n</pre>"):
        assert lean(text) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [("trigger:new_rows", "Trigger: new rows"), ("triggered", "triggered"), ("312 rows", "312 rows"), (None, None)],
)
def test_what_a_gate_measured_is_no_code(value, text):
    assert measured(value) == text


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_each_outcome_of_a_row_is_told_in_words(outcome):
    with dutch_with({outcome: "uitkomst"}) as language, override(language):
        assert "uitkomst" in badge(outcome)
