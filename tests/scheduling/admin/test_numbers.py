"""Promise: every number on a page that leads to a list is the number of things in that list, in any world.

Those of the start page have their test in `monitoring/test_attention.py`.
"""

import html
import random
import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urljoin, urlparse

import pytest
from django.db import transaction
from django.test import Client

from scheduling import clock
from scheduling.models import Queue, Run, SchedulerConfiguration, SqlScript, Task
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.execute import execute_task
from scheduling.states import TaskStatus
from staging.models import Batch, Entity
from tests.depth import examples
from tests.staging.batches.bench import define, stage

pytestmark = pytest.mark.django_db
CODES = ("branch", "customer", "price")
_LINK = re.compile(r'<a\b[^>]*?href="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_FIRST_NUMBER = re.compile(r"\d[\d,]*")
_ROWS = re.compile(r"^/admin/staging/entity/\d+/rows/$")
_STEPS = re.compile(r"^/admin/scheduling/run/\d+/change/$")


def fill_the_world(dice: random.Random) -> None:
    """Batches that took and rejected some rows, rows that wait, and a run whose steps are in any state."""
    now = clock.now()
    for code in CODES:
        entity = Entity.objects.get(code=code)
        for number in range(dice.randrange(3)):
            rows = [
                {"code": dice.choice([None, f"{number}-{each}"]), "name": "x"} for each in range(dice.randrange(12))
            ]
            stage(entity, *rows)
            configuration = SchedulerConfiguration.objects.select_related("entity").get(entity=entity)
            started = start_batch_now(configuration, started_by="ann", now=now)
            assert execute_task(started.task.pk, worker="w")
        stage(entity, *({"code": f"w{each}", "name": "x"} for each in range(dice.randrange(9))))
    run = Run.objects.create(kind="plan", title="Nightly", plans=["Nightly"], fire_key="n", status="running",
                             created_at=now, started_at=now)  # fmt: skip
    script, _ = SqlScript.objects.get_or_create(name="Refresh", defaults={"sql": "SELECT 1"})
    for number in range(dice.randrange(1, 150)):
        status = dice.choice(TaskStatus.values)
        Task.objects.create(run=run, key=f"s{number}", workload="script", target_id=script.pk, status=status,
                            queue=Queue.objects.get(name="default"),
                            finished_at=now if status in TaskStatus.final() else None)  # fmt: skip


def pages() -> list[str]:
    """Return the pages with such numbers: lists, what they lead to, and the rows themselves."""
    found = ["/admin/scheduling/schedulerconfiguration/", "/admin/staging/entity/", "/admin/staging/batch/",
             "/admin/scheduling/schedulerconfiguration/rejected/"]  # fmt: skip
    found += [
        f"/admin/scheduling/schedulerconfiguration/{one.pk}/change/" for one in SchedulerConfiguration.objects.all()
    ]
    for entity in Entity.objects.all():
        found += [f"/admin/staging/entity/{entity.pk}/change/", f"/admin/staging/entity/{entity.pk}/rows/"]
    found += [f"/admin/staging/batch/{batch.pk}/change/" for batch in Batch.objects.all()]
    return [*found, f"/admin/scheduling/run/{Run.objects.get(kind='plan').pk}/change/"]


def numbers(client: Client, page: str) -> Iterator[tuple[int, str]]:
    """Yield each number that is a link to a list of rows or of steps, with the address of the list."""
    for link, inside in _LINK.findall(client.get(page).content.decode().split('id="content"')[1]):
        address, words = urljoin(page, html.unescape(link)), re.sub(r"<[^>]+>", " ", inside)
        number, asked = _FIRST_NUMBER.search(words), parse_qs(urlparse(address).query)
        is_list = _ROWS.match(urlparse(address).path) or _STEPS.match(urlparse(address).path)
        if is_list and number and {"status", "state"} & asked.keys() and "steps" not in asked:
            yield int(number[0].replace(",", "")), address


def listed(client: Client, address: str) -> list[int]:
    """Return the keys of what a list shows, over all of its pages."""
    found: list[int] = []
    while address:
        context = client.get(address).context
        if "rows" in context:
            found += [row.id for row in context["rows"]]
            older = context["older"] and f"?{context['older']}"
        else:
            found += [step.task.pk for step in context["state"].steps]
            older = context["state"].later
        address = urljoin(address, older) if older else ""
    return found


def test_each_number_is_that_of_the_list_it_opens(viewer, monkeypatch):
    for code in CODES:
        define(code)
    Queue.objects.get_or_create(name="default")
    monkeypatch.setattr("staging.admin.rows.list.PAGE_ROWS", 3)
    seen_on = set()
    for seed in range(examples(2)):
        with transaction.atomic():
            fill_the_world(random.Random(seed))
            for page in pages():
                for number, address in numbers(viewer, page):
                    things = listed(viewer, address)
                    assert len(things) == len(set(things)) == number, (seed, page, address)
                    seen_on |= {re.sub(r"\d+", "1", page)} if number else set()
            transaction.set_rollback(True)
    assert seen_on == {
        "/admin/scheduling/schedulerconfiguration/", "/admin/scheduling/schedulerconfiguration/rejected/",
        "/admin/scheduling/schedulerconfiguration/1/change/", "/admin/staging/entity/1/change/",
        "/admin/staging/entity/1/rows/", "/admin/staging/batch/1/change/", "/admin/scheduling/run/1/change/",
    }  # fmt: skip
