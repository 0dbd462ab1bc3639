"""What `copy_database` refuses before it looks at any row; tests/acceptance/test_copy_database.py copies."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection

from scheduling.management.commands.copy_database import Command
from tests.scheduling.management.test_run_commands import refused

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("url", ["postgres://somebody@somewhere/name", "sqlite://", "var/scheduler.sqlite3"])
def test_the_source_is_a_file_of_sqlite(url: str) -> None:
    code, told = refused("copy_database", "--from-url", url)
    assert code == 2 and url in told and "sqlite:////path" in told


def test_a_database_that_is_none_of_ours_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite3"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE something (id integer)")
    code, told = refused("copy_database", "--from-url", f"sqlite:///{path}")
    expected = "different versions" if connection.vendor == "postgresql" else "PostgreSQL"
    assert code == 2 and expected in told


def test_what_was_copied_and_what_was_not_is_told_in_two_sentences() -> None:
    text = Command().text({"rows": {"a": 1200, "b": 34}, "left_out": ["theirs"]})
    assert text == "Copied 1,234 rows of 2 tables. These tables are none of ours and were left out: theirs."
