"""An installation moves from SQLite to PostgreSQL with all that is in it: the same answers, and work goes on."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.installation import Installation, embedded, migrated

pytestmark = pytest.mark.postgresql

EVERY_TYPE = """
version: 1
entities:
  - code: every
    name: Every type
    keep_history: true
    attributes:
      - {name: words, type: text, unique: true}
      - {name: whole, type: integer}
      - {name: exact, type: decimal}
      - {name: truth, type: boolean}
      - {name: day, type: date}
      - {name: moment, type: datetime}
      - {name: friend, type: reference, reference: every}
      - {name: other, type: reference, reference: around}
      - {name: gone, type: date}
  - code: around
    name: Round about
    attributes: [{name: back, type: reference, reference: every}]
"""
WITHOUT_ONE = EVERY_TYPE.replace("{name: gone, type: date}", "{name: gone, type: date, is_cancelled: true}")
STAGED = "code, name, words, whole, exact, truth, day, moment, friend, other, gone"
ROWS = (
    ("a", "Ä \"quoted\" \\ back\tslash\nline", "w1", "-9223372036854775808", "0.10", "yes", "0001-01-01",
     "2024-02-29T23:59:59.123456+02:00", "b", "x", "2020-01-01"),
    ("b", "", "~NULL~", "9223372036854775807", "-123456789012345678901234567890.5", "no", "9999-12-31",
     "1999-12-31", "a", None, None),
    ("c", None, None, None, None, None, None, None, None, None, None),
    ("bad", "Rejected", "w2", "many", "1e99", "perhaps", "2023-02-29", "noon", "nobody", "nobody", "x"),
)  # fmt: skip
LIFE = f"""
import json, pathlib, sys, django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client

def sql(statement, rows=None):
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows) if rows else cursor.execute(statement)

def load(text):
    pathlib.Path(sys.argv[1]).write_text(text)
    call_command("load_model", sys.argv[1])

call_command("load_demo")
load({EVERY_TYPE!r})
sql("INSERT INTO stg_around (code) VALUES ('x')")
call_command("process_batch", "around", inline=True)
sql("INSERT INTO stg_every ({STAGED}) VALUES (" + ", ".join(["%s"] * {len(ROWS[0])}) + ")", {ROWS!r})
call_command("process_batch", "every", inline=True)
sql("INSERT INTO stg_around (code, back) VALUES ('x', 'a')")
call_command("process_batch", "around", inline=True)
load({WITHOUT_ONE!r})
client = Client()
client.force_login(User.objects.create_superuser("ann", password="a long one for ann"))
sql("INSERT INTO stg_every (code, words) VALUES ('late', 'w9'), ('deleted', 'w10')")
sql("DELETE FROM stg_every WHERE code = 'deleted'")
sql("ALTER TABLE mdm_every ADD COLUMN of_others REAL")
sql("UPDATE mdm_every SET of_others = 1.5 WHERE code = 'a'")
sql("CREATE TABLE none_of_ours (id integer)")
"""
MANY = 12_000
SETTINGS = {"DEMO_PASSWORD": "a long one for all", "MERGE_CHUNK_ROWS": "50", "BATCH_LANES": "1"}
# Each breaks a copy of the file so that it cannot be copied; with what is said of it.
BROKEN = {
    "UPDATE mdm_every SET day = 'some day'": "day",
    "UPDATE mdm_every SET other = 999999": "999999",
    "UPDATE stg_every SET name = 'a' || char(0) || 'b'": "NUL",
    "UPDATE scheduling_task SET queue_id = 999999": "999999",
    "DELETE FROM django_migrations WHERE app = 'staging' AND name LIKE '0013%'": "staging.0013_roles_of_groups",
}
TRY_EACH = """
import sys, pathlib, django
django.setup()
from scheduling.errors import CannotCopy
from scheduling.housekeeping.copy_database import copy_database
for path in sys.argv[1:]:
    try:
        print("copied", copy_database(pathlib.Path(path)))
    except CannotCopy as error:
        print(" ".join(str(error).split()))
