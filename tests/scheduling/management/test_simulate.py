"""Promises of the command simulate: one document, honest exit codes, nothing written."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.jobs.declare import daily
from scheduling.models import Plan, Run, SchedulerConfiguration, SchedulerLog
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from staging.models import Entity
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db
SPAN = ("--from", NOW.isoformat(), "--until", (NOW + timedelta(days=2)).isoformat())


def run(capsys, *arguments: str) -> str:
    capsys.readouterr()
    call_command("simulate", *arguments)
    return capsys.readouterr().out


@pytest.fixture
def arrivals(tmp_path):
    """Return a function that writes an arrival history and returns the option that names it."""

    def write(*lines: str) -> tuple[str, str]:
        path = tmp_path / "arrivals.csv"
        path.write_text("\n".join(lines))
        return "--arrivals", str(path)

    return write


def test_the_document_says_what_fired_and_what_did_not(make_entity, arrivals, capsys):
    make_entity("branch", processing_mode="triggered", trigger_row_threshold=100)
    make_entity("region", processing_mode="scheduled", schedule_type="daily", run_times="07:00")
    make_entity("by_hand")
    make_entity("off", processing_mode="triggered", trigger_row_threshold=1, is_enabled=False)
    before = list(SchedulerConfiguration.objects.order_by("pk").values())
    history = arrivals("at,entity,rows", "2026-03-02T06:30:30Z,branch,70", "2026-03-02T06:10:00Z,branch,70",
                       "2026-03-02T06:10:00Z,off,70")  # fmt: skip
    document = json.loads(run(capsys, *SPAN, *history, "--json"))
    assert document.pop("notes") == ["off is manual, switched off or retired: its rows wait for people."]
    by_day = {"entity": "region", "trigger_source": "Schedule", "rows": 0}
    assert document == {
        "from": "2026-03-02T06:00:00+00:00",
        "until": "2026-03-04T06:00:00+00:00",
        "cycles": 2880,
        "fires": [
            {"at": "2026-03-02T06:31:00+00:00", "entity": "branch", "slot": None,
             "trigger_source": "Trigger: 140 rows (threshold 100)",
             "reason": "Row threshold met: 140 rows >= threshold 100.", "rows": 140},
            by_day | {"at": "2026-03-02T07:00:00+00:00", "slot": "2026-03-02T07:00:00+00:00",
                     "reason": "Due since 2026-03-02 07:00:00 UTC."},
            by_day | {"at": "2026-03-03T07:00:00+00:00", "slot": "2026-03-03T07:00:00+00:00",
                     "reason": "Due since 2026-03-03 07:00:00 UTC."},
        ],
        "not_fired": [],
    }  # fmt: skip
    assert list(SchedulerConfiguration.objects.order_by("pk").values()) == before
    assert Run.objects.count() == SchedulerLog.objects.count() == 0


def test_batches_take_their_usual_duration(make_entity, capsys):
    branch = make_entity(processing_mode="scheduled", schedule_type="interval", interval_minutes=60)
    Run.objects.create(
        kind="batch", entity=branch.entity, status="completed", fire_key="one", created_at=NOW,
        started_at=NOW, finished_at=NOW + timedelta(minutes=90),
    )  # fmt: skip
    document = json.loads(run(capsys, *SPAN[:3], (NOW + timedelta(hours=4)).isoformat(), "--json"))
    assert [fire["at"][11:16] for fire in document["fires"]] == ["06:00", "08:00"]
    [first, _] = document["not_fired"]
    assert (first["at"][11:16], first["entity"], first["event"], first["count"]) == ("07:00", "branch", "skipped", 1)
    assert "overlap guard" in first["reason"]


def test_the_text_is_one_line_for_each_in_order_of_time(make_entity, capsys):
    make_entity(processing_mode="scheduled", schedule_type="daily", run_times="07:00")
    lines = run(capsys, *SPAN).splitlines()
    assert lines[0] == "2,880 cycles from 2026-03-02T06:00:00+00:00 until 2026-03-04T06:00:00+00:00"
    assert lines[1] == (
        "2026-03-02T07:00:00+00:00  branch  fired: Schedule. Due since 2026-03-02 07:00:00 UTC. 0 rows."
    )
    assert lines[-1] == "2 fires, 0 events without a fire" and len(lines) == 4


@pytest.mark.parametrize(
    "arguments",
    [
        ("--from", "yesterday", "--until", NOW.isoformat()),
        ("--from", NOW.isoformat(), "--until", "2026-03-04T06:00:00"),
        ("--from", NOW.isoformat(), "--until", NOW.isoformat()),
        ("--from", NOW.isoformat(), "--until", "2046-03-04T06:00:00Z"),
        ("--from", "0001-01-01T00:00:00+14:00", "--until", NOW.isoformat()),
        (*SPAN, "--arrivals", "nosuch.csv"),
    ],
)
def test_bad_input_ends_with_exit_code_2_and_one_line(arguments):
    with pytest.raises(CommandError) as error:
        call_command("simulate", *arguments)
    assert error.value.returncode == 2 and "\n" not in str(error.value)


def test_a_bad_line_of_the_history_is_named(make_entity, arrivals):
    make_entity()
    with pytest.raises(CommandError, match=r"arrivals\.csv line 2: there is no entity with the code 'nosuch'") as error:
        call_command("simulate", *SPAN, *arrivals("2026-03-02T06:30:30Z,branch,70", "2026-03-02T06:30:30Z,nosuch,1"))
    assert error.value.returncode == 2


def test_plans_and_jobs_are_replayed_beside_entities(make_entity, make_job, capsys):
    entity = make_entity("region", processing_mode="scheduled", schedule_type="daily", run_times="07:00").entity
    make_job("Report", daily("07:30"))
    schedule = {"schedule_type": "daily", "run_times": "07:00"}
    save_plan(PlanDraft(Plan(name="Nightly"), schedule, [step(entity)]), now=NOW)
    span = (*SPAN[:3], (NOW + timedelta(days=1)).isoformat())
    document = json.loads(run(capsys, *span, "--json"))
    assert document["notes"] == [] and document["not_fired"] == []
    assert document["fires"][0] == {
        "at": "2026-03-02T07:00:00+00:00", "entity": "plan Nightly", "kind": "plan",
        "slot": "2026-03-02T07:00:00+00:00", "trigger_source": "Schedule",
        "reason": "Due since 2026-03-02 07:00:00 UTC.", "rows": 0,
    }  # fmt: skip
    assert document["fires"][1]["entity"] == "region" and "kind" not in document["fires"][1]
    job = document["fires"][2]
    assert (job["entity"], job["kind"], job["schedule"]) == ("job Report", "job", "Daily_07_30")
    lines = run(capsys, *span).splitlines()
    assert lines[1] == ("2026-03-02T07:00:00+00:00  plan Nightly  fired: Schedule. Due since 2026-03-02 07:00:00 UTC.")
    assert lines[3].endswith("job Report  fired: Schedule Daily_07_30. Due since 2026-03-02 07:30:00 UTC.")
    assert lines[-1] == "3 fires, 0 events without a fire"
    assert Run.objects.count() == 0 and not Plan.objects.get().is_running


def test_everything_is_read_in_as_many_statements_for_many_as_for_few(make_job, capsys):
    def statements() -> int:
        with CaptureQueriesContext(connection) as asked:
            run(capsys, *SPAN, "--json")
        return len(asked)

    def add(number: int) -> None:
        entity = Entity.objects.create(code=f"e{number}", name="E")
        SchedulerConfiguration.objects.filter(entity=entity).update(
            processing_mode="scheduled", schedule_type="daily", run_times="07:00"
        )
        schedule = {"schedule_type": "daily", "run_times": "08:00"}
        make_job(f"Job {number}", daily("09:00"))
        save_plan(PlanDraft(Plan(name=f"P{number}"), schedule, [step(entity), step(f"Job {number}")]), now=NOW)

    add(0)
    few = statements()
    for number in range(1, 6):
        add(number)
    assert statements() == few
