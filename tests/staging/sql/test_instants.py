"""Promise: PostgreSQL's instants are read as Django reads them, whatever they are."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import connection
from django.db.backends.postgresql.psycopg_any import BaseTzLoader, register_tzloader
from psycopg import DataError
from psycopg.pq import Format

from staging.sql.instants import _KIND, _quick

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="of PostgreSQL"),
]
TOLD = [
    "2026-11-28 15:08:01.123456+00", "2026-11-28 15:08:01+00", "2026-11-28 15:08:01.1+00", "0001-01-01 00:00:00+00",
    "9999-12-31 23:59:59.999999+00", "2026-03-29 02:30:00+02", "2026-11-28 15:08:01+05:30",
    "1880-01-01 00:00:00+00:19:32", "infinity", "-infinity", "0044-03-15 12:00:00+00 BC", "12026-01-01 00:00:00+00",
]  # fmt: skip


def read(loader, text):
    try:
        return loader.load(text.encode())
    except DataError as error:
        return str(error)


def theirs():
    return next(one for one in ours().__mro__ if one.__mro__[1] is BaseTzLoader)


def ours():
    connection.ensure_connection()
    return connection.connection.adapters.get_loader(_KIND.oid, Format.TEXT)


@pytest.mark.parametrize("text", TOLD)
def test_an_instant_is_that_of_django(text):
    assert ours() is _quick(theirs())
    both = [read(loader(_KIND.oid, connection.connection), text) for loader in (ours(), theirs())]
    assert both[0] == both[1] and type(both[0]) is type(both[1])
    assert getattr(both[0], "tzinfo", UTC) is getattr(both[1], "tzinfo", UTC)


def test_what_was_stored_comes_back():
    at = datetime(2026, 11, 28, 15, 8, 1, 120_000, tzinfo=timezone(timedelta(hours=2)))
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz, NULL::timestamptz, ARRAY[%s::timestamptz]", [at, at])
        assert cursor.fetchone() == (at, None, [at])


def test_a_zone_of_its_own_is_left_to_django():
    with connection.cursor() as cursor:
        register_tzloader(timezone(timedelta(hours=1)), cursor)
        cursor.execute("SELECT '2026-11-28 12:00:00+00'::timestamptz")
        assert cursor.fetchone()[0].tzinfo == timezone(timedelta(hours=1))
