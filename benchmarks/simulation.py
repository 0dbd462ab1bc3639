"""What a simulated year costs: 100 entities, plans and jobs, beside a bare walk through the same slots."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from benchmarks._scratch import seconds, setup

START = datetime(2026, 1, 1, tzinfo=UTC)
YEAR = timedelta(days=365)

# Of 100 entities: how many of each, and their schedules.
MIX: list[tuple[str, int, dict[str, Any]]] = [
    ("daily, once or twice", 60, {"schedule_type": "daily", "run_times": "06:00, 18:30"}),
    ("weekly on two days", 15, {"schedule_type": "weekly", "run_days": "mon, fri", "run_times": "05:00"}),
    ("every hour", 5, {"schedule_type": "interval", "interval_minutes": 60}),
    ("triggered, 6 arrivals a day", 20, {"trigger_row_threshold": 500, "trigger_idle_minutes": 240}),
]


def main() -> None:
    """Print a line for each kind of schedule, then the whole year."""
    setup()
    print(f"{'a year of':34} {'fires':>8} {'seconds':>8} {'walk s':>7} {'ratio':>6}")
    everything: list[Any] = []
    for name, count, fields in MIX:
        made = [configuration(len(everything) + number, fields) for number in range(count)]
        everything += made
        measure(f"{count} {name}", made)
    measure(f"all {len(everything)} entities", everything)
    measure("10 plans of 10 entities, 20 jobs", [*everything, *plans_and_jobs()])


def configuration(number: int, fields: dict[str, Any]) -> Any:
    """Return an unsaved configuration in one of three zones."""
    from scheduling.models import SchedulerConfiguration
    from staging.models import Entity

    zone = ("Europe/Amsterdam", "America/New_York", "UTC")[number % 3]
    mode = "scheduled" if "schedule_type" in fields else "triggered"
    entity = Entity(id=number + 1, code=f"entity_{number:03d}", name=f"Entity {number}")
    return SchedulerConfiguration(
        id=number + 1, entity=entity, processing_mode=mode, timezone=zone, armed_from=START, **fields
    )


def plans_and_jobs() -> list[Any]:
    """Return ten daily plans, and twenty jobs: most daily, and two whose runs take longer than their interval."""
    from scheduling.models import Job, JobSchedule, Plan

    daily = {"schedule_type": "daily", "run_times": "02:30"}
    often = {"schedule_type": "interval", "interval_minutes": 60, "overlap": "queue_one"}
    plans = [Plan(id=number, name=f"Plan {number}", **daily) for number in range(10)]
    jobs = [Job(id=number, name=f"Job {number}") for number in range(20)]
    return [
        *plans,
        *(JobSchedule(id=job.id, job=job, name="One", **(often if job.id < 2 else daily)) for job in jobs),
    ]


def work_of(schedule: Any) -> Any:
    """Return three minutes of work; of a plan ten entities one by one, of a job that is often due 90 minutes."""
    from scheduling.usual_runs import Piece, UsualRun

    minutes = timedelta(minutes=1)
    if schedule.KIND == "plan":
        steps = tuple(Piece("batch", schedule.pk * 10 + n + 1, 3 * n * minutes, 3 * minutes, n == 0) for n in range(10))
        return UsualRun(30 * minutes, steps)
    return UsualRun((90 if schedule.overlap == "queue_one" else 3) * minutes)


def arrivals(configurations: list[Any]) -> dict[str, list[Any]]:
    """Return six arrivals a day for each triggered entity, at the same random times in each run."""
    from scheduling.simulation.arrivals import Arrival

    chance = Random(1)
    triggered = [one.entity.code for one in configurations if one.processing_mode == "triggered"]
    return {
        code: sorted(Arrival(START + chance.random() * YEAR, chance.randint(1, 400)) for _ in range(6 * 365))
        for code in triggered
    }


def measure(name: str, configurations: list[Any]) -> None:
    """Simulate a year of them and print what it took."""
    from scheduling.models import SchedulerState
    from scheduling.simulation.grid import Grid
    from scheduling.simulation.simulate import simulate
    from scheduling.usual_runs import key_of

    grid, landed = Grid(START, START + YEAR, timedelta(minutes=1)), arrivals(configurations)
    works = {key_of(one): work_of(one) for one in configurations}
    found: list[Any] = []
    took = seconds(
        lambda: found.append(simulate(configurations, grid, arrivals=landed, usual=works, everything=SchedulerState()))
    )
    walked = seconds(lambda: walk(configurations))
    ratio = f"{took / walked:6.1f}" if any(one.schedule_type for one in configurations) else "     -"
    print(f"{name:34} {len(found[0].fires):>8,} {took:>8.2f} {walked:>7.2f} {ratio}")


def walk(configurations: list[Any]) -> None:
    """Ask each cadence for its slots of the year and do nothing else."""
    for one in configurations:
        if (cadence := one.cadence()) is not None:
            for _ in cadence.between(START, START + YEAR):
                pass


if __name__ == "__main__":
    main()
