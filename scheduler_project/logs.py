"""Writes the process log: as JSON, an object a line with an event name that stays, or as lines for people."""

import json
import logging
import os
import socket
from datetime import UTC, datetime
from typing import Any

from staging.tracing import current_ids

# What a line may carry, in this order; a line that names one by itself (`extra`) is believed.
IDS = ("run_id", "task_id", "attempt", "batch_id", "entity_id", "job_id", "plan_id", "trace_id")
UNNAMED = "log"  # a line of a library, or of code that names no event
JOB_OUTPUT = "job_output"
_JOBS = "job "  # how the loggers of job contexts are called


class PlainLines(logging.Formatter):
    """One line for each record; nothing in a message can begin another, or speak to a terminal.

    A traceback follows on lines of its own, each behind a bar, so that none looks like a record.
    """

    def __init__(self) -> None:
        """Say when, how grave, who and what."""
        super().__init__("{asctime} {levelname} {name} {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line, with escapes for what would break it."""
        return _escaped(super().formatMessage(record))

    def formatException(self, *args: Any) -> str:
        """Return the traceback."""
        return "\n".join(f"  | {_escaped(line)}" for line in super().formatException(*args).split("\n"))


def _escaped(text: str) -> str:
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


class JsonLines(logging.Formatter):
    """One JSON object for each record; a broken message or an unknown type is written as text, never lost."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "event": getattr(record, "event", None) or (JOB_OUTPUT if record.name.startswith(_JOBS) else UNNAMED),
            "message": _message(record),
            "logger": record.name,
            "host": socket.gethostname(),
            "process": os.getpid(),
            "thread": record.threadName,
        }
        known = current_ids()
        for name in IDS:
            value = getattr(record, name, known.get(name))
            if value is not None:
                line[name] = value
        line |= getattr(record, "facts", {})
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def _message(record: logging.LogRecord) -> str:
    """Return the message; as it was written when its values do not fit into it."""
    try:
        return record.getMessage()
    except Exception:
        return f"{record.msg} {record.args!r}"
