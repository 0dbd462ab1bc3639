"""One of everything that has a page, put there as an installation would; and the same, full of a payload."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from typing import Any
from uuid import uuid4

from django.apps import apps
from django.contrib.auth.models import Group, User
from django.db import DatabaseError, connection, models, transaction

from scheduling import clock
from scheduling.models import (
    Alert,
    AlertChannel,
    AlertDelivery,
    AlertNotice,
    AlertRule,
    Attempt,
    BlackoutCalendar,
    BlackoutPeriod,
    Heartbeat,
    Job,
    JobSchedule,
    Plan,
    Queue,
    RetentionPolicy,
    Run,
    SchedulerLog,
    SqlScript,
    Task,
)
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_batch_now
from staging import tokens
from staging.entities.save import save_entity
from staging.models import Attribute, AuditEntry, Batch, BusinessRule, Entity, UploadMapping
from staging.states import DataType
from tests.scheduling.conftest import work_off
from tests.scheduling.plans.conftest import step

TYPES = [each for each in DataType if each != DataType.REFERENCE]
# What names a column, a table, a place in code or a choice keeps its form: no door lets another in.
FIXED = {("Entity", "code"), ("Attribute", "name"), ("RuleLine", "attribute"), ("RuleLine", "comparison"),
         ("RuleLine", "part"), ("ApiToken", "secret_hash"),
         ("KeptAnswer", "caller"), ("KeptAnswer", "address")}  # fmt: skip
# When something runs is words of a fixed form, too; the forms and files that write it are tried with every payload.
_TIMES = re.compile(r"run_|cron|timezone$|schedule")


class World:
    """The keys of everything, by what an address calls it."""

    def __init__(self) -> None:
        now = clock.now()
        self.customer = define_customer()
        self.batch = started_and_done(self.customer, now)
        self.keys = {**things(self.customer, now), "entity": self.customer.pk, "batch": self.batch.pk,
                     "entity_id": self.customer.pk}  # fmt: skip
        self.keys["held"] = Batch.objects.get(status="held").pk
        self.keys["task_id"] = failed_run(self.customer, now)
        self.keys["run"] = Task.objects.get(pk=self.keys["task_id"]).run_id
        self.keys["attribute_id"] = self.customer.attributes.earliest("pk").pk
        self.keys["member_id"] = _least("mdm_customer", "1 = 1")
        self.keys["row_id"] = _least("stg_customer", "import_status = 2")

    def fill(self, pattern: str) -> str:
        """Return the pattern of an address with the key of something that is there in each place of it."""
        model = pattern.split("/")[3] if pattern.count("/") > 3 else ""

        def filled(piece: str) -> str:
            if not piece.startswith("<"):
                return piece
            place, _, rest = piece.partition(">")
            return f"{self.keys.get(place.rpartition(':')[2], self.keys.get(model, 1))}{rest}"

        return "".join(map(filled, pattern.replace("<", "\0<").split("\0")))


def _least(table: str, condition: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT min(id) FROM {table} WHERE {condition}")
        return int(cursor.fetchone()[0])


def define_customer() -> Entity:
    """Return an entity with an attribute of each type, one reference and its tables."""
    region = Entity(code="region", name="Region")
    save_entity(region, [Attribute(name="note", data_type=DataType.TEXT)])
    customer = Entity(code="customer", name="Customer", description="All of them.", keep_history=True)
    attributes = [Attribute(name=f"as_{kind.value}", data_type=kind, position=n) for n, kind in enumerate(TYPES)]
    attributes.append(Attribute(name="region", data_type=DataType.REFERENCE, reference=region, position=9))
    save_entity(customer, attributes)
    return Entity.objects.get(pk=customer.pk)


def stage(**values: str) -> None:
    """Deposit one row of a customer by plain SQL."""
    columns, marks = ", ".join(f'"{name}"' for name in values), ", ".join(["%s"] * len(values))
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO stg_customer ({columns}) VALUES ({marks})", list(values.values()))


def started_and_done(customer: Entity, now: Any) -> Batch:
    """Return a batch that merged one row and rejected another; a third row waits, another batch is held."""
    stage(code="one", name="One", as_text="some text")
    stage(code="two", name="Two", as_integer="many")
    started = start_batch_now(customer.configuration, started_by="ann", now=now)
    work_off(now)
    stage(code="three", name="Three")
    Batch.objects.create(entity=customer, status="held", hold_reason="Every batch waits.", created_at=now)
    return started.batch


def things(customer: Entity, now: Any) -> dict[str, int]:
    """Make what is not rows; return the keys by the name of the model."""
    rule = BusinessRule.objects.create(entity=customer, name="Named", is_cancelled=False)
    rule.lines.create(part="must", attribute="as_text", comparison="not_empty")
    calendar = BlackoutCalendar.objects.create(name="Holidays")
    BlackoutPeriod.objects.create(calendar=calendar, first_day=date(2026, 12, 25), last_day=date(2026, 12, 26))
    job = Job.objects.create(name="Report", path="shop.jobs.report", source="shop/jobs.py:1")
    owner = User.objects.create(username="owner", is_superuser=True)
    token, _ = tokens.issue(owner, name="loader", scopes=["read"], entities=None, by="someone")
    UploadMapping.objects.create(entity=customer, columns={"Code": "code"})
    watched = AlertRule.objects.get_or_create(name="Watched", condition="failed")[0]
    alert = told_alert(watched, customer, now)
    made: dict[str, Any] = {
        "businessrule": rule,
        "blackoutcalendar": calendar,
        "job": job,
        "jobschedule": JobSchedule.objects.create(job=job, name="Daily", schedule_type="daily", run_times="07:00"),
        "plan": save_plan(PlanDraft(Plan(name="Nightly"), {}, [step(customer)]), now=now),
        "sqlscript": SqlScript.objects.create(name="Refresh", sql="SELECT 1"),
        "apitoken": token,
        "user": owner,
        "alertrule": watched,
        "alert": alert,
        "alertchannel": alert.notices.get().channel,
        "auditentry": AuditEntry.objects.create(kind="signed_in", person="owner", address="10.0.0.1", about="x"),
        "id": owner,
        "group": Group.objects.create(name="Customer stewards"),
        "queue": Queue.objects.earliest("pk"),
        "retentionpolicy": RetentionPolicy.objects.get_or_create(pk=1)[0],
        "schedulerconfiguration": customer.configuration,
        "heartbeat": Heartbeat.objects.create(name="w1", kind="worker", started_at=now, seen_at=now),
        "schedulerlog": SchedulerLog.objects.create(event_time=now, event_type="fired", entity=customer, message="x"),
    }
    return {name: each.pk for name, each in made.items()}


def told_alert(rule: AlertRule, customer: Entity, now: Any) -> Alert:
    """Make an open alert that somebody looks after, whose news wait for a channel and were sent there once."""
    said = {"say": "{what} failed.", "values": {"what": "Customer"}}
    alert = Alert.objects.create(rule=rule, subject="run:1", entity=customer, said=said, leads_to="run:1",
                                 opened_at=now, acknowledged_at=now, acknowledged_by="ann",
                                 comment="On it.")  # fmt: skip
    channel = AlertChannel.objects.create(name="Night shift", addresses="night@example.com")
    AlertNotice.objects.create(alert=alert, channel=channel, news="opened", due_at=now)
    AlertDelivery.objects.create(channel=channel, address="night@example.com", news=[[alert.pk, "opened"]],
                                 status="sent", created_at=now, next_attempt_at=now, finished_at=now,
                                 answer="250 OK")  # fmt: skip
    return alert


def failed_run(customer: Entity, now: Any) -> int:
    """Make a run whose only task failed; return the key of the task."""
    run = Run.objects.create(kind="batch", entity=customer, fire_key="x", created_at=now, started_at=now,
                             finished_at=now + timedelta(seconds=9), status="failed", error="It failed.")  # fmt: skip
    task = Task.objects.create(run=run, key="customer", workload="batch", entity=customer, target_id=customer.pk,
                               status="failed", attempts_made=1, finished_at=now, queue=Queue.objects.earliest("pk"),
                               message="It failed.")  # fmt: skip
    Attempt.objects.create(task=task, number=1, worker="w", token=uuid4(), claimed_at=now, heartbeat_at=now,
                           finished_at=now, outcome="failed", message="It failed.")  # fmt: skip
    return int(task.pk)


def texts() -> Iterator[tuple[type[models.Model], models.Field[Any, Any]]]:
    """Yield every column of both apps that holds a text somebody or something wrote, with its model."""
    for model in (each for app in ("staging", "scheduling") for each in apps.get_app_config(app).get_models()):
        for column in model._meta.concrete_fields:
            is_text = isinstance(column, models.CharField | models.TextField) and not column.choices
            if is_text and (model.__name__, column.name) not in FIXED and not _TIMES.match(column.name):
                yield model, column


def fill_with(payload: str) -> None:
    """Put a payload into every text of everything, as far as it fits, and into the rows of the customer."""
    stored = payload.replace("\x00", "").encode(errors="replace").decode()
    for model, column in texts():
        rows = models.QuerySet(model)  # plain: what is written once takes payloads as well
        for number, one in enumerate(rows.order_by("pk").values_list("pk", flat=True)):
            room = (column.max_length or 1000) - 2
            value = f"{stored[:room]}{number if column.unique or number else ''}"
            with suppress(DatabaseError), transaction.atomic():  # what the database itself lets nobody store
                rows.filter(pk=one).update(**{column.attname: value})
    User.objects.filter(username="owner").update(username=f"o{stored[:100]}", first_name=stored[:100])
    Group.objects.filter(name="Customer stewards").update(name=f"g{stored[:100]}")
    with connection.cursor() as cursor:
        for status in (0, 2):
            cursor.execute(
                "INSERT INTO stg_customer (code, name, as_text, as_integer, region, import_status, error_message,"
                " batch_tag) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
                [stored[:200] or "c"] + [stored] * 4 + [status, stored, stored[:150]],
            )
        cursor.execute("UPDATE mdm_customer SET name = %s, as_text = %s", [stored[:200], stored])
        cursor.execute("UPDATE hst_customer SET was_as_text = %s", [stored])
