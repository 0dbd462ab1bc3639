"""Rows come in as an array, a stream or CSV, are read by status, corrected and retried."""

import io
import json
import shlex
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from rest_framework.response import Response

from staging.api import rows
from staging.api.kit.callers import Caller
from staging.api.kit.idempotency import Kept
from staging.api.kit.problems import ApiProblem
from staging.entities.examples import curl_example
from staging.models import Entity, Handling, KeptAnswer
from staging.uploads.land import Landed
from tests.staging.api.conftest import Api, MakeApi
from tests.staging.api.test_resource import problem
from tests.staging.batches.bench import define, run_batch, stage, staged, text

pytestmark = pytest.mark.django_db
ROWS, MEMBERS = "entities/city/rows", "entities/city/members"
LINES, CSV = "application/x-ndjson", "text/csv"


@pytest.fixture
def city(db: None) -> Entity:
    return define("city", text("country", required=True), {"name": "people", "data_type": "integer"})


@pytest.fixture
def caller(city: Entity, api: MakeApi) -> Api:
    return api()


def codes(city: Entity) -> list[Any]:
    """Return the codes that were staged."""
    return [row["code"] for row in staged(city)]


def test_an_array_a_stream_and_csv_land(city: Entity, caller: Api) -> None:
    expected = {"landed": 2, "refused": [], "refused_total": 0}
    assert caller.post(ROWS, [{"code": "a", "people": 1.10}, {"code": "b"}]).json() == expected
    assert caller.post(ROWS, '{"code":"c"}\n{"code":"d"}\n', Content_Type=LINES).json() == expected
    found = caller.post(f"{ROWS}?tag=monday", "code,people\ne,1.10\nf,\n", Content_Type=f"{CSV}; charset=utf-8")
    assert (found.status_code, found.json()) == (200, expected)
    assert codes(city) == list("abcdef")
    assert [row["people"] for row in staged(city)] == ["1.1", None, None, None, "1.10", None]
    assert [row["batch_tag"] for row in staged(city)] == [None] * 4 + ["monday"] * 2
    raw = caller.post(ROWS, '[{"code":"g","people":1.10},{"code":"h","people":1e400}]')
    assert raw.json() == expected and [row["people"] for row in staged(city)][-2:] == ["1.10", "1e400"]


@pytest.mark.django_db(transaction=True)
def test_a_small_request_takes_few_statements(city: Entity, caller: Api, django_assert_num_queries: Any) -> None:
    """Who asks and what they may, the entity, its columns, then the work itself; docs/api-rows.md has these numbers."""
    keys = count()
    keyed = lambda: caller.post(ROWS, [{"code": "a"}], Idempotency_Key=f"key {next(keys)}")  # noqa: E731
    calls: dict[Callable[[], Any], tuple[int, int]] = {
        lambda: caller.get("entities/city"): (4, 4),
        lambda: caller.get(ROWS): (5, 5),
        lambda: caller.get(MEMBERS): (5, 8),
        lambda: caller.post(ROWS, [{"code": "a"}]): (7, 7),
        keyed: (15, 14),
    }
    for call, (on_sqlite, on_postgresql) in calls.items():
        assert call().status_code == 200  # notes that the token is used, and what it read
        with django_assert_num_queries(on_postgresql if connection.vendor == "postgresql" else on_sqlite):
            assert call().status_code == 200


def test_unusable_rows_are_told_and_the_others_land(city: Entity, caller: Api) -> None:
    body = '[{"code":"a"},7,{"code":"b","name":[1]},{"code":"c","name":"\\u0000"},{"code":"d"}]'
    found = caller.post(ROWS, body).json()
    assert found["landed"] == 2 and found["refused_total"] == 3
    assert [(each["position"], each["path"]) for each in found["refused"]] == [(2, ""), (3, "name"), (4, "name")]
    told = problem(caller.post(f"{ROWS}?atomic=1", body), 400)
    assert [each["path"] for each in told["errors"]] == ["[1]", "[2].name", "[3].name"]
    assert codes(city) == ["a", "d"]


