"""Two of everything on two hosts: whatever becomes of one, no row is lost or doubled, and pages keep answering.

Quick, each kind is frozen, killed and cut off once. Deep, for some minutes in any order, whole hosts too.
"""

import os
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.acceptance.arriving import PEOPLE, Arrivals
from tests.acceptance.auditor import questions, watch
from tests.acceptance.hosts.fleet import HOSTS, KINDS, SETTINGS, SILENCE_SECONDS, Hosts
from tests.acceptance.installation import Installation, assert_each_row_once
from tests.acceptance.installation import production as installed_for_production
from tests.acceptance.test_one_minute import settled
from tests.depth import DEEP

SECONDS = int(os.environ.get("SOAK_SECONDS", "120"))
SEEDS = os.environ.get("SOAK_SEEDS", "1").split(",") if DEEP else ["in turn"]
PAGES = ("scheduling/schedulerconfiguration/", "staging/batch/")
CYCLE_WITHIN = timedelta(seconds=15)

pytestmark = pytest.mark.services


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """A production installation with the auditor's triggers, and somebody who may see its pages."""
    with installed_for_production(tmp_path, SETTINGS) as made:
        watch.prepare(made)
        made.python(PEOPLE)
        made.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
        yield made


class Reader:
    """Somebody who looks at pages all the time, by a proxy that asks the next server when one does not answer."""

    def __init__(self, hosts: Hosts):
        self.seen, self.refused = 0, list[str]()
        self._doors, self._over = list(hosts.doors.values()), threading.Event()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Look until the end of the block."""
        thread = threading.Thread(target=self._read)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def _read(self) -> None:
        while not self._over.wait(0.2):
            page = PAGES[self.seen % len(PAGES)]
            if any("ann" in door.page(page) for door in self._doors):
                self.seen += 1
            else:
                self.refused.append(page)


def in_turn(hosts: Hosts) -> None:
    """Freeze one of each kind for longer than silence may last; meanwhile others are killed and cut off."""
    for number, kind in enumerate(KINDS):
        here, there = HOSTS if number % 2 else HOSTS[::-1]
        began = monotonic()
        hosts.freeze((here, kind))
        hosts.cut_off((there, KINDS[(number + 1) % len(KINDS)]))
        hosts.kill((here if kind != "beat" else there, KINDS[(number + 2) % len(KINDS)]))
        sleep(max(SILENCE_SECONDS - (monotonic() - began), 0))
        hosts.thaw((here, kind))


def by_chance(hosts: Hosts, seed: str) -> None:
    """Let something happen to one host after the other, to a process or to all it has; the other one is well."""
    chance, until = random.Random(seed), monotonic() + SECONDS
    while monotonic() < until:
        host = chance.choice(HOSTS)
        places = [(host, kind) for kind in chance.sample(KINDS, chance.choice((1, 1, 2, len(KINDS))))]
        match chance.choice(("freeze", "kill", "cut off")):
            case "freeze":
                hosts.freeze(*places)
                sleep(SILENCE_SECONDS)
                hosts.thaw(*places)
            case "kill":
                for place in places:
                    hosts.kill(place)
                hosts.installation.wait_until(lambda: is_open(hosts, host), f"host {host} is back")  # noqa: B023
            case "cut off":
                hosts.cut_off(*places)
        sleep(chance.uniform(0, 2))


def is_open(hosts: Hosts, host: str) -> bool:
    """Return whether the web server of a host is at work."""
    return hosts.doors[host].ask("GET", "/readyz") == 200


def note_health(installation: Installation) -> None:
    """Let the auditor ask for cycles all the time: one host was well at any moment."""
    ((first, last),) = installation.sql("SELECT min(noted), max(noted) FROM audit_tick")
    while (until := first + CYCLE_WITHIN) < last:
        installation.sql("INSERT INTO audit_minute (since, until) VALUES (%s, %s)", [first, until])
        first = until


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_becomes_of_one_host_nothing_is_lost_or_doubled(installation: Installation, seed: str) -> None:
    hosts = Hosts(installation)
    installation.wait_until(lambda: all(is_open(hosts, host) for host in HOSTS), "both hosts are at work")
    for door in hosts.doors.values():
        door.sign_in()
    arrivals, reader = Arrivals(installation, list(hosts.doors.values())), Reader(hosts)
    with arrivals.arriving(), reader.reading():
        in_turn(hosts) if seed == "in turn" else by_chance(hosts, seed)
    installation.wait_until(lambda: settled(installation, arrivals.rows), "all rows have an outcome")
    assert (arrivals.lost, reader.refused) == ([], []) and reader.seen > 10, installation.logs()
    assert_each_row_once(installation, arrivals.rows)
    installation.wait_until(lambda: all(is_open(hosts, host) for host in HOSTS), "both hosts are at work again")
    note_health(installation)
    wrong = [*questions.violations(installation), *questions.stuck(installation)]
    assert wrong == [], f"{wrong}\n{installation.logs()}"
    lost = installation.number("SELECT count(*) FROM scheduling_attempt WHERE outcome = 'lost'")
    assert lost and (hosts.cut or DEEP), "workers were met at their work, and connections were there to be cut"
    workers = {name.partition(":")[0] for (name,) in installation.sql("SELECT DISTINCT worker FROM scheduling_attempt")}
    assert workers == {f"host-{host}" for host in HOSTS}, "both hosts took work"
