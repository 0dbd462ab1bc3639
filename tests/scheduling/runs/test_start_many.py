"""Promise: many fires of one cycle cost few statements, and each is told, kept and refused as if it had been alone."""

import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.dispatch import cycle
from scheduling.errors import AlreadyRunning, ChangedMeanwhile, FiredBefore
from scheduling.jobs.declare import daily, every
from scheduling.models import JobSchedule, Plan, PlanStep, Run, SchedulerConfiguration, SchedulerLog, Task
from scheduling.models.schedule import schedule_models
from scheduling.runs import start as starting
from scheduling.runs.fire import Cause, Fire, Subject, batch_fire
from scheduling.runs.start import Started, start_many, together
from staging.models import Batch
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import item

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)
EVERY_HOUR = {"processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": 60}


@pytest.fixture
def world(make_entity: Callable[..., SchedulerConfiguration], make_job: Callable[..., Any]) -> None:
    """Schedules of every kind, due at one instant, each in another situation."""
    due = {**EVERY_HOUR, "next_scheduled_run": NOW, "armed_from": NOW - HOUR}
    late = due | {"next_scheduled_run": NOW - 5 * HOUR, "armed_from": NOW - 6 * HOUR}
    make_entity("plain", **due)
    make_entity("missed", **late)
    make_entity("catches_up", **late, catch_up="all")
    make_entity("busy", **due, is_running=True, run_started_at=NOW)
    make_entity("rests", **due, backoff_until=NOW + HOUR)
    make_entity("broken", **due | {"interval_minutes": None})
    make_entity("other", **due, fire_count=7)
    for name, state in {"Nightly": due, "Late": late, "Empty": due}.items():
        plan = Plan.objects.create(name=name, **{key: state[key] for key in state if key != "processing_mode"})
        if name != "Empty":
            PlanStep.objects.create(plan=plan, entity=SchedulerConfiguration.objects.get(entity__code="plain").entity)
    make_job("Report", daily("07:00", name="Daily"), every(60, "minutes", name="Hourly"))
    make_job("Count", daily("07:00", name="Daily"))
    JobSchedule.objects.update(next_scheduled_run=NOW, armed_from=NOW - HOUR)


def _stored() -> dict[type, list[dict[str, Any]]]:
    return {model: list(model._default_manager.order_by("pk").values()) for model in schedule_models()}


