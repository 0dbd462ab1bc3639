"""Promises of the categories of plans: one form, whoever writes them; found by each of them, and by nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduling import clock
from scheduling.alerts.findings import Holding, Round, Watch
from scheduling.errors import InvalidPlan
from scheduling.model_files.dump import dump
from scheduling.model_files.load import load
from scheduling.models import Job, Plan, Run
from scheduling.plans.categories import (
    LONGEST,
    MOST,
    categories_of,
    category_errors,
    category_text,
    in_category,
    in_one_of,
    known_categories,
)
from scheduling.plans.copied import copy_of
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from staging.models import Version
from tests.scheduling.admin.conftest import client_for, make_configuration
from tests.scheduling.alerts.conftest import rule_of
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.pieces import item, start

pytestmark = pytest.mark.django_db


def make(name, categories="", **fields):
    entity = fields.pop("entity", None)
    steps = [step(entity)] if entity else []
    return save_plan(PlanDraft(Plan(name=name, categories=categories, **fields), {}, steps), now=clock.now())


def names(condition):
    return sorted(Plan.objects.filter(condition).values_list("name", flat=True))


# --- their form ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("", ""), (" Finance ,Month  end,, ", "Finance,Month end"), (["Finance", "finance", "IT"], "Finance,IT"),
        ([], ""), ([2026, "a,b"], "2026,a,b"),
    ],
)  # fmt: skip
def test_they_are_stored_once_each_without_blanks_around_them(given, stored):
    assert category_text(given) == stored


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=12))
def test_what_is_stored_stays_as_it_is_when_it_is_read_and_stored_again(drawn):
    stored = category_text(drawn)
    assert category_text(categories_of(stored)) == category_text(stored) == stored
    assert len({name.casefold() for name in categories_of(stored)}) == len(categories_of(stored))


def test_too_many_and_too_long_ones_are_refused_by_their_field():
    assert category_errors(",".join("abcdefghij")) == [] and category_errors("x" * LONGEST) == []
    for text in (",".join(map(str, range(MOST + 1))), "x" * (LONGEST + 1)):
        with pytest.raises(InvalidPlan) as refused:
            make("Daily", text)
        assert list(refused.value.errors) == ["categories"]
    assert Plan.objects.count() == 0


# --- finding ---------------------------------------------------------------------------------------------------------


def test_a_plan_is_found_by_each_of_its_categories_whole():
    make("One", "Finance")
    make("Two", "IT,Finance")
    make("Three", "Finance,Month end")
    make("Four", "IT,finance,Month end")
    make("Others", "Finances,My Finance,Month,50% off")
    assert names(in_category("Finance")) == ["Four", "One", "Three", "Two"]
    assert names(in_category("Month end")) == ["Four", "Three"] and names(in_category("%")) == []
    assert names(in_one_of([])) == [] and names(in_one_of(["Month", "Month end"])) == ["Four", "Others", "Three"]
    Job.objects.create(name="Sync", path="a.b", source="a.py:1", category="Post")
    known = known_categories(Plan.objects.exclude(name="Others"), Job.objects.all())
    assert known[-3:] == ["IT", "Month end", "Post"] and "Finance" in known


def test_an_alert_rule_for_a_category_is_about_its_plans_and_no_others():
    inside, outside = make("Inside", "IT,Finance"), make("Outside", "IT")
    Plan.objects.update(consecutive_failures=1)
    watch = Watch(rule_of("failed", categories=["finance"]), Round(clock.now()))
    assert (
        [one.pk for one in watch.seen(Holding("all", lambda rows, _at: rows, "pk", watch.now))]
        == [inside.pk]
        != [outside.pk]
    )


# --- doors -----------------------------------------------------------------------------------------------------------


def test_a_model_file_brings_them_dumps_them_and_takes_them_away():
    def loaded(section):
        load({"version": 1, "plans": [{"name": "Daily", "steps": [], **section}]}, now=clock.now())
        return Plan.objects.get(name="Daily").categories

    assert loaded({"categories": ["Finance", "Month end"]}) == "Finance,Month end"
    (section,) = (each for each in dump()["plans"] if each["name"] == "Daily")
    assert section["categories"] == ["Finance", "Month end"]
    assert loaded({"categories": "IT, Finance"}) == "IT,Finance" and loaded({}) == ""
    assert "categories" not in dump()["plans"][0]


def test_a_copy_has_them_and_the_history_tells_their_change():
    plan = make("Daily", "Finance")
    assert copy_of(plan).categories == "Finance"
    plan.categories = "Finance,IT"
    save_plan(PlanDraft(plan, {}, []), now=clock.now())
    assert Version.objects.latest("pk").content["categories"] == ["Finance", "IT"]


def test_the_form_stores_them_and_lists_filter_and_search_them():
    entity = make_configuration("customer").entity
    plan, other = make("Daily", entity=entity), make("Weekly", "IT", entity=entity)
    steward, address = client_for("Steward"), f"/admin/scheduling/plan/{plan.pk}/change/"
    steps = {"steps-TOTAL_FORMS": "0", "steps-INITIAL_FORMS": "0"}
    form = {"name": "Daily", "order": "steps", "overlap": "skip", "timezone": "UTC", "is_enabled": "on", **steps}
    assert steward.post(address, {**form, "categories": " Finance,Month end"}).status_code == 302
    plan.refresh_from_db()
    assert plan.categories == "Finance,Month end" and 'value="Finance, Month end"' in steward.get(address).text
    refused = steward.post(address, {**form, "categories": "x" * 51})
    assert refused.status_code == 200 and "at most 50 characters" in refused.text
    shown = steward.get("/admin/scheduling/plan/", {"category": "Month end"}).context["cl"].result_list
    assert [each.name for each in shown] == ["Daily"]
    found = steward.get("/admin/scheduling/plan/", {"q": "month"}).context["cl"].result_list
    assert [each.name for each in found] == ["Daily"] and other.categories == "IT"
    assert "Daily" in steward.get("/admin/scheduling/schedulerconfiguration/search/", {"q": "Month e"}).text


def test_the_list_of_runs_finds_those_of_plans_and_jobs_in_a_category():
    make("Daily \u00e9", "Finance")
    make("Weekly", "IT")
    job = Job.objects.create(name="Sync", path="a.b", source="a.py:1", category="Finance")
    for number, plans in enumerate((["Daily \u00e9"], ["Weekly"], ["Weekly", "Daily \u00e9"])):
        Run.objects.create(kind="plan", title=str(plans), plans=plans, fire_key=str(number), created_at=clock.now())
    of_job = start(item("x"), kind="job", title="Sync", key="job", now=clock.now())
    of_job.tasks.update(workload="job", target_id=job.pk)
    client = client_for("Viewer")

    def listed(category):
        rows = client.get("/admin/scheduling/run/", {"category": category}).context["rows"]
        return sorted(row[0].title for row in rows)

    assert listed("finance") == ["Sync", str(["Daily \u00e9"]), str(["Weekly", "Daily \u00e9"])]
    assert listed("IT") == [str(["Weekly", "Daily \u00e9"]), str(["Weekly"])] and listed("Post") == []
