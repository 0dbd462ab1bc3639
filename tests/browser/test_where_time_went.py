"""In a browser: where the time of a run went, what is usual, and two runs side by side, without a fault of access."""

from datetime import timedelta

from scheduling import clock
from scheduling.models import Attempt, Plan, Run, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from tests.browser.screens import faults, looks_at_pages
from tests.scheduling.conftest import work_off
from tests.scheduling.plans.conftest import step

MINUTE = timedelta(minutes=1)


def run_and_take(minutes: int, days_ago: int) -> Run:
    """Run the plan to its end, some days ago, so that it took so long."""
    at = clock.now() - timedelta(days=days_ago)
    run = start_plans_now(["Nightly"], started_by="ann", now=at)
    work_off(at)
    for rows in (Run.objects.filter(pk=run.pk), Task.objects.filter(run=run), Attempt.objects.filter(task__run=run)):
        rows.update(finished_at=at + minutes * MINUTE)
    return run


@looks_at_pages
def test_a_person_sees_where_the_time_went_and_compares(steward, customer):
    save_plan(PlanDraft(Plan(name="Nightly", categories="Finance"), {}, [step(customer.entity)]), now=clock.now())
    first, *_, last = [run_and_take(minutes, 9 - number) for number, minutes in enumerate((9, 8, 30, 12))]
    steward.visit(f"scheduling/run/{last.pk}/change/")
    page = steward.page
    assert "12 min; usually 9 min" in page.inner_text("dl.facts") and "100 %" in page.inner_text("#run-path")
    found = faults(steward, "run")
    page.click(".view-links >> text=Times")
    assert page.locator("svg rect.on-path").count() == 1 and page.locator(".durations rect").count() >= 4
    found += faults(steward, "times")
    page.click("text=Compare with …")
    assert page.url.endswith(f"/scheduling/run/{last.pk}/compare/{last.pk - 1}/")
    page.select_option("#id_with", str(first.pk))
    page.click("input[value=Compare]")
    assert page.url.endswith(f"/compare/{first.pk}/") and "3 min longer" in page.inner_text("#compared-steps")
    found += faults(steward, "compare")
    steward.visit(f"scheduling/plan/{Plan.objects.get().pk}/change/")
    assert page.locator(".durations rect").count() >= 4
    assert [*found, *faults(steward, "plan")] == []
