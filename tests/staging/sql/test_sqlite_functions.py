"""Functions that SQLite lacks: an error in one would end the statement that calls it, and so the batch."""

import pytest
from django.db import connection

from staging.sql import sqlite_functions

pytestmark = pytest.mark.django_db


@pytest.mark.skipif(connection.vendor != "sqlite", reason="functions that SQLite lacks")
def test_of_nothing_there_is_nothing_to_show():
    with connection.cursor() as cursor:
        sqlite_functions.add_functions(connection.connection)
        cursor.execute("SELECT staging_shown(NULL), staging_shown(CAST('a' AS BLOB))")
        assert cursor.fetchone() == (None, "a")
