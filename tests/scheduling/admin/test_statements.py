"""Promise: a page asks the database as many statements for much as for little, and at most ten."""

from datetime import timedelta

import pytest
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling import clock
from scheduling.admin.search.visited import cookie
from scheduling.models import Backfill, Plan, Run, SqlScript, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_batch_now
from staging.models import Attribute
from staging.sql.dialect import dialect
from tests.depth import some
from tests.scheduling.admin.addresses import OURS, filled
from tests.scheduling.admin.conftest import client_for, make_configuration, make_event
from tests.scheduling.admin.test_every_door import things
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db
__all__ = ["things"]

MOST = 10
# What is asked beside the plain addresses, by the name of the page.
ASKED = {
    "scheduling_schedulerconfiguration_changelist": ("?attention=first", "?attention=yes"),
    "scheduling_schedulerconfiguration_forecast": ("?span=7d",),
    "scheduling_schedulerlog_changelist": ("?period=all", "?period=all&entity=customer"),
    "scheduling_run_changelist": ("?status=failed",),
    "scheduling_schedulerconfiguration_search": ("?q=e",),
}
OF_A_PLAN = ("change", "times", "order", "restart")  # pages of a run that are shown of a run of the plan, too
# Tried each time; the pages that people open most, and those that have much to ask.
OFTEN = {
    "scheduling_plan_change", "scheduling_schedulerconfiguration_changelist",
    "scheduling_schedulerconfiguration_why_not",
    "scheduling_run_history", "scheduling_run_restart", "scheduling_heartbeat_doctor", "scheduling_plan_add",
    "scheduling_schedulerconfiguration_change", "scheduling_schedulerconfiguration_forecast", "scheduling_run_change",
    "scheduling_alertchannel_delete",
}  # fmt: skip
# The doctor reads what is wrong besides, each part by itself.
MORE = {"scheduling_heartbeat_doctor": 16}


@pytest.fixture
def run_of_plan(things):
    """A run of the plan that has ended; the plan has a backfill, and a step that waits for another."""
    plan, now = Plan.objects.get(pk=things["plan"]), clock.now()
    ended = {"created_at": now, "started_at": now, "finished_at": now}
    run = Run.objects.create(kind="plan", title=plan.name, plans=[plan.name], status="failed", fire_key="p", **ended)
    grow(things, run, "s", 2)
    return run


def grow(things, run, name, number):
    """Add so many entities with all they have, so many steps to the plan and to its run, and so many of the rest."""
    now, plan = clock.now(), Plan.objects.get(pk=things["plan"])
    entities = [
        make_configuration(f"{name}{n}", last_result="failed", consecutive_failures=1).entity for n in range(number)
    ]
    for entity in entities:
        start_batch_now(entity.configuration, started_by="someone", now=now)
        make_event(entity=entity, event_time=now)
        Attribute.objects.create(entity=entity, name="gone")  # which its tables do not have
    scripts = [SqlScript.objects.create(name=f"{name}{n}", sql="SELECT 1") for n in range(number)]
    of_entities = [step(one, step_index=1) for one in entities]
    of_scripts = [step(one, entities[0].code, step_index=2) for one in scripts]
    save_plan(PlanDraft(plan, {}, [*of_entities, *of_scripts]), now=now)
    for n in range(number):
        save_plan(PlanDraft(Plan(name=f"{name}{n}"), {}, [step(plan)]), now=now)
    over = {"since": now - timedelta(1), "until": now, "created_at": now, "finished_at": now, "status": "completed"}
    Backfill.objects.bulk_create(Backfill(plan=plan, **over) for _ in scripts)
    queue = Task.objects.earliest("pk").queue
    Task.objects.bulk_create(
        Task(run=run, key=f"script {one.name}", workload="script", target_id=one.pk, queue=queue, status="failed",
             finished_at=now, started_at=now, attempts_made=1)
        for one in scripts
    )  # fmt: skip


def pages(things, run_of_plan):
    """Return the address of each page by its name: those that people open most, and some of the rest."""
    plain = [(name, pattern) for pattern, name in OURS if name]
    chosen = dict([each for each in plain if each[0] in OFTEN] + some(plain, one_in=5))
    found = {name: filled(pattern, things) for name, pattern in chosen.items()}
    asked = {name + query: found[name] + query for name in found for query in ASKED.get(name, ())}
    of_plan = {f"{page} of the plan": f"/admin/scheduling/run/{run_of_plan.pk}/{page}/" for page in OF_A_PLAN}
    return found | asked | of_plan


def statements(client, address):
    """Return how many statements a page asks; None for what is no page."""
    client.cookies.pop(cookie(), None)  # what was opened lately, which the search reads
    with CaptureQueriesContext(connection) as asked:
        response = client.get(address)
    is_page = response.status_code == 200 and not response.streaming and "html" in response.headers["Content-Type"]
    sent = [
        each for each in asked.captured_queries if "SAVEPOINT" not in each["sql"]
    ]  # only of a test in a transaction
    return len(sent) if is_page else None


def test_no_page_asks_more_of_a_larger_world_nor_more_than_ten_statements(things, run_of_plan):
    client, known = client_for("Administrator"), pages(things, run_of_plan)
    ContentType.objects.get_for_models(*admin.site._registry)  # as every process but a new one knows them
    few = {name: asked for name, address in known.items() if (asked := statements(client, address)) is not None}
    assert few.keys() >= OFTEN
    grow(things, run_of_plan, "t", 12)
    many = {name: statements(client, known[name]) for name in few}
    assert {name: (few[name], asked) for name, asked in many.items() if asked > few[name]} == {}
    assert {name: asked for name, asked in many.items() if asked > MORE.get(name, MOST)} == {}


def test_the_start_page_asks_as_much_of_more_entities_than_one_statement_takes(things, run_of_plan, monkeypatch):
    client = client_for("Administrator")
    monkeypatch.setattr(type(dialect()), "tables_at_once", 2)

    def asked():
        statements(client, "/admin/")  # PostgreSQL plans what looks into tables once for a connection
        return statements(client, "/admin/")

    few = asked()
    grow(things, run_of_plan, "t", 5)
    assert asked() <= min(few, MOST)
