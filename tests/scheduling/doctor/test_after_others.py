"""Promise: the doctor tells which plan waits for what may never come, and what to do about it."""

import shlex
from io import StringIO

import pytest
from django.core.management import call_command

from scheduling.doctor import stuck
from scheduling.doctor.examine import examined
from scheduling.doctor.patient import Patient
from scheduling.models import Plan, PlanAfter
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db


def found():
    return {one.id: one for one in examined(Patient(NOW), [stuck.looks]) if one.id.startswith("after.")}


@pytest.fixture
def morning(make_entity):
    return save_plan(PlanDraft(Plan(name="Morning"), {}, [step(make_entity("region").entity)]), now=NOW)


@pytest.fixture
def report(morning):
    return save_plan(PlanDraft(Plan(name="Report"), after=[morning]), now=NOW)


def test_what_never_completed_is_told_until_it_does(report):
    finding = found()["after.never"]
    assert finding.text == "plan Report runs after plan Morning, which has never completed."
    call_command(*shlex.split(finding.mend.partition("manage.py ")[2]), stdout=StringIO())
    start_plans_now(["Morning"], started_by="anna", now=NOW)
    work_off(NOW)
    assert found() == {}


@pytest.mark.parametrize(
    ("change", "name"), [({"is_cancelled": True}, "after.cancelled"), ({"is_enabled": False}, "after.off")]
)
def test_what_does_not_start_any_more_is_told(report, morning, change, name):
    Plan.objects.filter(pk=morning.pk).update(**change)
    (finding,) = found().values()
    assert finding.id == name and "plan Report runs after plan Morning" in finding.text and finding.mend


def test_after_nothing_any_more(report):
    PlanAfter.objects.all().delete()
    (finding,) = found().values()
    assert finding.id == "after.nothing"


def test_of_what_is_switched_off_or_cancelled_itself_nothing_is_told(report):
    Plan.objects.filter(pk=report.pk).update(is_enabled=False)
    assert found() == {}
