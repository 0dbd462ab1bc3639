"""Promise: who is limited to one entity learns nothing of another, no name and no number, wherever the pages lead.

Pages are read twice, before there is another entity and after it has everything an entity can have: they are the same.
"""

import json
import re
from datetime import timedelta
from html import unescape
from io import BytesIO
from urllib.parse import urljoin, urlsplit
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import Group
from django.db import connection

from scheduling import clock
from scheduling.models import (
    BlackoutCalendar,
    Job,
    JobSchedule,
    Plan,
    Queue,
    Run,
    SchedulerConfiguration,
    SchedulerLog,
)
from scheduling.plans.draft import PlanDraft, fault_in_plan
from scheduling.plans.outline import Sight
from scheduling.plans.save import save_dependencies, save_plan
from scheduling.runs.by_hand import start_batch_now, start_plans_now
from staging.entities.save import save_entity
from staging.models import Attribute, Batch, BusinessRule, Entity
from staging.states import DataType
from tests.depth import DEEP, some
from tests.scheduling.admin.conftest import client_of, make_limited
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=5)
DAILY = {"schedule_type": "daily", "run_times": "07:00", "is_enabled": True}
MARK = "zebra"
MOST = 400 if DEEP else 200
# What an address of a list changes in its order or place only, and what leaves the pages.
_SKIPPED = re.compile(r"[?&](o|p|e|_facets|all)=|/logout/|/password_change/|/jsi18n/|/static/|#")
_SINCE = "from=2026-03-02T00:00:00Z&until=2026-03-05T00:00:00Z"


@pytest.fixture
def populate(make_entity, deposit):
    """Return a function that gives an entity something of everything."""

    def make(code, rows):
        configuration = make_entity(code, processing_mode="scheduled", next_scheduled_run=NOW + timedelta(hours=1),
                                    armed_from=NOW, **DAILY)  # fmt: skip
        entity = configuration.entity
        entity.keep_history, entity.description = True, f"All about {code}."
        save_entity(entity, [])
        for prefix, staff in (("good", "5"), ("bad", "many")):
            deposit(code, rows, NOW - timedelta(minutes=9), staff=staff, prefix=f"{code}-{prefix}")
        start_batch_now(configuration, tag="", started_by="ann", now=NOW)
        work_off(NOW)
        deposit(code, rows, NOW, prefix=f"{code}-new")
        plan = save_plan(PlanDraft(Plan(name=f"Of {code}"), DAILY, [step(entity)]), now=NOW)
        Plan.objects.filter(pk=plan.pk).update(next_scheduled_run=NOW + timedelta(minutes=30))
        for status in ("failed", "running"):
            run = Run.objects.create(kind="batch", entity=entity, fire_key=f"{code}{status}", created_at=NOW,
                                     started_at=NOW, status=status,
                                     finished_at=NOW if status == "failed" else None)  # fmt: skip
            run.tasks.create(key=code, workload="batch", entity=entity, target_id=entity.pk, status=status,
                             finished_at=run.finished_at, queue=Queue.objects.get())  # fmt: skip
        Batch.objects.create(entity=entity, status="held", hold_reason="Every batch waits.", created_at=NOW)
        rule = BusinessRule.objects.create(entity=entity, name=f"Rule of {code}", is_cancelled=True)
        rule.lines.create(part="must", attribute="staff", comparison="not_empty")
        return entity

    return make


def with_another(populate, customer):
    """Make another entity with everything, tied to the own one wherever entities can be."""
    other = populate(MARK, 7)
    Entity.objects.filter(pk=other.pk).update(name="Zebra prices")
    refers = Attribute(name="zebra_owner", data_type=DataType.REFERENCE, reference=customer, position=5)
    save_entity(Entity.objects.get(pk=other.pk), [refers])
    with connection.cursor() as cursor:
        cursor.execute("UPDATE mdm_zebra SET zebra_owner = (SELECT min(id) FROM mdm_customer)")
    save_dependencies(other, [customer.code])
    plan = save_plan(PlanDraft(Plan(name="Zebra and all"), DAILY, [step(customer), step(other)]), now=NOW)
    save_plan(PlanDraft(Plan(name="Around zebra"), DAILY, [step(plan)]), now=NOW)
    other.configuration.calendar = BlackoutCalendar.objects.get()
    other.configuration.save()
    job = Job.objects.create(name="Zebra report", path="shop.jobs.zebra", source="shop/jobs.py:1")
    JobSchedule.objects.create(job=job, name="Daily", next_scheduled_run=NOW + timedelta(minutes=1), **DAILY)
    start_plans_now(["Of zebra"], started_by="bob", now=NOW)


