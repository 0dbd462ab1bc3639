"""Promise: the history calls each field, and each choice of it, what its form calls them, in the reader's language."""

from collections.abc import Iterator
from typing import Any

import pytest
from django import forms
from django.db.models import Model
from django.utils.translation import override

from scheduling.admin.alerts.channels import ChannelForm
from scheduling.admin.alerts.rules import AlertRuleForm
from scheduling.admin.calendars.form import CalendarForm, PeriodForm
from scheduling.admin.configurations.form import ConfigurationForm
from scheduling.admin.jobs.forms import JobForm, JobScheduleForm
from scheduling.admin.operations.queues import QueueForm
from scheduling.admin.operations.scripts import ScriptForm
from scheduling.admin.plans.form import PlanForm
from scheduling.admin.plans.step_form import StepForm
from scheduling.lifecycle.events import say_again
from scheduling.model_files.load import load
from scheduling.models import (
    AlertChannel,
    AlertRule,
    BlackoutCalendar,
    Job,
    JobSchedule,
    Plan,
    Queue,
    SchedulerConfiguration,
    SchedulerLog,
    SqlScript,
)
from staging.admin.entities.forms import AttributeForm, EntityForm
from staging.admin.rules import RuleForm
from staging.models import BusinessRule, Entity, Version
from staging.states import DoorKind
from staging.versions.difference import difference, summary
from staging.versions.doers import Author, done_by
from staging.versions.subjects import subject_of
from staging.wording import say
from tests.scheduling.conftest import NOW

FORMS: list[tuple[type[forms.BaseForm], type[Model], str]] = [
    (ConfigurationForm, SchedulerConfiguration, ""),
    (PlanForm, Plan, ""),
    (StepForm, Plan, "steps"),
    (CalendarForm, BlackoutCalendar, ""),
    (PeriodForm, BlackoutCalendar, "periods"),
    (JobForm, Job, ""),
    (JobScheduleForm, JobSchedule, ""),
    (QueueForm, Queue, ""),
    (ScriptForm, SqlScript, ""),
    (AlertRuleForm, AlertRule, ""),
    (ChannelForm, AlertChannel, ""),
    (EntityForm, Entity, ""),
    (AttributeForm, Entity, "attributes"),
    (RuleForm, BusinessRule, ""),
]
# A zone is its own name; the role of a channel is told by the name that the group of the role has.
_AS_STORED = ("timezone", "roles")


def of_form(form: type[forms.BaseForm], model: type[Model], part: str) -> Iterator[tuple[str, str, str, str, Any]]:
    """Yield what a form calls something, what the history does, and of which field and which value."""
    subject = subject_of(model)
    assert subject is not None
    words = subject.words.parts[part].words if part else subject.words
    keys = {words.columns.get(key, key): key for key in words.keys}
    for name, field in form.base_fields.items():
        if name not in keys:
            continue
        key = keys[name]
        label = str(field.label or form.__dict__.get("labels", {}).get(name, ""))
        if label:
            yield label, words.label(key), form.__name__, name, None
        is_of_rows = isinstance(field, forms.ModelChoiceField)
        for value, text in () if is_of_rows or name in _AS_STORED else getattr(field, "choices", ()):
            if value not in ("", None):
                yield str(text), words.text(key, value), form.__name__, name, value


@pytest.mark.parametrize("language", ["en", "nl"])
@pytest.mark.parametrize(("form", "model", "part"), FORMS, ids=lambda each: getattr(each, "__name__", each) or "whole")
def test_the_history_speaks_as_its_form_does(
    form: type[forms.BaseForm], model: type[Model], part: str, language: str
) -> None:
    with override(language):
        told = list(of_form(form, model, part))
    assert told
    assert [each for each in told if each[0].lower() != each[1].lower()] == []


def changed(schedule: dict[str, Any]) -> str:
    """Return what the history tells when an entity is given this schedule."""
    load({"version": 1, "entities": [{"code": "area", "name": "Area", "schedule": schedule}]}, now=NOW)
    version = Version.objects.filter(subject_type="scheduling.schedulerconfiguration").order_by("-pk").first()
    subject = subject_of(SchedulerConfiguration)
    assert version is not None and subject is not None
    return summary(version.change, subject.words, most=20)


def test_days_weeks_and_months_of_a_schedule_are_told_in_words(db: None) -> None:
    nth = {"processing_mode": "scheduled", "schedule_type": "monthly_nth_weekday", "run_times": ["06:00"]}
    changed({**nth, "run_weeks_of_month": "1", "run_days": ["mon"], "run_months": ["jan"]})
    told = changed({**nth, "run_weeks_of_month": "last", "run_days": ["sat"], "run_months": ["jan", "dec"]})
    assert "On: Monday → Saturday" in told
    assert "The: first → last" in told
    assert "In: January → January, December" in told
    with override("nl"):
        assert "zaterdag → maandag" in changed({**nth, "run_weeks_of_month": "last", "run_days": ["mon"]}).lower()
    monthly = {"processing_mode": "scheduled", "schedule_type": "monthly", "run_times": ["06:00"]}
    changed({**monthly, "run_days_of_month": ["1"]})
    assert "On day: 1 → 1, last day" in changed({**monthly, "run_days_of_month": ["1", "last"]})


def test_a_period_of_a_calendar_is_told_in_words(db: None) -> None:
    weekly = {"kind": "weekly", "run_days": ["sat", "sun"], "window_start": "08:00", "window_end": "10:00"}
    for periods in ([], [weekly]):
        load({"version": 1, "calendars": [{"name": "Feasts", "periods": periods}]}, now=NOW)
    version = Version.objects.filter(subject_type="scheduling.blackoutcalendar").order_by("-pk").first()
    subject = subject_of(BlackoutCalendar)
    assert version is not None and subject is not None
    told = summary(version.change, subject.words)
    assert "Sat, Sun" in told
    assert "weekly" not in told
    with override("nl"):
        assert "za, zo" in summary(version.change, subject.words).lower()


@pytest.mark.parametrize("of_writer", ["en", "nl"])
@pytest.mark.parametrize(("of_reader", "what"), [("en", "On: Monday → Tuesday"), ("nl", "Op: maandag → dinsdag")])
def test_the_log_tells_a_change_in_the_language_of_who_reads_it(
    db: None, of_writer: str, of_reader: str, what: str
) -> None:
    weekly = {"processing_mode": "scheduled", "schedule_type": "weekly", "run_times": ["06:00"]}
    with override(of_writer), done_by(lambda: Author(door=DoorKind.FILE)):
        for day in ("mon", "tue"):
            changed({**weekly, "run_days": [day]})
    event = SchedulerLog.objects.get(event_type="changed")
    assert event.message == "Changed through a model file: On: Monday → Tuesday"
    with override(of_reader):
        say_again([event])
        assert event.message == str(say("Changed through {door}: {what}", door=DoorKind.FILE.label, what=what))
    Version.objects.all().delete()  # retention takes versions away; what is stored is left
    event = SchedulerLog.objects.get(event_type="changed")
    with override(of_reader):
        say_again([event])
    assert "On: Monday → Tuesday" in event.message


def test_a_period_is_the_same_in_whatever_order_a_database_keeps_its_values():
    words = subject_of(BlackoutCalendar).words
    period = {"kind": "days", "first_day": "2027-01-10", "note": "Long"}
    turned = dict(reversed(period.items()))
    assert difference({"periods": [period]}, {"periods": [turned]}, words) == []
    added = difference({}, {"periods": [turned]}, words)
    assert summary(added, words) == "Period days, 2027-01-10, Long: added"
