"""The auditor sees: every kind of damage, planted by hand, is told."""

import pytest
from django.utils import timezone

from scheduling.models import Attempt, Queue, Run, Task
from scheduling.queues import claim_next
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.pieces import item, of, start

pytestmark = pytest.mark.django_db

ENDED = {"finished_at": timezone.now()}


@pytest.fixture
def run():
    """A chain of two in an own queue; the first runs."""
    run = start(item("a"), item("b", "a"), item("c", "b"))
    assert claim_next(worker="w", now=NOW) and audit() == []
    return run


DAMAGE = {
    "without a live attempt": lambda run: Attempt.objects.update(outcome="lost", **ENDED),
    "an attempt that nobody counted": lambda run: Task.objects.update(attempts_made=0),
    "tried too often": lambda run: Task.objects.update(attempts_made=5),
    "completed by nobody": lambda run: Task.objects.filter(key="a").update(status="completed", **ENDED),
    "started too early": lambda run: Task.objects.filter(key="b").update(status="queued"),
    "blocked by what did not fail": lambda run: Task.objects.filter(key="c").update(
        status="blocked", blocked_by=of(run, "a"), **ENDED
    ),
    "a run that ended too early": lambda run: Run.objects.update(status="completed", **ENDED),
    "a run that did not end": lambda run: Task.objects.update(status="cancelled", **ENDED),
    "a queue that runs too much": lambda run: Queue.objects.update(max_running=1) and _start_another(),
}


def _start_another() -> None:
    start(item("x"), key="another")
    Task.objects.filter(key="x").update(status="running", attempts_made=1)
    task = Task.objects.get(key="x")
    Attempt.objects.create(
        task=task, number=1, worker="w", token="0" * 32, claimed_at=NOW, heartbeat_at=NOW
    )  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_planted_damage_is_told(run, name):
    DAMAGE[name](run)
    assert audit(), name


def test_what_waits_for_nothing_is_told(run):
    Attempt.objects.update(outcome="completed", **ENDED)
    Task.objects.filter(key="a").update(status="completed", **ENDED)
    assert any("waits for nothing" in told for told in audit())
    assert any("nothing of it moves" in told for told in audit())
