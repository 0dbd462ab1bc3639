"""Promise: what a plan runs after is chosen on its form, told on the pages of all of them, and copied with it."""

import pytest
from django.urls import reverse

from scheduling.forecast.forecast import forecast
from scheduling.model_files.steps import plan_section
from scheduling.models import Plan, SchedulerConfiguration
from scheduling.plans.after import after_names, after_of
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from staging.models import Entity
from tests.scheduling.admin.conftest import NOW
from tests.scheduling.admin.plans.test_admin import address, errors_of, form
from tests.scheduling.admin.plans.test_copy import saved
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db


@pytest.fixture
def entities():
    return {code: Entity.objects.create(code=code, name=code.capitalize()) for code in ("region", "branch")}


@pytest.fixture
def morning(entities):
    return save_plan(PlanDraft(Plan(name="Morning"), {}, [step(entities["region"])]), now=NOW)


@pytest.fixture
def report(morning, entities):
    return save_plan(PlanDraft(Plan(name="Report"), {}, [], after=[morning, entities["branch"]]), now=NOW)


def chosen(plan):
    return after_names(after_of(plan))


def test_it_is_chosen_on_the_form_changed_and_taken_out(steward, morning, entities):
    data = {"after_plans": [morning.pk], "after_entities": [entities["branch"].pk]}
    response = steward.post(address("add"), form(None, name="Report", **data))
    assert response.status_code == 302, errors_of(response)
    report = Plan.objects.get(name="Report")
    assert chosen(report) == {"after_plans": ["Morning"], "after_entities": ["branch"]}
    page = steward.get(address("change", report.pk)).content.decode()
    assert page.count(" checked") >= 2 and "After plan Morning and entity branch" in page
    response = steward.post(address("change", report.pk), form(report, name="Report"))
    assert response.status_code == 302, errors_of(response)
    assert chosen(report) == {"after_plans": [], "after_entities": []}
    assert Plan.objects.get(pk=report.pk).processing_mode == "manual"


def test_a_circle_is_told_at_its_field_and_one_by_steps_beside_them(steward, morning, report, entities):
    response = steward.post(address("change", morning.pk), form(morning, name="Morning", after_plans=[report.pk]))
    line = "They would start each other for ever: plan Morning > plan Report > plan Morning."
    assert errors_of(response) == {"after_plans": [line]}
    new = {"what": f"entity:{entities['branch'].pk}", "run_if": "all_succeeded"}
    data = form(report, new, name="Report", after_entities=[entities["branch"].pk])
    assert "entity branch > plan Report" in str(errors_of(steward.post(address("change", report.pk), data)))


def test_a_schedule_beside_it_is_refused_at_its_field(steward, morning):
    data = form(None, name="Report", schedule_type="daily", run_times="06:00", after_plans=[morning.pk])
    response = steward.post(address("add"), data)
    assert errors_of(response) == {
        "after_plans": ["A plan goes by a schedule, or it runs after others; leave one of both out."]
    }


def test_what_is_not_there_and_what_is_cancelled_is_not_offered(steward, morning, entities):
    Entity.objects.filter(pk=entities["region"].pk).update(is_cancelled=True)
    response = steward.post(address("add"), form(None, name="Report", after_entities=[entities["region"].pk, 999]))
    assert set(errors_of(response)) == {"after_entities"}


def test_where_there_are_many_they_are_searched(steward, morning):
    Entity.objects.bulk_create(Entity(code=f"e{number}", name=f"E {number}") for number in range(40))
    page = steward.get(address("change", morning.pk)).content.decode()
    assert 'class="selectfilter"' in page and "E 39" in page


def test_where_there_are_very_many_their_names_are_typed_one_in_a_line(steward, morning):
    made = Entity.objects.bulk_create(Entity(code=f"e{number:03}", name=f"E {number}") for number in range(310))
    assert 'textarea name="after_entities"' in steward.get(address("change", morning.pk)).content.decode()
    wrong = steward.post(address("add"), form(None, name="Report", after_entities="e007\nE 8\ne999"))
    assert len(errors_of(wrong)["after_entities"]) == 1 and "e007\nE 8\ne999</textarea>" in wrong.content.decode()
    sent = form(None, name="Report", after_entities=f"e007\nE 8\n{made[9].pk}")
    assert steward.post(address("add"), sent).status_code == 302
    report = Plan.objects.get(name="Report")
    assert {one.code for one in after_of(report)} == {"e007", "e008", "e009"}
    assert "e007\ne008\ne009</textarea>" in steward.get(address("change", report.pk)).content.decode()


def test_the_pages_of_all_of_them_name_the_others(steward, morning, report, entities):
    page = steward.get(address("change", report.pk)).content.decode()
    assert f'<a href="{address("change", morning.pk)}">plan Morning</a>' in page
    assert "plan Morning: not since" in page and "Runs after" in page
    page = steward.get(address("change", morning.pk)).content.decode()
    assert "Runs after it" in page and f'<a href="{address("change", report.pk)}">Report</a>' in page
    configuration = SchedulerConfiguration.objects.get(entity=entities["branch"])
    place = reverse("admin:scheduling_schedulerconfiguration_change", args=[configuration.pk])
    page = steward.get(place).content.decode()
    assert "Plans after it" in page and f'<a href="{address("change", report.pk)}">Report</a>' in page


def test_the_list_and_the_way_to_why_not_say_it(viewer, report):
    assert "After plan Morning and entity branch" in viewer.get(address("changelist")).content.decode()
    page = viewer.get(address("why_not", report.pk)).content.decode()
    assert "After plan Morning" in page and "not since" in page
    assert viewer.get(address("change", report.pk)).status_code == 200


def test_a_copy_runs_after_the_same(steward, report):
    assert saved(steward, report).status_code == 302
    copied = plan_section(PlanDraft.of(Plan.objects.get(name="Copy of Report")))
    assert (copied["after_plans"], copied["after_entities"]) == (["Morning"], ["branch"])


def test_the_preview_says_what_starts_it(steward, report, morning):
    answer = steward.post(address("preview", report.pk), form(report, name="Report", after_plans=[morning.pk])).json()
    assert (answer["sentence"], answer["fires"], answer["errors"]) == ("After others", [], {})


def test_the_forecast_names_it_without_a_time(report):
    (found,) = forecast(NOW, NOW.replace(day=9), now=NOW).when_data_arrives
    assert (found.what, found.sentence) == ("plan Report", "After plan Morning and entity branch")
