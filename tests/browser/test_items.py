"""In a browser: a step runs for each item of a list, told on the form of its plan, and its items unfold on the run."""

from django.contrib.auth.models import Permission, User
from playwright.sync_api import expect

from scheduling import clock
from scheduling.models import Plan, Run, SqlScript
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from tests.browser.screens import faults, looks_at_pages
from tests.scheduling.conftest import work_off
from tests.scheduling.plans.conftest import step


@looks_at_pages
def test_a_person_says_for_each_item_of_what_and_looks_at_the_items(steward, customer):
    User.objects.get(username="steward").user_permissions.add(Permission.objects.get(codename="run_sqlscript"))
    sql = "INSERT INTO stg_customer (code, name) SELECT %(region)s, 'x'"
    script = SqlScript.objects.create(name="Put", sql=sql, parameters={"region": "text"})
    save_plan(PlanDraft(Plan(name="Regions"), {}, [step(customer.entity)]), now=clock.now())
    page = steward.page
    steward.visit(f"scheduling/plan/{Plan.objects.get().pk}/change/")
    page.select_option("#id_steps-1-what", f"script:{script.pk}")
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.fill("#id_steps-1-arguments", '{"region": "{{item}}"}')
    page.fill("#id_steps-1-for_each", "{{regions}}")
    page.click("input[name=_continue]")
    expect(page.locator(".errors-at-a-glance")).to_contain_text("regions is no parameter of this plan")
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.fill("#id_steps-1-for_each", "north\nsouth\nnorth")
    page.fill("#id_steps-1-side_by_side", "2")
    page.click("input[name=_continue]")
    expect(page.locator(".messagelist")).to_contain_text("was changed successfully")
    found = faults(steward, "plan")
    page.click("text=Run now …")
    page.click("button:has-text('Run now')")
    run = Run.objects.get()
    work_off(clock.now())
    steward.visit(f"scheduling/run/{run.pk}/change/")
    expect(page.locator(".items-of-step")).to_contain_text("3 of 3 items")
    assert page.locator("tr:has-text('[2]')").count() == 0
    found += faults(steward, "run")
    page.click("text=Show items")
    expect(page.locator("th:has-text('[2]')").first).to_contain_text('"south"')
    found += faults(steward, "items")
    page.click("text=All steps")
    assert page.url.endswith(f"/scheduling/run/{run.pk}/change/")
    assert found == [] and steward.complaints == []
