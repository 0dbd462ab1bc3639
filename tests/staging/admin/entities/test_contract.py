"""The contract is a page for whoever may see rows, and a JSON document; altered tables do not break it."""

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from staging.models import Entity
from tests.staging.admin.conftest import Reject


@pytest.fixture
def url(branch: Entity) -> str:
    return reverse("admin:staging_contract", args=[branch.pk])


def test_a_viewer_reads_columns_examples_and_the_last_errors(viewer: Client, url: str, reject: Reject) -> None:
    reject(batch_tag="monday")
    page = viewer.get(url).content.decode()
    for expected in ("stg_branch", "staff", "INSERT INTO", "monday", "Not of the attribute&#x27;s type", "As JSON"):
        assert expected in page


def test_the_same_as_json(viewer: Client, url: str, branch: Entity) -> None:
    document = viewer.get(f"{url}?as=json").json()
    assert document["entity"]["code"] == branch.code
    assert {"columns", "import_actions", "statuses", "errors", "examples", "last_errors"} <= set(document)


def test_who_may_not_see_rows_may_not_see_it(as_role, url: str) -> None:
    assert as_role("").get(url).status_code == 403


def test_altered_tables_are_named_on_it(viewer: Client, url: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE stg_branch DROP COLUMN batch_tag")
    assert "Column stg_branch.batch_tag is missing." in viewer.get(url).content.decode()


def test_it_changes_nothing(viewer: Client, url: str) -> None:
    assert viewer.post(url).status_code == 405