def _happened(at_once: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """Run the cycle with so many fires at once; return all that it wrote, and take it back.

    The log of each subject stands in its order; what is told of different ones at one instant has none.
    """
    before = _stored()
    monkeypatch.setattr(starting, "AT_ONCE", at_once)
    monkeypatch.setattr(cycle, "AT_ONCE", at_once)
    report = cycle.run_cycle(NOW)
    numbers = dict(Run.objects.order_by("pk").values_list("pk", "fire_key"))
    tasks, batches = (dict(model.objects.order_by("pk").values_list("pk", name))
                      for model, name in ((Task, "run__fire_key"), (Batch, "entity__code")))  # fmt: skip
    found: dict[str, list[Any]] = {"report": [report.fired, report.skipped, report.errors]}
    found["log"] = [
        {
            **row,
            "id": 0,
            "message": re.sub(r"\(run \d+\)", "", row["message"]),
            "run_id": numbers.get(row["run_id"]),
            "batch_id": batches.get(row["batch_id"]),
            "details": {name: value for name, value in row["details"].items() if name != "said"},  # with run numbers
        }
        for row in SchedulerLog.objects.order_by("entity", "plan", "job", "pk").values()
    ]
    found["schedules"] = [
        {
            **row,
            "running_run_id": numbers.get(row.get("running_run_id")),
            "running_task_id": tasks.get(row.get("running_task_id")),
        }
        for rows in _stored().values()
        for row in rows
    ]
    found["runs"] = list(Run.objects.order_by("pk").values_list("fire_key", "title", "scheduled_for", "trigger_source"))
    found["tasks"] = list(
        Task.objects.order_by("pk").values_list("run__fire_key", "key", "turn", "status", "queued_at")
    )
    found["batches"] = list(Batch.objects.order_by("pk").values_list("entity__code", "trigger_source", "started_by"))
    _take_back(before)
    return found


def _take_back(before: dict[type, list[dict[str, Any]]]) -> None:
    for model in (SchedulerLog, Batch):
        model.objects.all().delete()
    for model, rows in before.items():
        for row in rows:
            model._default_manager.filter(pk=row["id"]).update(**row)
    Run.objects.all().delete()


def test_many_at_once_leave_what_each_alone_leaves(world, monkeypatch):
    alone, together_ = _happened(1, monkeypatch), _happened(100, monkeypatch)
    assert len(alone["runs"]) == 8 and alone["report"][2], "the world has errors too"
    assert {row["event_type"] for row in alone["log"]} >= {"fired", "missed", "skipped", "error"}
    for what, rows in alone.items():
        assert together_[what] == rows, what


def _statements(fires: Sequence[Fire]) -> int:
    with CaptureQueriesContext(connection) as sent:
        answers = start_many(fires)
    assert all(isinstance(answer, Started) for answer in answers)
    return len(sent)


def _by_itself(configuration: SchedulerConfiguration, key: str = "", **cause: Any) -> Fire:
    why = Cause(key or f"k{configuration.pk}", "Scheduled", "scheduler", NOW, by_itself=True, **cause)
    return batch_fire(configuration, why, "Batch started.")


def test_eleven_starts_cost_as_many_statements_as_three(make_entity):
    made = [make_entity(f"e{number}") for number in range(15)]
    for configuration in made[::2]:
        configuration.fire_count = 3
        configuration.save()
    slots = [{"next_scheduled_run": NOW + number * HOUR} for number in range(15)]
    fires = [_by_itself(each, slots=moved) for each, moved in zip(made, slots, strict=True)]
    assert _statements(fires[:1]) >= 10, "the default queue is made by the first start"
    assert _statements(fires[1:4]) == _statements(fires[4:])
    stored = SchedulerConfiguration.objects.order_by("pk")
    assert [each.next_scheduled_run for each in stored] == [moved["next_scheduled_run"] for moved in slots]
    assert [each.fire_count for each in stored] == [4 if number % 2 == 0 else 1 for number in range(15)]
    assert all(each.running_task.entity_id == each.entity_id for each in stored), "each is held by its own task"


def test_one_that_cannot_be_written_keeps_no_other(make_entity, monkeypatch, caplog):
    made = [make_entity(code) for code in ("a", "b", "c")]
    create_runs = starting.create_runs

    def fail(fires: Sequence[Fire]) -> Any:
        if any(fire.manifest[0].key == "b" for fire in fires):
            raise ValueError("no b")
        return create_runs(fires)

    monkeypatch.setattr(starting, "create_runs", fail)
    first, second, third = start_many([_by_itself(each) for each in made])
    assert isinstance(first, Started) and str(second) == "no b" and isinstance(third, Started)
    assert "_start_set failed for 3 at once" in caplog.text
    assert [each.is_running for each in SchedulerConfiguration.objects.order_by("pk")] == [True, False, True]


def test_why_each_did_not_start_is_its_own_answer(make_entity):
    fine, edited, held, twice = (make_entity(code) for code in ("fine", "edited", "held", "twice"))
    SchedulerConfiguration.objects.filter(pk=edited.pk).update(armed_from=NOW)
    SchedulerConfiguration.objects.filter(pk=held.pk).update(is_running=True, run_started_at=NOW)
    Run.objects.create(kind="batch", fire_key="taken", created_at=NOW)
    by_hand = batch_fire(held, Cause("hand", "Manual", "ann", NOW), "Batch started by ann.")
    answers = start_many([_by_itself(edited), _by_itself(fine), _by_itself(held), _by_itself(twice, "taken"), by_hand])
    assert [type(answer) for answer in answers] == [
        ChangedMeanwhile,
        Started,
        ChangedMeanwhile,
        FiredBefore,
        AlreadyRunning,
    ]
    assert str(answers[4]) == "A batch of Held is already running."
    assert Run.objects.count() == 2 and Batch.objects.count() == 1


def test_two_fires_of_one_guard_start_once(make_entity):
    configuration = make_entity()
    first, second = start_many([_by_itself(configuration, "one"), _by_itself(configuration, "two")])
    assert isinstance(first, Started) and isinstance(second, ChangedMeanwhile)


def test_runs_started_together_share_the_queue_as_if_one_after_the_other():
    def fire(name: str) -> Fire:
        items = (item(f"{name}1"), item(f"{name}2"), item(f"{name}3", f"{name}1"))
        return Fire(Subject("plan", name), items, Cause(name, "Manual", "ann", NOW), "Started.")

    start_many([fire("a"), fire("b")])
    turns = dict(Task.objects.values_list("key", "turn"))
    assert turns["a1"] == turns["b1"] < turns["a2"] == turns["b2"] and turns["a3"] == turns["b3"] == 0


def test_what_fails_for_many_is_repeated_for_each():
    def halves(numbers: Sequence[int]) -> list[float]:
        return [4 / number for number in numbers]

    assert together(halves, [1, 2, 4]) == [4, 2, 1]
    first, second, third = together(halves, [1, 0, 4])
    assert (first, third) == (4, 1) and isinstance(second, ZeroDivisionError)
    assert together(halves, []) == []
