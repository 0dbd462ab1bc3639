"""Promise of Run now: who may not start a part of a plan is told so before he asks, and is offered no button."""

import pytest

from scheduling.models import Plan, Run, SqlScript
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from tests.scheduling.admin.conftest import NOW, client_for
from tests.scheduling.admin.plans.test_admin import address
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db
REFUSED = "It needs the right to run a SQL script, which you do not have: script Tidy."
BUTTON = '<button class="button">Run now</button>'


@pytest.fixture
def plan(db):
    script = SqlScript.objects.create(name="Tidy", sql="SELECT 1")
    inner = save_plan(PlanDraft(Plan(name="Inner", order="steps"), {}, [step(script)]), now=NOW)
    return save_plan(PlanDraft(Plan(name="Nightly", order="steps"), {}, [step(inner)]), now=NOW)


def test_who_may_not_run_a_script_is_told_on_the_page_that_asks(plan):
    operator = client_for("Operator")
    page = operator.get(address("run", plan.pk)).content.decode()
    assert REFUSED in page and BUTTON not in page and "No, go back" in page
    told = operator.post(address("run", plan.pk), follow=True).content.decode()  # whoever presses it all the same
    assert REFUSED in told and not Run.objects.exists()


def test_who_may_is_asked(plan):
    page = client_for("Administrator").get(address("run", plan.pk)).content.decode()
    assert REFUSED not in page and BUTTON in page


def test_of_a_plan_that_cannot_run_its_order_says_why(plan):
    Plan.objects.update(is_cancelled=True)
    page = client_for("Operator").get(address("run", plan.pk)).content.decode()
    assert "is cancelled: it does not run" in page and REFUSED not in page
