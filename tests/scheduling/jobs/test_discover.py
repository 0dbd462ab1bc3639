"""Every installed app's `jobs.py` is found; a faulty one is told and costs the others nothing."""

import sys

import pytest

from scheduling.errors import InvalidDeclaration
from scheduling.jobs.discover import discover, function_of

pytestmark = pytest.mark.django_db

GOOD = """
from scheduling.jobs.declare import daily, every, job

@job("Clean shelves")
@daily("06:00")
def clean(context):
    return "clean"

@daily("25:00")
def broken(context): ...

@every(5, days="munday")
def broken_too(context): ...

@every(5)
def counted(context): ...
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return a factory of importable modules."""
    monkeypatch.syspath_prepend(tmp_path)
    made = []

    def make(name, text):
        (tmp_path / f"{name}.py").write_text(text)
        made.append(name)
        return name

    yield make
    for name in made:
        sys.modules.pop(name, None)


def names(found):
    return {job.name for job in found.jobs}


def test_one_mistake_hinders_no_other_job_of_its_module(module):
    found = discover([module("shelves_jobs", GOOD)])
    assert {"Clean shelves", "Counted"} <= names(found)
    told = {str(fault) for fault in found.broken if fault.path.startswith("shelves_jobs.")}
    assert len(told) == 2 and any("shelves_jobs.py:9 Broken: @daily: '25:00' is not a time" in text for text in told)


def test_a_module_that_cannot_be_imported_is_told_and_declares_nothing(module):
    text = GOOD + "\nraise RuntimeError('no shelf')\n"
    found = discover([module("bad_jobs", text), module("fine_jobs", GOOD)])
    assert [str(fault) for fault in found.broken if fault.path == "bad_jobs"] == [
        "bad_jobs: The module cannot be imported: RuntimeError: no shelf"
    ]
    assert {job.path for job in found.jobs} >= {"fine_jobs.clean"}
    assert not any(job.path.startswith("bad_jobs.") for job in found.jobs)


def test_a_module_that_is_not_there_is_no_fault():
    assert not any("nowhere_jobs" in str(fault) for fault in discover(["nowhere_jobs"]).broken)


def test_a_worker_finds_the_function_of_a_path_and_nothing_else(module):
    module("worker_jobs", GOOD + "\ndef helper(context): ...\n")
    assert function_of("worker_jobs.clean")(None) == "clean"
    for path in ("worker_jobs.helper", "worker_jobs.broken_nowhere", "os.remove"):
        assert function_of(path) is None


def test_imported_by_a_developer_a_mistake_is_raised(module):
    module("strict_jobs", GOOD)
    with pytest.raises(InvalidDeclaration, match=r"strict_jobs.py:9 broken: @daily: '25:00'"):
        __import__("strict_jobs")
