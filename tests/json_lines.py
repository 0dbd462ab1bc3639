"""Collects what the process log would write as JSON, for tests of its lines."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from scheduler_project.logs import JsonLines


class Lines(logging.Handler):
    """Keeps what the formatter made of each record."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(JsonLines())
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))

    def of(self, event: str) -> list[dict]:
        """Return the lines of an event."""
        return [line for line in map(json.loads, self.texts) if line["event"] == event]


@contextmanager
def json_lines() -> Iterator[Lines]:
    """Collect every line from INFO on, whatever the level of the log."""
    handler, root = Lines(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield handler
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
