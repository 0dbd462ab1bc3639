"""Starts, claims, ends, deaths, late wakers, people's hands and pauses in any order, on real SQL: promises hold."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from scheduling.dag.conditions import parsed
from scheduling.dag.manifest import ManifestTask
from scheduling.dispatch.recover import recover
from scheduling.errors import CannotAppend, CannotIntervene, CannotRestart, SchedulingError
from scheduling.models import Attempt, Queue, Run, SchedulerConfiguration, SchedulerLog, Task
from scheduling.queues import claim_next, pause_queue, resume_queue
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import execute_task, run_attempt
from scheduling.runs.intervene import complete_step, hold_step, let_step_go_on, retry_now, skip_step
from scheduling.runs.ordered import append
from scheduling.runs.restart import restart_run
from scheduling.states import AttemptOutcome, RunKind, RunStatus
from scheduling.workloads.call import task
from tests.depth import examples
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.pieces import item, start

MINUTE = timedelta(minutes=1)
FAILS: set[str] = set()
WROTE: list[tuple[int, int]] = []


@task("test machine piece")
def machine_piece(context: Any) -> None:
    """Write, as work would: only the attempt that owns the task gets here."""
    number = Attempt.objects.get(task=context.task, outcome=AttemptOutcome.RUNNING).number
    WROTE.append((context.task.pk, number))
    if context.task.key in FAILS:
        raise ValueError("told to fail")


class Engine(RuleBasedStateMachine):
    """Any number of workers share the tables; time is told."""

    attempts = Bundle("attempts")

    def __init__(self) -> None:
        super().__init__()
        self.now: datetime = NOW
        self.number = 0
        WROTE.clear()
        FAILS.clear()
        Queue.objects.update_or_create(name="default", defaults={"max_running": 2, "paused_at": None})

    @rule(
        before=st.lists(st.sets(st.integers(0, 3), max_size=2), min_size=1, max_size=4),
        tolerant=st.booleans(),
        tries=st.integers(1, 3),
        asks=st.lists(st.sampled_from(["all_succeeded", "any_failed", "always"]), min_size=4, max_size=4),
        asking=st.sets(st.integers(0, 3), max_size=2),
        waiting=st.sets(st.integers(0, 3), max_size=2),
    )
    def start(
        self, before: list[set[int]], tolerant: bool, tries: int, asks: list[str], asking: set[int], waiting: set[int]
    ) -> None:
        """Start a run of up to four tasks in some order; some wait, some ask what another gave; calls give nothing."""
        self.number += 1
        items = [
            item(
                f"t{n}",
                " ".join(f"t{p}" for p in priors if p < n),
                calls="test machine piece",
                attempts=tries,
                continue_on_failure=tolerant,
                priority=n % 2,
                run_if=asks[n] if any(p < n for p in priors) else "all_succeeded",
                only_when=(parsed("t0: is empty"),) if n in asking else (),
            )
            for n, priors in enumerate(before)
        ]
        items = [self.waits(each, n) if n in waiting else each for n, each in enumerate(items)]
        start(*items, key=f"run {self.number}", now=self.now)

    def waits(self, each: ManifestTask, number: int) -> ManifestTask:
        """Return a task that waits some minutes instead, or for an hour that does not come before its time is up."""
        limit = 600 if number % 2 else None
        return replace(
            each, workload=RunKind.WAIT, arguments={"minutes": 60 if limit else 3}, attempts=5, timeout_seconds=limit
        )

    @rule(orders=st.lists(st.integers(1, 3), min_size=1, max_size=4))
    def submit(self, orders: list[int]) -> None:
        """Start ordered work."""
        self.number += 1
        items = [item(f"o{n}", calls="test machine piece", step_index=order) for n, order in enumerate(orders)]
        start(*items, kind=RunKind.ORDERED, key=f"run {self.number}", now=self.now)

    @rule(target=attempts)
    def claim(self) -> Attempt | None:
        """A worker claims what is best, and takes its time."""
        return claim_next(worker="w", now=self.now)

    @rule(attempt=attempts, fails=st.booleans())
    def work(self, attempt: Attempt | None, fails: bool) -> None:
        """A worker goes on with what it claimed, however long ago; it may have been given up meanwhile."""
        if attempt is not None:
            key = Task.objects.get(pk=attempt.task_id).key
            (FAILS.add if fails else FAILS.discard)(key)
            run_attempt(attempt, time=lambda: self.now)

    @rule(number=st.integers(0, 20))
    def message(self, number: int) -> None:
        """A message comes, doubled or late."""
        if found := Task.objects.order_by("id")[number : number + 1]:
            execute_task(found[0].pk, worker="m", time=lambda: self.now)

    @rule(minutes=st.sampled_from([0, 1, 5, 31]))
    def cycle(self, minutes: int) -> None:
        """Time passes, and a cycle recovers."""
        self.now += minutes * MINUTE
        recover(self.now)

    @rule(number=st.integers(0, 4))
    def cancel(self, number: int) -> None:
        """A person cancels a run."""
        if found := Run.objects.order_by("id")[number : number + 1]:
            cancel_run(found[0], by="ann", now=self.now)

    @rule(number=st.integers(0, 20))
    def retry(self, number: int) -> None:
        """A person releases a task again; refused when it did not fail or its run has ended."""
        if found := Task.objects.select_related("run").order_by("id")[number : number + 1]:
            with contextlib.suppress(CannotRestart):
                retry_now(found[0], by="ann", now=self.now)

    @rule(number=st.integers(0, 20), verb=st.sampled_from([skip_step, complete_step, hold_step, let_step_go_on]))
    def intervene(self, number: int, verb: Callable[..., None]) -> None:
        """A person skips, marks or holds a task, or lets it go on; refused when it is too late."""
        if found := Task.objects.select_related("run").order_by("id")[number : number + 1]:
            with contextlib.suppress(CannotIntervene):
                verb(found[0], by="ann", now=self.now)

    @rule(number=st.integers(0, 4), only_failed=st.booleans())
    def restart(self, number: int, only_failed: bool) -> None:
        """A person starts an ended run again; refused while it lives."""
        if found := Run.objects.order_by("id")[number : number + 1]:
            with contextlib.suppress(SchedulingError):
                restart_run(found[0], only_failed=only_failed, started_by="ann", now=self.now)

    @rule(number=st.integers(0, 4), order=st.integers(1, 4))
    def append(self, number: int, order: int) -> None:
        """Somebody appends to ordered work; refused when it is too late."""
        if found := Run.objects.order_by("id")[number : number + 1]:
            with contextlib.suppress(CannotAppend):
                append(found[0], [(order, item("more", calls="test machine piece"))], now=self.now)

    @rule(is_paused=st.booleans(), room=st.integers(2, 4))
    def queue(self, is_paused: bool, room: int) -> None:
        """A person pauses, resumes or widens the queue."""
        queue = Queue.objects.get(name="default")
        Queue.objects.update(max_running=max(room, queue.max_running))
        (pause_queue if is_paused else resume_queue)(queue, by="ann", now=self.now)

    @invariant()
    def promises_hold(self) -> None:
        """The auditor finds nothing, and no attempt wrote twice."""
        assert audit() == []
        assert len(WROTE) == len(set(WROTE))

    def teardown(self) -> None:
        """When nothing more goes wrong, everything comes to an end."""
        resume_queue(Queue.objects.get(name="default"), by="ann", now=self.now)
        FAILS.clear()
        for held in Task.objects.exclude(held_at=None).select_related("run"):
            with contextlib.suppress(CannotIntervene):
                let_step_go_on(held, by="ann", now=self.now)
        for _ in range(12):
            self.now += 31 * MINUTE
            recover(self.now)
            while attempt := claim_next(worker="last", now=self.now):
                run_attempt(attempt, time=lambda: self.now)
        assert audit() == []
        assert not Run.objects.exclude(status__in=RunStatus.final()).exists(), "stuck"
        SchedulerConfiguration.objects.all().delete()
        SchedulerLog.objects.all().delete()
        Run.objects.all().delete()


@pytest.mark.django_db(transaction=True)
def test_whatever_happens_in_whatever_order():
    run_state_machine_as_test(
        Engine,
        settings=settings(
            max_examples=examples(12),
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
