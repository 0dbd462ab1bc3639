"""Promise: what a plan runs after is stored through one verb; circles are refused at it, with the circle told."""

import pytest
from django.db import IntegrityError, transaction

from scheduling.errors import InvalidPlan
from scheduling.model_files.dump import dump
from scheduling.model_files.load import load
from scheduling.model_files.steps import plan_section
from scheduling.models import Plan, PlanAfter
from scheduling.plans.draft import PlanDraft
from scheduling.plans.outline import Sight
from scheduling.plans.save import save_plan
from scheduling.schedules.sentence import describe
from scheduling.subjects.plan import PLAN
from staging.errors import InvalidDefinition
from staging.models import Version
from tests.scheduling.plans.conftest import NOW, step

DAILY = {"schedule_type": "daily", "run_times": "06:00"}


@pytest.fixture
def put(make_plan):
    """Return a function that lets a plan of this name run after these, made of these steps."""

    def put(name, others=None, *steps, **fields):
        plan = Plan.objects.filter(name=name).first() or Plan(name=name)
        draft = PlanDraft(plan, fields.pop("schedule", {}), list(steps), after=others, **fields)
        return save_plan(draft, now=NOW)

    return put


def refused(put, *args, **fields):
    with pytest.raises(InvalidPlan) as error:
        put(*args, **fields)
    return error.value.errors


def test_a_plan_after_others_is_triggered_and_says_so_in_words(put, entities):
    morning = put("Morning")
    report = put("Report", [morning, entities["branch"]])
    assert report.processing_mode == "triggered" and report.armed_from == NOW and report.next_scheduled_run is None
    assert describe(report) == "After plan Morning and entity branch"
    assert put("Report", []).processing_mode == "manual" and not PlanAfter.objects.exists()


def test_settings_of_every_mode_stay_and_those_of_a_cadence_do_not(put, entities):
    report = put("Report", [entities["branch"]], schedule={"is_enabled": False, "run_times": "06:00"})
    assert not report.is_enabled and report.run_times == ""


def test_a_schedule_and_others_together_are_refused(put, entities):
    text = "A plan goes by a schedule, or it runs after others; leave one of both out."
    assert refused(put, "Report", [entities["branch"]], schedule=DAILY) == {"after_entities": [text]}
    put("Nightly", schedule=DAILY)
    assert refused(put, "Nightly", [put("Morning")]) == {"after_plans": [text]}
    assert put("Nightly", [entities["branch"]], schedule={"schedule_type": ""}).processing_mode == "triggered"


def test_a_plan_cannot_run_after_itself(put):
    report = put("Report")
    assert refused(put, "Report", [report]) == {"after_plans": ["A plan cannot run after itself."]}
    with pytest.raises(IntegrityError), transaction.atomic():
        PlanAfter.objects.create(plan=report, other=report)


def circle(line):
    return f"They would start each other for ever: {line}."


def test_a_circle_of_plans_is_refused_and_told(put):
    a = put("A")
    b = put("B", [a])
    c = put("C", [b])
    assert refused(put, "A", [c]) == {"after_plans": [circle("plan A > plan C > plan B > plan A")]}


def test_a_circle_through_an_entity_that_a_plan_processes_is_refused(put, entities):
    text = circle("entity branch > plan Report > entity branch")
    assert refused(put, "Report", [entities["branch"]], step(entities["branch"])) == {"after_entities": [text]}
    inner = put("Inner", None, step(entities["branch"]))
    assert refused(put, "Report", [entities["branch"]], step(inner)) == {"after_entities": [text]}


def test_a_circle_that_other_steps_would_close_is_refused_with_these_steps(put, entities):
    put("Report", [entities["branch"]], step(entities["till"]))
    text = circle("entity branch > plan Other > entity till > plan Report > entity branch")
    assert refused(put, "Other", [entities["till"]], step(entities["branch"])) == {"after_entities": [text]}
    assert refused(put, "Report", None, step(entities["branch"])) == {
        "after_entities": [circle("entity branch > plan Report > entity branch")]
    }
    # A step of a plan that runs after nothing, inside one that does.
    inner = put("Inner", None, step(entities["region"]))
    put("Late", [entities["branch"]], step(inner))
    assert refused(put, "Inner", None, step(entities["branch"]))["steps"]


def test_a_cancelled_step_and_a_cancelled_plan_close_no_circle(put, entities):
    put("Report", [entities["branch"]], step(entities["branch"], is_cancelled=True))
    a = put("A")
    b = put("B", [a])
    b.is_cancelled = True
    save_plan(PlanDraft(b), now=NOW)
    put("A", [b])
    b.is_cancelled = False
    with pytest.raises(InvalidPlan) as back:
        save_plan(PlanDraft(b), now=NOW)
    assert back.value.errors == {"after_plans": [circle("plan A > plan B > plan A")]}


def test_a_plan_that_is_a_step_of_what_it_waits_for_is_refused(put, entities):
    inner = put("Inner", None, step(entities["region"]))
    middle = put("Middle", None, step(inner))
    outer = put("Outer", None, step(middle))
    line = "plan Inner > plan Outer > plan Inner"
    assert refused(put, "Inner", [outer]) == {"after_plans": [circle(line)]}
    other = put("Other", [middle])
    assert refused(put, "Middle", None, step(other)) == {"steps": [circle("plan Other > plan Middle > plan Other")]}


