"""What people do during a soak through the functions behind their pages: plans, cancels, restarts, edits, pauses."""

import random
from collections.abc import Callable
from contextlib import suppress

from django.db import connection

from scheduling import clock
from scheduling.errors import AlreadyRunning, CannotIntervene, CannotRestart
from scheduling.jobs.edit import edit_schedule
from scheduling.models import Job, JobSchedule, Run, Schedule, SchedulerConfiguration, Task
from scheduling.models.schedule import all_schedules
from scheduling.runs.by_hand import start_plans_now
from scheduling.runs.cancel import cancel_run
from scheduling.runs.intervene import complete_step, hold_step, let_step_go_on, skip_step
from scheduling.runs.restart import restart_run
from scheduling.schedules.change import apply_schedule, set_enabled
from scheduling.schedules.pause import pause, resume
from tests.acceptance.soak.jobs import PAUSED, SWITCHED_OFF

_WHO = "soak"


def rest() -> None:
    """Switch one job's schedule off and pause another's; the auditor knows from then on that they rest."""
    now = clock.now()
    for schedule in JobSchedule.objects.filter(job__name=SWITCHED_OFF):
        edit_schedule(schedule, {"is_enabled": False}, now=now)
    for schedule in JobSchedule.objects.filter(job__name=PAUSED):
        pause(schedule, by=_WHO, reason="It rests.", now=now)
    for name in (SWITCHED_OFF, PAUSED):
        _note("INSERT INTO audit_switched_off (job, at) VALUES (%s, clock_timestamp())", name)


def end() -> None:
    """Switch every schedule by the clock off, so that all can come to its end; what triggers goes on."""
    for schedules in all_schedules():
        for schedule in schedules.exclude(schedule_type="").filter(is_enabled=True):
            _switch_off(schedule)

    for held in Task.objects.filter(held_at__isnull=False):
        with suppress(CannotIntervene):  # its run has ended
            let_step_go_on(held, by=_WHO, now=clock.now())


def intervene(chance: random.Random, name: str) -> None:
    """Skip, mark or hold a call that waits, or let one go on: no rows and no effects are told by it."""
    steps = Task.objects.filter(workload="call", run__status__in=["pending", "running"])
    found = list(steps.filter(status__in=["waiting", "queued", "failed"]).select_related("run")[:10])
    if found:
        verb = chance.choice([skip_step, complete_step, hold_step, let_step_go_on, let_step_go_on])
        verb(chance.choice(found), by=_WHO, now=clock.now())


def cancel_a_batch(chance: random.Random, name: str) -> None:
    """Cancel a batch that is at work, rather one of a delivery than of branches."""
    running = Run.objects.filter(kind="batch", tasks__status="running").exclude(entity__code="poison")
    found = list(running.exclude(entity__code="branch")) or list(running)
    if found:
        cancel(chance.choice(found))


def cancel_a_run(chance: random.Random, name: str) -> None:
    """Cancel a run of several tasks that is at work."""
    found = list(Run.objects.filter(status__in=["pending", "running"], kind__in=["plan", "ordered"])[:10])
    if found:
        cancel(chance.choice(found))


def cancel(run: Run) -> None:
    """Cancel a run; the auditor knows when there was something to cancel."""
    if cancel_run(run, by=_WHO, now=clock.now()):
        _note("INSERT INTO audit_cancel (run_id) VALUES (%s)", run.pk)


def start_plans(chance: random.Random, name: str) -> None:
    """Start the two plans that share a job, and the one with a cancelled plan in its middle, each by itself."""
    for plan in chance.sample(["One", "Two", "Through"], 3):
        try:
            start_plans_now([plan], started_by=_WHO, now=clock.now())
        except AlreadyRunning:
            continue


def restart_what_was_made_good(chance: random.Random, name: str) -> None:
    """Ask for another restart of runs that a restart has completed; it is refused."""
    good = Run.objects.filter(restart_of__isnull=False, status="completed").select_related("restart_of")
    for restarted in good.order_by("-pk")[:5]:
        assert restarted.restart_of is not None
        try:
            restart_run(restarted.restart_of, only_failed=False, started_by=_WHO, now=clock.now())
        except (AlreadyRunning, CannotRestart):
            continue


def edit_a_schedule(chance: random.Random, name: str) -> None:
    """Re-time what runs by the clock, or pause it, or let it go on; rather while its batch runs."""
    clocked = SchedulerConfiguration.objects.of_entity("clocked")
    if not clocked.is_running and chance.random() < 0.8:
        return  # edited all the time, it would never fire
    if clocked.paused_at is not None:
        resume(clocked, by=_WHO, now=clock.now())
    elif chance.random() < 0.2:
        pause(clocked, by=_WHO, reason="A moment.", now=clock.now())
    else:
        choices = [minutes for minutes in (3, 4, 5, 7) if minutes != clocked.interval_minutes]
        apply_schedule(clocked, {"interval_minutes": chance.choice(choices)}, now=clock.now())


def pause_a_job(chance: random.Random, name: str) -> None:
    """Pause a job, or let it go on."""
    job = Job.objects.get(name="deaf")
    if not resume(job, by=_WHO, now=clock.now()):
        pause(job, by=_WHO, reason="A moment.", now=clock.now())


def _switch_off(schedule: Schedule) -> None:
    if isinstance(schedule, JobSchedule):
        edit_schedule(schedule, {"is_enabled": False}, now=clock.now())
    else:
        set_enabled(schedule, False, now=clock.now())


def _note(statement: str, value: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [value])


WISHES: dict[str, Callable[[random.Random, str], None]] = {
    "cancel a batch": cancel_a_batch,
    "cancel a run": cancel_a_run,
    "plans": start_plans,
    "restart": restart_what_was_made_good,
    "edit": edit_a_schedule,
    "pause a job": pause_a_job,
    "intervene": intervene,
}