def read(client, address):
    """Return what stands at an address, without what differs each time."""
    response = client.get(address)
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if content.startswith(b"PK"):  # a workbook
        with ZipFile(BytesIO(content)) as book:
            content = b"".join(book.read(name) for name in book.namelist() if "sheet" in name or "Strings" in name)
    text = unescape(content.decode(errors="replace"))
    text = re.sub(r'(name="csrfmiddlewaretoken" value=|nonce=|name="(?:drafts|old)" value=)"[^"]*"', r"\1", text)
    return response.status_code, re.sub(r"\bfile=[\w:.%-]+", "", text)


def crawl(client, start="/admin/"):
    """Return every page that the links of the pages lead to, with its status and text."""
    found, ahead = {}, [start]
    while ahead and len(found) < MOST:
        address = ahead.pop(0)
        if address in found:
            continue
        found[address] = read(client, address)
        for link in re.findall(r'href="([^"]+)"', found[address][1]):
            whole = urljoin(address, re.sub(r"[?&]_changelist_filters=[^&]*", "", link))
            if urlsplit(whole).path.startswith("/admin/") and "&" not in whole and not _SKIPPED.search(whole):
                ahead.append(whole)
    return found


@pytest.fixture
def still(monkeypatch, db):
    """The time stands still, so that pages differ by what is stored alone; a calendar is there for everybody."""
    monkeypatch.setattr(clock, "now", lambda: LATER)
    BlackoutCalendar.objects.create(name="Holidays")


@pytest.mark.parametrize("role", some(["Viewer", "Administrator"], one_in=2))
def test_pages_hold_nothing_of_another_entity(role, populate, still):
    customer = populate("customer", 2)
    client, first = client_of(make_limited(role, "customer")), Batch.objects.earliest("pk")
    before = crawl(client)
    assert len(before) > 40 and {status for status, _ in before.values()} <= {200, 302}, {
        address: status for address, (status, _) in before.items() if status not in (200, 302)
    }
    with_another(populate, customer)
    after = crawl(client)
    assert [address for address, (_, text) in after.items() if MARK in text.lower()] == []
    assert set(after) == set(before)
    told = {  # that somebody refers to it, not who
        f"/admin/staging/entity/{customer.pk}/delete/",
        f"/admin/scheduling/schedulerconfiguration/{customer.configuration.pk}/undo/?batch={first.pk}",
    }
    differ = [at for at, (_, text) in after.items() if text != before[at][1] and at not in told]
    assert differ == []


API = ["entities", "entities/customer", "entities/customer/rows", "entities/customer/members", "batches", "runs", "log",
       "plans", "plans/Of%20customer", "entities/customer/schedule", f"forecast?{_SINCE}"]  # fmt: skip


def test_the_api_answers_the_same_with_another_entity(populate, still):
    customer = populate("customer", 2)
    client = client_of(make_limited("Administrator", "customer"))
    before = {address: read(client, f"/api/v1/{address}") for address in API}
    simulate = {"from": "2026-03-02T00:00:00Z", "until": "2026-03-05T00:00:00Z"}

    def simulated():
        return client.post("/api/v1/simulate", json.dumps(simulate), content_type="application/json").json()

    foreseen = simulated()
    assert {status for status, _ in before.values()} == {200} and foreseen["fires"]
    with_another(populate, customer)
    after = {address: read(client, f"/api/v1/{address}") for address in API}
    assert after == before and simulated() == foreseen
    for address in (
        "plans/Of%20zebra",
        "entities/zebra",
        "entities/nothing",
        "plans/Nothing",
        "jobs",
        "queues",
        "status",
    ):
        assert client.get(f"/api/v1/{address}").status_code == 403, address


