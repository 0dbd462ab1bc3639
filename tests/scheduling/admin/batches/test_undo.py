"""The undo page says what will happen before it happens, and only stewards and administrators may do it."""

import pytest
from django.db import connection

from scheduling import clock
from scheduling.models import Run
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.execute import execute_task
from staging.models import Batch, Entity
from staging.tables.alter import sync_tables
from tests.scheduling.admin.conftest import client_for, make_configuration

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch() -> Batch:
    configuration = make_configuration("branch")
    Entity.objects.update(keep_history=True)
    configuration.entity.refresh_from_db()
    sync_tables(configuration.entity)
    return merged(configuration, "a", "b")


def merged(configuration, *codes: str, name: str = "N", table: str = "stg_branch") -> Batch:
    with connection.cursor() as cursor:
        for code in codes:
            cursor.execute(f"INSERT INTO {table} (code, name) VALUES (%s, %s)", [code, name])
    started = start_batch_now(configuration, started_by="ann", now=clock.now())
    execute_task(started.task.pk, worker="test")
    return Batch.objects.select_related("entity__configuration").get(pk=started.batch.pk)


def address(batch: Batch) -> str:
    return f"/admin/scheduling/schedulerconfiguration/{batch.entity.configuration.pk}/undo/?batch={batch.pk}"


@pytest.mark.parametrize(
    ("role", "status"), [("Viewer", 403), ("Operator", 403), ("Steward", 200), ("Administrator", 200)]
)
def test_only_stewards_and_administrators(batch, role, status):
    browser = client_for(role)
    assert browser.get(address(batch)).status_code == status
    assert browser.post(address(batch)).status_code == (302 if status == 200 else status)
    assert Run.objects.count() == (2 if status == 200 else 1)


def test_it_says_what_will_happen_and_then_does_it(batch, steward):
    page = steward.get(address(batch)).content.decode()
    assert "Go, because the batch brought them" in page and "Undo this batch" in page
    answer = steward.post(address(batch))
    undo = Batch.objects.get(undoes=batch)
    assert answer.headers["Location"] == f"/admin/scheduling/run/{Run.objects.latest('id').pk}/change/"
    execute_task(undo.task_id, worker="test")
    undo.refresh_from_db()
    assert (undo.status, undo.deleted, undo.started_by) == ("completed", 2, "steward")
    assert "There is nothing to undo" in steward.get(address(batch)).content.decode()


def test_what_stands_in_the_way_is_named_and_may_be_left(batch, steward):
    merged(batch.entity.configuration, "b", name="Other <b>")
    page = steward.get(address(batch)).content.decode()
    assert "1 member cannot be put back" in page and "It was changed since." in page
    assert "Undo 1, leave 1 as it is" in page
    steward.post(address(batch))
    assert not Batch.objects.filter(undoes=batch).exists()
    steward.post(address(batch), {"skip_changed": "1"})
    assert Batch.objects.get(undoes=batch).skip_changed


def test_a_batch_that_cannot_be_undone_says_why(batch, steward):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM hst_branch")
    page = steward.get(address(batch)).content.decode()
    assert "retention deleted it" in page and "<form method" not in page.split("content-main")[1]
    assert steward.post(address(batch)).status_code == 302
    assert steward.get(address(batch) + "9999").status_code == 404


def test_the_batch_page_leads_to_it_and_tells_of_undos(batch, steward, viewer):
    own = f"/admin/staging/batch/{batch.pk}/change/"
    assert address(batch) in steward.get(own).content.decode()
    assert address(batch) not in viewer.get(own).content.decode()
    steward.post(address(batch))
    undo = Batch.objects.get(undoes=batch)
    execute_task(undo.task_id, worker="test")
    assert f"/admin/staging/batch/{undo.pk}/change/" in viewer.get(own).content.decode()
    page = viewer.get(f"/admin/staging/batch/{undo.pk}/change/").content.decode()
    assert "Undoes" in page and own in page
