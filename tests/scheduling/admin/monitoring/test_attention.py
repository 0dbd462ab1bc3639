"""Promise: every number of the start page is the number of things in the list that it opens, in any world."""

import html
import random
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.template.loader import render_to_string
from django.test import Client

from scheduling import clock
from scheduling.models import Alert, Job, JobSchedule, Plan, Queue, Run, SchedulerConfiguration, SchedulerState, Task
from scheduling.schedules.pause import pause_everything
from staging.models import Batch, Entity
from tests.depth import examples
from tests.scheduling.admin.conftest import client_for, client_of, failure_rule, make_configuration, make_limited

pytestmark = pytest.mark.django_db
CODES = ("customer", "branch", "region", "price")
ENDED, LIVE = ("completed", "failed", "cancelled"), ("pending", "running")


def fill_the_world(dice: random.Random) -> None:
    """Runs, batches, schedules, pauses and rejected rows, of any state and age, around the edges that count."""
    now = clock.now()
    entities, queue = list(Entity.objects.all()), Queue.objects.get_or_create(name="default")[0]

    def ago() -> timedelta:
        return timedelta(hours=dice.choice([0.01, 1, 23.9, 24.1, 90]))

    good = Run.objects.create(kind="job", fire_key="good", status="completed", created_at=now, finished_at=now)
    for number in range(dice.randrange(130)):
        status = dice.choice([*ENDED, *LIVE, "failed"])
        at = now - ago()
        run = Run.objects.create(
            kind="batch", entity=dice.choice(entities), fire_key=f"r{number}", status=status, created_at=at,
            finished_at=at if status in ENDED else None, made_good_by=dice.choice([None, None, good]),
            next_attempt_at=dice.choice([None, None, now + timedelta(hours=1)]) if status == "failed" else None,
        )  # fmt: skip
        if status in LIVE:
            held = dice.choice([None, at])
            Task.objects.create(run=run, key="x", workload="batch", entity=run.entity, target_id=run.entity_id,
                                queue=queue, status="waiting", held_at=held)  # fmt: skip
    for _ in range(dice.randrange(70)):
        status = dice.choice(["completed", "held", "held", "failed", "running"])
        Batch.objects.create(entity=dice.choice(entities), status=status, created_at=now,
                             finished_at=now if status in ("completed", "failed") else None)  # fmt: skip

    def state() -> dict[str, object]:
        minutes = dice.choice([-90, -4, -3.5, -1, 30])
        since = {"paused_at": now - ago(), "paused_by": "ann"} if dice.random() < 0.3 else {}
        running = {"is_running": True, "run_started_at": now} if dice.random() < 0.2 else {}
        planned = dice.choice([None, now + timedelta(minutes=minutes), now + timedelta(minutes=minutes)])
        rest = {"is_enabled": dice.random() < 0.8, "next_scheduled_run": planned}
        return {"schedule_type": "daily", "run_times": "06:00", **rest, **since, **running}

    for configuration in SchedulerConfiguration.objects.all():
        mode = dice.choice(["scheduled", "scheduled", "manual"])
        SchedulerConfiguration.objects.filter(pk=configuration.pk).update(processing_mode=mode, **state())
    Entity.objects.filter(pk=dice.choice(entities).pk).update(is_cancelled=dice.random() < 0.5)
    for number in range(4):
        Plan.objects.create(name=f"Plan {number}", is_cancelled=dice.random() < 0.2, **state())
        gone = now if dice.random() < 0.2 else None
        job = Job.objects.create(name=f"Job {number}", path=f"x.y{number}", source="x.py:1", removed_at=gone,
                                 paused_at=now if dice.random() < 0.3 else None)  # fmt: skip
        JobSchedule.objects.create(job=job, name="Daily", removed_at=gone, **state())
    for number in range(dice.randrange(9)):
        of, end = dice.choice([None, *entities]), dice.choice([None, None, now])
        Alert.objects.create(rule=failure_rule(), subject=str(number), entity=of, opened_at=now, ended_at=end)
    with connection.cursor() as cursor:
        for code in CODES:
            rows = [(dice.choice([0, 1, 2, 2]),) for _ in range(dice.randrange(9))]
            cursor.executemany(f"INSERT INTO stg_{code} (code, import_status) VALUES ('A', %s)", rows)


def cards_of(client: Client) -> dict[str, tuple[int, str]]:
    """Return the number and the link of each card."""
    page = client.get("/admin/").content.decode()
    found = {}
    for part in page.split('id="card-')[1:]:
        card = part.split("</section>")[0]
        number = int(card.split('class="figure">')[1].split("<")[0].replace(",", ""))
        link = html.unescape(card.split('href="')[1].split('"')[0]) if "href=" in card else ""
        found[card.split('"')[0]] = (number, link)
    return found