def test_structural_mistakes_land_nothing(city: Entity, caller: Api) -> None:
    told = problem(caller.post(ROWS, [{"code": "a"}, {"code": "b", "colour": "red"}]), 400)
    assert [each["path"] for each in told["errors"]] == ["[1].colour"]
    for body, kind in (('[{"code":"a"},', "application/json"), ("{}", "application/json"), ("code\n\xff,", CSV)):
        problem(caller.post(ROWS, body.encode("latin-1"), Content_Type=kind), 400)
    problem(caller.post(ROWS, "code,colour\na,b\n", Content_Type=CSV), 400)
    problem(caller.post(f"{ROWS}?tag={'x' * 201}", []), 400)
    problem(caller.post(f"{ROWS}?tags=x", []), 400)
    problem(caller.post(ROWS, "<rows/>", Content_Type="application/xml"), 415)
    assert codes(city) == []


def test_more_than_ten_thousand_rows_are_told_of_the_stream(city: Entity, caller: Api) -> None:
    told = problem(caller.post(ROWS, f"[{','.join(['{}'] * 10_001)}]"), 413)
    assert LINES in told["detail"] and codes(city) == []


def test_what_cannot_be_nested_is_a_problem(city: Entity, caller: Api) -> None:
    for body in ("[" * 100_000, "[" + '{"a":' * 100_000, '[{"code":' + "[" * 2_000 + "]" * 2_000 + "}]", "[[[[{}]]]]"):
        answer = caller.post(ROWS, body)
        assert answer.status_code in (200, 400), answer.content
        if answer.status_code == 200:
            assert answer.json()["landed"] == 0 and answer.json()["refused_total"] == 1
    assert codes(city) == []


def test_a_repeated_key_lands_once(city: Entity, caller: Api) -> None:
    for kind, body in (("application/json", '[{"code":"a"}]'), (LINES, '{"code":"a"}'), (CSV, "code\na\n")):
        first = caller.post(ROWS, body, Content_Type=kind, Idempotency_Key=kind)
        again = caller.post(ROWS, body, Content_Type=kind, Idempotency_Key=kind)
        assert first.json() == again.json() and again["Idempotency-Replayed"] == "true"
        problem(caller.post(ROWS, body.replace("a", "b"), Content_Type=kind, Idempotency_Key=kind), 422)
    assert codes(city) == ["a"] * 3


def test_a_body_that_breaks_off_is_no_shorter_body(city: Entity, caller: Api) -> None:
    class Broken(io.BytesIO):
        """What a server hands on of a connection that ended."""

    for kind, body in ((CSV, b"code,people\na,12"), (LINES, b'{"code":"a"}\n{"code":"b"}')):
        answer = Client().generic(
            "POST",
            f"/api/v1/{ROWS}",
            headers={"Authorization": f"Bearer {caller.secret}"},
            **{"CONTENT_TYPE": kind, "wsgi.input": Broken(body), "CONTENT_LENGTH": str(len(body) + 5)},
        )
        assert "broke" in problem(answer, 400)["detail"]
    assert codes(city) == []


