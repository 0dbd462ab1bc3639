"""Promises of the checks around transactions: a caller without what a function needs is refused, and told what."""

import pytest
from django.db import connection, transaction

from staging.transactions import (
    Unprotected,
    in_transaction,
    lasting_connection,
    note_lock,
    outside_transaction,
    require_lock,
)

pytestmark = pytest.mark.django_db  # in a transaction of the test, which must not count


@in_transaction
def inside() -> str:
    return "done"


@outside_transaction
def outside() -> str:
    return "done"


def test_what_belongs_into_a_transaction_is_refused_without_one():
    with pytest.raises(Unprotected, match="inside must be called inside a transaction"):
        inside()
    with transaction.atomic(), transaction.atomic():
        assert inside() == "done"


def test_what_commits_by_itself_is_refused_inside_a_transaction():
    assert outside() == "done"
    with transaction.atomic(), pytest.raises(Unprotected, match="outside must be called outside any transaction"):
        outside()


def test_a_lock_is_known_until_its_transaction_ends():
    with transaction.atomic():
        with transaction.atomic():
            note_lock("run", 1)
        require_lock("run", 1)
        with pytest.raises(Unprotected, match="needs the lock of run 2"):
            require_lock("run", 2)
        with pytest.raises(Unprotected, match="needs the lock of queue 1"):
            require_lock("queue", 1)
    with transaction.atomic(), pytest.raises(Unprotected):
        require_lock("run", 1)


def test_a_lock_without_a_transaction_is_none():
    with pytest.raises(Unprotected, match="run 1 needs a transaction that keeps it"):
        note_lock("run", 1)
    with pytest.raises(Unprotected):
        require_lock("run", 1)


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_is_rolled_back_takes_its_locks_along():
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        note_lock("run", 1)
        raise ZeroDivisionError
    assert not connection.in_atomic_block
    with transaction.atomic(), pytest.raises(Unprotected):
        require_lock("run", 1)


@pytest.mark.django_db(transaction=True)
def test_a_lasting_connection_goes_only_when_it_was_lost(monkeypatch):
    closed = []
    monkeypatch.setattr(connection, "close", lambda: closed.append(connection.connection))
    with lasting_connection():
        connection.ensure_connection()
    first = connection.connection
    with lasting_connection():
        pass
    assert (connection.connection, closed) == (first, [])
    monkeypatch.setattr(connection, "is_usable", lambda: False)
    with pytest.raises(RuntimeError), lasting_connection():
        connection.errors_occurred = True
        raise RuntimeError
    assert closed == [first]
    connection.errors_occurred = False
