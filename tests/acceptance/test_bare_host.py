"""The guide for systemd, to the letter: its commands on a bare host, whose first process is systemd."""

import json
import secrets

import pytest

from tests.acceptance.bare_host import BareHost, bare_host
from tests.acceptance.guide import ACCOUNT, blocks
from tests.acceptance.installation import MODEL
from tests.depth import DEEP
from tests.house.test_systemd import HOME, NAMES

pytestmark = [
    pytest.mark.pure,
    pytest.mark.skipif(not DEEP, reason="a bare host takes minutes: make test-deep"),
]
ASK = """
import sys, urllib.request
headers = {"Host": "scheduler.example.com", "X-Forwarded-Proto": "https"}
asked = urllib.request.Request("http://127.0.0.1:8000" + sys.argv[1], headers=headers)
print(urllib.request.urlopen(asked, timeout=10).status)
"""
ROWS = 20_000


def follow(host: BareHost) -> None:
    """Do what the guide tells, in its order; what it leaves to the reader is filled in."""
    # "a Redis with appendonly yes and maxmemory-policy noeviction"
    host.run("printf 'appendonly yes\\nmaxmemory-policy noeviction\\n' >> /etc/redis/redis.conf")
    host.run("systemctl restart redis-server")
    libraries, tables, units = blocks("sh")
    (accounts,), (settings,) = blocks("sql"), blocks("ini")
    host.run(libraries, folder=HOME)
    host.sql(accounts)
    host.put(".env", settings.replace("SECRET_KEY=…", f"SECRET_KEY={secrets.token_urlsafe(50)}") + "\n")
    host.run("chown scheduler: .env; chmod 600 .env", folder=HOME)
    told = "".join(f"export {name}='{text}'\n" for name, text in ACCOUNT.items())
    for line in tables.splitlines():
        printed = host.run(told + line + " --no-input" * line.endswith("createsuperuser"), folder=HOME)
        if "--print" in line:
            host.sql(printed, "scheduler")
    host.run(units, folder=HOME)


def states(host: BareHost) -> dict[str, str]:
    """Return what systemd says of each of the four."""
    show = "systemctl show -p ActiveState --value staging-scheduler-{}.service"
    return {name: host.run(show.format(name)).strip() for name in NAMES}


def number(host: BareHost, statement: str) -> int:
    """Return the one number that a statement finds."""
    return int(host.sql(statement, "scheduler"))


def answers(host: BareHost) -> bool:
    """Return whether pages, database, broker and cycle answer."""
    return host.run(f"python3 -c '{ASK}' /readyz || true").strip() == "200"


def deposit(host: BareHost, start: int) -> None:
    """Bring rows of branches, as a program does that writes SQL."""
    rows = f"SELECT 'b' || n, 'Branch ' || n, 'north' FROM generate_series({start + 1}, {start + ROWS}) AS n"
    host.sql(f"INSERT INTO stg_branch (code, name, region) {rows}", "scheduler")


def test_a_bare_host_after_the_guide_works_stops_starts_again_and_loses_nothing() -> None:
    with bare_host() as host:
        follow(host)
        host.put("model.yaml", MODEL)
        host.run(".venv/bin/python manage.py load_model model.yaml", folder=HOME)
        host.wait_until(lambda: answers(host), "everything answers")
        host.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')", "scheduler")
        deposit(host, 0)
        merged = "SELECT count(*) FROM mdm_branch"
        host.wait_until(lambda: number(host, merged) == ROWS, "the first rows are merged", 150)
        found = json.loads(host.run(".venv/bin/python manage.py doctor --json", folder=HOME))["findings"]
        assert [finding for finding in found if finding["level"] == "error"] == []

        deposit(host, ROWS)
        host.run("systemctl kill --signal KILL staging-scheduler-worker.service")
        host.run("systemctl restart staging-scheduler.target")
        host.wait_until(lambda: set(states(host).values()) == {"active"}, "all four run again")
        host.wait_until(lambda: answers(host), "everything answers again")
        host.wait_until(lambda: number(host, merged) == 2 * ROWS, "the second rows are merged", 150)

        host.run("systemctl stop staging-scheduler.target")
        host.wait_until(lambda: set(states(host).values()) == {"inactive"}, "all four ended, none by force", 70)
        assert number(host, "SELECT count(*) FROM stg_branch WHERE import_status <> 1") == 0
        assert number(host, "SELECT count(DISTINCT code) FROM mdm_branch") == 2 * ROWS
