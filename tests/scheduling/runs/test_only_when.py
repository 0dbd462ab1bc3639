"""Steps that ask what steps before them gave: they run, or are skipped with the value that was seen."""

from dataclasses import replace

import pytest

from scheduling.dag.conditions import parsed
from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.recover import advance_stuck_runs
from scheduling.models import SqlScript, Task
from scheduling.queues import claim
from scheduling.runs.advance import finish
from scheduling.runs.by_hand import run_document
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.runs.intervene import complete_step, hold_step, let_step_go_on, skip_step
from scheduling.runs.restart import RunPart, manifest_of, restart_run
from scheduling.states import RunIf, TaskStatus
from scheduling.workloads.given import given_in
from scheduling.workloads.outcome import Outcome
from staging.models import Batch
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.pieces import FAILING, item, of, start, states, status, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def promises():
    yield
    assert audit() == []


def asks(*lines):
    return {"only_when": tuple(map(parsed, lines))}


def gives(run, key, value=None):
    """Let a worker do a step, which returns this value."""
    attempt = claim(of(run, key).pk, worker="w", now=NOW)
    assert finish(attempt, of(run, key), Outcome(TaskStatus.COMPLETED, "Done.", result=value), now=NOW)


def test_it_runs_when_the_value_is_as_asked():
    run = start(item("load"), item("report", "load", **asks("load: rows.new > 0", "load: region = north")))
    gives(run, "load", {"rows": {"new": 1}, "region": "north"})
    assert work() == ["report"] and status(run) == "completed"


def test_else_it_is_skipped_says_what_it_saw_and_hinders_nobody():
    run = start(item("load"), item("report", "load", **asks("load: rows.new > 0")), item("next", "report"))
    gives(run, "load", {"rows": {"new": 0}})
    assert states(run) == {"load": "completed", "report": "skipped", "next": "queued"}
    assert of(run, "report").message == "Skipped: rows.new of load was 0, not more than 0."
    assert of(run, "report").message_said and of(run, "report").finished_at == NOW
    assert work() == ["next"] and status(run) == "completed"


@pytest.mark.parametrize(("value", "text"), [(None, "load gave no value"), ({}, "load gave no rows"), ({"rows": "x"},
    'rows of load was "x", which 0 is not compared with')])  # fmt: skip
def test_what_is_not_there_or_of_another_kind_skips_it(value, text):
    run = start(item("load"), item("report", "load", **asks("load: rows > 0")))
    gives(run, "load", value)
    assert of(run, "report").message == f"Skipped: {text}." and status(run) == "completed"


def test_all_must_hold_and_each_is_asked_of_its_own_step():
    conditions = asks("a: x = 1", "b: x = 2")
    run = start(item("a"), item("b"), item("both", "a b", **conditions), item("one", "a", **asks("a: x = 1")))
    gives(run, "a", {"x": 1})
    assert states(run)["one"] == "queued" and states(run)["both"] == "waiting"
    gives(run, "b", {"x": 1})
    assert of(run, "both").message == "Skipped: x of b was 1, not 2."


def test_a_chain_of_skipped_ones_ends_the_run_at_once():
    items = [
        item("a"),
        item("b", "a", **asks("a: x = 1")),
        item("c", "b", **asks("b: x = 1")),
        item("d", "c", **asks("a: x = 2")),
    ]
    run = start(*items)
    gives(run, "a", {"x": 2})
    assert states(run) == {"a": "completed", "b": "skipped", "c": "skipped", "d": "queued"}
    assert of(run, "c").message == "Skipped: b gave no value."


def test_with_a_condition_on_ends_both_must_hold():
    after_failure = {"run_if": RunIf.ANY_FAILED.value}
    items = [
        item("a"), item("b"), item("tell", "a b", **after_failure, **asks("b: x = 1")),
        item("other", "a b", **after_failure, **asks("b: x = 2")),
        item("calm", "b", **after_failure, **asks("b: x = 1")),
    ]  # fmt: skip
    FAILING.add("a")
    run = start(*items)
    run_attempt(claim(of(run, "a").pk, worker="w", now=NOW), time=lambda: NOW)
    gives(run, "b", {"x": 1})
    assert (states(run)["tell"], states(run)["other"], states(run)["calm"]) == ("queued", "skipped", "skipped")
    assert of(run, "calm").message == "Skipped: nothing before it failed."


def test_what_failed_or_was_marked_by_hand_gave_nothing():
    FAILING.add("a")
    asking = asks("a: x is empty")
    run = start(item("a", continue_on_failure=True), item("b", "a", **asking))
    work()
    assert of(run, "b").message == "Skipped: a gave no value."
    run = start(item("a"), item("b", "a", **asking), item("c", "a"), key="marked")
    complete_step(of(run, "a"), by="ann", now=NOW)
    assert states(run) == {"a": "completed", "b": "skipped", "c": "queued"}
    run = start(item("a"), item("b", "a", **asking), key="skipped")
    skip_step(of(run, "a"), by="ann", now=NOW)
    assert states(run) == {"a": "skipped", "b": "skipped"}


def test_a_person_may_mark_skip_and_hold_what_asks():
    run = start(item("a"), item("b", "a", **asks("a: x = 1")), item("c", "a", **asks("a: x = 1")))
    hold_step(of(run, "b"), by="ann", now=NOW)
    complete_step(of(run, "c"), by="ann", now=NOW)
    gives(run, "a", {"x": 2})
    assert states(run) == {"a": "completed", "b": "waiting", "c": "completed"}
    let_step_go_on(of(run, "b"), by="ann", now=NOW)
    assert states(run)["b"] == "skipped" and status(run) == "completed"