def send_part(caller: Api, kind: str, body: bytes, length: int, key: str) -> Any:
    """Send as much of a deposit as there is, with a key and a length that may be longer."""
    return Client().generic(
        "POST",
        f"/api/v1/{ROWS}",
        headers={"Authorization": f"Bearer {caller.secret}", "Idempotency-Key": key},
        **{"CONTENT_TYPE": kind, "wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(length)},
    )


def test_a_stream_with_a_key_goes_on_where_it_broke(city: Entity, caller: Api) -> None:
    whole = b"x\n" + b"".join(b'{"code":"%d","name":"%080d"}\n' % (number, 0) for number in range(15_000))
    problem(send_part(caller, LINES, whole[:-9], len(whole), "k"), 400)
    assert 9_999 <= len(codes(city)) < 14_999
    problem(send_part(caller, LINES, b"y" + whole[1:], len(whole), "k"), 422)
    for _ in range(2):
        told = send_part(caller, LINES, whole, len(whole), "k").json()
        assert (told["landed"], [each["position"] for each in told["refused"]]) == (15_000, [1])
    assert codes(city) == [str(number) for number in range(15_000)]


@pytest.mark.parametrize(
    ("kind", "address", "body"),
    [(CSV, ROWS, "code\na\nb\n"), (LINES, f"{ROWS}?atomic=1", '{"code":"a"}\n{"code":"b"}')],
)
def test_what_lands_whole_lands_with_its_answer(
    city: Entity, caller: Api, monkeypatch: pytest.MonkeyPatch, kind: str, address: str, body: str
) -> None:
    """The server dies after the commit: the answer is there, and nothing lands a second time."""

    def documents() -> Iterator[Callable[[Landed], Any]]:
        yield rows.landed_document
        raise KeyError("the process dies here")

    left = documents()
    monkeypatch.setattr(rows, "landed_document", lambda done, real=rows.landed_document: next(left) and real(done))
    caller.client.raise_request_exception = False
    problem(caller.post(address, body, Content_Type=kind, Idempotency_Key="k"), 500)
    monkeypatch.undo()
    again = caller.post(address, body, Content_Type=kind, Idempotency_Key="k")
    assert again.json()["landed"] == 2 and again.headers["Idempotency-Replayed"] == "true"
    assert codes(city) == ["a", "b"]


def nobody() -> Caller:
    """Return a caller of whom nothing was demanded."""
    return Caller(User(), None, None)


def test_of_two_that_hold_one_key_one_lands_each_piece(city: Entity, caller: Api) -> None:
    """A request that was frozen wakes up behind the one that took over: what it would land is undone."""
    claim = KeptAnswer.objects.create(caller="token:1", address="a", key="k")
    frozen, taker = (Kept(KeptAnswer.objects.get(pk=claim.pk), lambda: "", nobody()) for _ in range(2))
    for turn in range(3):
        taker.keep({"lines": turn})
        with pytest.raises(ApiProblem):
            frozen.keep({"lines": 99})
        assert KeptAnswer.objects.get().answer == {"turn": turn + 1, "kept": {"lines": turn}}
    frozen.give_back()
    assert KeptAnswer.objects.get().seen_at > claim.seen_at
    taker.finish(Response({"landed": 3}))
    late = Kept(claim, lambda: "", nobody())
    for act in (lambda: late.keep({}), lambda: late.finish(Response({"landed": 0}))):
        with pytest.raises(ApiProblem):
            act()
    assert KeptAnswer.objects.get().answer == {"landed": 3}


def test_who_brought_rows_is_known(city: Entity, caller: Api) -> None:
    caller.post(ROWS, [{"code": "a"}, {"code": "b"}])
    handling = Handling.objects.get(entity=city)
    ids = [row["id"] for row in staged(city)]
    assert (handling.handled_by, handling.first_id, handling.last_id) == (
        "administrator (token loader)",
        ids[0],
        ids[1],
    )


def test_the_call_of_the_delivery_contract_works(city: Entity, caller: Api) -> None:
    words = shlex.split(curl_example(city).replace("\\\n", " "))
    assert words[:3] == ["curl", "-X", "POST"]
    address = words[3].replace("$SITE/api/v1/", "")
    headers = dict(word.split(": ", 1) for at, word in enumerate(words) if words[at - 1] == "-H")
    assert headers.pop("Authorization") == "Bearer $TOKEN"
    sent = {name.replace("-", "_"): value for name, value in headers.items()}
    answer = caller.post(address, words[words.index("-d") + 1], **sent)
    assert (answer.status_code, answer.json()["landed"]) == (200, 1), answer.content
    run_batch(city)
    assert [row["import_status"] for row in staged(city)] == [1]


def test_rows_are_read_by_status_and_page_by_page(city: Entity, caller: Api) -> None:
    stage(city, *({"code": f"c{n}", "country": "NL" if n % 2 else None} for n in range(10)))
    run_batch(city)
    stage(city, {"code": "waits"})
    found = caller.get(f"{ROWS}?status=rejected&limit=2").json()
    assert [row["code"] for row in found["results"]] == ["c8", "c6"] and found["previous"] is None
    assert found["results"][0]["import_status"] == 2 and "country" in found["results"][0]["error_message"]
    stage(city, {"code": "more"})
    second = follow(caller, found["next"])
    assert [row["code"] for row in second["results"]] == ["c4", "c2"]
    third = follow(caller, second["next"])
    assert [row["code"] for row in third["results"]] == ["c0"] and third["next"] is None
    back = follow(caller, third["previous"])
    assert [row["code"] for row in back["results"]] == ["c4", "c2"]
    assert [row["code"] for row in follow(caller, back["previous"])["results"]] == ["c8", "c6"]
    assert [row["code"] for row in caller.get(f"{ROWS}?status=pending").json()["results"]] == ["more", "waits"]
    assert len(caller.get(ROWS).json()["results"]) == 12
    problem(caller.get(f"{ROWS}?status=lost"), 400)
    problem(caller.get(f"{ROWS}?limit=10001"), 400)
    problem(caller.get(f"{ROWS}?cursor=x"), 400)


def test_a_rejected_row_is_corrected_and_waits_again(city: Entity, caller: Api) -> None:
    stage(city, {"code": "a"}, {"code": "b", "country": "NL"})
    run_batch(city)
    bad, good = (row["id"] for row in staged(city))
    found = caller("PATCH", f"{ROWS}/{bad}", '{"country":"NL","people":1.10,"name":null}')
    assert found.status_code == 200, found.content
    assert {key: found.json()[key] for key in ("import_status", "country", "people")} == {
        "import_status": 0,
        "country": "NL",
        "people": "1.10",
    }
    assert "administrator (token loader)" in LogEntry.objects.latest("pk").change_message
    assert Handling.objects.get().handled_by == "administrator (token loader)"
    for row_id in (bad, good):
        assert "only a rejected row" in problem(caller("PATCH", f"{ROWS}/{row_id}", {"name": "x"}), 409)["detail"]
    problem(caller("PATCH", f"{ROWS}/{good + 999}", {"name": "x"}), 404)
    problem(caller("PATCH", f"{ROWS}/{10**30}", {"name": "x"}), 404)


@pytest.mark.parametrize(
    ("body", "path"),
    [("{}", ""), ("[]", ""), ('{"colour":1}', "colour"), ('{"id":1}', "id"), ('{"name":[1]}', "name"), ("{", ""),
     ('{"import_action":9}', "import_action"), ('{"name":"a"},{"name":"b"}', ""), (" ", "")],
)  # fmt: skip
def test_what_cannot_be_corrected_is_told_by_its_column(city: Entity, caller: Api, body: str, path: str) -> None:
    stage(city, {"code": "a"})
    run_batch(city)
    told = problem(caller("PATCH", f"{ROWS}/{staged(city)[0]['id']}", body, Content_Type="application/json"), 400)
    assert path in [each["path"] for each in told["errors"]]
    assert staged(city)[0]["import_status"] == 2


def test_a_rejected_row_is_retried_as_it_is(city: Entity, caller: Api) -> None:
    stage(city, {"code": "a"})
    run_batch(city)
    row_id = staged(city)[0]["id"]
    assert caller.get(f"{ROWS}/{row_id}").json()["error_code"] == 4
    first = caller.post(f"{ROWS}/{row_id}/retry", Idempotency_Key="k")
    assert first.json()["import_status"] == 0
    assert caller.post(f"{ROWS}/{row_id}/retry", Idempotency_Key="k").json() == first.json()
    problem(caller.post(f"{ROWS}/{row_id}/retry"), 409)


def test_each_door_asks_for_its_scope_its_right_and_its_entity(city: Entity, api: MakeApi) -> None:
    stage(city, {"code": "a"})
    run_batch(city)
    other, row = define("other"), f"{ROWS}/{staged(city)[0]['id']}"
    doors: dict[str, list[tuple[str, str, Any]]] = {
        "read": [("GET", ROWS, None), ("GET", row, None)],
        "deposit": [("POST", ROWS, [])],
        "operate": [("PATCH", row, {"name": "x"}), ("POST", f"{row}/retry", None)],
    }
    every = tuple(doors)
    for scope, calls in doors.items():
        without = api(scopes=(*(set(every) - {scope}), "configure"))
        elsewhere = api(entities=[other], name="elsewhere")
        powerless = without_rights(api)
        for method, address, body in calls:
            for refused in (without, elsewhere, powerless):
                problem(refused(method, address, body), 403)
    mine = api(entities=[city], name="mine")
    for method, address, body in [call for calls in doors.values() for call in calls][:4]:
        assert mine(method, address, body).status_code == 200
    assert Client().get(f"/api/v1/{ROWS}").status_code == 401


def without_rights(api: MakeApi) -> Api:
    """Return a client whose person lost the role after the token was made."""
    powerless = api(role="Operator", name="powerless")
    assert powerless.token
    powerless.token.person.groups.clear()
    return powerless


def follow(caller: Api, address: str) -> Any:
    """Get the page at an address that a page named."""
    return json.loads(caller.get(address.partition("/api/v1/")[2]).content)
