"""Promises of the delivery contract: it says what the checks do, its examples run, and its errors are the last ones."""

import json
import sqlite3

import pytest
from django.db import connection

from staging.entities.contract import MOST_CODES, accepted_form, delivery_contract
from staging.entities.examples import bulk_example, curl_example, insert_example
from staging.entities.save import save_entity
from staging.entities.values import FORMS
from staging.models import Attribute, Entity
from tests.staging.specification.values import WRONG, read

pytestmark = pytest.mark.django_db


def _sql(statement: str, parameters: list | None = None) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def branch() -> Entity:
    """An entity with limits, a choice, a reference and a retired attribute."""
    region = Entity(code="region", name="Region")
    save_entity(region, [])
    entity = Entity(code="branch", name="Branch", sentinel_number="-1", default_import_action=2)
    save_entity(
        entity,
        [
            Attribute(name="staff", data_type="integer", required=True, min_value="1", max_value="500"),
            Attribute(name="order", data_type="text", choices=["it's", "100%"], unique=True, position=1),
            Attribute(name="region", data_type="reference", reference=region, merge_mode="overwrite", position=2),
            Attribute(name="gone", data_type="text", is_cancelled=True, position=3),
        ],
    )
    return entity


def _reject(tag: str | None, code: int, message: str, times: int = 1) -> None:
    for _ in range(times):
        _sql(
            "INSERT INTO stg_branch (code, batch_tag, import_status, error_code, error_message)"
            " VALUES ('A', %s, 2, %s, %s)",
            [tag, code, message],
        )


def test_a_contract_tells_what_is_checked(branch: Entity):
    contract = delivery_contract(branch)
    staff, order, region = contract["columns"]
    assert (staff["required"], staff["limits"], staff["clears"]) == (True, ["at least 1", "at most 500"], "-1")
    assert order["limits"] == ["one of it's, 100%"] and order["unique"]
    assert region["merge_mode"] == "overwrite"
    assert "Region" in region["accepted"]
    assert [action["value"] for action in contract["import_actions"] if action["is_default"]] == [2]
    assert {status["value"] for status in contract["statuses"]} == {0, 1, 2, 3}
    assert (contract["table"], contract["problems"], contract["last_errors"]) == ("stg_branch", [], [])


def test_a_contract_is_plain_json(branch: Entity):
    _reject("today", 8, "staff: 'x' is not a whole number.")
    contract = delivery_contract(branch)
    assert json.loads(json.dumps(contract)) == contract


def test_references_name_the_first_active_codes(branch: Entity):
    for number in range(MOST_CODES + 1):
        _sql("INSERT INTO mdm_region (code) VALUES (%s)", [f"R{number:03}"])
    _sql("UPDATE mdm_region SET is_active = false WHERE code = 'R000'")
    codes = delivery_contract(branch)["columns"][2]["codes"]
    assert (codes["first"][0], len(codes["first"]), codes["more"]) == ("R001", MOST_CODES, False)
    _sql("UPDATE mdm_region SET is_active = true")
    assert delivery_contract(branch)["columns"][2]["codes"]["more"]


def test_the_last_errors_come_by_tag_with_the_newest_first(branch: Entity):
    _reject("monday", 8, "staff: 'x' is not a whole number.", times=2)
    _reject(None, 12, "staff is missing.")
    _reject("monday", 8, "staff: 'y' is not a whole number.")
    newest, other = delivery_contract(branch)["last_errors"]
    assert (newest["batch_tag"], newest["rows"]) == ("monday", 3)
    assert newest["example"] == "staff: 'y' is not a whole number."
    assert newest["newest_at"].endswith("+00:00")
    assert (other["batch_tag"], other["meanings"]) == ("", ["Required value missing", "Not of the attribute's type"])


def test_altered_tables_are_named_and_the_rest_is_still_told(branch: Entity):
    _sql("ALTER TABLE stg_branch RENAME COLUMN batch_tag TO other")
    _sql("ALTER TABLE mdm_region RENAME COLUMN is_active TO other")
    contract = delivery_contract(branch)
    assert contract["problems"] == ["Column stg_branch.batch_tag is missing."]
    assert contract["last_errors"] == []
    assert contract["columns"][2]["codes"]["first"] == []


def test_the_insert_really_works(branch: Entity):
    _sql(insert_example(branch).replace("%", "%%") if connection.vendor == "sqlite" else insert_example(branch))
    assert _sql('SELECT code, staff, "order", import_status FROM stg_branch') == [("A1", "1", "it's", 0)]


def test_many_rows_name_the_same_columns(branch: Entity):
    example = bulk_example(branch)
    assert '"code", "name", "staff", "order", "region"' in example
    if connection.vendor == "sqlite":
        compile(example, "example", "exec")
        assert sqlite3.complete_statement(example.split("executemany('")[1].split("'")[0] + ";")


def test_the_call_carries_a_row_as_json_that_a_shell_passes_on(branch: Entity):
    body = curl_example(branch).split("-d '")[1][:-1].replace("'\\''", "'")
    assert json.loads(body)[0]["order"] == "it's"


def test_a_contract_tells_the_limits_that_nobody_set(branch: Entity):
    own = {column["name"]: column["meaning"] for column in delivery_contract(branch)["own_columns"]}
    assert "at most 500 characters" in own["code"] and "at most 500 characters" in own["new_code"]
    assert "at most 40 digits on either side" in accepted_form("decimal")
    branch.attributes.filter(name="order").update(choices=[])
    assert delivery_contract(branch)["columns"][1]["limits"] == ["at most 500 characters"]


@pytest.mark.parametrize("data_type", FORMS)
def test_every_form_that_a_contract_shows_is_accepted(data_type: str):
    shown = accepted_form(data_type).split(": ")[1].split(";")[0].split(", ")
    assert shown and [text for text in shown if read(data_type, text) is WRONG] == []


@pytest.mark.parametrize("text", ["2026-01-31", "2026-01-31 08:30"])
def test_a_date_alone_is_midnight_and_seconds_may_be_left_out(text: str):
    assert read("datetime", text) is not WRONG
