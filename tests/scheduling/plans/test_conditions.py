"""What steps may ask about what others gave: refused at its path if it can never be asked, true under new names."""

import pytest

from scheduling.dag.conditions import parsed
from scheduling.errors import InvalidPlan
from scheduling.model_files.dump import dump
from scheduling.model_files.load import load
from scheduling.models import Job, Plan, PlanStep
from scheduling.plans.check import check_plans
from scheduling.plans.compile import compile_plans
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_dependencies, save_plan
from scheduling.plans.scripts import save_script
from scheduling.subjects.named import rename
from staging.errors import InvalidDefinition
from staging.model_files.read import parse_yaml
from tests.scheduling.plans.conftest import NOW, step


@pytest.fixture(autouse=True)
def jobs(db):
    Job.objects.bulk_create([Job(name=name, path=f"x.{name}", source="x.py") for name in ("Load", "Report")])


def only_when(*lines):
    """Return what a step keeps of these conditions."""
    return {"only_when": [parsed(line).as_json() for line in lines]}


def faults(*steps, **fields):
    with pytest.raises(InvalidPlan) as refused:
        save_plan(PlanDraft(Plan(name="P", **fields), {}, list(steps)), now=NOW)
    assert not Plan.objects.exists()
    return {path: " ".join(texts) for path, texts in refused.value.errors.items()}


def test_a_step_asks_what_one_before_it_gave(make_plan, entities, script):
    make_plan(
        "P",
        step("Load"),
        step(entities["branch"]),
        step(script, arguments={"year": 1}),
        step("Report", step_index=2, **only_when("job Load: rows.new > 0", "branch: changed > 0",
                                                 "script Refresh (year=1): rows is one of 1, 2")),
    )  # fmt: skip
    tasks = {task.key: task for task in compile_plans(["P"]).tasks}
    assert [each.step for each in tasks["job Report"].only_when] == ["job Load", "branch", "script Refresh (year=1)"]
    assert tasks["job Load"].only_when == ()


@pytest.mark.parametrize(
    ("line", "text"),
    {
        "job Lood: x > 0": "There is no step 'job Lood' in this plan; did you mean 'job Load'?",
        "job Report: x > 0": "A step cannot ask about itself",
        "till: changed > 0": "till comes after this step",
        "branch: bogus > 0": "branch gives rows, changed, inserted, ",
        "branch: > 0": "'' is none of them",
        'branch: inserted = "x"': "inserted of branch is a number",
        "branch: inserted is empty": "inserted of branch is a number",
        "script Refresh (year=1): result > 0": "gives rows, warnings; 'result' is none of them",
    }.items(),
)
def test_what_can_never_be_asked_is_refused_at_its_path(entities, script, line, text):
    steps = [
        step("Load"),
        step(entities["branch"]),
        step(script, arguments={"year": 1}),
        step("Report", step_index=2, **only_when(line)),
        step(entities["till"], step_index=3),
    ]
    found = faults(*steps)
    assert list(found) == ["steps.3.only_when"] and text in found["steps.3.only_when"]


def test_a_plan_gives_no_value_and_asks_nothing_itself(make_plan, entities):
    inner = make_plan("Inner", step(entities["region"]))
    with pytest.raises(InvalidPlan) as refused:
        save_plan(
            PlanDraft(Plan(name="P"), {}, [step(inner), step("Load", step_index=2, **only_when("plan Inner: x > 0"))]),
            now=NOW,
        )
    assert "only entities, jobs and scripts do" in " ".join(refused.value.errors["steps.1.only_when"])
    with pytest.raises(InvalidPlan) as refused:
        save_plan(
            PlanDraft(Plan(name="P"), {}, [step("Load"), step(inner, step_index=2, **only_when("job Load: x > 0"))]),
            now=NOW,
        )
    assert "steps.1.only_when" in refused.value.errors


def test_what_it_asks_about_comes_before_it_whatever_the_numbers_say(make_plan, entities):
    plan = make_plan("P", step("Load"), step("Report", **only_when("job Load: x > 0")))
    assert check_plans(["P"]).waves == (("job Load",), ("job Report",))
    plan.delete()
    first = step("Load", **only_when("job Report: x > 0"))
    assert "circle" in faults(first, step("Report", **only_when("job Load: x > 0")), order="both")["steps"]


def test_an_order_that_the_hierarchy_turns_round_is_refused_there(make_plan, entities):
    save_dependencies(entities["till"], [])
    make_plan("P", step(entities["till"]), step(entities["branch"], **only_when("till: rows > 0")), order="hierarchy")
    with pytest.raises(InvalidPlan):
        save_dependencies(entities["till"], ["branch"])


