"""Promise: the doctor tells which plan cannot run because a job of it is gone."""

import pytest

from scheduling import clock
from scheduling.doctor import stuck
from scheduling.doctor.examine import examined
from scheduling.doctor.patient import Patient
from scheduling.models import Job, Plan
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db


def test_the_doctor_tells_of_jobs_that_are_not_declared_any_more(make_job):
    make_job("Report")
    save_plan(PlanDraft(Plan(name="Nightly"), {}, [step("Report")]), now=clock.now())
    Job.objects.filter(name="Report").update(removed_at=clock.now())
    (finding,) = examined(Patient(clock.now()), [stuck.looks])
    assert finding.id == "plan.job"
    assert "There is no job 'Report' declared in code." in finding.text
    Plan.objects.update(is_cancelled=True)
    assert examined(Patient(clock.now()), [stuck.looks]) == []
