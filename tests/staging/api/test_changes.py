"""The feed by its address, and the difference that a batch made or would make."""

from typing import Any

import pytest

from staging.batches.context import NoFence
from staging.batches.pipeline import process
from staging.batches.record import open_batch
from staging.models import Entity
from staging.tables.alter import sync_tables
from staging.tables.history import delete_history
from tests.staging.api.conftest import Api, MakeApi
from tests.staging.api.test_resource import problem
from tests.staging.api.test_rows import follow, without_rights
from tests.staging.batches.bench import LATER, NOW, define, members, run_batch, stage, text

pytestmark = pytest.mark.django_db
CHANGES = "/api/v1/entities/city/changes"


@pytest.fixture
def city(db: None) -> Entity:
    return define("city", text("country"), keep_history=True)


@pytest.fixture
def caller(city: Entity, api: MakeApi) -> Api:
    return api(scopes=("read",))


def test_who_follows_next_has_what_production_has(city: Entity, caller: Api) -> None:
    held: dict[str, Any] = {}
    address = f"{CHANGES}?limit=2"
    for rows in (
        [{"code": "a", "country": "NL"}, {"code": "b"}, {"code": "c"}],
        [{"code": "a", "country": "BE"}, {"code": "b", "import_action": 4}, {"code": "c", "new_code": "b2"}],
        [],
    ):
        stage(city, *rows)
        batch = run_batch(city)
        while True:
            page = follow(caller, address)
            assert page["next"] and page["previous"] is None
            for change in page["results"]:
                if change["change"] == "deleted":
                    held.pop(change["code"])
                else:
                    held[change["code"]] = change["values"]
            if not page["results"] and page["next"] == address:
                break
            address = page["next"]
        now = members(city)
        assert {code: row["country"] for code, row in held.items()} == {c: row["country"] for c, row in now.items()}
    assert held["a"] == {
        "id": now["a"]["id"], "code": "a", "name": None, "is_active": True, "updated_at": NOW.isoformat(),
        "updated_batch_id": batch.pk - 1, "country": "BE",
    }  # fmt: skip


def test_a_change_is_what_the_contract_says(city: Entity, caller: Api) -> None:
    stage(city, {"code": "a", "country": "NL"})
    run_batch(city)
    stage(city, {"code": "a", "import_action": 4})
    batch = run_batch(city, now=LATER)
    last = follow(caller, CHANGES)["results"][-1]
    assert set(last) == {"code", "change", "at", "batch", "values"}
    assert (last["code"], last["change"], last["at"], last["batch"]) == ("a", "deleted", LATER.isoformat(), batch.pk)
    assert last["values"]["country"] == "NL"


def test_what_cannot_be_followed_is_a_problem(city: Entity, caller: Api) -> None:
    stage(city, {"code": "a"}, {"code": "b"})
    run_batch(city)
    early = follow(caller, f"{CHANGES}?limit=1")["next"]
    problem(caller.get("entities/city/changes?after=nonsense"), 400)
    problem(caller.get("entities/city/changes?limit=10001"), 400)
    delete_history(city, LATER, 10)
    assert "Start again" in problem(caller.get(early.partition("/api/v1/")[2]), 410)["detail"]
    city.keep_history = False
    city.save()
    sync_tables(city)
    problem(caller.get("entities/city/changes"), 409)


def test_what_a_batch_changed_is_read_page_by_page(city: Entity, caller: Api) -> None:
    stage(city, {"code": "a", "country": "NL"}, {"code": "b"})
    first = run_batch(city)
    stage(city, {"code": "a", "country": "BE"})
    second = run_batch(city)
    page = follow(caller, f"/api/v1/batches/{first.pk}/changes?limit=1")
    rest = follow(caller, page["next"])
    assert {each["code"] for each in page["results"] + rest["results"]} == {"a", "b"} and rest["next"] is None
    assert follow(caller, f"/api/v1/batches/{second.pk}/changes")["results"] == [
        {"code": "a", "action": "updated", "before": {"country": "NL"}, "after": {"country": "BE"}, "errors": []}
    ]
    problem(caller.get("batches/999999/changes"), 404)


def test_what_a_held_batch_would_change_is_foreseen(city: Entity, caller: Api) -> None:
    Entity.objects.filter(pk=city.pk).update(review="hold", keep_history=False)
    city.refresh_from_db()
    stage(city, {"code": "a", "country": "NL"}, {"code": "b", "import_action": 4})
    held = process(open_batch(city, now=NOW), fence=NoFence(), now=NOW)
    assert held.status == "held"
    page = follow(caller, f"/api/v1/batches/{held.pk}/changes?limit=1")
    rest = follow(caller, page["next"])
    found = {each["code"]: each for each in page["results"] + rest["results"]}
    assert (found["a"]["action"], found["a"]["after"]) == ("inserted", {"country": "NL"})
    assert found["b"]["action"] == "rejected" and found["b"]["errors"]
    assert members(city) == {}


def test_without_history_a_batch_has_no_difference(api: MakeApi) -> None:
    plain = define("plain")
    stage(plain, {"code": "a"})
    problem(api().get(f"batches/{run_batch(plain).pk}/changes"), 409)


def test_a_token_for_others_follows_nothing(city: Entity, api: MakeApi) -> None:
    other = define("other", keep_history=True)
    stage(city, {"code": "a"})
    batch = run_batch(city)
    for refused in (api(entities=[other], name="other"), api(scopes=("operate",), name="no"), without_rights(api)):
        problem(refused.get("entities/city/changes"), 403)
        problem(refused.get(f"batches/{batch.pk}/changes"), 403)
