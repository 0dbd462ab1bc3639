"""Chooses the dialect of the database in use."""

from django.db import connection

from staging.sql.dialect import Dialect
from staging.sql.postgresql import PostgreSQL
from staging.sql.sqlite import SQLite


def dialect() -> Dialect:
    """Return what the database in use says about values."""
    return PostgreSQL() if connection.vendor == "postgresql" else SQLite()
