"""Entities by the API: the form of the model file, the rules of every door, and nobody's change overwritten."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection

from staging.api import entities
from staging.entities.save import save_entity
from staging.identifiers import history_table, production_table, quote, staging_table
from staging.models import Attribute, Entity
from tests.staging.api.conftest import MakeApi
from tests.staging.api.test_resource import problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def depot(db: None) -> Entity:
    """An entity with a text and a number with limits."""
    entity = Entity(code="depot", name="Depot", max_error_rate=0.2)
    attributes = [
        Attribute(name="manager", data_type="text", max_length=80),
        Attribute(name="area", data_type="decimal", min_value="0.5", max_value="900", position=1),
    ]
    save_entity(entity, attributes)
    return entity


@pytest.fixture(autouse=True)
def _drop_tables() -> Iterator[None]:
    yield
    if connection.needs_rollback:
        return
    with connection.cursor() as cursor:
        for entity in Entity.objects.order_by("-pk"):
            for table in (staging_table(entity.code), production_table(entity.code), history_table(entity.code)):
                cursor.execute(f"DROP TABLE IF EXISTS {quote(table)}")


def test_an_entity_is_added_with_its_tables_and_read_again(api: MakeApi) -> None:
    caller = api()
    made = caller.post("entities", entities.EXAMPLE)
    assert made.status_code == 201, made.content
    assert made.headers["Location"].endswith("/api/v1/entities/depot")
    read = caller.get("entities/depot")
    assert read.json() == made.json() == entities.EXAMPLE and read.headers["ETag"] == made.headers["ETag"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT manager FROM stg_depot")
    entry = LogEntry.objects.get()
    assert (
        entry.get_change_message() == "Added by administrator (token loader)."
        and entry.user.username == "administrator"
    )
    problem(caller.post("entities", entities.EXAMPLE), 409)


def test_what_is_read_can_be_put_back_and_changes_nothing(api: MakeApi, depot: Entity) -> None:
    caller = api()
    read = caller.get("entities/depot")
    assert read.json()["max_error_rate"] == 0.2
    again = caller("PUT", "entities/depot", read.json(), If_Match=read.headers["ETag"])
    assert again.status_code == 200, again.content
    assert again.json() == read.json() and again.headers["ETag"] == read.headers["ETag"]
    assert not LogEntry.objects.exists()


def test_put_is_the_whole_definition_and_patch_a_part(api: MakeApi, depot: Entity) -> None:
    caller = api()
    patched = caller(
        "PATCH", "entities/depot", {"description": "Where goods wait.", "max_error_rate": None}, If_Match="*"
    )
    assert patched.json()["description"] and "max_error_rate" not in patched.json()
    assert [each["name"] for each in patched.json()["attributes"]] == ["manager", "area"]
    put = caller("PUT", "entities/depot", {"name": "Depots"}, If_Match=patched.headers["ETag"])
    assert "description" not in put.json() and len(put.json()["attributes"]) == 2  # nothing is deleted
    assert LogEntry.objects.count() == 2


def test_the_sentences_and_paths_are_those_of_load_model(api: MakeApi, depot: Entity) -> None:
    body = {
        "code": "x",
        "name": 7,
        "attributes": [{"name": "id", "type": "text"}, {"name": "b", "typ": "text"}],
        "bogus": 1,
    }
    errors = {each["path"]: each for each in problem(api().post("entities", body), 400)["errors"]}
    assert errors["name"]["text"] == "This must be text; put it in quotes: '7'."
    assert errors["attributes[1].typ"]["text"] == "There is no key 'typ' here. Did you mean 'type'?"
    assert errors["attributes[1].type"]["code"] == "required" and errors["bogus"]["code"] == "unknown"
    assert "system column" in errors["attributes[0].name"]["text"]
    for body in ("[]", "7", '"x"', "null"):
        (error,) = problem(api().post("entities", body), 400)["errors"]
        assert error["path"] == "" and "mapping" in error["text"]


@pytest.mark.parametrize(
    "body",
    [
        *("{", '{"a": 1, "a": 2}', b"\xff", "[" * 100_000, '{"name": NaN}', b"", '{"max_error_rate": 1e999}'),
        *('{"name": ' + "[" * 40 + "]" * 40 + "}", '{"name": "\\u0000"}', '{"name": "\\ud800"}'),
        *('{"processed_retention_days": ' + "9" * digits + "}" for digits in (40, 5000)),
    ],
)
def test_bodies_that_mean_harm(api: MakeApi, body: Any) -> None:
    problem(api().post("entities", body), 400)


def test_types_and_sizes_of_bodies(api: MakeApi, settings: Any) -> None:
    problem(api().post("entities", "a,b", Content_Type="text/csv"), 415)
    problem(api().post("entities", "{}", Content_Type="application/json; charset=latin-1"), 415)
    problem(api().post("entities", "{}", Content_Encoding="gzip"), 415)
    problem(api().post("entities", "{" + " " * 5_000_000 + "}"), 413)
    settings.API_MAX_BODY_BYTES = 100
    problem(api().post("entities", "{" + " " * 200 + "}"), 413)


def test_a_change_needs_the_etag_and_tells_what_changed_meanwhile(api: MakeApi, depot: Entity) -> None:
    caller = api()
    tag = caller.get("entities/depot").headers["ETag"]
    problem(caller("PATCH", "entities/depot", {"name": "X"}), 428)
    assert caller("PATCH", "entities/depot", {"description": "Mine."}, If_Match=tag).status_code == 200
    refused = problem(caller("PATCH", "entities/depot", {"name": "X"}, If_Match=tag), 412)
    assert [(each["path"], "Mine." in each["text"]) for each in refused["errors"]] == [("description", True)]
    assert caller.get("entities/depot", If_None_Match=tag).status_code == 200
    now = caller.get("entities/depot").headers["ETag"]
    assert caller.get("entities/depot", If_None_Match=now).status_code == 304
    assert Entity.objects.get().name == "Depot"


def test_the_code_stays(api: MakeApi, depot: Entity) -> None:
    (error,) = problem(api()("PATCH", "entities/depot", {"code": "other"}, If_Match="*"), 400)["errors"]
    assert error["path"] == "code"


def test_a_token_for_some_entities_sees_and_changes_only_those(api: MakeApi, depot: Entity) -> None:
    other = Entity(code="other", name="Other")
    save_entity(other, [])
    caller = api(entities=[other])
    listed = caller.get("entities").json()["results"]
    assert [each["code"] for each in listed] == ["other"] and listed[0]["pending"] == 0
    for method, address in (("GET", "entities/depot"), ("PATCH", "entities/depot"), ("GET", "entities/missing")):
        problem(caller(method, address), 403)
    problem(caller.post("entities", entities.EXAMPLE), 403)
    refer = {"attributes": [{"name": "depot", "type": "reference", "reference": "depot"}]}
    problem(caller("PATCH", "entities/other", refer, If_Match="*"), 403)
    assert caller("PATCH", "entities/other", {"name": "O"}, If_Match="*").status_code == 200


def test_what_would_lose_data_is_a_conflict(api: MakeApi, depot: Entity) -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO mdm_depot (code, manager) VALUES ('A', 'x')")
    retyped = {"attributes": [{"name": "manager", "type": "integer"}]}
    answer = api()("PATCH", "entities/depot", retyped, If_Match="*")
    assert answer.status_code in (400, 409) and problem(answer, answer.status_code)["detail"]


def test_pages_are_stable_under_insertion(api: MakeApi) -> None:
    for number in range(7):
        Entity.objects.create(code=f"e{number}", name="E")
    caller = api()
    first = caller.get("entities?limit=3").json()
    Entity.objects.create(code="a", name="before all")
    second = caller.client.get(first["next"], headers={"Authorization": f"Bearer {caller.secret}"}).json()
    third = caller.client.get(second["next"], headers={"Authorization": f"Bearer {caller.secret}"}).json()
    codes = [[each["code"] for each in page["results"]] for page in (first, second, third)]
    assert codes == [["e0", "e1", "e2"], ["e3", "e4", "e5"], ["e6"]] and third["next"] is None
    back = caller.client.get(third["previous"], headers={"Authorization": f"Bearer {caller.secret}"}).json()
    assert back["results"] == second["results"]
    start = caller.client.get(second["previous"], headers={"Authorization": f"Bearer {caller.secret}"}).json()
    assert start["results"] == first["results"] and start["previous"] is not None
