"""Promises of the JSON log: one object a line whatever is in it, with the event and the ids of the work."""

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scheduler_project.logs import JsonLines, PlainLines
from staging.tracing import current_ids, lines_also_of, lines_of
from tests.house.source import ROOT
from tests.json_lines import Lines, json_lines


@pytest.fixture
def lines() -> Iterator[Lines]:
    with json_lines() as found:
        yield found


def test_a_line_says_when_who_what_and_of_what(lines):
    with lines_of(run_id=7, entity_id=None):
        lines_also_of(batch_id=9)
        logging.getLogger("shop").warning("sold %s", 3, extra={"event": "sold", "entity_id": 4})
    (line,) = lines.of("sold")
    assert datetime.fromisoformat(line["time"]).tzinfo == UTC
    assert (line["level"], line["message"], line["logger"]) == ("WARNING", "sold 3", "shop")
    assert (line["run_id"], line["batch_id"], line["entity_id"]) == (7, 9, 4)
    assert line["process"] == os.getpid()
    assert "task_id" not in line


def test_ids_end_with_their_work_and_never_reach_another_thread(lines):
    seen = []
    with lines_of(run_id=1):
        with lines_of(task_id=2):
            lines_also_of(batch_id=3)
            thread = threading.Thread(target=lambda: seen.append(dict(current_ids())))
            thread.start()
            thread.join()
            assert dict(current_ids()) == {"run_id": 1, "task_id": 2, "batch_id": 3}
        assert dict(current_ids()) == {"run_id": 1}
    lines_also_of(run_id=5)
    assert dict(current_ids()) == {}
    assert seen == [{}]


@pytest.mark.parametrize("text", ["two\nlines", "\ud800", "\x00\x1b[2J", "line\u2028separator", '"}{'])
def test_nothing_in_a_message_makes_a_second_line_or_no_line(lines, text):
    logging.getLogger("shop").error("%s", text)
    (line,) = lines.texts
    assert line.isascii() and "\n" not in line
    assert json.loads(line)["message"] == text


def test_a_message_whose_values_do_not_fit_and_a_strange_id_are_told_all_the_same():
    record = logging.LogRecord("shop", logging.ERROR, "shop.py", 1, "only %s", (1, 2), None)
    record.run_id = object
    line = json.loads(JsonLines().format(record))
    assert line["message"] == "only %s (1, 2)"
    assert line["event"] == "log"


def test_an_error_brings_its_name_and_its_trace(lines):
    try:
        raise ValueError("no")
    except ValueError:
        logging.getLogger("shop").exception("broken")
    (line,) = map(json.loads, lines.texts)
    assert line["error"] == "ValueError" and "test_logs.py" in line["traceback"]


_HELLO = "logging.getLogger('shop').warning('hello')"
_JOB = """
from scheduling.workloads.job_output import captured
with captured() as kept:
    logging.getLogger('shop').info('said'), print('printed')
print(kept.text())
"""
_CELERY = "from scheduler_project.celery import app; app.log.setup('ERROR', redirect_stdouts=False)"


def _settings(log_format: str, folder: Path, script: str = _HELLO, **more: str) -> subprocess.CompletedProcess[str]:
    script = f"import django, logging; django.setup(); {script}"
    environment = {
        "PATH": os.environ["PATH"],
        "SECRET_KEY": "0123456789" * 6,
        "LOG_FORMAT": log_format,
        "DATABASE_URL": f"sqlite:///{folder / 'log.sqlite3'}",
        "DJANGO_SETTINGS_MODULE": "scheduler_project.settings",
        **more,
    }
    return subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)


def test_the_setting_chooses_the_form(tmp_path: Path):
    assert json.loads(_settings("json", tmp_path).stderr)["message"] == "hello"
    assert _settings("line", tmp_path).stderr.endswith("WARNING shop hello\n")
    refused = _settings("xml", tmp_path)
    assert refused.returncode == 1 and "LOG_FORMAT is 'xml'; it has to be line or json." in refused.stderr
    refused = _settings("line", tmp_path, LOG_LEVEL="loud")
    assert refused.returncode == 1 and "LOG_LEVEL is 'loud'; it has to be DEBUG" in refused.stderr


@pytest.mark.parametrize("level, celery", [("INFO", ""), ("WARNING", ""), ("CRITICAL", ""), ("INFO", _CELERY)])
def test_what_a_job_logs_and_prints_is_kept_whatever_the_process_shows(tmp_path: Path, level: str, celery: str) -> None:
    did = _settings("line", tmp_path, celery + _JOB, LOG_LEVEL=level)
    said, printed = did.stdout.splitlines()
    assert said.endswith("INFO said") and printed.endswith("INFO printed"), did.stderr
    is_shown = level == "INFO" and not celery
    assert ("INFO shop said" in did.stderr) == is_shown == ("printed" in did.stderr)


@pytest.mark.parametrize(
    "text", ["two\nlines", "\r2026-01-01 INFO x forged", "\x1b[2J", "\u2028", "\u202e", "\x00", "\ud800"]
)
def test_nothing_in_a_plain_line_begins_another_or_speaks_to_a_terminal(text: str) -> None:
    record = logging.LogRecord("shop", logging.ERROR, "shop.py", 1, "%s", (text,), None)
    line = PlainLines().format(record)
    assert line.isprintable() and "ERROR shop" in line


def test_a_traceback_follows_its_plain_line_behind_a_bar() -> None:
    try:
        raise ValueError("no\n2026-01-01 INFO x forged")
    except ValueError:
        record = logging.LogRecord("shop", logging.ERROR, "shop.py", 1, "broken", (), sys.exc_info())
    first, *others = PlainLines().format(record).split("\n")
    assert first.endswith("ERROR shop broken") and all(line.startswith("  | ") for line in others)
