"""A person who lets a step run anew dies before any statement, or a worker of it does: it is done, or not, and ends."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Model

from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.recover import recover
from scheduling.errors import CannotIntervene
from scheduling.models import Attempt, Run, SchedulerConfiguration, SchedulerLog, Task, TaskDependency
from scheduling.queues import claim
from scheduling.runs.advance import hand_back
from scheduling.runs.intervene import hold_step, let_step_go_on, run_from, run_only
from scheduling.states import RunKind
from staging.models import Batch
from tests.depth import some
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.pieces import FAILING, RAN, forget, item, of, start, states, status, work
from tests.scheduling.runs.test_items import Killed, dying_at, listed, recover_from_death

pytestmark = pytest.mark.django_db(transaction=True)

BY = {"by": "ann", "now": NOW}
KEPT: tuple[type[Model], ...] = (Run, Task, TaskDependency, Attempt, SchedulerConfiguration, SchedulerLog, Batch)
either = pytest.mark.parametrize("verb", [run_only, run_from])


def stored() -> list[list[dict[str, Any]]]:
    """Return every row that a hand may touch."""
    return [list(model._default_manager.order_by("pk").values()) for model in KEPT]


@either
@pytest.mark.parametrize("key", ["a", "load"])
def test_a_hand_that_dies_before_any_statement_has_done_nothing_and_is_laid_on_again(make_entity, verb, key):
    """After a and its items comes much: done, failed, blocked, put off, held, and a batch that a worker left."""
    FAILING.update({"bad", "late"})
    entity = make_entity().entity
    run = start(
        item("a"),
        listed("x", "y", after="a"),
        ManifestTask("branch", RunKind.BATCH, entity.pk, depends_on=frozenset(["load"])),
        item("bad", "load"),
        item("behind", "bad"),
        item("late", "load", attempts=2, retry_interval_seconds=600),
        item("tell", "late", run_if="always"),
        item("held", "load"),
        item("long", priority=-1),
    )
    work(most=5)
    hold_step(of(run, "held"), **BY)
    attempt = claim(of(run, "branch").pk, worker="w", now=NOW)
    assert attempt is not None and hand_back(attempt, of(run, "branch"), now=NOW)
    hold_step(of(run, "branch"), **BY)
    work(most=2)
    let_step_go_on(of(run, "branch"), **BY)
    assert states(run)["behind"] == "blocked" and of(run, "late").next_attempt_at is not None
    before, number = stored(), 0
    while not SchedulerLog.objects.filter(message__contains=" run now by ").exists():
        assert stored() == before, f"killed before statement {number}"
        number += 1
        with dying_at(number), suppress(Killed):
            verb(of(run, key), **BY)
    assert number > 10 and stored() != before and audit() == []
    recover(NOW)
    FAILING.clear()
    let_step_go_on(of(run, "held"), **BY)
    work()
    work(NOW + timedelta(hours=1))
    stays = {} if verb is run_from else {"bad": "failed", "behind": "blocked"}
    assert states(run) == dict.fromkeys(states(run), "completed") | stays and audit() == []
    assert not SchedulerConfiguration.objects.get().is_running


def whole_run(verb: Any, key: str, number: int) -> tuple[Run, int]:
    """Let a step run anew and work the run off with a worker that dies before this statement; another goes on."""
    forget()
    run = start(
        item("a"), item("b", "a"), listed("x", "y", after="b", side_by_side=1), item("after", "load"),
        item("tell", "a", run_if="any_failed"), key=f"kill {number}",
    )  # fmt: skip
    hold_step(of(run, "after"), **BY)
    work() if key == "a" else hold_step(of(run, "b"), **BY)
    forget()
    verb(of(run, key), **BY)
    with dying_at(number) as seen, suppress(Killed):
        work()
    recover_from_death()
    for held in Task.objects.filter(run=run, held_at__isnull=False):
        with suppress(CannotIntervene):  # its run has ended, for want of attempts
            let_step_go_on(held, **BY)
    work(NOW + timedelta(hours=1))
    return run, seen[0]


@pytest.mark.parametrize(("verb", "key"), [(run_only, "a"), (run_from, "a"), (run_only, "load"), (run_from, "load")])
def test_a_worker_that_dies_before_any_statement_of_what_runs_anew_leaves_each_of_it_run_once(verb, key):
    _, whole = whole_run(verb, key, 0)
    once = sorted(RAN)
    assert whole > 20
    for number in some(range(1, whole + 1), one_in=25):
        run, _ = whole_run(verb, key, number)
        where = f"killed before statement {number} of {whole}"
        assert audit() == [], where
        lost = Attempt.objects.filter(task__run=run, outcome="lost").values_list("task__key", flat=True)
        assert len(RAN) == len(set(RAN)) and status(run) in ("completed", "failed"), where
        if not lost:
            assert sorted(RAN) == once and status(run) == "completed", where
        Run.objects.all().delete()
