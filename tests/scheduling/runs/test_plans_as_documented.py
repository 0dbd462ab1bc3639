"""Any plan with conditions, waits, retries, hands, cancels and restarts ends as a plain-Python model of it says."""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from scheduling import conf, statements
from scheduling.dispatch.cycle import run_cycle
from scheduling.errors import AlreadyRunning, CannotIntervene, CannotRestart, FatalJobError
from scheduling.models import Attempt, Plan, Queue, Run, SchedulerLog, SqlScript, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.queues import claim
from scheduling.runs.advance import hand_back
from scheduling.runs.by_hand import start_plans_now
from scheduling.runs.cancel import cancel_everything, cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.runs.intervene import complete_step, hold_step, let_step_go_on, retry_now, run_from, run_only, skip_step
from scheduling.runs.restart import RunPart, manifest_now, restart_run
from scheduling.schedules.change import set_enabled
from scheduling.schedules.deadlines import late_runs
from scheduling.schedules.pause import pause, pause_everything, resume, resume_everything
from tests.depth import DEEP, examples
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.auditor import audit
from tests.scheduling.runs.items_model import MOST as MOST_ITEMS
from tests.scheduling.runs.items_model import ItemsRun
from tests.scheduling.runs.plan_attempts_model import Says, Tried
from tests.scheduling.runs.plan_drafts import (
    DAILY,
    HEARD,
    MOST,
    NUMBER,
    OUTCOMES,
    SAYS,
    SECOND,
    STEPS,
    TOLD,
    drafted,
    tries_of,
    wanted,
    work,
)  # fmt: skip
from tests.scheduling.runs.plan_model import Step
from tests.scheduling.runs.plan_order_model import MINUTE, Wanted, order_of, together

USUAL = ("north", "south")  # the regions, when nobody gives others
HANDS = st.sampled_from([skip_step, complete_step, hold_step, let_step_go_on, retry_now, run_only, run_from])


