"""Two callers at the same moment: one change wins, the other hears of it."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from staging.entities.remove import remove_entity
from staging.models import Entity
from tests.staging.api.conftest import Api

pytestmark = pytest.mark.django_db(transaction=True)


def _at_once(callers: list[Any]) -> list[int]:
    """Call these in threads that begin together; return what each was answered."""
    barrier, found = threading.Barrier(len(callers)), []

    def call(each: Any) -> None:
        try:
            barrier.wait()
            found.append(each().status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=call, args=[each]) for each in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(found)


@pytest.mark.parametrize("address", ["entities/branch", "entities/branch/schedule"])
def test_of_two_changes_with_the_same_etag_one_wins(api: Any, make_entity: Any, address: str) -> None:
    make_entity("branch")
    secret = api().secret
    for attempt in range(5):
        tag = Api(Client(), None, secret).get(address).headers["ETag"]
        changes: list[dict[str, Any]] = [
            {"name": f"{attempt} {number}"} if address == "entities/branch"
            else {"processing_mode": "triggered", "trigger_row_threshold": 10 * attempt + number + 1}
            for number in range(3)
        ]  # fmt: skip
        answers = _at_once(
            [
                lambda change=change, tag=tag: Api(Client(), None, secret)("PATCH", address, change, If_Match=tag)
                for change in changes
            ]
        )
        assert answers == [200, 412, 412]


def test_of_two_that_add_the_same_entity_one_wins(api: Any, make_entity: Any) -> None:
    make_entity("branch")  # its tables are taken away afterwards
    secret = api().secret
    body = {"code": "depot", "name": "Depot"}
    answers = _at_once([lambda: Api(Client(), None, secret).post("entities", body) for _ in range(3)])
    assert answers == [201, 409, 409]
    remove_entity(Entity.objects.get(code="depot"))


def test_of_two_that_process_one_starts(api: Any, make_entity: Any, deposit: Any) -> None:
    make_entity("branch")
    deposit("branch", 2)
    secret = api().secret
    answers = _at_once([lambda: Api(Client(), None, secret).post("entities/branch/process", {}) for _ in range(4)])
    assert answers == [202, 409, 409, 409]
