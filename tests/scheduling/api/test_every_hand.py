"""What people do to one step of a live run comes to the same by page, API and command, and is refused to the same."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import transaction
from django.test import Client

from scheduling.dag.manifest import ManifestTask
from scheduling.models import Run, Task
from scheduling.queues import claim
from scheduling.runs.intervene import hold_step
from scheduling.states import RunKind
from staging import tokens
from tests.scheduling.admin.conftest import make_limited, make_user
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import item, of, start
from tests.staging.api.conftest import ALL, Api

pytestmark = pytest.mark.django_db

# By page, by API, by command.
HANDS = {
    "retry": (("retry", ""), "retry", ["retry_task"]),
    "skip": (("step", "skip"), "skip", ["skip_task"]),
    "complete": (("step", "complete"), "complete", ["complete_task"]),
    "hold": (("step", "hold"), "hold", ["hold_task"]),
    "let_go": (("step", "let_go"), "resume", ["resume_task"]),
    "run_only": (("step", "run_only"), "run-only", ["run_task"]),
    "run_from": (("step", "run_from"), "run-from", ["run_task", "--on"]),
}
ROLES = ["Viewer", "Operator", "Steward", "Administrator", "superuser"]
# In which of these states of a step each hand does something.
TAKES = {
    "retry": {"failed", "put off"},
    "skip": {"waiting", "held", "failed", "put off"},
    "complete": {"waiting", "held", "failed", "put off"},
    "hold": {"waiting", "put off"},
    "let_go": {"held"},
    "run_only": {"waiting", "failed", "put off", "completed", "skipped"},
    "run_from": {"waiting", "failed", "put off", "completed", "skipped"},
}
STATES = ["waiting", "held", "failed", "put off", "completed", "skipped", "running"]


@pytest.fixture
def of_entities(make_entity: Any) -> Callable[[str], Run]:
    """Return a maker of a run whose step of an entity stands so, before one of another entity."""
    own, other = make_entity("own").entity, make_entity("other").entity

    def make(state: str) -> Run:
        first = [item("first")] if state == "waiting" else []  # which is of no entity
        run = start(
            *first,
            ManifestTask("own", RunKind.BATCH, own.pk, depends_on=frozenset(each.key for each in first)),
            ManifestTask("other", RunKind.BATCH, other.pk, depends_on=frozenset(["own"])),
        )
        step = Task.objects.filter(run=run, key="own")
        if state == "held":
            hold_step(of(run, "own"), by="eva", now=NOW)
        elif state == "put off":
            step.update(status="queued", next_attempt_at=NOW, queued_at=NOW)
        elif state == "running":
            assert claim(of(run, "own").pk, worker="w", now=NOW) is not None
        elif state != "waiting":
            step.update(status=state, started_at=NOW, finished_at=NOW)
        return run

    return make


def as_it_stands(run: Run) -> list[tuple[Any, ...]]:
    return [
        (task.key, task.status, task.is_held, task.next_attempt_at is None, task.runs_anyway, task.attempts_allowed)
        for task in Task.objects.filter(run=run).order_by("id")
    ]


def by_page(user: User, run: Run, hand: str) -> None:
    page, verb = HANDS[hand][0]
    client = Client()
    client.force_login(user)
    client.post(f"/admin/scheduling/run/{run.pk}/{page}/", {"task": of(run, "own").pk, "verb": verb})


def by_api(user: User, run: Run, hand: str) -> None:
    token, secret = tokens.issue(user, name="t", scopes=ALL, entities=None, by="test")
    Api(Client(), token, secret).post(f"runs/{run.pk}/{HANDS[hand][1]}", {"task": "own"})


def by_command(run: Run, hand: str) -> None:
    command, *options = HANDS[hand][2]
    try:
        call_command(command, f"{run.pk}/own", *options, "--json")
    except (CommandError, SystemExit) as refusal:
        assert getattr(refusal, "returncode", getattr(refusal, "code", 2)) == 2


def comes_to(make: Callable[[str], Run], state: str, do: Callable[[Run], None]) -> tuple[bool, list[tuple[Any, ...]]]:
    """Return whether something was done to a new run that stands so, and how it stands then; nothing of it stays."""
    with transaction.atomic():
        run = make(state)
        before = as_it_stands(run)
        do(run)
        after = as_it_stands(run)
        transaction.set_rollback(True)
    return after != before, after


@pytest.mark.parametrize("hand", HANDS)
def test_a_hand_does_the_same_at_every_door_and_is_refused_in_the_same_states(hand, of_entities, capsys):
    user = make_user("Administrator")
    for state in STATES:
        page = comes_to(of_entities, state, lambda run: by_page(user, run, hand))
        assert page[0] == (state in TAKES[hand]), (state, page)
        assert comes_to(of_entities, state, lambda run: by_api(user, run, hand)) == page, state
        assert comes_to(of_entities, state, lambda run: by_command(run, hand)) == page, state


@pytest.mark.parametrize("hand", HANDS)
def test_a_role_may_the_same_at_both_doors(hand, of_entities):
    state = min(TAKES[hand])
    for role in ROLES:
        user = make_user(role)
        may = role in ("Operator", "Steward", "Administrator", "superuser")
        for door in (by_page, by_api):
            done, _ = comes_to(of_entities, state, lambda run, at=door, who=user: at(who, run, hand))
            assert done == may, (role, door.__name__)


@pytest.mark.parametrize("hand", HANDS)
def test_of_a_run_that_has_more_than_ones_entities_nothing_is_changed(hand, of_entities):
    user, both = make_limited("Operator", "own"), make_limited("Operator", "own", "other")
    state = min(TAKES[hand])
    for door in (by_page, by_api):
        assert not comes_to(of_entities, state, lambda run, at=door: at(user, run, hand))[0], door.__name__
        assert comes_to(of_entities, state, lambda run, at=door: at(both, run, hand))[0], door.__name__
