"""Promise: a new kind of schedule is a model and one entry; dispatcher, forecast, simulation and pages then know it."""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection, models

from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.cycle import run_cycle
from scheduling.explanations.why_not import why_not
from scheduling.forecast.forecast import forecast
from scheduling.kinds import KINDS, Kind, usual_runs
from scheduling.lifecycle import arming
from scheduling.models import Run, RunSchedule, SchedulerLog, SchedulerState
from scheduling.models.schedule import ScheduleQuerySet, schedule_models
from scheduling.runs.fire import Fire, Subject
from scheduling.schedules.pause import pause, resume
from scheduling.simulation.grid import Grid
from scheduling.simulation.simulate import simulate
from scheduling.states import RunKind
from scheduling.usual_runs import Piece, Usually, UsualRun, key_of
from staging.models import Entity
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)


def _fires(found):
    """Return the fires of chimes: a batch of their entity, as a run of several tasks would have it."""
    return [
        Fire(
            Subject(RunKind.ORDERED, f"Chime {chime.name}", schedules=[chime]),
            (ManifestTask(chime.entity.code, RunKind.BATCH, chime.entity_id),),
            cause,
            f"Chime started. {cause.reason}",
        )
        for chime, cause in found
    ]


def _usual(chimes):
    usual = {key_of(one): UsualRun(5 * MINUTE, (Piece("batch", one.entity_id, lasts=5 * MINUTE),)) for one in chimes}
    return Usually(lambda times: usual)


def _model() -> type[RunSchedule]:
    """Return the model of the toy kind; making it enters it with all others, as loading a module would."""

    class Chime(RunSchedule):
        KIND = "chime"

        name = models.CharField(max_length=100)
        entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, related_name="+")
        objects = ScheduleQuerySet.as_manager()

        class Meta(RunSchedule.Meta):
            app_label = "scheduling"

        def __str__(self) -> str:
            return self.name

        @property
        def what(self) -> str:
            return f"chime {self.name}"

        @property
        def subject(self) -> dict[str, int]:
            return {"entity_id": self.entity_id}

    return Chime


@pytest.fixture
def chimes(transactional_db) -> Iterator[type[RunSchedule]]:
    """A kind of schedule that the product does not have: a model with its table, and one entry."""
    model = _model()
    with connection.schema_editor() as editor:
        editor.create_model(model)
    KINDS.append(Kind(model, _fires, usual=_usual))
    yield model
    KINDS.pop()
    with connection.schema_editor() as editor:
        editor.delete_model(model)
    del apps.all_models["scheduling"]["chime"]
    apps.clear_cache()


@pytest.fixture
def noon(chimes, make_entity):
    """A chime every ten minutes over an entity that people start."""
    region = make_entity("region").entity
    made = chimes(name="Noon", entity=region, schedule_type="interval", interval_minutes=10)
    arming.put(made, arming.armed(made, NOW))
    made.save()
    return made


def test_every_kind_of_schedule_is_entered() -> None:
    assert {kind.model for kind in KINDS} == set(schedule_models())


def test_cycles_fire_the_new_kind_and_the_end_of_its_run_frees_it(noon) -> None:
    assert run_cycle(NOW + 10 * MINUTE).fired == ["chime Noon"]
    noon.refresh_from_db()
    run = Run.objects.get()
    assert (noon.is_running, noon.running_run, noon.fire_count) == (True, run, 1)
    assert run_cycle(NOW + 20 * MINUTE).skipped == ["chime Noon"]
    assert work_off(NOW + 21 * MINUTE) == 1
    noon.refresh_from_db()
    assert (noon.is_running, noon.last_result) == (False, "completed")
    told = SchedulerLog.objects.filter(**noon.subject).order_by("id").values_list("event_type", flat=True)
    assert list(told)[:2] == ["fired", "skipped"]


def test_forecast_and_simulation_know_it_as_cycles_do(noon, make_entity) -> None:
    until = NOW + 31 * MINUTE
    ahead = forecast(NOW, until, now=NOW)
    assert [(fire.what, (fire.at - NOW) / MINUTE, fire.expected_ms) for fire in ahead.fires] == [
        ("chime Noon", minute, 300_000) for minute in (10, 20, 30)
    ]
    assert ahead.load[0].peak == 1
    make_entity("branch", processing_mode="scheduled", schedule_type="interval", interval_minutes=7)
    schedules = [schedule for kind in KINDS for schedule in kind.automatic()]
    found = simulate(
        schedules, Grid(NOW, until, MINUTE), arrivals={}, usual=usual_runs(schedules), everything=SchedulerState()
    )
    fired = {((fire.at - NOW) // MINUTE, fire.entity, fire.subject.kind) for fire in found.fires}
    assert {one for one in fired if one[1] != "branch"} == {(n, "chime Noon", "chime") for n in (0, 10, 20, 30)}


def test_its_pieces_keep_what_they_work_on_busy_in_a_simulation(noon) -> None:
    configuration = Entity.objects.get().configuration
    for name, value in {"processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": 4}.items():
        setattr(configuration, name, value)
    schedules = [configuration, noon]
    usual = usual_runs(schedules) | {key_of(configuration): UsualRun(timedelta())}
    found = simulate(
        schedules, Grid(NOW, NOW + 20 * MINUTE, MINUTE), arrivals={}, usual=usual, everything=SchedulerState()
    )
    skipped = [(event.at - NOW) // MINUTE for event in found.not_fired if event.entity == "region"]
    assert skipped == [4, 12], "a chime at 0 and at 10 works on the entity for five minutes"


def test_people_ask_pause_and_see_it_as_any_other(noon, client, capsys) -> None:
    run_cycle(NOW + 10 * MINUTE)
    told = why_not(noon, since=NOW + 10 * MINUTE, until=NOW + 20 * MINUTE, now=NOW + 12 * MINUTE)
    assert [slot.state.value for slot in told.slots] == ["fired", "not due"]
    call_command("why_not", "chime Noon", "--from", NOW.isoformat(), "--json")
    assert json.loads(capsys.readouterr().out)["entity"] == "chime Noon"
    client.force_login(get_user_model().objects.create_superuser("root", "", "x"))
    assert "chime Noon" in client.get("/admin/").content.decode()
    assert pause(noon, by="ann", reason="closed", now=NOW + 12 * MINUTE)
    call_command("status", "--json")
    assert json.loads(capsys.readouterr().out)["paused"][0]["what"] == "chime Noon"
    assert resume(noon, by="ann", now=NOW + 13 * MINUTE)
