"""Promises of steps that run for each item: what may be said of one, what comes of it, and every door says the same."""

import pytest

from scheduling.kinds import usual_runs
from scheduling.model_files.dump import dump
from scheduling.model_files.load import load
from scheduling.models import Plan, PlanStep, Run, SqlScript
from scheduling.plans.compile import compile_plans
from scheduling.plans.draft import PlanDraft, StepDraft, plan_errors
from scheduling.plans.each import with_item
from scheduling.runs.by_hand import run_document, start_plans_now
from tests.scheduling.plans.conftest import NOW
from tests.scheduling.runs.pieces import work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def scripts(make_entity):
    """A script that lists regions from a number on, and one that takes one."""
    make_entity()
    listing = SqlScript.objects.create(
        name="Regions", sql="SELECT 'north' AS code UNION ALL SELECT 'south' ORDER BY 1", parameters={}
    )
    loads = SqlScript.objects.create(
        name="Load",
        sql="UPDATE mdm_branch SET name = %(region)s WHERE code = %(region)s",
        parameters={"region": "text"},
    )
    return listing, loads


def load_step(scripts, **fields):
    fields = {"script": scripts[1], "arguments": {"region": "{{item}}"}, **fields}
    return StepDraft(PlanStep(**fields))


def faults(*steps, **fields):
    return plan_errors(PlanDraft(Plan(name="P", **fields), {}, list(steps)), now=NOW)


@pytest.mark.pure
@pytest.mark.parametrize(
    ("arguments", "item", "comes"),
    [
        ({"a": "{{item}}"}, 5, {"a": 5}),
        ({"a": ["{{ item.code }}", "x {{item}}"]}, {"code": "n"}, {"a": ["n", "x {{item}}"]}),
        ({"a": {"b": "{{item.list.1}}"}}, {"list": [1, 2]}, {"a": {"b": 2}}),
        ({"a": "{{item.gone}}"}, {"code": "n"}, {"a": None}),
    ],
)
def test_arguments_name_the_item_or_a_part_of_it(arguments, item, comes):
    assert with_item(arguments, item) == comes