def test_a_cancel_ends_it_as_any_other():
    run = start(item("a"), item("b", "a", **asks("a: x = 1")))
    cancel_run(run, by="ann", now=NOW)
    assert states(run) == {"a": "cancelled", "b": "cancelled"}


def test_recovery_asks_too(monkeypatch):
    run = start(item("a"), item("b", "a", **asks("a: x = 1")), item("c", "b"))
    monkeypatch.setattr("scheduling.runs.advance._let_go", lambda *_: {})
    gives(run, "a", {"x": 2})
    assert states(run)["b"] == "waiting"
    monkeypatch.undo()
    assert advance_stuck_runs(NOW) == 1
    assert states(run) == {"a": "completed", "b": "skipped", "c": "queued"}


def test_what_asks_about_a_step_that_the_run_does_not_have_is_skipped_at_once():
    run = start(item("b", **asks("a: x = 1")), item("c", "b"))
    assert states(run) == {"b": "skipped", "c": "queued"} and of(run, "b").message == "Skipped: a gave no value."
    run = start(item("b", **asks("a: x = 1")), key="alone")
    assert status(run) == "completed"


def test_a_restart_uses_what_was_kept_of_steps_that_are_not_run_again():
    FAILING.add("b")
    run = start(item("a"), item("b", "a"), item("c", "b", **asks("a: x = 1")), item("d", "a", **asks("a: x = 2")))
    gives(run, "a", {"x": 1})
    work()
    assert states(run) == {"a": "completed", "b": "failed", "c": "blocked", "d": "skipped"}
    again = restart_run(run, only_failed=True, started_by="bob", now=NOW)
    assert states(again) == {"b": "queued", "c": "waiting"}
    work()
    third = restart_run(again, only_failed=True, started_by="bob", now=NOW)
    FAILING.clear()
    work()
    assert states(third) == {"b": "completed", "c": "completed"}, "what the first run kept, two restarts later"
    assert manifest_of(again)[1].only_when == manifest_of(run)[2].only_when


def test_a_part_without_what_it_asks_about_asks_what_was_kept():
    run = start(item("a"), item("b", "a"), item("c", "a", **asks("a: x = 1")))
    gives(run, "a", {"x": 1})
    work()
    again = restart_run(run, only_failed=False, part=RunPart(without=["a"]), started_by="bob", now=NOW)
    assert states(again) == {"b": "queued", "c": "queued"}


def test_the_step_that_a_person_names_runs_whatever_it_asks():
    run = start(item("a"), item("b", "a", **asks("a: x = 1")), item("c", "b", **asks("a: x = 1")))
    gives(run, "a", {"x": 2})
    assert status(run) == "completed" and states(run)["b"] == "skipped"
    alone = restart_run(run, only_failed=False, part=RunPart(only="b"), started_by="bob", now=NOW)
    assert work() == ["b"] and states(alone) == {"b": "completed"}
    onwards = restart_run(run, only_failed=False, part=RunPart(start_at="b"), started_by="bob", now=NOW)
    work()
    assert states(onwards) == {"b": "completed", "c": "skipped"}


def test_what_was_skipped_for_want_of_a_value_runs_again_with_what_gives_it():
    FAILING.add("a")
    items = [
        item("a", continue_on_failure=True),
        item("b", "a", **asks("a: x = 1")),
        item("c", "b", **asks("b: x = 1")),
    ]
    run = start(*items)
    work()
    assert states(run) == {"a": "failed", "b": "skipped", "c": "skipped"}
    again = restart_run(run, only_failed=True, started_by="bob", now=NOW)
    assert states(again) == {"a": "queued", "b": "waiting", "c": "waiting"}
    gives(again, "a", {"x": 1})
    gives(again, "b", {"x": 1})
    assert work() == ["c"]


def test_a_batch_gives_its_counts_and_a_script_its_rows(make_entity, deposit):
    configuration = make_entity("branch")
    entity = configuration.entity
    script = SqlScript.objects.create(name="S", sql="UPDATE mdm_branch SET staff = staff")
    batch = ManifestTask("branch", "batch", entity.pk)
    follows = ManifestTask(
        "script S", "script", script.pk, depends_on=frozenset(["branch"]), **asks("branch: changed > 1")
    )
    last = replace(
        item("last", **asks("script S: rows = 2", "branch: inserted = 2", "branch: rows = 3")),
        depends_on=frozenset(["script S"]),
    )
    deposit(rows=2)
    deposit(staff="many", prefix="c")
    run = start(batch, follows, last)
    work()
    assert states(run) == {"branch": "completed", "script S": "completed", "last": "completed"}
    assert given_in(run.pk, ["branch", "script S"])["branch"] == {
        "rows": 3, "changed": 2, "inserted": 2, "updated": 0, "unchanged": 0, "deactivated": 0, "deleted": 0,
        "rejected": 1, "superseded": 0, "warned": 0, "warnings": 1,
    }  # fmt: skip
    again = start(batch, follows, last, key="nothing new")
    work()
    assert of(again, "script S").message == "Skipped: changed of branch was 0, not more than 1."
    assert of(again, "last").message == "Skipped: script S gave no value."
    assert Batch.objects.count() == 2


def test_the_document_of_a_run_tells_what_its_steps_ask():
    run = start(item("a"), item("b", "a", **asks("a: x = 1")))
    first, second = run_document(run)["tasks"]
    assert "only_when" not in first and second["only_when"] == ["a: x = 1"]


def test_a_run_without_conditions_costs_no_statement_more(django_assert_num_queries):
    run = start(item("a"), item("b", "a"))
    assert Task.objects.filter(run=run, only_when__isnull=False).count() == 0
    with django_assert_num_queries(0):
        assert given_in(run.pk, ()) == {}