def test_what_is_of_all_entities_is_seen_by_those_who_are_for_all(populate, still):
    """The pages do show the other entity to whoever may see it: the test above would notice."""
    with_another(populate, populate("customer", 2))
    client = client_of(make_limited("Viewer", "customer", MARK))
    assert sum(MARK in text.lower() for _, text in crawl(client).values()) > 20


def test_what_the_own_entity_refers_to_is_named_and_stays_closed(populate, still):
    """Its name belongs to the definition of the own one; its codes, members and figures do not."""
    other, customer = populate(MARK, 3), populate("customer", 2)
    third = Attribute(name="animal", data_type=DataType.REFERENCE, reference=other, position=5)
    save_entity(Entity.objects.get(pk=customer.pk), [third])
    client = client_of(make_limited("Administrator", "customer"))
    wider = client_of(make_limited("Viewer", "customer", MARK))
    for asked in ("", "?as=json"):
        status, text = read(client, f"/admin/staging/entity/{customer.pk}/contract/{asked}")
        assert status == 200 and "zebra-good" not in text
        assert "zebra-good" in read(wider, f"/admin/staging/entity/{customer.pk}/contract/{asked}")[1]
    assert {
        read(client, f"/admin/staging/entity/{other.pk}/{page}/")[0] for page in ("rows", "members", "contract")
    } == {403}


def test_a_member_tells_only_those_who_refer_to_it_that_the_person_may_see(populate, still):
    customer = populate("customer", 2)
    with_another(populate, customer)
    with connection.cursor() as cursor:
        cursor.execute("SELECT min(id) FROM mdm_customer")
        address = f"/admin/staging/entity/{customer.pk}/members/{cursor.fetchone()[0]}/"
    assert "Zebra prices" in read(client_of(make_limited("Viewer", "customer", MARK)), address)[1]
    assert MARK not in read(client_of(make_limited("Steward", "customer")), address)[1].lower()


def test_an_entity_newly_refers_and_depends_only_on_what_is_seen(populate, still):
    customer, other = populate("customer", 2), populate(MARK, 1)
    client = client_of(make_limited("Administrator", "customer"))
    place = f"/admin/scheduling/schedulerconfiguration/{customer.configuration.pk}/dependencies/"
    assert client.post(place, {"depends_on": [MARK]}).status_code == 200
    assert not customer.dependencies.exists()
    change = {"attributes": [{"name": "animal", "type": "reference", "reference": MARK}]}
    asked = {"data": json.dumps(change), "content_type": "application/json", "headers": {"If-Match": "*"}}
    answer = client.patch("/api/v1/entities/customer", **asked)
    assert answer.status_code == 403, answer.json()["errors"]
    assert not Attribute.objects.filter(reference=other).exists()


def test_a_plan_takes_only_what_its_maker_may_change(populate, still):
    customer, other = populate("customer", 2), populate(MARK, 1)
    client = client_of(make_limited("Steward", "customer"))
    form = {"name": "Mine", "order": "hierarchy", "overlap": "skip", "timezone": "UTC", "is_enabled": "on",
            "steps-TOTAL_FORMS": "1", "steps-INITIAL_FORMS": "0", "steps-0-step_index": "1", "steps-0-attempts": "1",
            "steps-0-priority": "0", "steps-0-retry_interval_seconds": "60", "steps-0-arguments": "{}"}  # fmt: skip
    for what in (f"entity:{other.pk}", f"plan:{Plan.objects.get(name='Of zebra').pk}", "job:Retention", ""):
        assert client.post("/admin/scheduling/plan/add/", {**form, "steps-0-what": what}).status_code == 200, what
        assert not Plan.objects.filter(name="Mine").exists()
    assert (
        client.post("/admin/scheduling/plan/add/", {**form, "steps-0-what": f"entity:{customer.pk}"}).status_code == 302
    )
    assert Plan.objects.get(name="Mine").steps.get().entity == customer


