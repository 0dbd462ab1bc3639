"""How much one must open to follow a path: the modules in which code ran, their functions, and the deepest calls.

No time is measured. Code that runs at import does not count; it is read with the module that it stands in.
"""

import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks._scratch import scratch_database, statements

ROOT = Path(__file__).resolve().parent.parent
OURS = tuple(f"{ROOT}/{package}/" for package in ("scheduler_project", "scheduling", "staging"))
Steps = tuple[Callable[[], None], Callable[[], None]]  # what comes before, and what is followed
MOST = {"one staged row": 40, "one cycle": 40, "a click on Test run": 26}


def main() -> int:
    """Print a line for each path, beside the number of modules it may take; return 1 when one takes more."""
    most_of_all = 0
    with scratch_database():
        paths = {"one staged row": one_row(), "one cycle": one_cycle(), "a click on Test run": test_run()}
        print(f"{'path':22} {'modules':>8} {'at most':>8} {'functions':>10} {'depth':>6} {'statements':>11}")
        for name, (prepare, act) in paths.items():
            prepare()
            act()  # what is read once and kept
            prepare()
            seen, depth = followed(act)
            modules = {module for module, _ in seen}
            most_of_all = max(most_of_all, len(modules) - MOST[name])
            prepare()
            count = statements(act)
            print(f"{name:22} {len(modules):>8} {MOST[name]:>8} {len(seen):>10} {depth:>6} {count:>11}")
            if "--names" in sys.argv[1:]:
                print("".join(f"    {module}\n" for module in sorted(modules)))
    return int(most_of_all > 0)


def followed(act: Callable[[], object]) -> tuple[set[tuple[str, str]], int]:
    """Return the functions of ours that ran, each with its module, and the deepest chain of them."""
    seen: set[tuple[str, str]] = set()
    depth = deepest = 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal depth, deepest
        code = frame.f_code
        if not code.co_filename.startswith(OURS) or code.co_name == "<module>" or "/migrations/" in code.co_filename:
            return
        if event == "call":
            seen.add((code.co_filename.removeprefix(f"{ROOT}/"), code.co_qualname))
            depth += 1
            deepest = max(deepest, depth)
        elif event == "return":
            depth -= 1

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return seen, deepest


def entity(code: str) -> Any:
    """Define an entity with a few attributes and its tables; return its configuration."""
    from scheduling.models import SchedulerConfiguration
    from staging.entities.save import save_entity
    from staging.models import Attribute, Entity

    made = Entity(code=code, name=code.capitalize())
    save_entity(made, [Attribute(name="staff", data_type="integer"), Attribute(name="email", data_type="text")])
    return SchedulerConfiguration.objects.select_related("entity").get(entity=made)


def deposit(code: str) -> None:
    """Let one row wait."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO stg_{code} (code, staff) VALUES ('A', '5')")


def one_row() -> Steps:
    """Return a path: a worker claims a batch of one row, works it off and logs it."""
    from scheduling import clock
    from scheduling.queues import claim_next
    from scheduling.runs.by_hand import start_batch_now
    from scheduling.runs.execute import run_attempt

    configuration = entity("worked")

    def act() -> None:
        attempt = claim_next(worker="bench", now=clock.now())
        assert attempt is not None
        run_attempt(attempt, time=clock.now)

    def prepare() -> None:
        deposit("worked")
        start_batch_now(configuration, started_by="bench", now=clock.now())

    return prepare, act


def one_cycle() -> Steps:
    """Return a path: one minute of the dispatcher, in which one entity fires."""
    from scheduling import clock
    from scheduling.dispatch.cycle import run_cycle
    from scheduling.models import Run, SchedulerConfiguration
    from scheduling.schedules.change import apply_schedule

    configuration = entity("due")
    values = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "06:00"}
    apply_schedule(configuration, values, now=clock.now() - timedelta(days=2))

    def prepare() -> None:
        Run.objects.all().delete()
        own = SchedulerConfiguration.objects.filter(pk=configuration.pk)
        own.update(next_scheduled_run=clock.now(), is_running=False, run_started_at=None, caught_up_through=None)

    def act() -> None:
        assert run_cycle(clock.now() + timedelta(seconds=1)).fired == ["due"]

    return prepare, act


def test_run() -> Steps:
    """Return a path: somebody presses Test run on the page of a configuration."""
    from django.contrib.auth import get_user_model
    from django.test import Client
    from django.urls import reverse

    configuration = entity("asked")
    deposit("asked")
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("bench"))
    address = reverse("admin:scheduling_schedulerconfiguration_test_run", args=[configuration.pk])

    def act() -> None:
        assert client.get(address).status_code == 200

    return lambda: None, act


if __name__ == "__main__":
    sys.exit(main())
