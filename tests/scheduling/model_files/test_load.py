"""Promises of model files: checked whole, applied whole, never deleting, and stable when written and read again."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from scheduling.model_files.dump import dump
from scheduling.model_files.load import Loaded, load
from scheduling.models import BlackoutCalendar, BlackoutPeriod, SchedulerConfiguration, SchedulerState
from staging.entities.remove import remove_attribute, remove_entity
from staging.errors import InvalidDefinition
from staging.model_files.read import parse_yaml
from staging.model_files.write import write_yaml
from staging.models import Attribute, Entity
from staging.tables.columns import table_problems

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
MODEL = """
version: 1
release: "2026.11"
entities:
  - code: branch
    name: Branch
    description: "Shops: all"
    processed_retention_days: 30
    attributes:
      - {name: region, type: reference, reference: region, required: true}
      - {name: parent, type: reference, reference: branch}
      - {name: opened_on, type: date, min: 2020-01-01}
      - {name: staff, type: integer, min: 0, max: 5000}
      - {name: area, type: decimal, min: 0.50, max: 1e3}
      - {name: email, type: text, pattern: '^[^@ ]+@[^@ ]+$', unique: true, max_length: 200}
      - {name: country, type: text, choices: [NL, NO, 12:30, "1", 0123]}
      - {name: old, type: text, is_cancelled: true}
    schedule:
      processing_mode: triggered
      trigger_row_threshold: 500
      trigger_idle_minutes: 15
      timezone: Europe/Amsterdam
  - code: region
    name: Region
    attributes:
      - {name: main, type: reference, reference: branch}
    schedule:
      processing_mode: scheduled
      schedule_type: weekly
      run_days: [Fri, mon]
      run_times: [6:00, 12:30]
      is_enabled: false
  - {code: plain, name: Plain, attributes: [], depends_on: []}
