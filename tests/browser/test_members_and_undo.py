"""A steward looks at production, finds a member, reads what it was, and undoes a batch; on a screen and on a phone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from scheduling import clock
from scheduling.models import SchedulerConfiguration
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.execute import execute_task as work_off
from staging.models import Batch, Entity
from tests.browser.conftest import Person
from tests.browser.screens import faults, looks_at_pages, with_and_without_scripts
from tests.staging.batches.bench import define, execute, members, reference, stage, text


def merged(entity: Entity, *rows: dict[str, str]) -> Batch:
    """Stage rows and process them as the scheduler does."""
    stage(entity, *rows)
    configuration = SchedulerConfiguration.objects.select_related("entity").get(entity=entity)
    started = start_batch_now(configuration, started_by="ann", now=clock.now())
    assert work_off(started.task.pk, worker="test")
    return Batch.objects.get(pk=started.batch.pk)


@pytest.fixture
def branch(transactional_db: None) -> Iterator[Entity]:
    """Branches that refer to regions, changed by two batches, the second of which went wrong."""
    region = define("region", text("manager"), keep_history=True)
    merged(region, {"code": "NL", "name": "Netherlands"}, {"code": "BE", "name": "Belgium"})
    attributes = [
        {"name": "staff", "data_type": "integer"},
        {"name": "opened_on", "data_type": "date"},
        reference("region", "region"),
        text("email"),
    ]
    entity = define("branch", *attributes, keep_history=True)
    cities = enumerate(["Amsterdam", "Rotterdam", "Utrecht", "Eindhoven", "Groningen"], 1)
    rest = {"region": "NL", "opened_on": "2001-03-01"}
    mails = {n: f"b{n}@example.org" for n in range(1, 6)}
    merged(entity, *({"code": f"B{n}", "name": c, "staff": str(n * 9), "email": mails[n], **rest} for n, c in cities))
    wrong = {"code": "B1", "name": "Brussels", "region": "BE", "staff": "400"}
    merged(entity, wrong, {"code": "B2", "staff": "1"}, {"code": "B9", "name": "Antwerp", "region": "BE"})
    merged(entity, {"code": "B2", "email": "rotterdam@example.org"})
    yield entity
    for code in ("branch", "region"):
        for prefix in ("stg", "hst", "mdm"):
            execute(f"DROP TABLE {prefix}_{code}")


def wrong_batch(entity: Entity) -> Batch:
    return Batch.objects.filter(entity=entity).order_by("pk")[1]


@with_and_without_scripts
def test_a_steward_finds_a_member_and_undoes_the_batch_that_spoilt_it(steward: Person, branch: Entity) -> None:
    steward.visit("staging/entity/")
    page = steward.page
    page.get_by_role("link", name="Members of Branch").click()
    page.get_by_label("Attribute").select_option("staff")
    page.get_by_label("Comparison").select_option("from")
    page.get_by_label("Value").fill("100")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".members tbody tr")).to_have_count(1)
    page.get_by_role("link", name="B1", exact=True).click()
    history = page.get_by_role("row", name="Updated")
    expect(history).to_contain_text("Amsterdam")
    expect(history).to_contain_text("Brussels")
    history.get_by_role("link").last.click()
    page.get_by_role("link", name="Undo this batch").click()
    expect(page.locator("#content-main")).to_contain_text("1 member cannot be put back")
    expect(page.get_by_role("row", name="B2")).to_contain_text("It was changed since.")
    page.get_by_role("button", name="Undo 2, leave 1 as it is").click()
    expect(page.locator(".messagelist")).to_contain_text("started")
    undo = Batch.objects.get(undoes=wrong_batch(branch))
    assert work_off(undo.task_id or 0, worker="test")
    found = members(branch)
    assert (found["B1"]["name"], found["B1"]["region"], found["B2"]["staff"]) == ("Amsterdam", "NL", 1)
    assert "B9" not in found
    assert steward.complaints == []


@looks_at_pages
def test_the_pages_fit_every_screen_and_have_no_serious_fault(steward: Person, branch: Entity) -> None:
    member = members(branch)["B1"]["id"]
    configuration = SchedulerConfiguration.objects.get(entity=branch).pk
    batch = wrong_batch(branch)
    pages = {
        "members": f"staging/entity/{branch.pk}/members/?f=staff:from:5&f=email:filled:",
        "none": f"staging/entity/{branch.pk}/members/?q=nothing",
        "bad filter": f"staging/entity/{branch.pk}/members/?column=staff&comparison=is&value=many",
        "member": f"staging/entity/{branch.pk}/members/{member}/",
        "undo": f"scheduling/schedulerconfiguration/{configuration}/undo/?batch={batch.pk}",
        "batch": f"staging/batch/{batch.pk}/change/",
    }
    found = []
    for name, path in pages.items():
        steward.visit(path)
        found += faults(steward, name)
    assert found == []
