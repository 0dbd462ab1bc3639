"""Expected durations and deadlines on the form of a plan and in its table of steps: kept, taken out, refused."""

from datetime import time

import pytest

from scheduling.models import Plan
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from staging.models import Entity
from tests.scheduling.admin.conftest import NOW
from tests.scheduling.admin.plans.test_admin import address, errors_of, form
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db


@pytest.fixture
def plan(db):
    steps = [step(Entity.objects.create(code=code, name=code)) for code in ("region", "branch")]
    return save_plan(PlanDraft(Plan(name="Nightly", order="hierarchy"), {}, steps), now=NOW)


def test_the_form_keeps_them_and_takes_them_out_again(plan, steward, viewer):
    said = {"due_by": "06:15", "expected_minutes": "30", "steps-0-due_after_minutes": "90"}
    response = steward.post(address("change", plan.pk), form(plan) | said)
    assert response.status_code == 302, errors_of(response)
    plan.refresh_from_db()
    assert (plan.due_by, plan.expected_minutes) == (time(6, 15), 30)
    assert sorted(plan.steps.values_list("due_after_minutes", flat=True), key=str) == [90, None]
    own, others = (client.get(address("change", plan.pk)).content.decode() for client in (steward, viewer))
    assert 'value="06:15"' in own and "done within 90 minutes" in others
    response = steward.post(address("change", plan.pk), form(plan))
    assert response.status_code == 302, errors_of(response)
    plan.refresh_from_db()
    assert (plan.due_by, plan.expected_minutes) == (None, None)
    assert not plan.steps.filter(due_after_minutes__isnull=False).exists()


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ({"due_by": "noon"}, "due_by"),
        ({"expected_minutes": "0"}, "expected_minutes"),
        ({"due_by": "06:15", "due_after_minutes": "5"}, "due_after_minutes"),
        ({"steps-0-due_by": "noon"}, "0.due_by"),
        ({"steps-0-due_by": "06:15", "steps-0-due_after_minutes": "5"}, "0.due_after_minutes"),
    ],
)
def test_what_is_wrong_is_told_at_its_field(plan, steward, said, at):
    assert list(errors_of(steward.post(address("change", plan.pk), form(plan) | said))) == [at]
