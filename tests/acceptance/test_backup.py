"""A backup made and restored by the commands of the guide: doctor is content, work goes on, no slot runs twice."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.acceptance.installation import MODEL, ROOT, Installation, assert_each_row_once, embedded, migrated
from tests.acceptance.test_one_minute import settled

POLICIES = ("none", "last", "all")
# Minutes before now: the schedules begin, run twice, are backed up, run twice more, and all is lost.
BEGIN, BEFORE, BACKUP, AFTER, DISASTER = 120, (100, 80), 60, (50, 40), 30
SETTINGS = {"SCHEDULER_ALLOW_TIME_TRAVEL": "1", "MERGE_CHUNK_ROWS": "100", "BATCH_LANES": "1"}
# Cycles of the past, one after the other; what they start is done at once. `claim` leaves one batch under way.
LIFE = """
import django, sys
from datetime import datetime, timedelta
django.setup()
from scheduling.dispatch.cycle import run_cycle
from scheduling.kinds import KINDS
from scheduling.queues import claim_next
from scheduling.runs.execute import run_attempt
start, end = map(datetime.fromisoformat, sys.argv[1:3])
if "begin" in sys.argv:
    for schedule in [schedule for kind in KINDS for schedule in kind.automatic()]:
        type(schedule).objects.filter(pk=schedule.pk).update(
            armed_from=start, next_scheduled_run=schedule.planned_after(start))
now = start
while now < end:
    now += timedelta(minutes=5)
    run_cycle(now)
    while attempt := claim_next(worker="of the past", now=now):
        run_attempt(attempt, time=lambda: now)
"""
UNDER_WAY = """
import django; django.setup()
from django.core.management import call_command
from scheduling import clock
from scheduling.queues import claim_next
call_command("process_batch", "region", inline=True)
call_command("process_batch", "branch")
assert claim_next(worker="of the past", now=clock.now())
"""
SLOTS = (
    "SELECT e.code, r.scheduled_for FROM scheduling_run r JOIN scheduling_task t ON t.run_id = r.id "
    "JOIN staging_entity e ON e.id = t.entity_id WHERE r.scheduled_for IS NOT NULL"
)


def model(now: datetime) -> str:
    """Return the model: each policy for what is late has an entity that runs at four times of the day, all passed."""
    times = sorted(f"{ago(now, minutes):%H:%M}" for minutes in (*BEFORE, *AFTER))
    return MODEL + "".join(
        f"""
  - code: {policy}
    name: Catches up {policy}
    schedule: {{processing_mode: scheduled, schedule_type: daily, run_times: {json.dumps(times)}, catch_up: {policy}}}
"""
        for policy in POLICIES
    )


def ago(now: datetime, minutes: int) -> datetime:
    """Return the instant so many minutes before."""
    return now - timedelta(minutes=minutes)


def of_the_guide(word: str) -> str:
    """Return the guide's line of a command, without the container that it is meant for."""
    section = (ROOT / "docs" / "operations.md").read_text().split("## Back up and restore")[1].split("\n## ")[0]
    (line,) = [line for line in section.splitlines() if re.match(rf"(docker compose exec -T db )?{word} ", line)]
    return line.removeprefix("docker compose exec -T db ")


@pytest.fixture(
    params=[
        pytest.param("embedded", marks=pytest.mark.embedded),
        pytest.param("production", marks=pytest.mark.postgresql),
    ]
)
def lived(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Installation]:
    """An installation on each database, without a broker."""
    if request.param == "production":
        with migrated(tmp_path, {**SETTINGS, "CELERY_BROKER_URL": ""}) as made:
            yield made
    else:
        with embedded(tmp_path, SETTINGS) as made:
            yield made


def shell(installation: Installation, line: str) -> None:
    """Run a line of the guide on the database of this test."""
    url = urlsplit(installation.environment["DATABASE_URL"])
    if installation.vendor == "postgresql":
        line = re.sub(r"(-U|OWNER) scheduler\b", rf"\1 {url.username}", line)
        line = re.sub(r"(?<= )scheduler\b(?!\.)", url.path.lstrip("/"), line)
    line = line.replace("var/scheduler", "scheduler")
    environment = {**os.environ, "PGHOST": url.hostname or "", "PGPORT": str(url.port or 5432)}
    subprocess.run(line, shell=True, cwd=installation.folder, env=environment, check=True, timeout=60)


def back_up(installation: Installation) -> None:
    """Back up as the guide tells, while everything may be at work."""
    if installation.vendor == "postgresql":
        shell(installation, of_the_guide("pg_dump"))
    elif shutil.which("sqlite3"):
        shell(installation, of_the_guide("sqlite3"))
    else:  # the same function of SQLite
        copy = sqlite3.connect(installation.folder / "scheduler-backup.sqlite3")
        with closing(installation.connect()) as source, closing(copy) as target:
            source.backup(target)


def restore(installation: Installation) -> None:
    """Restore as the guide tells, while nothing is at work."""
    lines = ("psql", "pg_restore") if installation.vendor == "postgresql" else ("rm",)
    for word in lines:
        shell(installation, of_the_guide(word))


def slots(installation: Installation) -> Counter[tuple[str, datetime]]:
    """Return how often each slot of each entity was fired."""
    return Counter((code, _instant(at)) for code, at in installation.sql(SLOTS))


def _instant(value: datetime | str) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(value).replace(tzinfo=UTC)


def test_a_restored_installation_goes_on_and_fires_no_slot_twice(lived: Installation) -> None:
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    lived.load(model(now))
    lived.python(LIFE, ago(now, BEGIN).isoformat(), ago(now, BACKUP).isoformat(), "begin")
    lived.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    lived.deposit_branches(1000)
    lived.python(UNDER_WAY)
    before = slots(lived)
    back_up(lived)

    lived.load("version: 1\nentities:\n  - {code: later, name: Came after the backup}\n")
    lived.python(LIFE, ago(now, BACKUP).isoformat(), ago(now, DISASTER).isoformat())
    lived.deposit_branches(500, first=1000)
    first, second = (ago(now, minutes) for minutes in AFTER)
    assert slots(lived) - before == Counter((policy, slot) for policy in POLICIES for slot in (first, second))
    restore(lived)

    assert slots(lived) == before and lived.number("SELECT count(*) FROM stg_branch") == 1000
    lived.load("version: 1\nentities:\n  - {code: later, name: Comes again}\n")
    lived.start("manage.py", "run_local")
    late = Counter({("last", second): 1, ("all", first): 1, ("all", second): 1})
    held = "SELECT count(*) FROM scheduling_schedulerconfiguration WHERE is_running"
    done = lambda: slots(lived) - before >= late and settled(lived, 1000) and lived.number(held) == 0  # noqa: E731
    lived.wait_until(done, "what ran, what was queued and what runs late is done")
    assert_each_row_once(lived, 1000)
    assert slots(lived) == before + late and set(slots(lived).values()) == {1}, "no slot runs twice"
    missed = lived.sql(
        "SELECT e.code, count(*) FROM scheduling_schedulerlog l JOIN staging_entity e ON e.id = l.entity_id "
        "WHERE l.event_type = 'missed' GROUP BY e.code"
    )
    assert dict(missed) == {"none": 1, "last": 1}, "what does not run late is told; all of `all` does"
    found = json.loads(lived.manage("doctor", "--json"))["findings"]
    assert [finding for finding in found if finding["level"] == "error"] == []
