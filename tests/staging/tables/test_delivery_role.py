"""Promise: the account that docs/security.md gives to whoever delivers adds rows, reads their outcome, and no more."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import ProgrammingError, connection, transaction

from staging.tables.rows import get_row
from tests.house.source import ROOT
from tests.staging.batches.bench import define, run_batch, text

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no accounts"),
]
FORBIDDEN = [
    "UPDATE stg_branch SET name = 'x'",
    "DELETE FROM stg_branch",
    "INSERT INTO stg_branch (code, import_status) VALUES ('b', 1)",
    "INSERT INTO stg_branch (code, batch_id) VALUES ('b', 1)",
    "INSERT INTO stg_branch (id, code) VALUES (1, 'b')",
    "INSERT INTO mdm_branch (code, name) VALUES ('b', 'B')",
    "SELECT * FROM mdm_branch",
    "SELECT * FROM auth_user",
    "SELECT * FROM scheduling_run",
    "TRUNCATE stg_branch",
    "ALTER TABLE stg_branch ADD COLUMN x text",
    "DROP TABLE stg_branch",
]


@contextmanager
def as_etl() -> Iterator[None]:
    """Be the account for a while."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE etl")
        yield
        cursor.execute("RESET ROLE")


def execute(statement: str) -> None:
    """Run a statement; one that fails takes nothing else back."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_the_account_of_the_guide_delivers_and_does_nothing_else() -> None:
    branch = define("branch", text("staff"))
    grants = re.search(r"```sql\n(.*?)```", (ROOT / "docs" / "security.md").read_text(encoding="utf-8"), re.DOTALL)
    assert grants
    execute("CREATE ROLE etl LOGIN")
    execute(grants[1])
    with as_etl():
        execute("INSERT INTO stg_branch (code, name, staff, batch_tag) VALUES ('a', 'A', '3', 'monday')")
        for statement in FORBIDDEN:
            with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"):
                execute(statement)
    run_batch(branch)
    with as_etl(), connection.cursor() as cursor:
        cursor.execute("SELECT id, import_status, error_message FROM stg_branch")
        [(row_id, status, message)] = cursor.fetchall()
    row = get_row(branch, row_id)
    assert row and row["code"] == "a" and (status, message) == (1, None)
