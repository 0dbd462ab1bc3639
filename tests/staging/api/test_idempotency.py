"""A request with a key happens once: repeated, with another body, failed, and by two at one time."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.urls import path

from staging.api.kit import idempotency
from staging.api.kit.doors import APART, TOGETHER, Answer, Body, RawBody, door
from staging.api.kit.problems import ApiProblem
from staging.api.kit.resource import Resource
from staging.model_files.shape import TEXT
from staging.models import KeptAnswer
from staging.models.answer import KEPT_FOR
from staging.states import Scope
from tests.staging.api.conftest import Api, MakeApi
from tests.staging.api.test_resource import problem

did: list[Any] = []
go_on = threading.Event()


class Whole(Resource):
    """Does something in the transaction of its answer."""

    @door(Scope.OPERATE, summary="Do", body=Body({"what": TEXT}), keyed=TOGETHER, answers={201: Answer(None)})
    def post(self) -> Any:
        """Do it."""
        did.append(self.body.get("what"))
        if self.body.get("what") == "fail":
            raise ApiProblem(409, "No.")
        if self.body.get("what") == "wait":
            go_on.wait(5)
        return {"number": len(did)}, 201


class Pieces(Resource):
    """Reads a stream."""

    @door(Scope.DEPOSIT, summary="Do", body=RawBody({"text/csv": ({}, "")}), keyed=APART, answers={200: Answer(None)})
    def post(self) -> Any:
        """Read it."""
        content = b""
        while piece := self.stream.read():
            content += piece
        did.append(content)
        if content == b"wait":
            go_on.wait(5)
        if content == b"fail":
            raise ApiProblem(409, "No.")
        return {"number": len(did)}


urlpatterns = [path("api/v1/whole", Whole.as_view()), path("api/v1/pieces", Pieces.as_view())]


@pytest.fixture(autouse=True)
def _own_addresses() -> Any:
    did.clear()
    go_on.clear()
    with override_settings(ROOT_URLCONF=__name__):
        yield


def send(caller: Api, address: str, what: str, key: str) -> Any:
    """Send a request with a key."""
    if address == "whole":
        return caller.post("whole", {"what": what}, Idempotency_Key=key)
    return caller("POST", "pieces", what, Idempotency_Key=key, Content_Type="text/csv")


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["whole", "pieces"])
class TestOnce:
    """What holds for both ways."""

    def test_a_repeated_key_gets_the_first_answer(self, api: MakeApi, address: str) -> None:
        caller = api()
        first, second = send(caller, address, "a", "k"), send(caller, address, "a", "k")
        assert first.status_code == second.status_code < 300 and first.json() == second.json() and len(did) == 1
        assert second.headers["Idempotency-Replayed"] == "true" and "Idempotency-Replayed" not in first.headers

    def test_another_body_is_a_422(self, api: MakeApi, address: str) -> None:
        caller = api()
        send(caller, address, "a", "k")
        problem(send(caller, address, "b", "k"), 422)
        assert len(did) == 1

    def test_without_a_key_or_with_another_it_happens_again(self, api: MakeApi, address: str) -> None:
        caller = api()
        for key in ("k", "l"):
            send(caller, address, "a", key)
        caller("POST", address, '{"what": "a"}', Content_Type="application/json" if address == "whole" else "text/csv")
        assert len(did) == 3

    def test_a_key_belongs_to_its_token_and_address(self, api: MakeApi, address: str) -> None:
        one, other = api(), api("Operator")
        send(one, address, "a", "k")
        send(other, address, "a", "k")
        send(one, "pieces" if address == "whole" else "whole", "a", "k")
        assert len(did) == 3

    def test_only_successes_are_remembered(self, api: MakeApi, address: str) -> None:
        caller = api()
        problem(send(caller, address, "fail", "k"), 409)
        problem(send(caller, address, "fail", "k"), 409)
        assert len(did) == 2 and not KeptAnswer.objects.exists()

    def test_keys_have_their_bounds(self, api: MakeApi, address: str) -> None:
        for key in ("x" * 256, "a\tb", ""):
            problem(send(api(), address, "a", key), 400)

    def test_a_day_later_it_is_a_new_request(self, api: MakeApi, address: str) -> None:
        caller = api()
        send(caller, address, "a", "k")
        (kept,) = KeptAnswer.objects.all()
        KeptAnswer.objects.update(started_at=kept.started_at - KEPT_FOR)
        assert send(caller, address, "b", "k").status_code < 300 and len(did) == 2


def _at_once(caller: Api, address: str, count: int = 2) -> list[Any]:
    """Send the same request in several threads; the first to begin waits until the others had their chance."""
    answers: list[Any] = []

    def ask() -> None:
        try:
            answers.append(send(Api(Client(), None, caller.secret), address, "wait", "k"))
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(count)]
    for thread in threads:
        thread.start()
    threads[0].join(1)
    go_on.set()
    for thread in threads:
        thread.join()
    return answers


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("address", ["whole", "pieces"])
def test_twins_at_one_time_do_it_once(api: MakeApi, address: str) -> None:
    answers = _at_once(api(), address, 3)
    assert len(did) == 1
    assert {answer.status_code for answer in answers} <= {200, 201} and len({answer.content for answer in answers}) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("address", ["whole", "pieces"])
def test_a_twin_does_not_wait_for_ever(api: MakeApi, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idempotency, "WAIT_SECONDS", 1)
    caller = api()
    first = threading.Thread(
        target=lambda: (send(Api(Client(), None, caller.secret), address, "wait", "k"), connection.close())
    )
    first.start()
    while not did:
        go_on.wait(0.01)
    problem(send(caller, address, "wait", "k"), 409)
    go_on.set()
    first.join()
    assert send(caller, address, "wait", "k").headers["Idempotency-Replayed"] == "true" and len(did) == 1


@pytest.mark.django_db
def test_a_claim_that_is_silent_is_taken_over(api: MakeApi) -> None:
    caller = api()
    send(caller, "pieces", "a", "k")
    silent_since = KeptAnswer.objects.get().seen_at - idempotency.SILENT_AFTER
    KeptAnswer.objects.update(status=None, answer=None, seen_at=silent_since)
    assert send(caller, "pieces", "a", "k").status_code == 200 and len(did) == 2


@pytest.mark.django_db
def test_what_was_done_and_its_answer_are_one_transaction(api: MakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise KeyError("the process dies here")

    caller = api()
    caller.client.raise_request_exception = False
    monkeypatch.setattr(idempotency, "_remember", fail)
    problem(send(caller, "whole", "a", "k"), 500)
    assert not KeptAnswer.objects.exists()
