"""What the pictures of all pages show: the demo after a night of work, with something of every kind in it."""

from datetime import timedelta
from io import StringIO
from random import Random

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection

from scheduling import clock, models
from scheduling.alerts.watch import go_round
from scheduling.management.demo.deposit import deposit
from scheduling.management.demo.presence import DEMO_ENTITIES
from scheduling.management.demo.rows import made_up
from scheduling.models import BlackoutCalendar, BlackoutPeriod, Run, SchedulerConfiguration, SchedulerLog
from scheduling.runs.execute import execute_task
from scheduling.schedules.pause import pause
from staging import tokens
from staging.models import Attribute, Batch, BusinessRule, Entity, RuleLine
from staging.rules.document import save_rule
from tests.scheduling.admin.conftest import failure_rule

NIGHT, ROUNDS = timedelta(hours=10), 4


def make_the_world() -> dict[str, int]:
    """Load the demo, let it work, and add one of the rest; return the key of what each page is about, by its kind."""
    call_command("load_demo", stdout=StringIO())
    random, now = Random(7), clock.now()
    for _ in range(ROUNDS):
        with connection.cursor() as cursor:
            for code, rows in made_up(random, now).items():
                deposit(cursor, code, rows, placeholder="%s")
        for code in ("product", "customer", "price_list"):
            call_command("process_batch", code, inline=True, stdout=StringIO())
    call_command("run_plan", "Nightly refresh", stdout=StringIO())
    for _ in DEMO_ENTITIES:
        for task in models.Task.objects.filter(status="queued"):
            execute_task(task.pk, worker="work@host")
    _spread_over_the_night()
    _add_the_rest()
    return _things()


def give_signs_of_life() -> None:
    """Let the scheduler and its worker be at work just now."""
    for name, kind in ((models.Heartbeat.DISPATCHER, models.Heartbeat.DISPATCHER), ("work@host", "worker")):
        models.Heartbeat.note(name, kind, clock.now())


def drop_the_world() -> None:
    """Drop the tables of the demo's entities, those that refer to others first."""
    with connection.cursor() as cursor:
        for code in reversed(DEMO_ENTITIES):
            for prefix in ("stg", "mdm", "hst"):
                cursor.execute(f"DROP TABLE IF EXISTS {prefix}_{code}")


def _spread_over_the_night() -> None:
    """Let the runs lie as evenly over the last hours as if each had been started by its schedule."""
    runs = list(Run.objects.order_by("-pk"))
    for place, run in enumerate(runs):
        earlier = NIGHT * place / len(runs) + timedelta(minutes=3)
        began, ended = run.created_at - earlier, run.created_at - earlier + timedelta(minutes=2 + place % 7)
        Run.objects.filter(pk=run.pk).update(created_at=began, started_at=began, finished_at=ended)
        models.Task.objects.filter(run=run).update(started_at=began, finished_at=ended)
        tasks = models.Task.objects.filter(run=run).values("pk")
        Batch.objects.filter(task_id__in=tasks).update(created_at=began, started_at=began, finished_at=ended)
        SchedulerLog.objects.filter(run_id=run.pk).update(event_time=ended)


def _add_the_rest() -> None:
    """Add what the demo has none of: a failure and its alert, a held batch, a pause, a calendar, a token, a rule."""
    now, customer = clock.now(), Entity.objects.get(code="customer")
    branch, region = (SchedulerConfiguration.objects.of_entity(code) for code in ("branch", "region"))
    Run.objects.create(kind="batch", entity=branch.entity, fire_key="x", status="failed", error="The disk is full.",
                       created_at=now - timedelta(hours=1), finished_at=now - timedelta(minutes=50))  # fmt: skip
    SchedulerConfiguration.objects.filter(pk=branch.pk).update(last_result="failed", consecutive_failures=2)
    pause(region, by="admin", reason="Head office moves house", until=now + timedelta(days=1), now=now)
    failure_rule()
    go_round(now)
    Batch.objects.create(entity=customer, status="held", hold_reason="40 of 100 rows would be rejected.",
                         created_at=now)  # fmt: skip
    calendar = BlackoutCalendar.objects.create(name="Holidays", timezone="Europe/Amsterdam")
    BlackoutPeriod.objects.create(calendar=calendar, kind="weekly", run_days="sat,sun", note="Weekend")
    models.AlertChannel.objects.create(name="Night watch", addresses="night@example.com")
    models.SqlScript.objects.create(name="Refresh totals", sql="UPDATE mdm_customer SET name = name WHERE false")
    rule = BusinessRule(entity=customer, name="Key accounts have a limit", message="A key account needs a limit.")
    save_rule(rule, [RuleLine(part="must", attribute="credit_limit", comparison="not_empty")])
    backfill = models.Backfill.objects.create(plan=models.Plan.objects.all()[0], since=now - timedelta(days=3),
                                              until=now, started_by="admin", created_at=now)  # fmt: skip
    for place, run in enumerate((Run.objects.get(kind="plan"), None, None)):
        slot, taken = now - timedelta(days=3 - place), now if run else None
        backfill.slots.create(slot=slot, taken_at=taken, run=run, is_left_out=run is not None)
    admin = User.objects.get(username="admin")
    tokens.issue(admin, name="Warehouse system", scopes=["read"], entities=None, by="admin")


def _things() -> dict[str, int]:
    """Return the key of what each page is about: the customers, where there is a choice."""
    customer, run = Entity.objects.get(code="customer"), Run.objects.get(kind="plan")
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(id), (SELECT min(id) FROM mdm_customer) FROM stg_customer WHERE import_status = 2")
        row, member = cursor.fetchone()
    batch = Batch.objects.filter(entity=customer, status="completed").order_by("pk")[0]
    return {
        "entity": customer.pk, "run": run.pk, "task": run.tasks.all()[0].pk, "row": row, "member": member,
        "batch": batch.pk, "schedulerconfiguration": SchedulerConfiguration.objects.get(entity=customer).pk,
        "attribute": Attribute.objects.filter(entity=customer)[0].pk,
        "held": Batch.objects.get(status="held").pk, "schedulerlog": SchedulerLog.objects.latest("event_time").pk,
    }  # fmt: skip
