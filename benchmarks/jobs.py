"""What declared jobs cost: reconciling 1,000, a cycle over their schedules, and the latency from due to running.

The latency is held against django-celery-beat's DatabaseScheduler with the same number of schedules on the same
machine: both are asked, in one process, for one round over their schedules of which some are due, until each due job
has been handed on (ours: its task stands in the table and may be claimed; theirs: the message is given to a broker that
takes no time). Reading the schedules anew belongs to it: beat does so after every change in its admin.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from benchmarks._scratch import scratch_database, seconds, statements

JOBS, DUE, ROUNDS = 1_000, 10, 5


def main() -> None:
    """Build the jobs, then print a line for each situation."""
    with scratch_database() as vendor:
        from scheduling import clock

        now = clock.now()
        print(f"{JOBS:,} declared jobs with a schedule each on {vendor}\n")
        print(f"{'situation':56} {'statements':>10} {'ms':>9}")
        found = declared()
        reconciling(found, now)
        cycles(now)
        beside_beat(now)


def report(what: str, count: int | str, took: float) -> None:
    """Print a line."""
    print(f"{what:56} {count:>10} {took * 1000:9.1f}")


def declared() -> Any:
    """Declare the jobs as decorators would; measure what validating them costs."""
    from scheduling.jobs.declare import daily, job, retry
    from scheduling.jobs.declared import draft_of
    from scheduling.jobs.discover import Found, finished

    def make(number: int) -> Any:
        def work(context: Any) -> None: ...

        work.__qualname__, work.__module__ = f"work_{number}", "shop.jobs"
        at = f"{number % 24:02}:{number % 60:02}"
        return draft_of(job(f"Job {number:04}")(daily(at, days="weekdays", timezone="Europe/Amsterdam")(retry()(work))))

    drafts: list[Any] = []
    report("declare and validate", 0, seconds(lambda: drafts.extend(make(number) for number in range(JOBS))))
    jobs, broken = finished(drafts)
    assert len(jobs) == JOBS and not broken
    return Found(tuple(jobs))


def reconciling(found: Any, now: datetime) -> None:
    """Measure the first reconciliation, one that finds nothing changed, and one after every job changed."""
    from dataclasses import replace

    from scheduling.jobs.reconcile import reconcile

    took: list[float] = []

    def once(of: Any, at: datetime) -> None:
        took.append(seconds(lambda: reconcile(of, at)))

    report("reconcile, all new", statements(lambda: once(found, now)), took[-1])
    report("reconcile, nothing changed", statements(lambda: once(found, now)), took[-1])
    later = replace(found, jobs=tuple(replace(job, schedules=moved(job.schedules)) for job in found.jobs))
    report("reconcile, every timing changed", statements(lambda: once(later, now)), took[-1])


def moved(schedules: Any) -> Any:
    """Return the schedules an hour away."""
    from dataclasses import replace

    return tuple(replace(each, columns={**each.columns, "run_times": "23:59"}) for each in schedules)


def set_due(count: int, now: datetime) -> None:
    """Let as many schedules be due as asked for, and none of the others."""
    from scheduling.models import JobSchedule, Run

    Run.objects.all().delete()
    free = {"is_running": False, "run_started_at": None, "running_run": None, "backoff_until": None}
    JobSchedule.objects.update(next_scheduled_run=now + timedelta(hours=6), armed_from=now - timedelta(days=1), **free)
    chosen = list(JobSchedule.objects.order_by("pk").values_list("pk", flat=True)[:count])
    JobSchedule.objects.filter(pk__in=chosen).update(next_scheduled_run=now)


def cycles(now: datetime) -> None:
    """Measure a cycle with nothing due, and one with some due."""
    from scheduling.dispatch.cycle import run_cycle

    for due in (0, DUE):
        took: list[float] = []
        for _ in range(ROUNDS):
            set_due(due, now)
            fired: list[str] = []
            count = statements(lambda: took.append(seconds(lambda: fired.extend(run_cycle(now).fired))))  # noqa: B023
            assert len(fired) == due, fired
        report(f"cycle, {due} of {JOBS:,} due", count, median(took))


def beside_beat(now: datetime) -> None:
    """Measure how long a due job waits for a round, ours and beat's."""
    try:
        ready = beat()
    except ImportError:
        print("\ndjango-celery-beat is not installed: pip install -r benchmarks/requirements.txt")
        return
    from scheduling.dispatch.cycle import run_cycle
    from scheduling.models import Task
    from scheduling.states import TaskStatus

    print(f"\nfrom due to handed on, {DUE} of {JOBS:,} due; ms of a round, median of {ROUNDS}")
    ours, theirs = [], []
    for _ in range(ROUNDS):
        set_due(DUE, now)
        ours.append(seconds(lambda: run_cycle(now)))
        assert Task.objects.filter(status=TaskStatus.QUEUED).count() == DUE
        theirs.append(seconds(ready(now)))
    print(f"{'ours (guard, unique key, run, task, log in one commit)':56} {median(ours) * 1000:20.1f}")
    print(f"{'django-celery-beat DatabaseScheduler (a message each)':56} {median(theirs) * 1000:20.1f}")
    print(f"{'ratio':56} {median(ours) / median(theirs):20.2f}")


def beat() -> Callable[[datetime], Callable[[], None]]:
    """Return what prepares a round of beat: as many schedules, as many due, a broker that takes no time."""
    from django.apps import apps
    from django.conf import settings
    from django.core.management import call_command

    if "django_celery_beat" not in settings.INSTALLED_APPS:
        __import__("django_celery_beat")
        settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, "django_celery_beat"]
        apps.clear_cache()
        apps.app_configs.clear()
        apps.ready = apps.apps_ready = apps.models_ready = apps.loading = False
        apps.populate(settings.INSTALLED_APPS)
    call_command("migrate", "django_celery_beat", verbosity=0)
    from celery import Celery
    from django_celery_beat.models import CrontabSchedule, PeriodicTask
    from django_celery_beat.schedulers import DatabaseScheduler

    app = Celery("bench", broker="memory://", set_as_current=False)
    app.conf.update(timezone="UTC", enable_utc=True)

    def ready(now: datetime) -> Callable[[], None]:
        PeriodicTask.objects.all().delete()
        CrontabSchedule.objects.all().delete()
        due = CrontabSchedule.objects.create(minute="*", hour="*")
        far = CrontabSchedule.objects.create(minute="0", hour="0", day_of_month="1", month_of_year="1")
        PeriodicTask.objects.bulk_create(
            PeriodicTask(
                name=f"Job {number}",
                task="work",
                crontab=due if number < DUE else far,
                last_run_at=now - timedelta(minutes=2),
                date_changed=now - timedelta(days=1),
            )
            for number in range(JOBS)
        )
        sent: list[str] = []
        scheduler = DatabaseScheduler(app=app, lazy=True)
        scheduler.send_task = lambda *args, **options: sent.append(args[0])

        def round_of_beat() -> None:
            while len(sent) < DUE:
                scheduler.tick()
            scheduler.sync()

        return round_of_beat

    return ready


if __name__ == "__main__":
    main()