"""


def _load(text: str, **options: Any) -> Loaded:
    return load(parse_yaml(text), now=NOW, **options)


def _errors(text: str) -> dict[str, list[str]]:
    with pytest.raises(InvalidDefinition) as caught:
        _load(text)
    return caught.value.errors


def test_a_file_creates_entities_tables_and_schedules_with_forward_references():
    loaded = _load(MODEL)
    assert loaded.release == "2026.11" == SchedulerState.current().release
    assert {"branch", "branch.region", "branch schedule", "region.main", "plain"} <= set(loaded.created)
    assert (loaded.changed, loaded.unchanged) == ([], [])
    assert [table_problems(entity) for entity in Entity.objects.all()] == [[], [], []]
    region = SchedulerConfiguration.objects.of_entity("region")
    assert (region.run_days, region.run_times, region.is_enabled) == ("mon,fri", "06:00,12:30", False)
    branch = SchedulerConfiguration.objects.of_entity("branch")
    assert (branch.trigger_row_threshold, branch.timezone, branch.armed_from) == (500, "Europe/Amsterdam", NOW)
    country = Attribute.objects.get(name="country")
    assert country.choices == ["NL", "NO", "12:30", "1", "0123"]
    assert Attribute.objects.get(name="area").min_value == "0.50"


def test_loading_twice_changes_nothing_and_does_not_arm_again():
    _load(MODEL)
    again = load(parse_yaml(MODEL), now=NOW.replace(year=2027))
    assert (again.created, again.changed) == ([], [])
    assert SchedulerConfiguration.objects.of_entity("branch").armed_from == NOW


def test_load_of_dump_changes_nothing_and_dump_is_stable():
    _load(MODEL)
    before = list(Entity.objects.values()), list(Attribute.objects.values())
    text = write_yaml(dump())
    again = _load(text)
    assert (again.created, again.changed) == ([], [])
    assert (list(Entity.objects.values()), list(Attribute.objects.values())) == before
    assert write_yaml(dump()) == text


def test_a_dump_rebuilds_the_same_in_an_empty_database():
    _load(MODEL)
    text = write_yaml(dump())
    for entity in Entity.objects.all():
        for attribute in entity.attributes.all():
            remove_attribute(attribute)
    for entity in Entity.objects.all():
        remove_entity(entity)
    _load(text)
    assert write_yaml(dump()) == text


def test_a_dry_run_says_what_would_change_and_changes_nothing():
    assert len(_load(MODEL, dry_run=True).created) == 14
    assert not Entity.objects.exists()
    _load(MODEL)
    text = (
        MODEL.replace("max: 5000", "max: 6000")
        .replace("threshold: 500", "threshold: 5")
        .replace("name: Plain", "name: P")
    )
    loaded = _load(text.replace("attributes: []", "attributes: [{name: x, type: text}]"), dry_run=True)
    assert loaded.created == ["plain.x"]
    assert loaded.changes == {
        "branch.staff": {"max": {"from": "5000", "to": "6000"}},
        "branch schedule": {"trigger_row_threshold": {"from": 500, "to": 5}},
        "plain": {"name": {"from": "Plain", "to": "P"}},
    }
    assert loaded.changed == list(loaded.changes)
    assert Attribute.objects.get(name="staff").max_value == "5000"


def test_what_a_file_does_not_say_has_its_default():
    _load(MODEL)
    _load("version: 1\nentities: [{code: branch, name: Branch, attributes: [{name: staff, type: integer}]}]")
    branch = Entity.objects.get(code="branch")
    assert (branch.description, branch.processed_retention_days) == ("", None)
    assert Attribute.objects.get(name="staff").max_value == ""


def test_nothing_is_deleted_and_a_missing_schedule_section_leaves_the_schedule():
    _load(MODEL)
    _load("version: 1\nentities: [{code: branch, name: Branch, attributes: [{name: staff, type: integer}]}]")
    assert Attribute.objects.filter(entity__code="branch").count() == 8
    assert Entity.objects.count() == 3
    assert SchedulerConfiguration.objects.of_entity("branch").trigger_row_threshold == 500


def test_retiring_is_a_word_in_the_file():
    _load(MODEL)
    _load("version: 1\nentities: [{code: plain, name: Plain, is_cancelled: true}]")
    assert Entity.objects.get(code="plain").is_cancelled
    assert not Entity.objects.get(code="branch").is_cancelled


def test_the_order_of_the_file_is_the_order_of_the_attributes():
    head = "version: 1\nentities: [{code: a, name: A, attributes: ["
    one, two, three = (f"{{name: {name}, type: text}}" for name in ("one", "two", "three"))
    for order in ([one, two], [one, two, three], [three, one, two]):
        _load(f"{head}{', '.join(order)}]}}]")
        assert [f"{{name: {a.name}, type: text}}" for a in Attribute.objects.all()] == order


BAD = """
version: 2
entites: []
release: 5
entities:
  - code: Branch
    attributes:
      - {name: region, type: reference, reference: regoin, requird: true}
      - {name: staff, type: integre, min: 0, max: 5000}
      - {name: x, type: text, max: 5, choices: [true], name2: 1}
      - {name: x, type: date, min: 2026-02-30}
      - text
    schedule: {processing_mode: triggered, run_tims: ["06:00"], trigger_row_threshold: many}
    depends_on: [a]
  - {code: region, name: 5, schedule: {processing_mode: scheduled, schedule_type: daily, run_times: ["25:00"]}}
  - {code: region, name: Again, schedule: [], attributes: {}}
