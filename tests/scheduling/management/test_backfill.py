"""`backfill` and `cancel_backfill`: a range of slots by command."""

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from scheduling import clock
from scheduling.jobs.declare import daily, every
from scheduling.models import Backfill, JobSchedule, Plan, Run
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db

RANGE = ("--from", "2026-02-01T00:00:00+00:00", "--until", "2026-02-04T00:00:00+00:00")


@pytest.fixture
def nightly(make_entity):
    daily_at_two = {"schedule_type": "daily", "run_times": "02:00"}
    draft = PlanDraft(Plan(name="Nightly"), daily_at_two, [step(make_entity("region").entity)])
    return save_plan(draft, now=clock.now())


def answer(capsys, *args):
    call_command(*args, "--json")
    return json.loads(capsys.readouterr().out)


def refused(*args):
    with pytest.raises(CommandError) as error:
        call_command(*args)
    return error.value.returncode, str(error.value)


def test_a_dry_run_shows_the_slots_and_writes_nothing(nightly, capsys):
    found = answer(capsys, "backfill", "plan Nightly", *RANGE, "--dry-run")
    assert [each["slot"] for each in found["slots"]] == [f"2026-02-0{day}T02:00:00+00:00" for day in (1, 2, 3)]
    assert found["will_run"] == 3 and found["more_from"] is None and found["slots"][1]["state"] == "will_run"
    call_command("backfill", "plan Nightly", *RANGE, "--dry-run")
    assert capsys.readouterr().out.splitlines()[-1] == "plan Nightly: 3 slots would run"
    assert not Backfill.objects.exists() and not Run.objects.exists()


def test_it_begins_in_order_is_shown_and_cancelled(nightly, capsys):
    begun = answer(capsys, "backfill", "plan Nightly", *RANGE, "--in-order")
    assert (begun["status"], begun["slots_done"], begun["slots_total"]) == ("running", 0, 3)
    assert [each["run"] for each in begun["slots"]] == [Run.objects.get().pk, None, None]
    assert refused("backfill", "plan Nightly", *RANGE) == (3, "Another backfill of plan Nightly is under way.")
    ended = answer(capsys, "cancel_backfill", str(begun["backfill"]))
    assert ended["status"] == "cancelled" and ended["error"] == "Cancelled by command."
    assert refused("cancel_backfill", str(begun["backfill"]))[0] == 2
    assert refused("cancel_backfill", "777") == (2, "There is no backfill 777.")
    call_command("backfill", "plan Nightly", *RANGE, "--side-by-side", "2", "--go-on", "--again")
    assert "running, 0 of 3 slots ended" in capsys.readouterr().out
    assert Run.objects.filter(status="pending").count() == 2


def test_what_is_wrong_is_one_line_and_exit_code_2(nightly, make_job, make_entity):
    make_entity("branch")
    assert refused("backfill", "branch", *RANGE)[1].startswith("A batch takes the rows that wait now")
    future = ("--from", "2026-02-01T00:00:00+00:00", "--until", (clock.now() + timedelta(days=9)).isoformat())
    code, text = refused("backfill", "plan Nightly", *future)
    assert code == 2 and text.startswith("--until: This is in the future")
    assert refused("backfill", "plan Nightly", *RANGE, "--side-by-side", "1")[1].startswith("--side-by-side: Write a")
    assert refused("backfill", "plan Nightly", "--from", "x", "--until", "y")[0] == 2
    make_job("Report", daily("02:30"), every(60))
    assert "has several schedules" in refused("backfill", "job Report", *RANGE)[1]
    JobSchedule.objects.update(next_scheduled_run=None)  # nothing is due
    call_command("backfill", "job Report: Daily_02_30", *RANGE)
    assert Run.objects.get().kind == "job"
