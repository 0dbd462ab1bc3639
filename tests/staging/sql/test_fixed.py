"""A query that is compiled once returns what its query set returns, whatever the values and whoever asked before."""

import threading
from datetime import datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now

from staging.models import Entity
from staging.sql.compose import FixedQuery

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[User]:
    return [User.objects.create(username=name, email=f"{name}@x.example") for name in ("ann", "ben", "c'%s?\"")]


def test_rows_are_those_of_the_query_set_for_each_value(people: list[User]) -> None:
    by_name: FixedQuery[User] = FixedQuery(lambda name: User.objects.annotate(now=Now()).filter(username=name), str)
    for _ in range(2):
        for person in people:
            assert by_name(person.username) == [person]
            found = by_name.first(person.username)
            assert found is not None and found.email == person.email
            assert isinstance(found.date_joined, datetime) and found.date_joined.tzinfo
            assert isinstance(found.now, datetime) and found.now.tzinfo  # type: ignore[attr-defined]
    assert by_name("nobody") == [] and by_name.first("nobody") is None


def test_values_stand_where_the_query_set_has_them(people: list[User]) -> None:
    two: FixedQuery[str] = FixedQuery(
        lambda pk, email: User.objects.filter(email=email, is_active=True, pk=pk).values_list("username", flat=True),
        int,
        str,
    )
    assert two(people[0].pk, "ann@x.example") == ["ann"]
    assert two(people[1].pk, "ann@x.example") == []


def test_a_value_that_stands_nowhere_is_a_fault_of_the_program() -> None:
    with pytest.raises(TypeError):
        FixedQuery(lambda pk: User.objects.all(), int)(1)


def test_what_is_changed_between_two_questions_is_seen() -> None:
    by_code: FixedQuery[Entity] = FixedQuery(lambda code: Entity.objects.filter(code=code), str)
    assert by_code.first("city") is None
    city = Entity.objects.create(code="city", name="City")
    assert by_code.first("city") == city
    Entity.objects.update(name="Town")
    found = by_code.first("city")
    assert found is not None and found.name == "Town"
    found.name = "Village"
    found.save()
    city.refresh_from_db()
    assert city.name == "Village"


@pytest.mark.django_db(transaction=True)
def test_threads_ask_on_connections_of_their_own(people: list[User]) -> None:
    by_name: FixedQuery[User] = FixedQuery(lambda name: User.objects.filter(username=name), str)
    names = [person.username for person in people] * 4
    found: dict[int, list[User]] = {}

    def ask(number: int) -> None:
        try:
            found[number] = by_name(names[number])
        finally:
            connection.close()

    threads = [threading.Thread(target=ask, args=[number]) for number in range(len(names))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: rows[0].username for number, rows in found.items()} == dict(enumerate(names))
