"""What a real batch writes into a rejected row is taken apart and mended until the row is in production."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import open_batch
from staging.models import Batch, Entity
from tests.staging.admin.conftest import Reject, Stored

NOW = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)


def _run(entity: Entity) -> Batch:
    return process(open_batch(entity, now=NOW), fence=NoFence(), now=NOW)


@pytest.mark.django_db(transaction=True)
def test_a_row_with_several_errors_is_mended_column_by_column_and_merged(
    steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    try:
        row_id = reject(staff="many", region="NOWHERE", import_status=0, error_code=0, error_message=None)
        assert _run(branch).rejected == 1
        url = reverse("admin:staging_row_edit", args=[branch.pk, row_id])
        response = steward.get(url)
        beside = {field.name: sentences for field, _, sentences in response.context["lines"] if sentences}
        assert set(beside) == {"column_staff", "column_region"}
        assert response.context["general"] == []
        data = {field.html_name: field.value() or "" for field in response.context["form"]}
        steward.post(url, data | {"value-column_staff": "12", "value-column_region": ""})
        assert _run(branch).inserted == 1
        assert stored(row_id)["import_status"] == 1
    finally:
        with connection.cursor() as cursor:
            for table in ("stg_branch", "mdm_branch", "stg_region", "mdm_region"):
                cursor.execute(f"DROP TABLE IF EXISTS {table}")
