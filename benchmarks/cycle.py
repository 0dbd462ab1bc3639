"""What a dispatch cycle costs: 1,000 entities with nothing due, and with 100 due, beside a bare SELECT of the rows.

Then midnight: 1,000 entities, plans or jobs due at once, beside bare INSERTs of the rows that their fires write.
`--large` goes on to 10,000 configurations, 1,000 of them triggered and watching staging tables in which rows wait.
"""

import sys
from datetime import datetime, timedelta
from typing import Any

from benchmarks._scratch import least_seconds, scratch_database, seconds, statements

ENTITIES, DUE, ROUNDS = 1_000, 100, 3
IN_ONE_TRANSACTION = 50  # PostgreSQL locks every table it makes until the commit
LARGE, WAITING_ROWS = 10_000, 20


def main() -> None:
    """Build the entities, then print a line for each situation."""
    with scratch_database() as vendor:
        from scheduling import clock

        now = clock.now()
        print(f"{ENTITIES:,} entities on {vendor}; times are the least of several\n")
        print(f"{'situation':44} {'statements':>10} {'cycle ms':>9} {'SELECT ms':>9} {'ratio':>6}")
        build(1, ENTITIES // 10)
        nothing_due(f"nothing due, {ENTITIES // 10} scheduled", now, "scheduled")
        nothing_due(f"no trigger met, {ENTITIES // 10} triggered", now, "triggered")
        build(ENTITIES // 10 + 1, ENTITIES)
        nothing_due(f"nothing due, {ENTITIES:,} scheduled", now, "scheduled")
        nothing_due(f"no trigger met, {ENTITIES:,} triggered", now, "triggered")
        some_due(now)
        print(f"\n{'at midnight':44} {'statements':>10} {'ms a fire':>9} {'INSERT ms':>9} {'ratio':>6}")
        all_due(now)
        if "--large" in sys.argv[1:]:
            print()
            build_large(now)
            nothing_due(f"nothing due, {LARGE:,}, {ENTITIES:,} of them triggered", now)
            some_due(now, first=ENTITIES)
            triggers_met(now)


def build(first: int, last: int) -> None:
    """Define entities with real tables, few to a transaction: PostgreSQL locks each new table until its end."""
    from django.db import transaction

    from staging.entities.save import save_entity
    from staging.models import Attribute, Entity
    from staging.states import DataType

    for start in range(first, last + 1, IN_ONE_TRANSACTION):
        with transaction.atomic():
            for number in range(start, min(start + IN_ONE_TRANSACTION, last + 1)):
                entity = Entity(code=f"entity_{number:04d}", name=f"Entity {number}")
                save_entity(entity, [Attribute(name="value", data_type=DataType.INTEGER)])


def set_mode(mode: str, now: datetime) -> None:
    """Give all configurations a mode in which nothing is due."""
    from scheduling.models import SchedulerConfiguration

    scheduled = {"schedule_type": "daily", "run_times": "06:00", "next_scheduled_run": now + timedelta(hours=6)}
    triggered = {"schedule_type": "", "run_times": "", "next_scheduled_run": None, "trigger_row_threshold": 500}
    SchedulerConfiguration.objects.update(
        processing_mode=mode, armed_from=now - timedelta(days=1), **(scheduled if mode == "scheduled" else triggered)
    )


def build_large(now: datetime) -> None:
    """Let the entities that have tables wait for rows, of which each has some; add scheduled ones up to LARGE.

    A schedule that is not due never looks at its tables: only those that will fire get some.
    """
    from django.db import connection, transaction

    from scheduling.models import SchedulerConfiguration
    from staging.identifiers import quote, staging_table
    from staging.models import Entity

    set_mode("triggered", now)
    SchedulerConfiguration.objects.update(is_running=False, run_started_at=None, running_task=None)
    with connection.cursor() as cursor:
        for code in Entity.objects.values_list("code", flat=True):
            rows = ", ".join(f"('row_{number}', '{number}')" for number in range(WAITING_ROWS))
            cursor.execute(f"INSERT INTO {quote(staging_table(code))} (code, value) VALUES {rows}")
    with_tables = ENTITIES + (ROUNDS + 1) * DUE
    build(ENTITIES + 1, with_tables)
    schedule = {"schedule_type": "daily", "run_times": "06:00", "next_scheduled_run": now + timedelta(hours=6)}
    SchedulerConfiguration.objects.filter(processing_mode="manual").update(
        processing_mode="scheduled", armed_from=now - timedelta(days=1), **schedule
    )
    with transaction.atomic():
        added = Entity.objects.bulk_create(
            Entity(code=f"entity_{number:05d}", name=f"Entity {number}") for number in range(with_tables + 1, LARGE + 1)
        )
        SchedulerConfiguration.objects.bulk_create(
            SchedulerConfiguration(
                entity=entity, processing_mode="scheduled", armed_from=now - timedelta(days=1), **schedule
            )
            for entity in added
        )


def triggers_met(now: datetime) -> None:
    """Measure one cycle in which the rows that wait are enough for a hundred triggers."""
    from scheduling.dispatch.cycle import run_cycle
    from scheduling.models import SchedulerConfiguration

    chosen = SchedulerConfiguration.objects.filter(processing_mode="triggered").order_by("pk").values_list("pk")[:DUE]
    SchedulerConfiguration.objects.filter(pk__in=list(chosen.values_list("pk", flat=True))).update(
        trigger_row_threshold=WAITING_ROWS
    )
    fired: list[str] = []
    took: list[float] = []
    count = statements(lambda: took.append(seconds(lambda: fired.extend(run_cycle(now).fired))))
    assert len(fired) == DUE, f"{len(fired)} fired"
    report(f"{DUE} triggers met of {ENTITIES:,}, {LARGE:,} in all", count, took[0])


def bare_select() -> None:
    """Read the same rows and nothing else."""
    from scheduling.models import SchedulerConfiguration

    list(SchedulerConfiguration.objects.automatic().select_related("entity").values_list())


def nothing_due(situation: str, now: datetime, mode: str = "") -> None:
    """Measure a cycle that fires nothing; without a mode, as the configurations are."""
    from scheduling.dispatch.cycle import run_cycle

    if mode:
        set_mode(mode, now)
    assert not run_cycle(now).fired
    report(situation, statements(lambda: run_cycle(now)), least_seconds(lambda: run_cycle(now)))


def some_due(now: datetime, first: int = 0) -> None:
    """Measure cycles that fire 100 each, another hundred each time; the last one counts its statements.

    The entities before `first` are left as they are.
    """
    from scheduling.dispatch.cycle import run_cycle
    from scheduling.models import SchedulerConfiguration

    if not first:
        set_mode("scheduled", now)
    keys = list(SchedulerConfiguration.objects.order_by("pk").values_list("pk", flat=True))[first:]
    total, times = first + len(keys), []
    for number in range(ROUNDS + 1):
        chosen = keys[number * DUE : (number + 1) * DUE]
        SchedulerConfiguration.objects.filter(pk__in=chosen).update(next_scheduled_run=now - timedelta(seconds=30))
        if number < ROUNDS:
            times.append(seconds(lambda: run_cycle(now)))
        else:
            count = statements(lambda: run_cycle(now))
    fired = SchedulerConfiguration.objects.filter(pk__in=keys[: (ROUNDS + 1) * DUE], is_running=True).count()
    assert fired == (ROUNDS + 1) * DUE, f"{fired} fired"
    report(f"{DUE} due of {total:,}", count, min(times))
    print(f"{'':44} {count / DUE:.1f} statements and {min(times) / DUE * 1000:.2f} ms for each entity that fires")


def all_due(now: datetime) -> None:
    """Measure a cycle in which everything of one kind is due at once; a fifth of it before, so that all is warm."""
    from scheduling.models import Job, JobSchedule, Plan, PlanStep, Run, SchedulerConfiguration
    from staging.models import Entity

    set_mode("scheduled", now)
    SchedulerConfiguration.objects.update(
        is_running=False, run_started_at=None, running_task=None, caught_up_through=None
    )
    Run.objects.all().delete()
    at_once("entities", SchedulerConfiguration.objects.all(), now)
    due = {"schedule_type": "daily", "run_times": "06:00", "is_enabled": True, "armed_from": now - timedelta(days=1)}
    plans = Plan.objects.bulk_create(Plan(name=f"Plan {number}", **due) for number in range(ENTITIES))
    entities = Entity.objects.order_by("pk")[:ENTITIES]
    PlanStep.objects.bulk_create(PlanStep(plan=plan, entity=of) for plan, of in zip(plans, entities, strict=True))
    at_once("plans of one step", Plan.objects.all(), now)
    jobs = Job.objects.bulk_create(Job(name=f"Job {number}", path=f"no.{number}") for number in range(ENTITIES))
    JobSchedule.objects.bulk_create(JobSchedule(job=job, name="Nightly", **due) for job in jobs)
    at_once("jobs", JobSchedule.objects.filter(job__in=jobs), now)


def at_once(what: str, schedules: Any, now: datetime) -> None:
    """Let a fifth of these schedules fire, then the others; print what the others cost, each."""
    keys = list(schedules.order_by("pk").values_list("pk", flat=True))
    fire(schedules.filter(pk__in=keys[: len(keys) // 5]), now)
    fired, count, took = fire(schedules.filter(pk__in=keys[len(keys) // 5 :]), now)
    bare = least_seconds(lambda: bare_inserts(fired, now), 3)
    each, ratio = bare / fired * 1000, took / bare
    print(f"{f'{fired:,} {what}':44} {count:>10} {took / fired * 1000:>9.2f} {each:>9.2f} {ratio:>6.1f}")


def fire(schedules: Any, now: datetime) -> tuple[int, int, float]:
    """Let these schedules be due; return how many fired in one cycle, with how many statements, in how many seconds."""
    from scheduling.dispatch.cycle import run_cycle

    number = schedules.update(next_scheduled_run=now - timedelta(seconds=30))
    fired: list[str] = []
    took: list[float] = []
    count = statements(lambda: took.append(seconds(lambda: fired.extend(run_cycle(now).fired))))
    assert len(fired) == number, f"{len(fired)} of {number} fired"
    return number, count, took[0]


def bare_inserts(number: int, now: datetime) -> None:
    """Insert a run, a task and an event for each of so many fires, a hundred at a time, and take them back."""
    from django.db import transaction

    from scheduling.models import Queue, Run, SchedulerLog, Task

    queue = Queue.objects.get(name="default")
    with transaction.atomic():
        for first in range(0, number, DUE):
            runs = Run.objects.bulk_create(
                Run(kind="batch", fire_key=f"bare:{first + n}", created_at=now) for n in range(min(DUE, number - first))
            )
            Task.objects.bulk_create(
                Task(run=run, key="k", workload="batch", queue=queue, queued_at=now) for run in runs
            )
            SchedulerLog.objects.bulk_create(
                SchedulerLog(event_type="fired", event_time=now, run_id=run.pk, message="Batch started.")
                for run in runs
            )
        transaction.set_rollback(True)


def report(situation: str, count: int, cycle: float) -> None:
    """Print one line."""
    select = least_seconds(bare_select)
    print(f"{situation:44} {count:>10} {cycle * 1000:>9.1f} {select * 1000:>9.1f} {cycle / select:>6.1f}")


if __name__ == "__main__":
    main()