def test_a_cancelled_step_asks_nothing_and_one_that_is_asked_about_may_be_cancelled(make_plan):
    make_plan("P", step("Load", is_cancelled=True), step("Report", step_index=2, **only_when("job Load: x > 0")))
    make_plan("Q", step("Load", is_cancelled=True, **only_when("job Gone: x > 0")), step("Report"))
    turned = step("Load", is_cancelled=True, **only_when("job Report: x > 0"))
    make_plan("R", turned, step("Report", step_index=2))


def test_a_step_that_the_draft_leaves_out_is_named(make_plan):
    plan = make_plan("P", step("Load"), step("Report", step_index=2, **only_when("job Load: x > 0")))
    changed = PlanDraft.of(plan).steps[0]
    changed.step.arguments = {"day": 1}
    with pytest.raises(InvalidPlan) as refused:
        save_plan(PlanDraft(plan, {}, [changed]), now=NOW)
    told = [text for texts in refused.value.errors.values() for text in texts]
    assert any("job Report: There is no step 'job Load'" in text for text in told) or "steps.0.arguments" in str(
        refused.value.errors
    )


def test_check_plan_tells_the_conditions(make_plan):
    make_plan("P", step("Load"), step("Report", step_index=2, **only_when("job Load: rows.new > 0")))
    assert check_plans(["P"]).as_json()["conditions"] == {"job Report": ["job Load: rows.new > 0"]}
    make_plan("Q", step("Load"))
    assert "conditions" not in check_plans(["Q"]).as_json()


def test_true_is_not_one_when_a_step_is_changed(make_plan):
    plan = make_plan("P", step("Load"), step("Report", step_index=2, **only_when("job Load: x = 1")))
    draft = PlanDraft.of(plan)
    draft.steps[1].step.only_when = [parsed("job Load: x = true").as_json()]
    save_plan(draft, now=NOW)
    assert PlanStep.objects.get(job_name="Report").only_when[0]["value"] is True


def test_a_script_with_a_new_name_is_still_asked_about(make_plan, script):
    asked = only_when("script Refresh (year=1): rows > 0", "job Load: x > 0")
    make_plan("P", step("Load"), step(script, arguments={"year": 1}), step("Report", step_index=2, **asked))
    script.name = "Renew"
    save_script(script)
    report = PlanStep.objects.get(job_name="Report")
    assert [each["step"] for each in report.only_when] == ["script Renew (year=1)", "job Load"]
    rename(script, "Refresh")
    report.refresh_from_db()
    assert [each["step"] for each in report.only_when] == ["script Refresh (year=1)", "job Load"]
    save_plan(PlanDraft.of(Plan.objects.get()), now=NOW)


FILE = """
version: 1
plans:
  - name: P
    steps:
      - {job: Load}
      - job: Report
        only_when: ["job Load: rows.new > 0", 'job Load: region is one of north, "south"']
"""


def test_a_model_file_says_them_in_lines_and_loading_its_dump_changes_nothing(db):
    load(parse_yaml(FILE), now=NOW)
    stored = PlanStep.objects.get(job_name="Report")
    assert stored.only_when[0] == {"step": "job Load", "path": "rows.new", "is": ">", "value": 0}
    document = dump()
    (section,) = document["plans"]
    assert section["steps"][1]["only_when"] == ["job Load: rows.new > 0", 'job Load: region is one of "north", "south"']
    assert load(document, now=NOW).changes == {}
    load(parse_yaml(FILE.replace("only_when", "priority: 0 #")), now=NOW)
    stored.refresh_from_db()
    assert stored.only_when is None


def test_what_is_wrong_in_a_file_stands_at_its_path(db):
    with pytest.raises(InvalidDefinition) as refused:
        load(parse_yaml(FILE.replace("rows.new > 0", "rows.new").replace("Load: region", "Load: region")), now=NOW)
    assert list(refused.value.errors) == ["plans[0].steps[1].only_when[0]"]
    with pytest.raises(InvalidDefinition) as refused:
        load(parse_yaml(FILE.replace("job Load: rows", "job Lost: rows")), now=NOW)
    assert list(refused.value.errors) == ["plans[0].steps[1].only_when"]
    with pytest.raises(InvalidDefinition) as refused:
        load(parse_yaml(FILE.replace('["job Load: rows.new > 0", ', "[7, ")), now=NOW)
    assert list(refused.value.errors) == ["plans[0].steps[1].only_when[0]"]
