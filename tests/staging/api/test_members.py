"""Members are read by the names of their columns, now and as of an instant."""

from typing import Any

import pytest

from staging.models import Entity
from tests.staging.api.conftest import Api, MakeApi
from tests.staging.api.test_resource import problem
from tests.staging.api.test_rows import follow, without_rights
from tests.staging.batches.bench import LATER, NOW, define, reference, run_batch, stage, text

pytestmark = pytest.mark.django_db
MEMBERS = "entities/site/members"


@pytest.fixture
def site(db: None) -> Entity:
    area = define("area", keep_history=True)
    stage(area, {"code": "n"}, {"code": "s"})
    run_batch(area)
    typed = [{"name": kind, "data_type": kind} for kind in ("integer", "decimal", "boolean", "date", "datetime")]
    site = define("site", text("note"), *typed, reference("area", "area"), keep_history=True)
    stage(
        site,
        {"code": "a", "name": "Alpha", "note": "x", "integer": "-5", "decimal": "9.50", "boolean": "yes",
         "date": "2026-01-31", "datetime": "2026-01-31T12:00:00Z", "area": "n"},
        {"code": "b", "name": "Beta", "note": "x:y", "integer": "12345678901", "boolean": "no", "area": "s"},
        {"code": "c"},
    )  # fmt: skip
    run_batch(site, now=NOW)
    stage(site, {"code": "c", "import_action": 3}, {"code": "a", "integer": "6"})
    run_batch(site, now=LATER)
    return site


@pytest.fixture
def caller(site: Entity, api: MakeApi) -> Api:
    return api(scopes=("read",))


def found(caller: Api, query: str = "") -> list[str]:
    """Return the codes of the members that a query finds."""
    answer = caller.get(f"{MEMBERS}{query}")
    assert answer.status_code == 200, answer.content
    return [member["code"] for member in answer.json()["results"]]


def test_a_member_has_its_columns_as_json_has_them(caller: Api) -> None:
    first = caller.get(f"{MEMBERS}?code=a").json()["results"][0]
    assert isinstance(first.pop("id"), int) and isinstance(first.pop("updated_batch_id"), int)
    assert first == {
        "code": "a", "name": "Alpha", "is_active": True, "updated_at": LATER.isoformat(), "note": "x", "integer": 6,
        "decimal": "9.5", "boolean": True, "date": "2026-01-31", "datetime": "2026-01-31T12:00:00+00:00", "area": "n",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "codes"),
    [("", "ab"), ("?active=all", "abc"), ("?active=false", "c"), ("?note=x:y", "b"), ("?integer=6", "a"),
     ("?area=s", "b"), ("?boolean=no", "b"), ("?date=2026-01-31", "a"), ("?datetime=2026-01-31", "a"),
     ("?decimal=9.500", "a"), ("?note=x&area=s", ""), ("?decimal=", "b"), ("?is_active=false&active=all", "c"),
     ("?name=Beta&limit=1", "b")],
)  # fmt: skip
def test_columns_filter_by_their_names(caller: Api, query: str, codes: str) -> None:
    assert found(caller, query) == list(codes)


@pytest.mark.parametrize(
    ("query", "path"),
    [("?colour=red", "colour"), ("?integer=x", "integer"), ("?note=a&note=b", "note"), ("?active=perhaps", "active"),
     ("?as_of=yesterday", "as_of"), ("?limit=0", "limit"), ("?cursor=x", "cursor"), ("?date=soon", "date")],
)  # fmt: skip
def test_what_cannot_be_asked_is_told_by_its_name(caller: Api, query: str, path: str) -> None:
    assert [each["path"] for each in problem(caller.get(f"{MEMBERS}{query}"), 400)["errors"]] == [path]


def test_members_as_of_an_instant(caller: Api) -> None:
    assert found(caller, "?as_of=2026-03-01T12:00:00Z") == ["a", "b", "c"]
    assert found(caller, "?as_of=2026-03-01T11:59:59Z") == []
    assert found(caller, "?as_of=2026-03-01T12:00:00Z&integer=-5") == ["a"]
    assert found(caller, "?as_of=2026-03-02T12:00:00Z&active=false") == ["c"]


def test_without_history_there_is_no_as_of(api: MakeApi) -> None:
    define("plain")
    problem(api().get("entities/plain/members?as_of=2026-03-01T12:00:00Z"), 409)


def test_a_walk_sees_every_member_once_whatever_is_inserted(site: Entity, caller: Api) -> None:
    stage(site, *({"code": f"m{n}"} for n in range(5)))
    run_batch(site)
    address: Any = f"/api/v1/{MEMBERS}?limit=2&active=all"
    seen: list[str] = []
    while address:
        page = follow(caller, address)
        seen += [member["code"] for member in page["results"]]
        address = page["next"]
        if len(seen) < 8:
            stage(site, {"code": f"a{len(seen)}"})
            run_batch(site)
    assert len(seen) == len(set(seen)) and {"a", "b", "c", "m0", "m1", "m2", "m3", "m4"} <= set(seen)
    last = follow(caller, page["previous"])
    assert [member["code"] for member in last["results"]] == seen[-len(page["results"]) - 2 : -len(page["results"])]


def test_a_token_for_others_sees_none_of_them(site: Entity, api: MakeApi) -> None:
    area = Entity.objects.get(code="area")
    problem(api(entities=[area], name="area").get(MEMBERS), 403)
    problem(api(scopes=("deposit",), name="deposits").get(MEMBERS), 403)
    problem(without_rights(api).get(MEMBERS), 403)