"""


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[Installation]:
    """An installation on SQLite that has lived: the demo, an entity of every type, batches, a history, people."""
    folder = tmp_path / "embedded"
    folder.mkdir()
    with embedded(folder, SETTINGS, model="version: 1\nentities: []\n") as made:
        made.python(LIFE, str(folder / "model.yaml"))
        break_off(made)
        made.manage("process_batch", "every")  # is queued, and goes on over there
        yield made


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Installation]:
    """A PostgreSQL database in which there is what `migrate` makes."""
    folder = tmp_path / "production"
    folder.mkdir()
    with migrated(folder, {"CELERY_BROKER_URL": ""}) as made:
        yield made


def break_off(installation: Installation) -> None:
    """Leave a large batch in the middle of its chunks: its worker is told to stop."""
    installation.sql(
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {MANY}) "
        "INSERT INTO stg_around (code, back) SELECT 'r' || i, 'a' FROM n"
    )
    installation.manage("process_batch", "around")
    worker = installation.start("manage.py", "run_local")
    begun = lambda: installation.number("SELECT count(*) FROM mdm_around") > 1  # noqa: E731
    installation.wait_until(begun, "the large batch is under way")
    worker.terminate()
    worker.wait(timeout=30)
    assert installation.number("SELECT count(*) FROM mdm_around") < MANY
    assert installation.number("SELECT count(*) FROM staging_batch WHERE decisions <> ''") == 1, "it had decided"


def _as_sqlite_keeps_it(value: Any) -> Any:
    match value:
        case float():
            return str(value)  # of a column that others added: it is text now
        case bool():
            return int(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}".rjust(26, "0")
        case date():
            return value.isoformat()
    return value


def stored(installation: Installation) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of all tables of entities, values as SQLite keeps them."""
    tables = sorted(
        f"{kind}_{code}" for (code,) in installation.sql("SELECT code FROM staging_entity") for kind in ("stg", "mdm")
    )
    found = {}
    for table in [*tables, "hst_every", "hst_branch"]:
        with closing(installation.connect()) as connection:
            cursor = connection.execute(f"SELECT * FROM {table} ORDER BY id")
            names = sorted((column[0], place) for place, column in enumerate(cursor.description))
            found[table] = [
                tuple((name, _as_sqlite_keeps_it(row[place])) for name, place in names) for row in cursor.fetchall()
            ]
    return found


def records(installation: Installation) -> list[Any]:
    """Return every record of every model, as Django writes it down; what a batch had decided is decided again."""
    found = json.loads(installation.manage("dumpdata"))
    for record in found:
        if record["model"] == "staging.batch":
            record["fields"] |= {"decisions": "", "decided_by": ""}
    return found


def is_empty(installation: Installation) -> bool:
    """Return whether there is nothing but what `migrate` makes."""
    tables = "SELECT count(*) FROM pg_class WHERE relname ~ '^(stg|mdm|hst)_' AND relkind = 'r'"
    people = "SELECT count(*) FROM auth_user"
    return installation.number(tables) == installation.number(people) == 0


def broken_files(source: Path, folder: Path) -> list[str]:
    """Return copies of the file, each broken in one way, and one path at which there is nothing."""
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    files = []
    for number, statement in enumerate(BROKEN):
        path = folder / f"broken-{number}.sqlite3"
        shutil.copy(source, path)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()
        files.append(str(path))
    (folder / "no-database").write_text("none")
    return [*files, str(folder / "nowhere"), str(folder / "no-database")]


def test_everything_moves_or_nothing(lived: Installation, empty: Installation, tmp_path: Path) -> None:
    source = lived.folder / "scheduler.sqlite3"
    assert "PostgreSQL" in lived.python(TRY_EACH, str(source))
    told = empty.python(TRY_EACH, *broken_files(source, tmp_path)).splitlines()
    for line, word in zip(told, [*BROKEN.values(), "no file", "not a database"], strict=True):
        assert word in line and "copied" not in line.split()[0], told
    assert is_empty(empty), told

    copied = empty.command("copy_database", "--from-url", f"sqlite:///{source}")
    assert copied["left_out"] == ["none_of_ours"]
    assert (copied["rows"]["stg_every"], copied["rows"]["mdm_every"]) == (len(ROWS) + 1, len(ROWS) - 1)
    assert copied["rows"]["auth_user"] == 5
    assert stored(empty) == stored(lived)
    assert records(empty) == records(lived)
    assert empty.manage("dump_model") == lived.manage("dump_model")  # last: a dump notes itself in the audit
    kinds = empty.sql(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'mdm_every' "
        "AND column_name IN ('gone', 'moment', 'exact')"
    )
    assert dict(kinds) == {"gone": "date", "moment": "timestamp with time zone", "exact": "numeric"}

    again = empty.python(TRY_EACH, str(source))
    assert "not empty" in again and stored(empty) == stored(lived)

    highest = lived.number("SELECT seq FROM sqlite_sequence WHERE name = 'stg_every'")
    empty.sql("INSERT INTO stg_every (code, words, friend) VALUES ('new', 'w11', 'late')")
    assert empty.number("SELECT id FROM stg_every WHERE code = 'new'") == highest + 1
    empty.start("manage.py", "run_local")
    both = lambda: empty.number("SELECT count(*) FROM mdm_every WHERE code IN ('late', 'new')") == 2  # noqa: E731
    empty.wait_until(both, "the batch that was queued on SQLite goes on")
    every = (
        f"SELECT (SELECT count(*) FROM mdm_around) = {MANY + 1} AND (SELECT max(inserted) FROM staging_batch) = {MANY}"
    )
    empty.wait_until(lambda: empty.sql(every) == [(True,)], "the large batch goes on where it stood")
    levels = [finding["level"] for finding in json.loads(empty.manage("doctor", "--json"))["findings"]]
    assert "error" not in levels
