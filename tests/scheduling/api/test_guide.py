"""The examples of docs/api.md do what the page says, against a real server."""

import re
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from scheduling import clock
from scheduling.models import Run
from scheduling.runs.execute import work_off_run
from staging.entities.examples import curl_example
from tests.house.source import ROOT

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def branch(make_entity: Any) -> Any:
    """An entity to deliver to."""
    return make_entity("branch")


@pytest.fixture
def worker() -> Any:
    """Somebody who carries out what is started."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.05):
            for run in Run.objects.filter(status="pending"):
                work_off_run(run, time=clock.now)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()


def test_the_client_deposits_waits_and_reads_what_was_rejected(api, branch, worker, live_server, capsys):
    client, use = _blocks("python")[:2]
    assert len(client.splitlines()) <= 60
    secret = api("Operator").secret
    use = use.replace("https://scheduler.example.com", live_server.url).replace(
        '"name": "Amsterdam"', '"staff": "many"'
    )
    exec(compile(client + use, "docs/api.md", "exec"), {"token": secret})
    said = capsys.readouterr().out
    assert "'landed': 1" in said and "completed 0 1" in said and "AMS staff" in said


def test_the_client_tells_problems(api, branch, live_server):
    names: dict[str, Any] = {}
    exec(_blocks("python")[0], names)
    client = names["StagingScheduler"](live_server.url, api("Operator").secret)
    with pytest.raises(names["Problem"]) as refused:
        client.deposit("branch", [{"cod": "AMS"}])
    assert refused.value.status == 400 and "cod" in str(refused.value)


def _shell(script: str, site: str, token: str, folder: Path) -> str:
    done = subprocess.run(
        ["sh", "-c", script], env={"SITE": site, "TOKEN": token, "PATH": "/usr/bin:/bin"}, cwd=folder,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def test_the_calls_of_curl_land_their_rows(api, branch, live_server, tmp_path, staged):
    (tmp_path / "branches.csv").write_text("code,name,staff\nAMS,Amsterdam,3\nRTM,Rotterdam,4\n")
    secret = api("Operator").secret
    for script, landed in zip(_blocks("sh"), (2, 2), strict=True):
        assert f'"landed":{landed}' in _shell(script, live_server.url, secret, tmp_path).replace(" ", "")
    assert '"landed":1' in _shell(curl_example(branch.entity), live_server.url, secret, tmp_path).replace(" ", "")
    assert staged() == {0: 5}


def test_httpx_sends_a_file(api, branch, live_server, tmp_path, monkeypatch, capsys, staged):
    (tmp_path / "branches.csv").write_text("code,name\nAMS,Amsterdam\nRTM,Rotterdam\n")
    monkeypatch.chdir(tmp_path)
    names = {"site": live_server.url, "token": api("Operator").secret}
    for _ in range(2):
        exec(_blocks("python")[2], names)
    assert capsys.readouterr().out.count("'landed': 2") == 2 and staged() == {0: 2}