class Plans(RuleBasedStateMachine):
    """One plan, saved and started; workers, people and cycles in any order. After each, all is as the model says."""

    other: tuple[Wanted, ...] = ()  # the steps of another plan that runs together with it

    @initialize(
        told=st.lists(STEPS, min_size=1, max_size=MOST),
        longest=st.sampled_from([None, None, 3600]),
        day=st.sampled_from(["", "", "monday"]),
        says=SAYS,
        due=st.sampled_from([None, 10]),
        by_itself=st.booleans(),
        number=st.integers(1, 4),
    )
    def save_and_start(
        self, told: list[dict[str, Any]], longest: int | None, day: str, says: Says, due: int | None, by_itself: bool,
        number: int,
    ) -> None:  # fmt: skip
        """Save a plan; its schedule starts it, or a person, with a value for its parameter or without."""
        self.savepoint = transaction.atomic()
        self.savepoint.__enter__()
        self.now: datetime = NOW
        HEARD.clear()
        self.attempts: dict[str, Attempt] = {}
        self.plan = wanted(told, number)
        by_itself = by_itself and not day
        self.values = {"day": day or "usual", "slot": NOW.isoformat()}
        parameters = {"day": {"type": "text", "default": "usual"}, "regions": {"type": "list", "default": list(USUAL)}}
        plan = Plan(
            name="P", parameters=parameters, run_timeout_seconds=longest, due_after_minutes=due, **tries_of(says)
        )
        if inner := [drafted(step, self.plan) for step in self.plan if step.inside]:
            save_plan(PlanDraft(Plan(name="Inner", parameters=parameters), {}, inner), now=NOW - MINUTE)
        steps = [drafted(step, self.plan) for step in self.plan if not step.inside]
        save_plan(PlanDraft(plan, DAILY if by_itself else {}, steps), now=NOW - MINUTE)
        self.longest, self.due = longest and longest * SECOND, due
        self.names = self.all_names()
        if by_itself:
            run_cycle(NOW)
            self.run = Run.objects.get()
        else:
            given = {"day": day, "regions": ["centre"]} if day else {}
            self.run = start_plans_now(self.names, given, started_by="ann", now=NOW)
        self.by_schedule, self.rows = by_itself, 0
        self.says, self.rests, self.is_all_paused = says, "", False
        made = self._made(("centre",) if day else USUAL)
        self.tried = Tried(made, self.said, self.due and NOW + self.due * MINUTE, by_itself)

    def all_names(self) -> list[str]:
        """Return the plans that run together."""
        return ["P"]

    @property
    def said(self) -> Says:
        """Return what holds for a run that starts now."""
        return self.says

    def _made(self, regions: tuple[str, ...]) -> ItemsRun:
        """Return a run that begins, as the model has it."""
        order = order_of(self.plan, self.other)
        return ItemsRun(together(self.plan, self.other), self.now, self.longest, order, regions=regions)

    @property
    def model(self) -> ItemsRun:
        """Return the run that is the newest one."""
        assert isinstance(self.tried.run, ItemsRun)
        return self.tried.run

    # --- workers -----------------------------------------------------------------------------------------------------

    @rule(number=NUMBER, is_late=st.booleans())
    def take(self, number: int, is_late: bool) -> None:
        """A worker takes one of the steps that may be taken; a late message is for any, and takes no other."""
        may = [key for key in self.model.steps if is_late or self.model.claimable(key)]
        key = self._some(may or self.model.steps, number)
        attempt = claim(self._task(key).pk, worker="w", now=self.now)
        assert (attempt is not None) == self.model.claimable(key), f"{key} was taken: {attempt is not None}"
        if attempt is None:
            return
        if self.model.steps[key].of.is_looked_at:
            run_attempt(attempt, time=lambda: self.now)
            self.model.look(key, self.rows)
        else:
            self.attempts[key] = attempt
            self.model.take(key)

    @precondition(lambda self: self.attempts)
    @rule(number=NUMBER, how=OUTCOMES, gives=st.integers(0, 2))
    def end(self, number: int, how: str, gives: int) -> None:
        """A worker comes to the end of what it took; of an attempt that was given up nothing is written."""
        key = self._some(self.attempts, number)
        attempt = self.attempts.pop(key)
        is_lost = Attempt.objects.get(pk=attempt.pk).outcome != "running"
        step = self.model.steps.get(key) if attempt.task.run_id == self.run.pk else None
        assert is_lost == (step is None or step.status != "running" or step.made != attempt.number)
        if how == "interrupted":
            hand_back(attempt, attempt.task, now=self.now)
            return None if is_lost else self.model.is_handed_back(key)
        errors = {"value error": ValueError("bad"), "other error": LookupError("gone"), "fatal": FatalJobError("never")}
        TOLD.clear()
        TOLD["gives"] = gives if how == "gives" else None
        if how in errors:
            TOLD["raises"] = errors[how]
        run_attempt(attempt, time=lambda: self.now)
        if is_lost:
            return None
        if how in errors:
            return self.model.fails(key, is_value_error=how == "value error", is_fatal=how == "fatal")
        return self.model.completes(key, TOLD["gives"])

    @rule(number=NUMBER, how=OUTCOMES, gives=st.integers(0, 2))
    def work(self, number: int, how: str, gives: int) -> None:
        """A worker takes a step and comes to its end."""
        self.take(number, is_late=False)
        if self.attempts:
            self.end(len(self.attempts) - 1, how, gives)

    @rule(numbers=st.lists(NUMBER, max_size=4), how=OUTCOMES)
    def work_off(self, numbers: list[int], how: str) -> None:
        """Workers do several steps, one after the other, the last of them as told."""
        for number in numbers:
            self.work(number, "gives", number % 3)
        self.work(0, how, 1)

    # --- time --------------------------------------------------------------------------------------------------------

    @rule(minutes=st.sampled_from([0, 1, 1, 5, 31]))
    def cycle(self, minutes: int) -> None:
        """Time passes, and a cycle mends, and begins the next attempt of a plan whose wait is over."""
        self._pass(minutes)
        tried, is_off = self.tried, bool(self.rests)
        self.model.cycle(silent=conf.zombie_timeout(), grace=conf.cancel_grace())
        tried.settle(self.now)
        begins = tried.may_begin(self.now, is_off=is_off, is_all_paused=self.is_all_paused)
        report = run_cycle(self.now)
        assert (report.errors, report.fired) == ([], [f"plan {name}" for name in self.names] * begins)
        if begins:
            made = self.model.restarted("failed", "")
            assert made is not None
            tried.begin(self.run.pk, made, says=self.said, by_hand=False)
            self.run = Run.objects.latest("pk")

    @rule(rows=st.integers(1, 2))
    def deliver(self, rows: int) -> None:
        """Rows land that some steps may wait for."""
        for _ in range(rows):
            statements.rows("INSERT INTO stg_branch (code) VALUES ('b') RETURNING 1")
        self.rows += rows

    # --- people ------------------------------------------------------------------------------------------------------

    @rule(number=NUMBER, verb=HANDS)
    def lay_hands_on(self, number: int, verb: Callable[..., None]) -> None:
        """A person does something to one step; refused exactly where the model refuses."""
        key = self._some(self.model.steps, number)
        moves = {
            skip_step: lambda: self.model.end_by_hand(key, "skipped"),
            complete_step: lambda: self.model.end_by_hand(key, "completed"),
            hold_step: lambda: self.model.hold(key),
            let_step_go_on: lambda: self.model.let_go(key),
            retry_now: lambda: self.model.retry(key),
            run_only: lambda: self.model.run_now(key, on=False),
            run_from: lambda: self.model.run_now(key, on=True),
        }
        task, may = self._task(key), moves[verb]()
        if may:
            verb(task, by="ann", now=self.now)
        else:
            with pytest.raises((CannotIntervene, CannotRestart)):
                verb(task, by="ann", now=self.now)

    @precondition(lambda self: self.tried.goes_on)
    @rule(way=st.sampled_from(["run", "everything", "plan"]), luck=st.integers(0, 5))
    def cancel(self, way: str, luck: int) -> None:
        """A person cancels the run, or everything, or a plan that waits for its next attempt; now and then."""
        if luck != 3 or (way == "plan" and not self.model.has_ended):
            return
        found = self.tried.cancel_wait() if self.model.has_ended else self.model.cancel()
        if way == "plan":
            self._save(is_cancelled=True)
            self._save(is_cancelled=False)
            self.tried.counts_from_now()
        elif way == "everything":
            assert cancel_everything(by="ann", now=self.now) == ([self.run.pk] if found else [])
        else:
            assert cancel_run(self.run, by="ann", now=self.now) == found

    @rule(way=st.sampled_from(["off", "paused"]), everything=st.booleans(), luck=st.integers(0, 3))
    def rest(self, way: str, everything: bool, luck: int) -> None:
        """A person switches the plan off or pauses it, or pauses everything; or lets that go on again."""
        plan, told = Plan.objects.get(name="P"), {"by": "ann", "now": self.now}
        if self.is_all_paused:
            resume_everything(**told)
            self.is_all_paused = False
        elif self.rests:
            set_enabled(plan, True, now=self.now) if self.rests == "off" else resume(plan, **told)
            self.rests = ""
        elif luck == 3 and everything:
            pause_everything(reason="Move", until=None, **told)
            self.is_all_paused = True
        elif luck == 3 and self.by_schedule:
            set_enabled(plan, False, now=self.now) if way == "off" else pause(plan, reason="Move", **told)
            self.rests = way

    @rule(says=SAYS)
    def edit(self, says: Says) -> None:
        """A person says otherwise how often the plan is tried: that holds for what starts from now on."""
        self._save(**tries_of(says))
        self.says = says

    @rule(what=st.sampled_from(["whole", "failed", "from", "only"]), number=NUMBER, is_now=st.booleans())
    def restart(self, what: str, number: int, is_now: bool) -> None:
        """A person starts the run again, or a part of it, as it was or as its plan is now; refused while it lives."""
        key = self._some(self.model.order, number)
        part = RunPart(**({"start_at": key} if what == "from" else {"only": key} if what == "only" else {}))
        made = self.model.restarted(what, key) if self.model.has_ended else None
        again = {"only_failed": what == "failed", "part": part, "started_by": "ann", "now": self.now}
        if is_now and self.run.restart_of_id is None:
            again["manifest"] = manifest_now(self.run)
        if made is None:
            with pytest.raises((AlreadyRunning, CannotRestart)):
                restart_run(self.run, **again)
            return
        before, self.run = self.run.pk, restart_run(self.run, **again)
        self.tried.begin(before, made, says=self.said)

    @rule(luck=st.integers(0, 5))
    def start_again(self, luck: int) -> None:
        """A person starts the plan once more; refused while it runs, or waits for its next attempt."""
        if self.tried.goes_on:
            with pytest.raises(AlreadyRunning):
                start_plans_now(self.names, started_by="ben", now=self.now)
        elif luck == 3:
            self.run = start_plans_now(self.names, started_by="ben", now=self.now)
            self.values = {"day": "usual", "slot": self.now.isoformat()}
            made = self._made(USUAL)
            self.tried.start(made, says=self.said, deadline=self.due and self.now + self.due * MINUTE)

    # --- what holds --------------------------------------------------------------------------------------------------

    @invariant()
    def all_is_as_the_model_says(self) -> None:
        """Every step, and the run, stand as the model says; the auditor finds nothing; values are those of the run."""
        if not hasattr(self, "tried"):
            return
        self.tried.settle(self.now)
        tasks = {task.key: task for task in self.run.tasks.all()}
        assert {key: task.status for key, task in tasks.items()} == {k: s.status for k, s in self.model.steps.items()}
        for key, step in self.model.steps.items():
            self._compare(tasks[key], step)
        self.run.refresh_from_db()
        assert self.run.status == self.model.status
        self._compare_attempts()
        if DEEP:
            assert audit() == []
        for key, got, item in HEARD:
            assert got == (self.values if "(day=" in key else {"day": "", "slot": ""})
            assert key not in self.model.step_of or item == self.model.item(key)
        HEARD.clear()

    def _compare(self, task: Task, step: Step) -> None:
        """One step is put off, held and tried as the model says, and for the items that it says."""
        assert step.of.each is None or task.items == self.model.lists.get(task.key), task.key
        assert (task.is_held, task.attempts_made) == (step.is_held and step.status == "waiting", step.made), task.key
        due = task.next_attempt_at if task.next_attempt_at and task.next_attempt_at > self.now else None
        expected = step.next_at if step.next_at and step.next_at > self.now else None
        if step.earliest and expected and due:  # the pause doubles, and is a fifth longer at most
            assert step.earliest <= due <= step.earliest + step.of.pause * 2 ** (step.made - 1) / 5, task.key
            step.next_at, step.earliest = due, None
        elif step.status in ("queued", "waiting"):
            assert due == expected, f"{task.key} is put off until {due}, not {expected}"

    def _compare_attempts(self) -> None:
        """The run is the attempt that the model says, and the plan is at work, free, late and told as it says."""
        run, tried, plan = self.run, self.tried, Plan.objects.get(name="P")
        assert (run.attempt_number, run.attempts_allowed) == (tried.number, tried.says.attempts)
        assert (run.next_attempt_at, run.deadline_at) == (tried.next_at, tried.deadline)
        assert (plan.is_running, run.goes_on) == (tried.goes_on, tried.goes_on)
        assert not plan.is_running or plan.running_run_id == run.pk
        assert Run.objects.filter(late_runs(self.now)).exists() == tried.is_late(self.now)
        assert plan.last_result == (tried.ends[-1] if tried.ends else ""), tried.ends
        assert plan.consecutive_failures == tried.failures
        assert (plan.backoff_until is not None) == tried.backs_off
        made_good = set(Run.objects.filter(made_good_by__isnull=False, status="failed").values_list("pk", flat=True))
        assert made_good == tried.made_good
        retried = SchedulerLog.objects.filter(event_type="retried", message__contains="; the next begins at ")
        assert retried.count() == tried.retried * len(self.names)

    def teardown(self) -> None:
        """Leave nothing behind for the next plan."""
        if hasattr(self, "savepoint"):
            assert audit() == []
            transaction.set_rollback(True)
            self.savepoint.__exit__(None, None, None)

    def _save(self, **fields: Any) -> None:
        """Save the plan with these facts changed, as its form does."""
        plan = Plan.objects.get(name="P")
        for name, value in fields.items():
            setattr(plan, name, value)
        save_plan(PlanDraft.of(plan), now=self.now)

    def _pass(self, minutes: int) -> None:
        self.now += minutes * MINUTE
        self.model.now = self.now

    def _task(self, key: str) -> Task:
        return Task.objects.select_related("run").get(run=self.run, key=key)

    def _some(self, keys: Any, number: int) -> str:
        found = list(keys)
        return str(found[number % len(found)])


def drive(machine: type[Plans], number: int, make_job: Any, make_entity: Any, caplog: Any, settings: Any) -> None:
    """Let a machine run so often, with the jobs, scripts and rows that its plans may need."""
    make_entity()
    settings.MOST_ITEMS_OF_A_STEP = MOST_ITEMS
    SqlScript.objects.create(name="Ready", sql="SELECT count(*) >= 2 FROM stg_branch")
    SqlScript.objects.create(name="Regions", sql="SELECT code FROM stg_branch")
    for place in range(MOST):
        make_job(f"P{place}", body=work)
    Queue.objects.update_or_create(name="default", defaults={"max_running": 50})
    caplog.set_level(logging.CRITICAL)  # thousands of traces of jobs that were told to fail cost more than the jobs
    run_state_machine_as_test(
        machine,
        settings=hypothesis_settings(
            max_examples=number, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


@pytest.mark.django_db
def test_every_plan_ends_as_the_documentation_says(make_job, make_entity, caplog, settings):
    drive(Plans, examples(6), make_job, make_entity, caplog, settings)