def test_who_may_start_only_some_of_a_plan_starts_nothing_of_it(populate, still):
    """A viewer of everything who is an operator of customers; the plan grew after the page was opened."""
    customer = populate("customer", 2)
    with_another(populate, customer)
    person = make_limited("Operator", "customer")
    person.groups.add(Group.objects.get(name="Viewer"))
    plan, before = Plan.objects.get(name="Zebra and all"), Run.objects.count()
    assert client_of(person).post(f"/admin/scheduling/plan/{plan.pk}/run/").status_code == 403
    answer = client_of(person).post(
        "/admin/scheduling/plan/",
        {"action": "run_selected", "confirmed": "yes", "index": "0", "_selected_action": [plan.pk]},
        follow=True,
    )
    assert "which you do not have: zebra" in answer.content.decode() and Run.objects.count() == before


@pytest.mark.parametrize("page", ["log", "event", "configuration", "list", "batch", "slots", "plans", "plan"])
def test_no_page_leads_to_a_run_that_holds_the_work_of_others(page, populate, still):
    """The run of a plan is of several entities; who sees one of them gets no link that answers forbidden."""
    customer, other = populate("customer", 2), populate(MARK, 1)
    run = Run.objects.create(kind="plan", fire_key="both", created_at=NOW, started_at=NOW, status="running")
    task, _ = (run.tasks.create(key=each.code, workload="batch", entity=each, target_id=each.pk, status="running",
                                queue=Queue.objects.get()) for each in (customer, other))  # fmt: skip
    batch = Batch.objects.create(entity=customer, task_id=task.pk, created_at=NOW)
    event = SchedulerLog.objects.create(entity=customer, event_time=LATER, event_type="fired", run_id=run.pk)
    SchedulerConfiguration.objects.filter(entity=customer).update(is_running=True, running_task=task,
                                                                  run_started_at=NOW)  # fmt: skip
    Plan.objects.filter(name="Of customer").update(is_running=True, running_run=run, run_started_at=NOW)
    configuration = f"/admin/scheduling/schedulerconfiguration/{customer.configuration.pk}"
    Batch.objects.filter(entity=customer, task_id=None).update(task_id=task.pk)
    address = {"log": "/admin/scheduling/schedulerlog/?period=all", "list": "/admin/scheduling/schedulerconfiguration/",
               "event": f"/admin/scheduling/schedulerlog/{event.pk}/change/", "slots": f"{configuration}/why-not/",
               "configuration": f"{configuration}/change/", "plans": "/admin/scheduling/plan/",
               "plan": f"/admin/scheduling/plan/{Plan.objects.get(name='Of customer').pk}/change/",
               "batch": f"/admin/staging/batch/{batch.pk}/change/"}[page]  # fmt: skip
    limited, wider = (client_of(make_limited("Viewer", *codes)) for codes in (["customer"], ["customer", MARK]))
    link = f"/scheduling/run/{run.pk}/change/"
    status, text = read(limited, address)
    assert status == 200 and link not in text and "of-task" not in text
    assert page == "slots" or link in read(wider, address)[1]
    for found in re.findall(r'href="([^"]*/scheduling/run/[^"?]+)"', text):
        assert limited.get(urljoin(address, found)).status_code == 200, found


def test_the_sentence_about_a_circle_names_nothing_that_is_not_seen(populate, still):
    """region depends on zebra, zebra on customer: customer may not come after region, whoever is told so."""
    region, other, customer = populate("region", 1), populate(MARK, 1), populate("customer", 2)
    save_dependencies(region, [MARK])
    save_dependencies(other, ["customer"])
    place = f"/admin/scheduling/schedulerconfiguration/{customer.configuration.pk}/dependencies/"
    told = {}
    for codes in (("customer", "region"), ("customer", "region", MARK)):
        client = client_of(make_limited("Administrator", *codes))
        answer = client.post(place, {"depends_on": ["region"]})
        told[len(codes)] = answer.content.decode()
        assert "in a circle" in told[len(codes)] and not customer.dependencies.exists()
    assert MARK not in told[2].lower() and MARK in told[3].lower()


def test_the_sentence_about_a_circle_in_a_plan_of_others_does_not_name_it():
    """A plan that runs one's own may have steps of others, and they stand in the sentence about it."""
    assert "zebra" not in fault_in_plan("Around zebra", "x > zebra > x", Sight({"customer"}, {"Of customer"}))
    assert "Of customer" in fault_in_plan("Of customer", "x > y > x", Sight({"customer"}, {"Of customer"}))
