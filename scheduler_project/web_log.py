"""Lets gunicorn write its lines as the other processes write theirs: `--logger-class scheduler_project.web_log.WebLog`.

Its main process runs before any settings are read and outlives them when they change, so the one setting that it needs
is read here, as settings.py reads it.
"""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar

from environ import Env
from gunicorn.config import Config
from gunicorn.glogging import Logger

from scheduler_project.logs import JsonLines


class _Environment(Env):
    """The environment and `.env`, without adding to the one that workers inherit."""

    ENVIRON: ClassVar[dict[str, str]] = {}


def _is_json() -> bool:
    """Return whether the process log is to be JSON."""
    _Environment.ENVIRON = dict(os.environ)
    _Environment.read_env(Path(__file__).resolve().parent.parent / ".env")
    return bool(_Environment()("LOG_FORMAT", default="line") == "json")


class WebLog(Logger):
    """The log of gunicorn: plain as it has always been, or JSON with a line for each request, as LOG_FORMAT says."""

    def setup(self, cfg: Config) -> None:
        """Choose the form of the lines; again when gunicorn is told to read its configuration again."""
        super().setup(cfg)
        self.is_json = _is_json()
        if self.is_json:
            for handler in (*self.error_log.handlers, *self.access_log.handlers):
                handler.setFormatter(JsonLines())

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        """Write that a request was answered; as JSON without the parameters of its address, which people typed."""
        if not self.is_json:
            super().access(resp, req, environ, request_time)
        elif self.access_log_enabled:
            told = self.atoms(resp, req, environ, request_time)
            facts = {
                "method": told["m"],
                "path": told["U"],
                "status": int(told["s"]),
                "bytes": told["B"],
                "milliseconds": told["M"],
                "client": told["h"],
            }
            logger, line = self.access_log, "%(method)s %(path)s: %(status)s"
            logger.info(line, facts, extra={"event": "request", "facts": facts})