queues: [{name: default, max_runing: 3}]
plans: [{name: Nightly, order: up, steps: [{entity: a}]}]
"""


def test_every_error_is_told_at_once_at_its_path():
    errors = _errors(BAD)
    assert list(errors["entites"]) == ["There is no key 'entites' here. Did you mean 'entities'?"]
    assert set(errors) == {
        "version",
        "entites",
        "release",
        "queues[0].max_runing",
        "plans[0].steps[0].entity",
        "entities[0].code",
        "entities[0].name",
        "entities[0].depends_on[0]",
        "entities[0].attributes[0].requird",
        "entities[0].attributes[0].reference",
        "entities[0].attributes[1].type",
        "entities[0].attributes[2].max",
        "entities[0].attributes[2].choices",
        "entities[0].attributes[2].name2",
        "entities[0].attributes[3].name",
        "entities[0].attributes[3].min",
        "entities[0].attributes[4]",
        "entities[0].schedule.run_tims",
        "entities[0].schedule.trigger_row_threshold",
        "entities[0].schedule.trigger_on_new_rows",
        "entities[1].name",
        "entities[1].schedule.run_times",
        "entities[2].code",
        "entities[2].schedule",
        "entities[2].attributes",
    }
    assert errors["entities[0].attributes[0].reference"] == ["There is no entity 'regoin'. Did you mean 'region'?"]
    assert not Entity.objects.exists()


@pytest.mark.parametrize("text", ["", "[]", "text", "5", "null"])
def test_a_file_that_is_no_mapping_is_refused(text: str):
    assert "file" in _errors(text)


@pytest.mark.parametrize("version", ["", "version: null", "version: '1'", "version: true", "version: 1.0"])
def test_the_version_must_be_said(version: str):
    assert "version" in _errors(f"{version}\nentities: []")


def test_a_change_that_would_lose_data_is_refused_at_its_path_and_whole():
    _load(MODEL)
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO mdm_branch (code, staff) VALUES ('a', 5)")
    text = MODEL.replace("name: staff, type: integer, min: 0, max: 5000", "name: staff, type: boolean")
    errors = _errors(text.replace("name: Plain", "name: Changed"))
    assert list(errors) == ["entities[0].attributes[3].type"]
    assert "1 cannot be read as yes or no: '5'" in errors["entities[0].attributes[3].type"][0]
    assert Entity.objects.get(code="plain").name == "Plain"


def test_a_type_changes_with_all_its_values_and_the_report_counts_them():
    _load(MODEL)
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO mdm_branch (code, staff) VALUES ('a', 5), ('b', 7)")
    text = MODEL.replace("name: staff, type: integer, min: 0, max: 5000", "name: staff, type: text")
    told = _load(text).changes["branch.staff"]["stored values"]
    assert told == {"from": "2 values of integer", "to": "2 values of text"}
    with connection.cursor() as cursor:
        cursor.execute("SELECT staff FROM mdm_branch ORDER BY code")
        assert cursor.fetchall() == [("5",), ("7",)]
    assert table_problems(Entity.objects.get(code="branch")) == []
    assert _load(text).changes == {}


@pytest.mark.parametrize("code", ['x"; DROP TABLE staging_entity; --', "%s", "a" * 64, "é", "stg x", "x\\0y"])
def test_hostile_names_are_refused_in_a_file(code: str):
    document = {"version": 1, "entities": [{"code": code, "name": "X", "attributes": [{"name": code, "type": "text"}]}]}
    with pytest.raises(InvalidDefinition) as caught:
        load(document, now=NOW)
    assert set(caught.value.errors) == {"entities[0].code", "entities[0].attributes[0].name"}


KINDS = """
version: 1
calendars:
  - name: Holidays NL
    timezone: Europe/Amsterdam
    policy: roll
    description: When shops are shut
    periods:
      - {kind: yearly, first_day: 2026-12-24, last_day: 2026-01-01, note: Christmas}
      - {first_day: 2026-04-27}
      - {kind: weekly, run_days: [Sun, sat], window_start: "22:00", window_end: 6:00}
  - {name: Empty}
entities:
  - {code: a, name: A, schedule: {processing_mode: scheduled, schedule_type: monthly_nth_weekday, run_weeks_of_month: 1,
      run_days: [mon], run_months: [jan, 7], run_times: [6:00], calendar: Holidays NL,
      catch_up: all, catch_up_limit: 3}}
  - {code: b, name: B, schedule: {processing_mode: scheduled, schedule_type: yearly, run_months: [2],
      run_days_of_month: [last], run_times: [6:00], calendar: Empty}}
  - {code: c, name: C, schedule: {processing_mode: scheduled, schedule_type: once, run_once_at: 2026-06-15 09:00}}
  - {code: d, name: D, schedule: {processing_mode: scheduled, schedule_type: interval, interval_minutes: 90,
      interval_anchor: start, interval_start: 2026-06-15 09:00, timezone: Europe/Amsterdam}}
  - {code: e, name: E, schedule: {processing_mode: scheduled, schedule_type: monthly, run_days_of_month: [31],
      run_times: [6:00], every_n_months: 3, anchor_date: 2026-01-31}}
  - {code: f, name: F, schedule: {processing_mode: triggered, trigger_on_new_rows: true, calendar: Holidays NL}}