@pytest.mark.parametrize(
    ("fields", "field", "says"),
    [
        ({"for_each": ["a"], "for_each_result": {"step": "x", "path": ""}}, "for_each_result", "one list"),
        ({"for_each": ["a", 5]}, "arguments", "takes values of the type text, not 5"),
        ({"for_each": "{{regions}}"}, "for_each", "no parameter of this plan"),
        ({"for_each": "north"}, "for_each", "Write a list"),
        ({"for_each": {"a": 1}}, "for_each", "Write a list"),
        ({"for_each": list(map(str, range(1001)))}, "for_each", "at most 1,000"),
        ({"for_each_result": {"step": "script Nope", "path": ""}}, "for_each_result", "no step"),
        ({"for_each": ["a"], "side_by_side": 0}, "side_by_side", "greater than or equal to 1"),
        ({"side_by_side": 2, "arguments": {"region": "x"}}, "side_by_side", "Only what runs for each item"),
        ({"for_each": ["a"], "arguments": {"region": "{{other}}"}}, "arguments", "no parameter 'other'"),
        ({"arguments": {"region": "{{item}}"}}, "arguments", "no parameter 'item'"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(scripts, fields, field, says):
    found = faults(load_step(scripts, **fields))
    assert says in " ".join(found[f"steps.0.{field}"]), found


def test_only_jobs_and_scripts_run_for_items_and_the_word_is_taken(scripts):
    plan = Plan.objects.create(name="Inner")
    found = faults(StepDraft(PlanStep(sub_plan=plan, for_each=["a"])))
    assert "Only a job or a SQL script" in found["steps.0.for_each"][0]
    found = faults(StepDraft(PlanStep(wait_minutes=5, for_each=["a"])))
    assert "Only a job or a SQL script" in found["steps.0.for_each"][0]
    found = faults(load_step(scripts, for_each=["a"]), parameters={"item": "text"})
    assert "rename it" in found["steps.0.for_each"][0]


def test_a_query_is_given_the_parameters_that_are_called_so(scripts):
    scripts[0].parameters = {"day": "text"}
    found = faults(load_step(scripts, for_each_query=scripts[0]))
    assert "The parameter day needs a value" in found["steps.0.for_each_query"][0]
    assert not faults(load_step(scripts, for_each_query=scripts[0]), parameters={"day": "text"})


FILE = {
    "version": 1,
    "plans": [
        {
            "name": "Each",
            "parameters": {"regions": {"type": "list", "default": ["x"]}},
            "steps": [
                {
                    "script": "Load",
                    "for_each": ["north", "south"],
                    "side_by_side": 1,
                    "arguments": {"region": "{{item}}"},
                },
                {"script": "Load", "for_each_query": "Regions", "arguments": {"region": "{{item.code}}"}},
                {"script": "Load", "for_each": "{{regions}}", "arguments": {"region": "{{ item }}"}},
            ],
        }
    ],
}


@pytest.fixture
def stored(scripts):
    load(FILE, now=NOW)
    return Plan.objects.get(name="Each")


def test_a_model_file_says_it_and_loading_its_dump_changes_nothing(stored):
    (written,) = dump()["plans"]
    assert [
        {key: value for key, value in step.items() if key.startswith(("for", "side"))} for step in written["steps"]
    ] == [
        {"for_each": ["north", "south"], "side_by_side": 1},
        {"for_each_query": "Regions"},
        {"for_each": "{{regions}}"},
    ]
    before = list(stored.steps.values())
    load({"version": 1, "plans": [written]}, now=NOW)
    assert list(stored.steps.values()) == before


def test_it_compiles_to_one_task_and_a_run_does_each_item_once(stored, settings):
    made = compile_plans(["Each"])
    assert {(task.workload, task.attempts) for task in made.tasks} == {("map", 5)}
    run = start_plans_now(["Each"], {"regions": ["a", "b", "c"]}, started_by="ann", now=NOW)
    work()
    run.refresh_from_db()
    assert run.status == "completed", run.error
    document = run_document(run)
    assert document["steps_total"] == 3 == document["steps_done"]
    assert [task["items"] for task in document["tasks"]] == [
        {"total": 2, "completed": 2}, {"total": 2, "completed": 2}, {"total": 3, "completed": 3}
    ]  # fmt: skip
    assert list(run.tasks.filter(mapped_by__key="script Load (region={{ item }})").values_list("item", flat=True)) == [
        "a", "b", "c"
    ]  # fmt: skip
    query = run.tasks.filter(mapped_by__key="script Load (region={{item.code}})").order_by("item_number")
    assert list(query.values_list("arguments", flat=True)) == [{"region": None}] * 2, "of one column it is the value"


def test_a_query_of_several_columns_gives_items_with_parts(stored, scripts):
    SqlScript.objects.filter(name="Regions").update(
        sql="SELECT 'north' AS code, 1 AS number UNION ALL SELECT 'south', 2 ORDER BY 2 -- listed"
    )
    run = start_plans_now(["Each"], {}, started_by="ann", now=NOW)
    work()
    query = run.tasks.filter(mapped_by__key="script Load (region={{item.code}})").order_by("item_number")
    assert list(query.values_list("arguments", flat=True)) == [{"region": "north"}, {"region": "south"}]
    found = [{"code": "north", "number": 1}, {"code": "south", "number": 2}]
    assert list(query.values_list("item", flat=True)) == found


@pytest.mark.parametrize("sql", ["DELETE FROM mdm_branch", "SELECT username FROM auth_user"])
def test_a_query_that_answers_nothing_or_may_not_fails_the_step(stored, sql):
    SqlScript.objects.filter(name="Regions").update(sql=sql)
    run = start_plans_now(["Each"], {}, started_by="ann", now=NOW)
    work()
    task = run.tasks.get(key="script Load (region={{item.code}})")
    assert (task.status, task.attempts_made) == ("failed", 1), task.message


def test_what_it_usually_takes_is_told_of_the_step_as_a_whole(stored):
    start_plans_now(["Each"], {}, started_by="ann", now=NOW)
    work()
    assert Run.objects.get().status == "completed"
    (usual,) = usual_runs([stored]).values()
    assert {piece.workload for piece in usual.pieces} == {"map"} and not usual.faults


def test_who_may_not_run_scripts_takes_no_items_of_a_query(scripts):
    steps = [StepDraft(PlanStep(job_name="Load", for_each_query=scripts[0]))]
    found = plan_errors(PlanDraft(Plan(name="P"), {}, steps, may_script=False), now=NOW)
    assert "runs the SQL script Regions" in found["steps.0.script"][0]
