"""Writes the process log: as JSON, an object a line with an event name that stays, or as lines for people."""

import json
import logging
import os
import socket
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from staging.phrases import phrase
from staging.tracing import current_ids

# What a line may carry, in this order; a line that names one by itself (`extra`) is believed.
IDS = ("run_id", "task_id", "attempt", "batch_id", "entity_id", "job_id", "plan_id", "trace_id")
UNNAMED = "log"  # a line of a library, or of code that names no event
JOB_OUTPUT = "job_output"
_JOBS = "job "  # how the loggers of job contexts are called

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_QUIET = {
    "axes": {"level": "WARNING"},  # it tells of each sign-in four times
    "django": {"handlers": [], "propagate": True},  # as everybody's, and not once more in a format of its own
    # These write URLs and tokens of alert services as they are; what became of a message stands with its channel.
    **{name: {"level": "CRITICAL"} for name in ("apprise", "urllib3", "oauthlib", "requests_oauthlib")},
}


def process_log(level: str, form: str) -> dict[str, Any]:
    """Return the settings of the process log, which shows what is at least so grave, as `line` or as `json`.

    INFO is made in any case: it is kept with the attempt of a job, whatever the process shows. Raises
    ImproperlyConfigured.
    """
    if form not in _FORMS:
        raise ImproperlyConfigured(phrase("LOG_FORMAT is {format!r}; it has to be line or json.", format=form))
    if level not in _LEVELS:
        raise ImproperlyConfigured(
            phrase("LOG_LEVEL is {level!r}; it has to be DEBUG, INFO, WARNING, ERROR or CRITICAL.", level=level)
        )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {form: {"()": _FORMS[form]}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": form, "level": level}},
        "root": {"handlers": ["console"], "level": "DEBUG" if level == "DEBUG" else "INFO"},
        "loggers": _QUIET,
    }


def show_from(level: int, root: logging.Logger) -> None:
    """Let the process log show what is at least so grave, and make INFO in any case, as `process_log` does."""
    for handler in root.handlers:
        handler.setLevel(level)
    root.setLevel(min(level, logging.INFO))


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


_FORMS = {"line": PlainLines, "json": JsonLines}


def _message(record: logging.LogRecord) -> str:
    """Return the message; as it was written when its values do not fit into it."""
    try:
        return record.getMessage()
    except Exception:
        return f"{record.msg} {record.args!r}"
