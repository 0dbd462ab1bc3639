"""Promises of the command simulate: one document, honest exit codes, nothing written."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from scheduling.models import Run, SchedulerConfiguration, SchedulerLog
from tests.scheduling.conftest import NOW

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
    assert document.pop("notes") == ["off is manual, switched off or cancelled: its rows wait for people."]
    daily = {"entity": "region", "trigger_source": "Schedule", "rows": 0}
    assert document == {
        "from": "2026-03-02T06:00:00+00:00",
        "until": "2026-03-04T06:00:00+00:00",
        "cycles": 2880,
        "fires": [
            {"at": "2026-03-02T06:31:00+00:00", "entity": "branch", "slot": None,
             "trigger_source": "Trigger: 140 rows (threshold 100)",
             "reason": "Row threshold met: 140 rows >= threshold 100.", "rows": 140},
            daily | {"at": "2026-03-02T07:00:00+00:00", "slot": "2026-03-02T07:00:00+00:00",
                     "reason": "Due since 2026-03-02 07:00:00 UTC."},
            daily | {"at": "2026-03-03T07:00:00+00:00", "slot": "2026-03-03T07:00:00+00:00",
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
