"""Entities with tables, for the promises of this room."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from staging.entities.save import save_entity
from staging.models import Attribute, Entity

Sql = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def sql(db: None) -> Sql:
    """Run one statement as an external system would and return its rows."""

    def run(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(statement, parameters or None)
            return cursor.fetchall() if cursor.description else []

    return run


@pytest.fixture
def region(db: None) -> Entity:
    """A small entity that others refer to."""
    entity = Entity(code="region", name="Region")
    save_entity(entity, [Attribute(name="manager", data_type="text", max_length=80)])
    return entity


@pytest.fixture
def branch(region: Entity) -> Entity:
    """An entity with an attribute of every type."""
    entity = Entity(code="branch", name="Branch")
    save_entity(
        entity,
        [
            Attribute(name="label", data_type="text"),
            Attribute(name="staff", data_type="integer"),
            Attribute(name="area", data_type="decimal"),
            Attribute(name="is_open", data_type="boolean"),
            Attribute(name="opened_on", data_type="date"),
            Attribute(name="checked_at", data_type="datetime"),
            Attribute(name="region", data_type="reference", reference=region),
        ],
    )
    return entity
