"""Promises of steps that run for each item on the form of a plan: they are set, read and copied there."""

import pytest
from django.contrib.auth.models import Permission

from scheduling.models import Plan, PlanStep, Run, SqlScript
from scheduling.plans.draft import PlanDraft, StepDraft
from scheduling.plans.save import save_plan
from tests.scheduling.admin.plans.test_admin import address, errors_of, form
from tests.scheduling.admin.plans.test_copy import saved
from tests.scheduling.admin.plans.test_steps import opened
from tests.scheduling.admin.plans.test_steps import sent as sent_of
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def script():
    SqlScript.objects.create(name="Regions", sql="SELECT 1", parameters={})
    return SqlScript.objects.create(name="Load", sql="SELECT %(region)s", parameters={"region": "text"})


@pytest.fixture
def writer(steward):
    """Return the client of a steward who may run scripts."""
    person = steward.get("/admin/").wsgi_request.user
    person.user_permissions.add(Permission.objects.get(codename="run_sqlscript"))
    return steward


def row(script, region="{{item}}", **fields):
    return {"what": f"script:{script.pk}", "arguments": f'{{"region": "{region}"}}', **fields}


def lists(plan):
    """Return what each step of a plan runs for."""
    steps = plan.steps.select_related("for_each_query")
    return [
        (step.for_each, step.for_each_result, step.for_each_query and step.for_each_query.name, step.side_by_side)
        for step in steps
    ]


def test_each_kind_of_list_is_set_on_the_form_read_again_and_copied(writer, script):
    rows = [
        row(script, for_each="north\n south \n\n", side_by_side=2),
        row(script, "{{item.code}}", for_each='[{"code": "a"}, {"code": "b"}]'),
        row(script, "{{ item }}", for_each_query="Regions"),
        row(script, "{{item.x}}", for_each_result="script Load (region={{item}}): 0.rows", step_index=2),
    ]
    response = writer.post(address("add"), form(None, *rows))
    assert response.status_code == 302, errors_of(response)
    plan = Plan.objects.get()
    wanted = [
        (["north", "south"], None, None, 2),
        ([{"code": "a"}, {"code": "b"}], None, None, None),
        (None, None, "Regions", None),
        (None, {"step": "script Load (region={{item}})", "path": "0.rows"}, None, None),
    ]
    assert lists(plan) == wanted
    page = opened(writer, plan)
    text = page.content.decode()
    assert "for each of 2 items; 2 side by side" in text and "for each row of script Regions" in text
    before = list(plan.steps.values())
    assert writer.post(address("change", plan.pk), sent_of(page)).status_code == 302
    assert list(plan.steps.values()) == before
    assert saved(writer, plan).status_code == 302
    assert lists(Plan.objects.exclude(pk=plan.pk).get()) == wanted


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"for_each": "[1, 2"}, "for_each"),
        ({"for_each": "{{regions}}"}, "for_each"),
        ({"for_each": "[5]"}, "arguments"),
        ({"for_each_query": "Nope"}, "for_each_query"),
        ({"for_each_result": ": x"}, "for_each_result"),
        ({"for_each_result": "job Nope: x"}, "for_each_result"),
        ({"for_each": "a", "for_each_query": "Regions"}, "for_each_query"),
        ({"for_each": "a", "side_by_side": 0}, "side_by_side"),
    ],
)
def test_a_fault_stands_at_its_field_and_nothing_is_stored(writer, script, fields, field):
    errors = errors_of(writer.post(address("add"), form(None, row(script, **fields))))
    assert f"0.{field}" in errors, errors
    assert not Plan.objects.exists()


@pytest.mark.parametrize(
    ("typed", "given"),
    [
        ("north\n  south \n\n", ["north", "south"]),
        ('["a", {"code": 1}]', ["a", {"code": 1}]),
        ("[]", []),
        (" \n ", ["a"]),
        ('{"code": 1}', ['{"code": 1}']),
    ],
)
def test_a_list_that_a_run_takes_is_typed_one_item_in_a_line_or_as_json(script, writer, typed, given):
    made = listing(script)
    page = writer.get(address("run", made.pk)).content.decode()
    assert "Optional: one item in a line, or a list as JSON. Empty: [&#x27;a&#x27;]." in page and "<textarea" in page
    assert writer.post(address("run", made.pk), {"argument-regions": typed}).status_code == 302
    assert Run.objects.get().parameters == {"regions": given}


def test_what_begins_as_json_and_is_none_is_told_at_its_field_and_stays(script, writer):
    made = listing(script)
    refused = writer.post(address("run", made.pk), {"argument-regions": '["north"\nsouth'})
    assert refused.context["form"].errors == {"regions": ["This begins like a list as JSON, and is none."]}
    assert "[&quot;north&quot;\nsouth</textarea>" in refused.content.decode() and not Run.objects.exists()


def listing(script):
    """Return a plan that runs for each of the regions that a run of it is given."""
    return save_plan(
        PlanDraft(
            Plan(name="Listing", order="steps", parameters={"regions": {"type": "list", "default": ["a"]}}),
            {},
            [StepDraft(PlanStep(script=script, for_each="{{regions}}", arguments={"region": "{{item}}"}))],
        ),
        now=NOW,
    )
