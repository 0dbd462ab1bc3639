"""What tests of plans that are tried again share: such a plan, and a worker at whose hands some of its scripts fail."""

from datetime import timedelta

from scheduling.models import Plan, Run, SchedulerLog, SqlScript
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.queues import claim_next
from scheduling.runs.advance import finish
from scheduling.runs.by_hand import start_plans_now
from scheduling.states import TaskStatus
from scheduling.workloads.outcome import Outcome, failure
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step

MINUTE = timedelta(minutes=1)
DAILY = {"schedule_type": "daily", "run_times": ["07:00"], "timezone": "UTC"}


def at(minutes):
    return NOW + minutes * MINUTE


def tried_again(names="AB", schedule=None, after=None, **fields):
    """Store a plan: one step for each of these letters, tried three times, five minutes apart."""
    scripts = {name: SqlScript.objects.get_or_create(name=name, sql="SELECT 1")[0] for name in "ABC"}
    made = Plan(name="P", **{"run_attempts": 3, "run_retry_interval_seconds": 300, **fields})
    steps = [step(scripts[name]) for name in names]
    return save_plan(PlanDraft(made, schedule or {}, steps, after=after), now=NOW - MINUTE)


def ends(now, *failing, error=None):
    """Let a worker work off what waits; the scripts of these names fail."""
    while attempt := claim_next(worker="w", now=now):
        name = attempt.task.key.split()[-1]
        bad = failure(error or ValueError("no")) if name in failing else None
        finish(attempt, attempt.task, bad or Outcome(TaskStatus.COMPLETED, "done"), now=now)


def newest():
    return Run.objects.latest("pk")


def begun(now=NOW, *failing):
    """Start the plan by hand and let it fail."""
    run = start_plans_now(["P"], started_by="anna", now=now)
    ends(now, *(failing or "B"))
    run.refresh_from_db()
    return run


def plan():
    return Plan.objects.get(name="P")


def told(kind):
    return list(SchedulerLog.objects.filter(event_type=kind, plan=plan()).values_list("message", flat=True))
