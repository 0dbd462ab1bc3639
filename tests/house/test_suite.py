"""The suite keeps its own promises: what a test committed is put back, a deep check goes on where it stopped."""

import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import Group, Permission
from django.db import connection

from scheduling.models import Queue
from tests import conftest, database, deep
from tests.depth import some


def _state() -> list[object]:
    return [
        set(Group.objects.values_list("pk", "name")),
        set(Permission.objects.values_list("pk", "codename")),
        set(Queue.objects.values_list("pk", "name")),
    ]


@pytest.mark.django_db(transaction=True)
def test_what_a_test_committed_is_put_back() -> None:
    kept = database.Kept()
    before = _state()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE left_behind (id integer PRIMARY KEY)")
        cursor.execute("CREATE TABLE refers_to_it (id integer REFERENCES left_behind (id))")
    Group.objects.create(name="left behind")
    Group.objects.filter(name="Steward").update(name="renamed")
    Permission.objects.all()[0].delete()
    Queue.objects.create(name="left behind")

    kept.put_back()

    assert _state() == before
    assert not {"left_behind", "refers_to_it"} & set(connection.introspection.table_names())


class _Item:
    """A test as pytest hands it on, of a program that lies in a folder of any name."""

    fixturenames = ("db",)

    def __init__(self, nodeid: str, **module: object) -> None:
        self.nodeid, self.module, self.added = nodeid, SimpleNamespace(**module), list[str]()
        self.path = Path("/srv/admin/api") / nodeid.partition("::")[0]

    def iter_markers(self) -> list[object]:
        return []

    def add_marker(self, name: str) -> None:
        self.added.append(name)

    def get_closest_marker(self, name: str) -> None:
        return None


def test_a_database_is_spared_tests_of_doors_alone_wherever_the_program_lies_and_none_that_race() -> None:
    def spared(*items: _Item) -> int:
        marking = conftest.pytest_collection_modifyitems(list(items))  # type: ignore[arg-type]
        next(marking)
        assert list(marking) == []
        return sum("spared" in item.added for item in items)

    assert 0 < spared(*(_Item(f"tests/scheduling/admin/test_a.py::test_{n}") for n in range(30))) < 30
    assert spared(*(_Item(f"tests/scheduling/runs/test_a.py::test_{n}") for n in range(30))) == 0
    assert spared(*(_Item(f"tests/scheduling/api/test_a.py::test_{n}", threading=threading) for n in range(30))) == 0


def test_a_quick_check_takes_some_points_and_a_deep_one_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.depth.DEEP", False)
    assert some(range(9), one_in=3) in ([0, 3, 6], [1, 4, 7])
    monkeypatch.setattr("tests.depth.DEEP", True)
    assert some(range(4), one_in=3) == [0, 1, 2, 3]


def test_a_deep_check_goes_on_where_its_seed_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The time is up within the second part; the same seed then runs that one and the third."""
    ran: list[str] = []
    ends: list[int | None] = [0, None, 1, 0, None]

    def run_part(part: str, seed: int, seconds: float) -> int | None:
        ran.append(f"{part} {seed}")
        return ends.pop(0)

    monkeypatch.setattr(deep, "ROOT", tmp_path)
    monkeypatch.setattr(deep, "run_part", run_part)
    monkeypatch.setattr(deep, "parts", lambda: ["a", "b", "c"])
    assert deep.main(["--minutes", "1", "--seed", "7"]) == 0
    assert "1 of 3 parts done" in capsys.readouterr().out
    assert deep.main(["--minutes", "1", "--seed", "7"]) == 1
    assert ran[1] == ran[2] and {*ran[:1], *ran[2:4]} == {"a 7", "b 7", "c 7"} and ran[4].endswith(" 8")
    assert "FAILED" in capsys.readouterr().out


def test_what_a_deep_check_skipped_is_not_done(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The services are away, then there: what was skipped is told, tried once only, and tried again the next time."""
    ran: list[str] = []
    ends: list[int | None] = [deep.SKIPPED, 0, 0, None]

    def run_part(part: str, seed: int, seconds: float) -> int | None:
        ran.append(part)
        return ends.pop(0)

    monkeypatch.setattr(deep, "ROOT", tmp_path)
    monkeypatch.setattr(deep, "run_part", run_part)
    monkeypatch.setattr(deep, "parts", lambda: ["a", "b"])
    assert deep.main(["--minutes", "1", "--seed", "7"]) == 1
    said = capsys.readouterr().out
    assert f"{ran[0]}: SKIPPED" in said and f"not done: {ran[0]}" in said and "failed: none" in said
    assert ran[0] != ran[1] == ran[2], "the other one goes on with the next seed"
    ends[:] = [0, None]
    assert deep.main(["--minutes", "1", "--seed", "7"]) == 0 and ran[-2] == ran[0]
    ends[:] = [deep.SKIPPED, deep.SKIPPED]
    assert deep.main(["--minutes", "1", "--seed", "11"]) == 1, "it ends when nothing is left to try"


def test_a_part_for_which_the_services_are_missing_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "SERVICES_DATABASE_URL", "SERVICES_BROKER_URL"):
        monkeypatch.delenv(name, raising=False)
    assert deep.run_part("tests/acceptance/test_soak_breaks.py on services", 7, 120) == deep.SKIPPED


def test_the_deep_check_has_every_file_that_can_try_more() -> None:
    found = set(deep.files())
    assert set(deep.parts()) == {f"{file} on {place}" for file in found for place in ("SQLite", "services")}
    assert {"tests/acceptance/test_soak.py", "tests/acceptance/test_crash_points.py"} < found
    assert {"tests/scheduling/runs/test_races.py", "tests/staging/specification/test_whole_batches.py"} < found
    assert "tests/house/test_clock.py" not in found


def test_what_needs_no_database_is_marked_before_tests_are_chosen(pytestconfig: pytest.Config) -> None:
    """Otherwise a check of the second database repeats all of them."""
    asked = ["pytest", "--collect-only", "-q", "-n0", "-m", "not pure", "tests/house/test_sizes.py"]
    chosen = subprocess.run([sys.executable, "-m", *asked], cwd=pytestconfig.rootpath, capture_output=True, text=True)
    assert "no tests collected (3 deselected)" in chosen.stdout, chosen.stdout + chosen.stderr
