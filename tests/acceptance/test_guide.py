"""Whoever follows the guide for systemd to the letter has an installation that works, is well, and stops when told."""

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.acceptance.guide import Guided, guided
from tests.acceptance.installation import MODEL, assert_each_row_once
from tests.house.test_systemd import NAMES, service

pytestmark = pytest.mark.services


@pytest.fixture
def guide(tmp_path: Path) -> Iterator[Guided]:
    """The guide, and an empty place to follow it in."""
    with guided(tmp_path) as made:
        yield made


def ask(guide: Guided, address: str) -> tuple[int, str]:
    """Ask as the proxy does that ends HTTPS; return the status and the body."""
    with closing(http.client.HTTPConnection("127.0.0.1", guide.port, timeout=10)) as connection:
        connection.request("GET", address, headers={"Host": "scheduler.example.com", "X-Forwarded-Proto": "https"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def is_ready(guide: Guided) -> bool:
    """Return whether everything answers: pages, database, broker and cycle."""
    try:
        return ask(guide, "/readyz")[0] == 200
    except OSError:
        return False


def test_the_guide_to_the_letter(guide: Guided) -> None:
    processes, work = guide.follow(MODEL), guide.installation
    work.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    work.wait_until(lambda: is_ready(guide), "everything answers")
    merged = lambda: work.number("SELECT count(*) FROM mdm_region") == 1  # noqa: E731
    work.wait_until(merged, "the first run is done")
    work.deposit_branches(200)
    guide.run(".venv/bin/python manage.py process_batch branch")
    done = lambda: work.number("SELECT count(*) FROM stg_branch WHERE import_status = 0") == 0  # noqa: E731
    work.wait_until(done, "the second run is done")
    status, page = ask(guide, "/admin/login/")
    assert status == 200 and "/static/" in page
    style = page.split('href="/static/')[1].split('"')[0]
    assert ask(guide, f"/static/{style}")[0] == 200, "collectstatic brought the files of the pages"
    found = json.loads(guide.run(".venv/bin/python manage.py doctor --json"))["findings"]
    assert [finding for finding in found if finding["level"] == "error"] == []
    work.wait_until(lambda: work.number("SELECT count(*) FROM scheduling_task WHERE finished_at IS NULL") == 0, "rest")
    ends = {name: guide.stop(processes[name], float(service(name)["TimeoutStopSec"][0])) for name in NAMES}
    assert ends == dict.fromkeys(NAMES, 0), work.logs()
    assert_each_row_once(work, 200)
