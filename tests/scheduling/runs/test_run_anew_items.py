"""A step that runs for each item, run anew while its run goes on; and what figures tell of what was done before."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.recover import recover
from scheduling.errors import CannotIntervene
from scheduling.figures.read import figures_of
from scheduling.figures.roll_up import roll_up
from scheduling.models import Run, Task, TaskDependency
from scheduling.queues import claim, claim_next
from scheduling.runs.by_hand import run_document
from scheduling.runs.execute import run_attempt
from scheduling.runs.intervene import complete_step, hold_step, let_step_go_on, retry_now, run_from, run_only, skip_step
from scheduling.states import RunKind
from scheduling.workloads.given import given_in
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.pieces import FAILING, item, of, start, states, status, work
from tests.scheduling.runs.test_items import listed, pieces, spread
from tests.scheduling.runs.test_items_by_hand import give

pytestmark = pytest.mark.django_db(transaction=True)

BY = {"by": "ann", "now": NOW}
HOUR = timedelta(hours=1)
either = pytest.mark.parametrize("verb", [run_only, run_from])


def begun_early(verb: Any, *values: Any, **fields: Any) -> Run:
    """Return a run whose step for each item was run by a hand while what it waits for is held."""
    run = start(item("a"), listed(*values, after="a", **fields), item("after", "load"))
    hold_step(of(run, "a"), **BY)
    verb(of(run, "load"), **BY)
    return run


def given(run: Run) -> list[Any]:
    """Return what the items of a step gave."""
    return [one["value"] for one in given_in(run.pk, ["load"])["load"]]


def goes_on_behind_a_list(*values: Any) -> Run:
    """Return a run whose step got its items from the step before and did them; something of it goes on."""
    source = {"result": {"step": "give", "path": "list"}}
    run = start(item("give"), spread(source, after="give"), item("after", "load"), item("long", priority=-1))
    give(run, *values)
    work(most=3 + len(values))
    assert states(run)["after"] == "completed" and given(run) == list(values)
    return run


# --- its items --------------------------------------------------------------------------------------------------------


@either
@pytest.mark.parametrize("most", [None, 1])
def test_one_that_waits_for_nothing_but_its_items_is_looked_at_twice(verb, most):
    run, taken = begun_early(verb, "x", "y", side_by_side=most), 0
    while taken < 20 and (attempt := claim_next(worker="w", now=NOW)):
        run_attempt(attempt, time=lambda: NOW)
        taken += 1
    assert taken == len(["its list", "x", "y", "its end", "after"]) and audit() == []
    assert states(run)["load"] == states(run)["after"] == "completed" and given(run) == ["x", "y"]


@either
def test_while_its_items_work_it_takes_no_worker_whoever_looks_at_its_run(verb):
    run = begun_early(verb, "x", "y")
    work(most=1)
    first = claim_next(worker="w", now=NOW)
    assert first is not None and first.task.key == "load [1]"
    skip_step(of(run, "a"), **BY)
    recover(NOW + timedelta(minutes=1))
    assert states(run)["load"] == "waiting" and of(run, "load").shown_status == "running"
    run_attempt(first, time=lambda: NOW)
    assert work() == ["load [2]", "after"] and status(run) == "completed" and audit() == []


@either
def test_one_that_is_held_meanwhile_goes_on_with_its_items(verb):
    run = begun_early(verb, "x", "y", side_by_side=1)
    work(most=1)
    hold_step(of(run, "load"), **BY)
    assert work() == []
    let_step_go_on(of(run, "load"), **BY)
    assert work() == ["load [1]", "load [2]", "after"] and audit() == []


@either
def test_its_list_is_decided_anew_and_the_items_of_before_make_place(verb):
    run = goes_on_behind_a_list("x", "y")
    run.tasks.filter(key="give").update(result={"list": ["z"]})
    verb(of(run, "load"), **BY)
    assert pieces(run) == {} and of(run, "load").items is None and given_in(run.pk, ["load"]) == {}
    assert not TaskDependency.objects.filter(task__run=run, depends_on__mapped_by__isnull=False).exists()
    assert work() == ["load [1]", *["after"] * (verb is run_from), "long"]
    assert given(run) == ["z"] and status(run) == "completed" and audit() == []
    (told,) = [one for one in run_document(run)["tasks"] if one["task"] == "load"]
    assert told["items"] == {"total": 1, "completed": 1}


def test_from_what_gives_the_list_on_every_item_is_that_of_the_new_one():
    run = goes_on_behind_a_list("x", "y")
    run_from(of(run, "give"), **BY)
    assert pieces(run) == {} and states(run)["load"] == states(run)["after"] == "waiting"
    give(run, "z")
    work()
    assert given(run) == ["z"] and status(run) == "completed" and audit() == []


def test_from_what_gives_the_list_on_what_was_put_off_or_held_of_it_makes_place_too():
    FAILING.update({"load [1]", "load [3]"})
    run = start(item("give"), spread({"list": ["x", "y", "z"]}, after="give", attempts=2), item("long", priority=-1))
    work(most=2)
    hold_step(of(run, "load [2]"), **BY)
    work(most=1)
    assert sorted(pieces(run).values()) == ["queued", "queued", "waiting"]
    FAILING.clear()
    run_from(of(run, "give"), **BY)
    assert pieces(run) == {} and audit() == []
    assert work() == ["give", "load [1]", "load [2]", "load [3]", "long"] and status(run) == "completed"


def test_while_one_of_its_items_is_at_work_it_is_refused_by_the_name_of_that():
    run = start(item("give"), listed("x", "y", after="give"), item("after", "load"))
    work(most=2)
    claim(of(run, "load [2]").pk, worker="w", now=NOW)
    before = list(Task.objects.order_by("pk").values())
    for verb, key in ((run_only, "load"), (run_from, "load"), (run_from, "give")):
        with pytest.raises(CannotIntervene, match=r"load \[2\] is at work: wait for its end"):
            verb(of(run, key), **BY)
    assert list(Task.objects.order_by("pk").values()) == before
    run_only(of(run, "give"), **BY)
    assert states(run)["give"] == "queued" and audit() == []


@either
def test_while_its_items_have_not_all_ended_it_is_refused(verb):
    run = start(listed("x", "y", side_by_side=1))
    work(most=2)
    with pytest.raises(CannotIntervene, match="its items have not all ended"):
        verb(of(run, "load"), **BY)
    assert pieces(run) == {1: "completed", 2: "queued"} and work() == ["load [2]"] and audit() == []


@either
def test_an_item_alone_is_refused_by_the_name_of_its_step(verb):
    FAILING.add("load [1]")
    run = start(listed("x", "y", side_by_side=1))
    work(most=2)
    with pytest.raises(CannotIntervene, match=r"load \[1\] is a part of step load: run that step"):
        verb(of(run, "load [1]"), **BY)


@either
def test_one_that_failed_runs_all_its_items_and_may_then_be_released_for_those_that_fail(verb):
    FAILING.add("load [1]")
    run = start(listed("x", "y"), item("after", "load"), item("long", priority=-1))
    work(most=4)
    assert states(run)["after"] == "blocked"
    FAILING.symmetric_difference_update({"load [1]", "load [2]"})
    verb(of(run, "load"), **BY)
    assert states(run)["after"] == "waiting" and work(most=4) == ["load [1]", "load [2]"]
    FAILING.clear()
    retry_now(of(run, "load"), **BY)
    assert work() == ["load [2]", "after", "long"] and status(run) == "completed" and audit() == []


# --- what figures tell ------------------------------------------------------------------------------------------------


def counted(job: Any, now: datetime) -> tuple[int, int]:
    """Return how often a job completed and failed in the last day, as its page says."""
    day = figures_of(RunKind.JOB, [job.pk], now)[job.pk].day
    return day.completed, day.failed


def on_a_job(job: Any, shape: str) -> ManifestTask:
    """Return a step that runs a job: itself, or for each of two items."""
    if shape == "step":
        return ManifestTask("load", RunKind.JOB, job.pk, depends_on=frozenset("a"))
    step = spread({"list": ["x", "y"]}, after="a")
    step.arguments["work"] |= {"workload": "job", "target_id": job.pk, "arguments": {}}
    return step


@pytest.mark.parametrize("shape", ["step", "items"])
@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.parametrize(("verb", "key"), [(run_only, "load"), (run_from, "load"), (run_from, "a")])
def test_what_it_did_before_counts_in_no_figure_any_more_rolled_up_or_not(make_job, shape, fails, verb, key):
    def body(context: Any) -> None:
        if FAILING:
            raise ValueError("broken")

    job, number, later = make_job("Count", body=body), 1 if shape == "step" else 2, NOW + 3 * HOUR
    FAILING.update({"job"} if fails else ())
    run = start(item("a"), on_a_job(job, shape), item("long", priority=-1))
    hold_step(of(run, "long"), **BY)
    work()
    FAILING.clear()
    for is_rolled_up in (True, False):
        roll_up(later) if is_rolled_up else None
        assert counted(job, later) == ((0, number) if fails and is_rolled_up else (number, 0))
        verb(of(run, key), by="ann", now=later)
        assert counted(job, later) == (0, 0)
        work(later)
        assert counted(job, later) == (number, 0)
    roll_up(later + 2 * HOUR)
    assert counted(job, later + 2 * HOUR) == (number, 0) and audit() == []


def test_what_a_person_had_marked_counted_in_none_and_is_taken_from_none(make_job):
    job = make_job("Count", body=lambda context: None)
    run, later = start(item("a"), on_a_job(job, "step"), item("long", priority=-1)), NOW + 3 * HOUR
    work(most=1)
    complete_step(of(run, "load"), **BY)
    roll_up(later)
    run_from(of(run, "a"), **BY)
    assert counted(job, later) == (0, 0)
    work(later)
    assert counted(job, later) == (1, 0) and status(run) == "completed" and audit() == []
