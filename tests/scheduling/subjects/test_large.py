"""Promise: a plan of many steps and an entity of three hundred attributes are one version, read page by page."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.model_files.load import load
from scheduling.models import AlertChannel, Plan, SqlScript
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from staging.entities.save import save_entity
from staging.errors import CannotGoBack
from staging.models import Attribute, Entity, Version
from staging.versions.subjects import subject_of
from tests.scheduling.admin.conftest import NOW, client_for
from tests.scheduling.plans.conftest import step
from tests.scheduling.subjects.test_pages import history, text_of

pytestmark = pytest.mark.django_db
STEPS = 900  # Django asks SQLite for a thousand rows by a term that is too deep for it


@pytest.fixture
def long_plan(db):
    """Return a plan of so many steps whose first version is stored, and how many statements versions took."""
    Entity.objects.bulk_create(Entity(code=f"e{n}", name=f"E {n}") for n in range(STEPS))
    draft = PlanDraft(Plan(name="Long"), {}, [step(each) for each in Entity.objects.order_by("pk")])
    return save_plan(draft, now=NOW)


def test_a_long_plan_is_one_version_and_few_statements(long_plan):
    subject = subject_of(Plan)
    draft = PlanDraft.of(long_plan)
    for each in draft.steps:
        each.step.priority = 7
    with CaptureQueriesContext(connection) as taken:
        save_plan(draft, now=NOW)
    own = [each["sql"] for each in taken if "staging_version" in each["sql"]]
    assert Version.objects.filter(subject_type=subject.key).count() == 2
    assert len(own) <= 5 and len(taken) <= 3 * STEPS + 60, (len(own), len(taken))
    with CaptureQueriesContext(connection) as taken:
        content = subject.read(long_plan)
    assert len(content["steps"]) == STEPS and len(taken) <= 12


def test_the_difference_of_a_long_plan_is_read_page_by_page(long_plan):
    draft = PlanDraft.of(long_plan)
    for each in draft.steps:
        each.step.priority = 7
    save_plan(draft, now=NOW)
    client = client_for("Steward")
    with CaptureQueriesContext(connection) as taken:
        page = text_of(client.get(history(long_plan)))
    assert "and 880 more" in page and len(taken) < 25
    first = client.get(history(long_plan, **{"from": 1, "to": 2})).content.decode()
    assert "1 to 100 of 900" in first and "Step e99, Priority" in first and "Step e100, Priority" not in first
    last = client.get(history(long_plan, **{"from": 1, "to": 2, "beyond": 800})).content.decode()
    assert "Step e899, Priority" in last and "Next ones" not in last and "Earlier ones" in last
    version = client.get(history(long_plan, version=1, beyond=100)).content.decode()
    assert "and 800 more" in version and "101 to 200 of 900" in version and "Step e150" in version
    assert client.get(history(long_plan, version=1, beyond="x")).status_code == 200
    assert client.get(history(long_plan, version=1, beyond=10**17)).status_code == 200


def test_an_entity_of_three_hundred_attributes_is_one_version(db):
    entity = Entity(code="wide", name="Wide")
    attributes = [Attribute(name=f"a{n}", data_type="text", choices=[f"c{m}" for m in range(50)]) for n in range(300)]
    save_entity(entity, attributes)
    versions = Version.objects.filter(subject_type="staging.entity", subject_id=entity.pk)
    assert len(versions.get().content["attributes"]) == 300
    changed = entity.attributes.get(name="a7")
    changed.choices = [*changed.choices[1:], "new one"]
    save_entity(entity, [changed])
    page = text_of(client_for("Steward").get(history(entity)))
    assert "Attribute a7, Allowed values: 50 values, among them c0 → 50 values, among them new one" in page


def test_of_a_long_script_the_page_shows_the_lines_that_differ_and_a_version_all_of_it(db):
    sql = "\n".join(["select * from (values", *(f"  ({n})," for n in range(299)), "  (299)) numbers"])
    for text in (sql, sql.replace("(150)", "(-1)")):
        load({"version": 1, "scripts": [{"name": "Tidy", "sql": text}]}, now=NOW)
    script, client = SqlScript.objects.get(), client_for("superuser")
    assert "  (-1)," in client.get(history(script)).content.decode()
    two = client.get(history(script, **{"from": 1, "to": 2})).content.decode()
    assert "  (150),\n" in two and "  (-1)," in two and "  (140)," not in two
    assert all(f"  ({n})" in client.get(history(script, version=1)).content.decode() for n in (0, 150, 299))


def test_a_new_address_of_a_channel_is_told_and_given_away_by_nothing(db):
    client = client_for("superuser")
    channel = AlertChannel.objects.create(name="Hook", kind="webhook", url="https://example.com/s3cret", secret="pst")
    address = f"/admin/scheduling/alertchannel/{channel.pk}/change/"
    sent = {"name": "Hook", "kind": "webhook", "url": "https://example.com/s3cret2", "secret": "pst", "digest":
            "at_once", "timezone": "UTC", "is_enabled": "on"}  # fmt: skip
    assert client.post(address, sent).status_code == 302
    pages = [client.get(history(channel, **asked)) for asked in ({}, {"version": 1}, {"from": 1, "to": 2})]
    told = str(list(Version.objects.values_list("content", "change"))) + "".join(str(page.content) for page in pages)
    assert "URL: kept secret, mark" in text_of(pages[0]) and "s3cret" not in told and "pst" not in told
    assert "These stay as they are now: URL." in text_of(pages[1])
    assert "Go back to this version" not in text_of(pages[1])


def test_a_channel_that_would_lead_nowhere_does_not_go_back(db):
    channel = AlertChannel.objects.create(name="Hook", kind="webhook", url="https://example.com/s3cret")
    content = subject_of(AlertChannel).read(channel)
    channel.kind, channel.url, channel.addresses = "email", "", "a@example.com"
    channel.save()
    with pytest.raises(CannotGoBack, match="Write the address that is called"):
        subject_of(AlertChannel).restore(channel, content)
    assert AlertChannel.objects.get(pk=channel.pk).kind == "email"
