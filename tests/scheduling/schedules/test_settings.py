"""Promise: a setting has one row that every door reads: the same words, the same limits, the same users."""

import re
from pathlib import Path

import pytest
from django.db import models

from scheduling.cadence.errors import CadenceError
from scheduling.cadence.parse import KINDS, parse_cadence
from scheduling.cadence.words import DAY_GROUPS, WEEKDAYS
from scheduling.jobs.words import read_days
from scheduling.models import SchedulerConfiguration
from scheduling.models.job import _OWN
from scheduling.schedules.settings import SETTINGS, TABLE, column_of_field, normalise, used_by
from scheduling.states import ProcessingMode, ScheduleType

_ELSEWHERE = {"processing_mode", "is_enabled", "schedule_type"}  # the document tells them in other words
MORNING = {"kind": "weekly", "times": ["06:00"]}


@pytest.mark.parametrize("group", DAY_GROUPS)
def test_a_group_of_days_is_known_at_every_door(group: str) -> None:
    days = DAY_GROUPS[group]
    assert normalise("run_days", group.capitalize()) == normalise("run_days", [group]) == ",".join(days)
    assert read_days(group) == tuple(WEEKDAYS.index(day) for day in days)
    by_group = parse_cadence(MORNING | {"days": [group]}, "UTC")
    assert by_group == parse_cadence(MORNING | {"days": list(days)}, "UTC")


def test_a_day_that_is_none_is_refused_at_every_door_with_the_likely_one() -> None:
    told = "'mno' is not a day of the week; did you mean mon?"
    with pytest.raises(ValueError, match=told):
        normalise("run_days", "mno")
    with pytest.raises(ValueError, match=told):
        read_days("mno")
    with pytest.raises(CadenceError, match=told):
        parse_cadence(MORNING | {"days": ["mno"]}, "UTC")


@pytest.mark.parametrize("column", TABLE)
def test_a_row_agrees_with_its_column(column: str) -> None:
    setting, field = TABLE[column], SchedulerConfiguration._meta.get_field(column)
    assert isinstance(field, models.Field)
    assert field.get_default() in (setting.empty, None if setting.empty == "" else setting.empty)
    if setting.longest is not None:
        assert setting.longest == field.max_length
    assert setting.uses and set(setting.uses) <= {*ProcessingMode, *ScheduleType}


def test_every_kind_of_cadence_shows_its_faults_at_a_setting() -> None:
    assert column_of_field("days", ScheduleType.MONTHLY) == "run_days_of_month"
    assert column_of_field("days", ScheduleType.WEEKLY) == "run_days"
    assert set(KINDS) == set(ScheduleType.values)
    for kind in ScheduleType.values:
        with pytest.raises(CadenceError) as refused:
            parse_cadence({"kind": kind}, "UTC")
        assert {column_of_field(field, kind) for field in refused.value.errors} <= used_by("scheduled", kind)


@pytest.mark.parametrize("kind", ScheduleType.values)
def test_a_job_filters_by_nothing_that_its_kind_of_schedule_reads_itself(kind: str) -> None:
    filters = {"run_days", "run_weeks_of_month", "run_months", "window_start"}
    assert set(_OWN.get(kind, ())) == filters & used_by("scheduled", kind)


def test_what_hangs_on_another_setting_is_used_beside_it_only() -> None:
    assert "interval_start" in used_by("scheduled", "interval", {"interval_anchor": " Start"})
    assert "interval_start" not in used_by("scheduled", "interval", {"interval_anchor": "wall_clock"})


def test_the_document_names_the_settings_of_each_type() -> None:
    text = Path("docs/configuration.md").read_text(encoding="utf-8")
    everywhere = used_by("scheduled", "") | {"starts_on", "ends_on", "dst_gap", "dst_overlap"}
    for kind in ScheduleType.values:
        row = next(line for line in text.splitlines() if line.startswith(f"| `{kind}` |"))
        named = set(re.findall(r"`(\w+)`", row.split("|")[2]))
        assert named == used_by("scheduled", kind) - everywhere, kind
    assert all(f"`{column}`" in text for column in SETTINGS if column not in _ELSEWHERE)
