"""Promise: an order is read at a glance; a long one is folded, so that the steps are not far away."""

import pytest
from django.urls import reverse

from scheduling.models import Plan, PlanStep, SqlScript
from scheduling.plans.draft import PlanDraft, StepDraft
from scheduling.plans.save import save_plan
from tests.scheduling.admin.conftest import NOW

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("lines", "is_folded"), [(20, False), (21, True)])
def test_the_order_of_many_lines_is_folded(viewer, lines, is_folded):
    scripts = SqlScript.objects.bulk_create(SqlScript(name=f"S{n}", sql="SELECT 1") for n in range(lines))
    steps = [StepDraft(PlanStep(script=each, step_index=1 + n)) for n, each in enumerate(scripts)]
    plan = save_plan(PlanDraft(Plan(name="Long"), {}, steps), now=NOW)
    page = viewer.get(reverse("admin:scheduling_plan_change", args=[plan.pk])).content.decode()
    assert "<li>script S0</li><li>script S1</li>" in page
    assert (f"<summary>The order in {lines} lines</summary>" in page) is is_folded