"""


def test_every_kind_of_schedule_and_its_calendar_come_from_a_file():
    loaded = _load(KINDS)
    assert loaded.created[:2] == ["calendar Holidays NL", "calendar Empty"]
    holidays = BlackoutCalendar.objects.get(name="Holidays NL")
    assert [str(period) for period in holidays.periods.all()] == ["days", "each week", "Christmas"]
    a, b, c, d, e, f = SchedulerConfiguration.objects.order_by("entity__code")
    assert (a.run_weeks_of_month, a.run_months, a.calendar, a.catch_up_limit) == ("1", "1,7", holidays, 3)
    planned = [each.next_scheduled_run and each.next_scheduled_run.isoformat()[:16] for each in (a, b, c, d, e, f)]
    assert planned == [
        "2026-07-06T06:00", "2027-02-28T06:00", "2026-06-15T09:00", "2026-06-15T07:00", "2026-07-31T06:00", None,
    ]  # fmt: skip
    assert f.calendar == holidays


def test_load_of_dump_changes_nothing_for_any_kind_even_after_a_single_moment_has_passed():
    _load(KINDS)
    text = write_yaml(dump())
    before = list(BlackoutPeriod.objects.values()), list(SchedulerConfiguration.objects.values())
    again = load(parse_yaml(text), now=NOW.replace(year=2030))
    assert (again.created, again.changed) == ([], [])
    assert (list(BlackoutPeriod.objects.values()), list(SchedulerConfiguration.objects.values())) == before
    assert write_yaml(dump()) == text


def test_a_calendar_has_the_periods_of_the_file_and_keeps_them_when_the_file_is_silent():
    _load(KINDS)
    _load("version: 1\ncalendars: [{name: Holidays NL, timezone: Europe/Amsterdam}]")
    holidays = BlackoutCalendar.objects.get(name="Holidays NL")
    assert (holidays.policy, holidays.description, holidays.periods.count()) == ("skip", "", 3)
    text = "version: 1\ncalendars: [{name: Holidays NL, periods: [{kind: days, first_day: 2027-04-27}]}]"
    changes = _load(text, dry_run=True).changes["calendar Holidays NL"]
    assert changes.keys() == {"timezone", "periods"}
    assert changes["periods"]["to"] == [{"kind": "days", "first_day": "2027-04-27"}]
    assert holidays.periods.count() == 3
    _load(text)
    assert holidays.periods.count() == 1


def test_what_is_wrong_with_a_calendar_or_its_use_is_told_at_its_path():
    errors = _errors(
        """
        version: 1
        calendars:
          - {name: A, timezone: Mars, policy: jump, periods: [{kind: weekly}, {kind: days, first_day: soon}, 5]}
          - {name: A, colour: red}
          - {periods: [{kind: days, first_day: 2026-05-02, last_day: 2026-05-01, window_strat: 5}]}
          - {name: Dark, periods: [{kind: weekly, run_days: daily}]}
        entities:
          - {code: a, name: A, schedule: {processing_mode: triggered, trigger_on_new_rows: true, calendar: Holiday}}
          - {code: b, name: B, schedule: {processing_mode: scheduled, schedule_type: once,
              run_once_at: 2026-05-01 09:00}}
        """
    )
    assert set(errors) == {
        "calendars[0].timezone",
        "calendars[0].policy",
        "calendars[0].periods[0].run_days",
        "calendars[0].periods[1].first_day",
        "calendars[0].periods[2]",
        "calendars[1].name",
        "calendars[1].colour",
        "calendars[2].name",
        "calendars[2].periods[0].last_day",
        "calendars[2].periods[0].window_strat",
        "calendars[3].periods",
        "entities[0].schedule.calendar",
        "entities[1].schedule.run_once_at",
    }
    assert errors["entities[0].schedule.calendar"] == ["There is no blackout calendar 'Holiday'; define it first."]
    assert "lies in the past" in errors["entities[1].schedule.run_once_at"][0]
    assert not BlackoutCalendar.objects.exists()
