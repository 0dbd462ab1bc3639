"""Runs statements on SQLite in a process of its own: threads of one process wait for one another in its allocator.

Measured: two threads that each classify half of a million rows take as long as one that classifies them all, two
processes half as long. The other process needs neither Django's settings nor its models, so it starts at once.
"""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.db import OperationalError, connection

from staging.sql import sqlite_functions
from staging.sql.compose import Sql
from staging.wording import say

# Bytes of a database file that a batch maps: as many as SQLite can.
MAPPED = 2_147_418_112
# It reads what is mapped, and writes each page of its own file once.
_SETTINGS = f"PRAGMA temp_store=FILE; PRAGMA cache_size=-65536; PRAGMA mmap_size={MAPPED};"
_PRIVATE = "PRAGMA {schema}.journal_mode=OFF; PRAGMA {schema}.synchronous=OFF;"


def run_in_other_process(schema: str, file: Path, statements: Sequence[Sql]) -> int:
    """Run the statements with the file attached as `schema`; return how many rows the last one touched.

    They see what is committed, and commit into the file. Raises OperationalError when the other process fails.
    """
    options = connection.settings_dict["OPTIONS"]
    asked = {
        "database": str(connection.settings_dict["NAME"]),
        "timeout": options.get("timeout", 5),
        "start": f"{options.get('init_command', '')};{_SETTINGS}",
        "schema": schema,
        "file": str(file),
        "statements": [(_with_question_marks(statement), statement.params) for statement in statements],
    }
    found = subprocess.run(  # noqa: S603 - our own module, by our own interpreter
        [sys.executable, "-m", __name__],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    if found.returncode:
        last = found.stderr.strip().splitlines()[-1:] or [say("exit code {code}", code=found.returncode)]
        raise OperationalError(say("The process that read a part of the batch failed: {why}", why=last[0]))
    return int(found.stdout)


def _with_question_marks(statement: Sql) -> str:
    """Return the text with the placeholders of SQLite itself."""
    return statement.text % (("?",) * len(statement.params))


def _run(asked: dict[str, Any]) -> int:
    """Run what was asked for; this is the other process."""
    there = sqlite3.connect(asked["database"], timeout=asked["timeout"], isolation_level=None)
    try:
        there.executescript(asked["start"])
        sqlite_functions.add_functions(there)
        there.execute(f"ATTACH DATABASE ? AS {asked['schema']}", [asked["file"]])
        there.executescript(_PRIVATE.format(schema=asked["schema"]))
        return [there.execute(text, params).rowcount for text, params in asked["statements"]][-1]
    finally:
        there.close()


if __name__ == "__main__":
    sys.stdout.write(str(_run(json.load(sys.stdin))))
