"""Parameters of plans: declared, checked when a run starts, and put where its steps name them."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import InvalidArguments, InvalidPlan
from scheduling.lifecycle.tasks import end_run
from scheduling.models import Plan, Run, SchedulerLog
from scheduling.plans.draft import PlanDraft
from scheduling.plans.parameters import bound, declaration_errors, declared, references, values_of
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_plans_now
from scheduling.runs.restart import RunPart, differences, manifest_now, manifest_of, restart_run
from scheduling.states import RunStatus, TaskStatus
from tests.scheduling.plans.conftest import NOW, step
from tests.scheduling.plans.test_save import faults

pytestmark = pytest.mark.django_db(transaction=True)

YEAR = {"year": "{{year}}"}
DAILY = {"schedule_type": "daily", "run_times": "06:30"}
SLOT = NOW + timedelta(minutes=30)


def given_to(run: Run) -> dict[str, dict]:
    return dict(run.tasks.values_list("key", "arguments"))


def ended(run: Run, status: str, at=NOW) -> None:
    run.tasks.update(status=TaskStatus.COMPLETED if status == "completed" else TaskStatus.FAILED, finished_at=at)
    end_run(run.pk, RunStatus(status), now=at)


@pytest.mark.parametrize(
    ("stored", "told"),
    [
        ({}, []),
        ({"day": "text", "n": {"type": "integer", "default": 3}, "x": {"type": "number", "default": None}}, []),
        ([], ["Write the parameters like"]),
        ({"Day": "text"}, ["'Day' is no name for a parameter"]),
        ({"day": "date"}, ["day: 'date' is not known; write one of text, integer, number, boolean, list."]),
        ({"day": ["text"]}, ["day: ['text'] is not known"]),
        ({"day": {"default": 1}}, ["day: None is not known"]),
        ({"day": {"type": "text", "max": 1}}, ["day has a type and a default, and nothing else."]),
        ({"n": {"type": "integer", "default": True}}, ["The parameter n takes values of the type integer, not True."]),
        ({"slot": "text"}, ["slot is there by itself; choose another name."]),
    ],
)
def test_a_declaration_is_a_type_or_a_type_with_a_default(stored, told):
    found = declaration_errors(stored, runs_by_itself=False)
    assert len(found) == len(told) and all(text.startswith(start) for text, start in zip(found, told, strict=True)), (
        found
    )


def test_a_plan_that_runs_by_itself_has_a_default_for_each():
    stored = {"day": "text", "n": {"type": "integer", "default": None}}
    assert declaration_errors(stored, runs_by_itself=True) == ["The plan runs by itself: day needs a default."]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["{{a}}", "{{ b }}", "{{a}} x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(JSON, st.integers(), st.text(max_size=3).filter(lambda text: "{" not in text))
def test_what_is_bound_names_nothing_any_more_and_all_else_stays(value, a, b):
    assert references(value) <= {"a", "b"}
    found = bound(value, {"a": a, "b": b})
    assert not references(found)
    if not references(value):
        assert found == value


def test_values_are_checked_by_their_types_and_every_fault_is_told():
    known = declared({"day": "text", "n": {"type": "integer", "default": 3}})
    assert values_of(known, {"day": "x"}) == {"day": "x", "n": 3}
    assert values_of(known, {"day": None, "n": 4}) == {"day": None, "n": 4}
    with pytest.raises(InvalidArguments) as refused:
        values_of(known, {"n": "4", "color": 1})
    assert refused.value.errors == {
        "day": ["day is missing."],
        "n": ["The parameter n takes values of the type integer, not '4'."],
        "color": ["There is no parameter 'color'; it takes: day, n."],
    }


def test_a_run_is_given_values_that_its_steps_name(make_plan, script):
    make_plan("P", step(script, arguments=YEAR), parameters={"year": {"type": "integer", "default": 2025}})
    run = start_plans_now(["P"], {"year": 2026}, started_by="ann", now=NOW)
    assert given_to(run) == {"script Refresh (year={{year}})": {"year": 2026}}
    run.refresh_from_db()
    assert run.parameters == {"year": 2026}
    ended(run, "completed")
    usual = start_plans_now(["P"], started_by="ann", now=NOW)
    assert list(given_to(usual).values()) == [{"year": 2025}]


def test_a_wrong_value_starts_nothing(make_plan, script):
    make_plan("P", step(script, arguments=YEAR), parameters={"year": "integer"})
    for given_values in ({}, {"year": "2026"}, {"year": 2026, "month": 1}):
        with pytest.raises(InvalidArguments):
            start_plans_now(["P"], given_values, started_by="ann", now=NOW)
    assert not Run.objects.exists() and not Plan.objects.get().is_running


def test_a_schedule_gives_the_defaults_and_the_slots(make_plan, make_job):
    make_job("Report", body=lambda context, since, until, year: None)
    arguments = {"since": "{{previous_slot}}", "until": "{{slot}}", "year": "{{year}}"}
    parameters = {"year": {"type": "integer", "default": 2025}}
    make_plan("P", step("Report", arguments=arguments), parameters=parameters, schedule=DAILY)
    slots = []
    for day in (1, 2):
        now = SLOT + timedelta(days=day - 1)
        run_cycle(now)
        run = Run.objects.filter(kind="plan").latest("id")
        slots.append(run.scheduled_for.isoformat())
        ((_, values),) = given_to(run).items()
        assert values == {"since": slots[-2] if day == 2 else None, "until": slots[-1], "year": 2025}
        assert run.parameters == {"year": 2025, "slot": values["until"], "previous_slot": values["since"]}
        ended(run, "completed", now)


def test_the_previous_slot_is_that_of_the_last_run_that_completed(make_plan, make_job):
    make_job("Report", body=lambda context, since: None)
    make_plan("P", step("Report", arguments={"since": "{{previous_slot}}"}))
    found = []
    for minute, status in enumerate(["completed", "failed", "completed"]):
        run = start_plans_now(["P"], started_by="ann", now=NOW + timedelta(minutes=minute))
        found += [values["since"] for values in given_to(run).values()]
        ended(run, status)
    assert found == [None, NOW.isoformat(), NOW.isoformat()]


def test_a_restart_stands_for_the_slot_of_the_run_that_it_repeats(make_plan, make_job):
    """The night fails and is repeated in the morning: the next night goes on where the night ended."""
    make_job("Report", body=lambda context, since: None)
    make_plan("P", step("Report", arguments={"since": "{{previous_slot}}"}), schedule=DAILY)

    def night(day, status):
        now = SLOT + timedelta(days=day)
        run_cycle(now)
        run = Run.objects.filter(kind="plan").latest("id")
        ended(run, status, now)
        return run

    first, failed = night(0, "completed"), night(1, "failed")
    assert failed.parameters["previous_slot"] == first.scheduled_for.isoformat()
    morning = restart_run(failed, only_failed=True, started_by="ann", now=SLOT + timedelta(days=1, hours=3))
    assert list(given_to(morning).values()) == list(given_to(failed).values())
    ended(morning, "completed", SLOT + timedelta(days=1, hours=3))
    third = night(2, "completed")
    assert third.parameters["previous_slot"] == failed.scheduled_for.isoformat()
    late = restart_run(first, only_failed=False, started_by="ann", now=SLOT + timedelta(days=2, hours=3))
    ended(late, "completed", SLOT + timedelta(days=2, hours=3))
    assert night(3, "completed").parameters["previous_slot"] == third.scheduled_for.isoformat()


def test_a_part_of_a_run_is_no_slot_that_completed(make_plan, make_job, script):
    make_job("Report", body=lambda context, since: None)
    make_plan("P", step("Report", arguments={"since": "{{previous_slot}}"}), step(script, arguments={"year": 2026}))
    run = start_plans_now(["P"], started_by="ann", now=NOW)
    ended(run, "failed")
    part = RunPart(only="script Refresh (year=2026)")
    ended(restart_run(run, only_failed=False, part=part, started_by="ann", now=NOW), "completed")
    assert start_plans_now(["P"], started_by="ann", now=NOW).parameters["previous_slot"] is None


def test_what_steps_name_is_checked_when_the_plan_is_saved(script, make_job):
    make_job("Report", body=lambda context, year: None)
    errors = faults(
        Plan(name="P", parameters={"year": "text"}),
        step(script, arguments=YEAR),
        step("Report", arguments={"year": "{{month}}", "day": "{{slot}}"}),
    )
    assert errors == {
        "steps.0.arguments": ["The parameter year takes values of the type integer, not ''."],
        "steps.1.arguments": ["The plan has no parameter 'month'; it has: slot, previous_slot, year."],
    }
    wrong = faults(Plan(name="P", parameters={"year": "date"}), step("Report", arguments=YEAR))
    assert set(wrong) == {"parameters"}, "what cannot be known is not told"
    assert set(faults(Plan(name="P", parameters={"year": "date"}), step(script, arguments=YEAR))) == {"parameters"}


def test_plans_within_plans_are_given_the_values_of_the_run(make_plan, script):
    inner = make_plan("Inner", step(script, arguments=YEAR), parameters={"year": "integer"})
    make_plan("Outer", step(inner))
    run = start_plans_now(["Outer"], {"year": 2026}, started_by="ann", now=NOW)
    assert list(given_to(run).values()) == [{"year": 2026}]
    scheduled = faults(Plan(name="Night"), step(inner), schedule=DAILY)
    assert scheduled == {"steps": ["The plan runs by itself: year needs a default."]}
    with_default = {"year": {"type": "integer", "default": 2025}}
    save_plan(PlanDraft(Plan(name="Night", parameters=with_default), DAILY, [step(inner)]), now=NOW)
    other = faults(Plan(name="Other", parameters={"year": "text"}), step(inner))
    assert other == {"steps": ["year is a integer in plan Inner and a text in plan Other."]}


def test_a_plan_within_a_scheduled_one_that_asks_for_more_meanwhile_is_an_error_in_the_log(make_plan, script):
    inner = make_plan("Inner", step(script, arguments={"year": 2026}))
    make_plan("Night", step(inner), schedule=DAILY)
    inner.parameters = {"day": "text"}
    save_plan(PlanDraft(inner), now=NOW)
    run_cycle(SLOT)
    assert not Run.objects.exists()
    assert "day is missing." in SchedulerLog.objects.get(event_type="error").message


def test_a_restart_has_the_values_of_the_run_even_as_its_plans_are_now(make_plan, script):
    plan = make_plan("P", step(script, arguments=YEAR), parameters={"year": {"type": "integer", "default": 2025}})
    run = start_plans_now(["P"], {"year": 2026}, started_by="ann", now=NOW)
    ended(run, "failed")
    run.refresh_from_db()
    assert differences(manifest_of(run), manifest_now(run)) == []
    again = restart_run(run, only_failed=True, started_by="ann", now=NOW)
    again.refresh_from_db()
    assert list(given_to(again).values()) == [{"year": 2026}] and again.parameters == {"year": 2026}
    plan.refresh_from_db()
    plan.parameters = {"year": {"type": "integer", "default": 2025}, "more": "text"}
    save_plan(PlanDraft(plan), now=NOW)
    with pytest.raises(InvalidArguments, match="more is missing"):
        manifest_now(run)


def test_parameters_of_a_plan_without_any_are_refused(make_plan, entities):
    make_plan("P", step(entities["region"]))
    with pytest.raises(InvalidArguments, match="it takes: none"):
        start_plans_now(["P"], {"day": "x"}, started_by="ann", now=NOW)
    with pytest.raises(InvalidPlan):
        save_plan(PlanDraft(Plan(name="Q", parameters={"day": 3}), {}, [step(entities["region"])]), now=NOW)