def listed(client: Client, name: str, link: str) -> Iterator[object]:
    """Yield what the list behind a card shows, over all of its pages."""
    while link:
        context = client.get(link).context
        base = link.split("?")[0]
        if name in ("failed", "live", "holding"):
            yield from (run.pk for run, *_ in context["rows"])
            link = base + context["older_url"] if context["older_url"] else ""
        elif name == "held":
            yield from (batch.pk for batch in context["cl"].result_list)
            link = base + context["cl"].older if context["cl"].older else ""
        elif name == "rejected":
            for entity, count in context["entities"]:
                yield from ((entity.pk, number) for number in range(count or 0))
            link = ""
        elif name == "alerts":
            yield from (row.alert for row in context["rows"])
            link = base + context["older_url"] if context["older_url"] else ""
        else:
            yield from (row.thing for row in context["rows"])
            link = base + context["older_url"] if context["older_url"] else ""


@pytest.mark.parametrize("who", ["all", "one entity"])
def test_each_number_is_that_of_the_list_it_opens(who, monkeypatch):
    for code in CODES:
        make_configuration(code)
    client = client_for("Viewer") if who == "all" else client_of(make_limited("Viewer", "customer"))
    for module in ("monitoring.attention_pages", "alerts.alerts"):
        monkeypatch.setattr(f"scheduling.admin.{module}._PAGE_SIZE", 3)
    seen_some = set()
    for seed in range(examples(3)):
        with transaction.atomic():
            fill_the_world(random.Random(seed))
            cards = cards_of(client)
            assert set(cards) - {"holding"} == {"alerts", "failed", "live", "overdue", "rejected", "held", "paused"}
            for name, (number, link) in cards.items():
                things = list(listed(client, name, link))
                assert len(things) == len(set(things)) == number, (seed, name, number, things)
                seen_some |= {name} if number else set()
            transaction.set_rollback(True)
    assert who != "all" or seen_some == set(cards) | {"holding"}


def test_a_table_that_cannot_be_counted_is_named_and_spoils_no_number(viewer):
    for code in ("customer", "branch"):
        make_configuration(code)
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO stg_branch (code, import_status) VALUES ('A', 2)")
        cursor.execute("DROP TABLE stg_customer")
    number, link = cards_of(viewer)["rejected"]
    assert number == 1 and link
    page = viewer.get(link).content.decode()
    assert "Customer" in page and "cannot be counted" in page


def test_people_see_no_card_of_what_is_not_theirs_to_see():
    assert cards_of(client_for("nobody")) == {}


def test_what_is_overdue_is_marked_among_the_next_runs(viewer):
    make_configuration("customer", processing_mode="scheduled", schedule_type="daily", run_times="06:00",
                       next_scheduled_run=clock.now() - timedelta(minutes=10))  # fmt: skip
    page = viewer.get("/admin/").content.decode()
    assert "overdue</span>" in page.split('id="next-runs"')[1]
    assert "Why did Customer not run?" in viewer.get(cards_of(viewer)["overdue"][1]).content.decode()


def test_nothing_is_overdue_or_next_while_everything_is_paused(viewer):
    now = clock.now()
    for code, at in (("customer", now - timedelta(minutes=10)), ("branch", now + timedelta(minutes=10))):
        make_configuration(code, processing_mode="scheduled", schedule_type="daily", run_times="06:00",
                           next_scheduled_run=at)  # fmt: skip
    overdue = "/admin/scheduling/schedulerconfiguration/overdue/"
    assert cards_of(viewer)["overdue"][0] == 1
    pause_everything(by="ann", reason="Fire drill", until=now + timedelta(minutes=5), now=now)
    assert cards_of(viewer)["overdue"][0] == 0 and "Customer" not in viewer.get(overdue).content.decode()
    following = viewer.get("/admin/").content.decode().split('id="next-runs"')[1]
    assert "Customer" not in following and "Branch" in following, "what comes after the pause does start"
    SchedulerState.objects.update(paused_until=None)
    following = viewer.get("/admin/").content.decode().split('id="next-runs"')[1]
    assert "Branch" not in following and "Everything is paused: nothing starts by itself." in following


@pytest.mark.parametrize(("number", "words"), [(1, "1 rejected row<"), (2, "2 rejected rows, the most first<")])
def test_one_is_not_told_as_many(number: int, words: str) -> None:
    context = {"entities": [(Entity(pk=1, code="a", name="A"), number)], "total": number}
    assert words in render_to_string("scheduling/rejected.html", context)
