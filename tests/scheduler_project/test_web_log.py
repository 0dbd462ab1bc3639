"""Promises of the lines of the web server: JSON as those of the other processes, and plain as they have always been."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

from tests.house.source import ROOT
from tests.ports import free_port

SEARCHED = "/healthz?q=what-somebody-typed"


def _lines_of_a_request(log_format: str, folder: Path) -> tuple[list[str], list[str]]:
    """Serve, answer a request, end; return what stood on stdout and on stderr."""
    place = f"127.0.0.1:{free_port()}"
    environment = {
        "PATH": os.environ["PATH"],
        "SECRET_KEY": "0123456789" * 6,
        "LOG_FORMAT": log_format,
        "PYTHONWARNINGS": "ignore",  # that nobody collected the static files here
        "DATABASE_URL": f"sqlite:///{folder / 'web.sqlite3'}",
    }
    command = [sys.executable, "-m", "gunicorn", "scheduler_project.wsgi", "--bind", place, "--no-control-socket"]
    command += ["--access-logfile", "-", "--logger-class", "scheduler_project.web_log.WebLog"]
    out, err = folder / "stdout", folder / "stderr"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        web = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=stdout, stderr=stderr)
        try:
            for _ in range(600):
                with suppress(OSError), urlopen(f"http://{place}{SEARCHED}") as answer:
                    assert answer.status == 200
                    break
                time.sleep(0.1)
        finally:
            web.send_signal(signal.SIGTERM)
            web.wait(60)
    return out.read_text().splitlines(), err.read_text().splitlines()


def test_each_line_is_an_object_and_a_request_tells_no_parameters(tmp_path: Path) -> None:
    out, err = _lines_of_a_request("json", tmp_path)
    (request,) = map(json.loads, out)
    assert (request["event"], request["message"]) == ("request", "GET /healthz: 200")
    assert (request["method"], request["path"], request["status"]) == ("GET", "/healthz", 200)
    assert request["client"] == "127.0.0.1" and request["milliseconds"] >= 0 and request["bytes"] > 0
    assert "typed" not in str(request)
    told = [json.loads(line)["message"] for line in err]
    assert any(message.startswith("Listening at") for message in told)


def test_without_json_the_lines_are_those_of_gunicorn(tmp_path: Path) -> None:
    out, err = _lines_of_a_request("line", tmp_path)
    assert len(out) == 1 and f'"GET {SEARCHED} HTTP/1.1" 200' in out[0]
    assert any(re.search(r"\[INFO\] Listening at", line) for line in err)