def test_a_plan_that_runs_what_it_waits_for_is_no_circle(put, entities):
    """It runs its steps, and not the plan itself: that does not complete by it."""
    inner = put("Inner", None, step(entities["region"]))
    assert put("Outer", [inner], step(inner)).after_others


def test_of_a_circle_through_what_a_reader_does_not_see_no_name_is_told(put):
    a = put("A")
    b = put("B", [a])
    sight = Sight(frozenset(), frozenset({"A"}))
    assert refused(put, "A", [b], sight=sight) == {
        "after_plans": ["Plans would start each other in a circle, through some that you do not see."]
    }


def test_a_plan_that_starts_by_itself_needs_a_default_for_each_parameter(make_plan, entities):
    with pytest.raises(InvalidPlan) as error:
        save_plan(PlanDraft(Plan(name="Report", parameters={"day": "text"}), after=[entities["branch"]]), now=NOW)
    assert set(error.value.errors) == {"parameters"}


def test_who_may_not_run_scripts_does_not_say_after_what_a_plan_with_one_runs(put, entities, script):
    put("Report", None, step(script, arguments={"year": 1}))
    assert set(refused(put, "Report", [entities["branch"]], may_script=False)) == {"after_entities"}


def test_the_database_keeps_each_once_and_one_thing_in_a_row(put, entities):
    morning = put("Morning")
    report = put("Report", [morning, entities["branch"]])
    for wrong in (
        {"other": morning},
        {"entity": entities["branch"]},
        {},
        {"other": morning, "entity": entities["till"]},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            PlanAfter.objects.create(plan=report, **wrong)


def test_a_file_names_them_and_a_dump_of_it_changes_nothing(put, entities):
    put("Report", [put("Morning"), entities["branch"]])
    document = dump()
    report = next(plan for plan in document["plans"] if plan["name"] == "Report")
    assert (report["after_plans"], report["after_entities"]) == (["Morning"], ["branch"])
    loaded = load(document, now=NOW)
    assert not loaded.changed and not loaded.created
    report["after_plans"] = []
    assert load(document, now=NOW).changes["plan Report"] == {"after_plans": {"from": ["Morning"], "to": None}}
    assert describe(Plan.objects.get(name="Report")) == "After entity branch"


def test_a_file_may_name_what_it_defines_itself(db):
    entity = {"code": "region", "name": "Region", "attributes": []}
    plans = [{"name": "Report", "after_plans": ["Morning"], "after_entities": ["region"]}, {"name": "Morning"}]
    load({"version": 1, "entities": [entity], "plans": [{**plan, "steps": []} for plan in plans]}, now=NOW)
    assert describe(Plan.objects.get(name="Report")) == "After plan Morning and entity region"


def test_what_is_wrong_in_a_file_is_told_at_its_place(put, entities):
    put("Morning")
    plans = [
        {"name": "Report", "after_plans": ["Mourning"], "after_entities": ["branch", 7], "steps": []},
        {"name": "Both", "after_plans": ["Morning"], "schedule": {"schedule_type": "daily", "run_times": ["06:00"]},
         "steps": []},
        {"name": "Late", "after_plans": ["Morning"], "schedule": {"catch_up": "last"}, "steps": []},
    ]  # fmt: skip
    with pytest.raises(InvalidDefinition) as error:
        load({"version": 1, "plans": plans}, now=NOW)
    told = error.value.errors
    assert told["plans[0].after_plans[0]"] == ["There is no plan 'Mourning'. Did you mean 'Morning'?"]
    assert told["plans[0].after_entities[1]"] == ["There is no entity 7."]
    assert told["plans[2].schedule.catch_up"] == ["Processing mode triggered has no use for catch_up; leave it out."]
    with pytest.raises(InvalidDefinition) as error:
        load({"version": 1, "plans": plans[1:2]}, now=NOW)
    assert set(error.value.errors) == {"plans[0].after_plans"}
    circle_of_two = [{"name": "A", "after_plans": ["B"], "steps": []}, {"name": "B", "after_plans": ["A"], "steps": []}]
    with pytest.raises(InvalidDefinition) as error:
        load({"version": 1, "plans": circle_of_two}, now=NOW)
    assert error.value.errors["plans[0].after_plans"] == [circle("plan A > plan B > plan A")]


def test_its_history_says_it_by_name_and_goes_back(put, entities):
    morning = put("Morning")
    report = put("Report", [entities["branch"]])
    put("Report", [morning])
    first, second = Version.objects.filter(subject_type=PLAN.key, subject_id=report.pk).order_by("pk")
    assert (first.content["after_entities"], second.content["after_plans"]) == (["branch"], ["Morning"])
    morning.name = "Early"
    save_plan(PlanDraft(morning), now=NOW)
    third = Version.objects.filter(subject_type=PLAN.key, subject_id=report.pk).order_by("-pk")[0]
    assert third.content["after_plans"] == ["Early"], "the version of everything that names it"
    PLAN.restore(Plan.objects.get(pk=report.pk), first.content)
    assert plan_section(PlanDraft.of(Plan.objects.get(pk=report.pk)))["after_entities"] == ["branch"]
