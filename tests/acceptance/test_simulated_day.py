"""What a simulation says would fire is what real cycles fire, minute for minute, on a night the clocks change."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.acceptance.installation import Installation, embedded

pytestmark = pytest.mark.embedded

START = datetime.fromisoformat("2026-10-24T23:30:00+00:00")
END = START + timedelta(hours=4, minutes=15)

MODEL = """
version: 1
calendars:
  - {name: Night, timezone: Europe/Amsterdam, policy: roll,
     periods: [{kind: weekly, run_days: sun, window_start: "03:00", window_end: "04:30"}]}
entities:
  - code: once_in_the_fold
    name: Once in the fold
    schedule: {processing_mode: scheduled, schedule_type: daily, run_times: ["02:30"], timezone: Europe/Amsterdam}
  - code: grid
    name: Grid
    schedule: {processing_mode: scheduled, schedule_type: interval, interval_minutes: 45, timezone: Europe/Amsterdam}
  - code: rolled
    name: Rolled
    schedule: {processing_mode: scheduled, schedule_type: daily, run_times: ["03:30"], timezone: Europe/Amsterdam,
               calendar: Night}
  - code: triggered
    name: Triggered
    schedule: {processing_mode: triggered, trigger_row_threshold: 3, trigger_idle_minutes: 20}
plans:
  - name: Nightly
    overlap: queue_one
    schedule: {schedule_type: interval, interval_minutes: 70, timezone: Europe/Amsterdam, calendar: Night}
    steps:
      - {entity: grid}
      - {entity: triggered}
"""

# One row each half hour: the threshold is never met, the idle time always.
ARRIVALS = [START + timedelta(minutes=minute) for minute in range(7, 240, 30)]


# When our own jobs run in that night.
OUR_JOBS = {"STATISTICS_CRON": "7 * * * *", "RETENTION_CRON": "17 * * * *", "TIME_ZONE_CRON": "47 * * * *",
            "REPORT_CRON": "0 6 * * *"}  # fmt: skip


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """An embedded installation with the model of this file, loaded at the start of the night."""
    environment = {"SCHEDULER_ALLOW_TIME_TRAVEL": "1", "DISPATCH_INTERVAL_SECONDS": "60", **OUR_JOBS}
    with embedded(tmp_path, environment, model=MODEL) as installation:
        installation.manage("sync_jobs")
        yield installation


# The real night in one process: a cycle each minute, every batch worked off at once, rows landing in between.
NIGHT = """
import django, sys
from datetime import datetime, timedelta
django.setup()
from django.db import connection
from scheduling.dispatch.cycle import run_cycle
from scheduling.kinds import KINDS
from scheduling.queues import claim_next
from scheduling.runs.execute import run_attempt
from tests.scheduling.simulation.real import nothing_dies
start, end = map(datetime.fromisoformat, sys.argv[1:3])
arrivals = [datetime.fromisoformat(text) for text in sys.argv[3:]]
just_before = start - timedelta(microseconds=1)
for schedule in [schedule for kind in KINDS for schedule in kind.automatic()]:
    type(schedule).objects.filter(pk=schedule.pk).update(
        armed_from=just_before, next_scheduled_run=schedule.planned_after(just_before))
now = start
while now < end:
    for at in [at for at in arrivals if now - timedelta(minutes=1) < at <= now]:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO stg_triggered (code, created_at) VALUES (%s, %s)",
                           [f"row {at}", connection.ops.adapt_datetimefield_value(at)])
    with nothing_dies():
        run_cycle(now)
    while attempt := claim_next(worker="night", now=now):
        run_attempt(attempt, time=lambda: now)
    now += timedelta(minutes=1)
"""


def test_a_simulated_night_fires_what_real_cycles_fire(installation: Installation) -> None:
    lines = "".join(f'{{"at": "{at.isoformat()}", "entity": "triggered", "rows": 1}}\n' for at in ARRIVALS)
    (installation.folder / "arrivals.jsonl").write_text(lines)
    span = ("--from", START.isoformat(), "--until", END.isoformat())
    simulated = installation.command("simulate", *span, "--arrivals", str(installation.folder / "arrivals.jsonl"))
    assert installation.number("SELECT count(*) FROM scheduling_run") == 0, "a simulation executes nothing"

    installation.python(NIGHT, START.isoformat(), END.isoformat(), *(at.isoformat() for at in ARRIVALS))

    expected = sorted((datetime.fromisoformat(fire["at"]), fire["entity"]) for fire in simulated["fires"])
    assert expected == sorted(_fired(installation))
    named = {entity for _, entity in expected}
    assert named >= {"once_in_the_fold", "grid", "rolled", "triggered", "plan Nightly"}
    assert {name for name in named if name.startswith("job ")}, "our own housekeeping has its schedules too"
    assert [at for at, entity in expected if entity == "once_in_the_fold"] == [START + timedelta(hours=1)]


def _fired(installation: Installation) -> list[tuple[datetime, str]]:
    """Return what the log says was fired, and when."""
    rows = installation.sql(
        "SELECT l.event_time, COALESCE(e.code, 'plan ' || p.name, 'job ' || j.name) FROM scheduling_schedulerlog l "
        "LEFT JOIN staging_entity e ON e.id = l.entity_id LEFT JOIN scheduling_plan p ON p.id = l.plan_id "
        "LEFT JOIN scheduling_job j ON j.id = l.job_id WHERE l.event_type = 'fired'"
    )
    return [(datetime.fromisoformat(f"{at}+00:00"), code) for at, code in rows]
