"""People of each role, an entity with tables, and rejected rows put there by plain SQL."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client

from scheduling.housekeeping.roles import sync_roles
from staging.entities.save import save_entity
from staging.models import Attribute, Entity
from staging.states import ErrorBit

Reject = Callable[..., int]
Stored = Callable[[int], dict[str, Any]]


@pytest.fixture
def as_role(db: None) -> Callable[[str], Client]:
    """Return a factory: a client signed in as staff of this group; "" for staff without any group."""
    sync_roles()

    def sign_in(role: str) -> Client:
        user = User.objects.create_user(f"{role or 'nobody'}-user", password="x", is_staff=True)
        if role:
            user.groups.add(Group.objects.get(name=role))
        client = Client()
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture
def viewer(as_role: Callable[[str], Client]) -> Client:
    """May look, and nothing else."""
    return as_role("Viewer")


@pytest.fixture
def steward(as_role: Callable[[str], Client]) -> Client:
    """May mend rows and change schedules, not definitions."""
    return as_role("Steward")


@pytest.fixture
def administrator(as_role: Callable[[str], Client]) -> Client:
    """May do everything of our apps."""
    return as_role("Administrator")


@pytest.fixture
def region(db: None) -> Entity:
    """A small entity that others refer to."""
    entity = Entity(code="region", name="Region")
    save_entity(entity, [Attribute(name="manager", data_type="text", max_length=80)])
    return entity


@pytest.fixture
def branch(region: Entity) -> Entity:
    """An entity with a number, a text and a reference."""
    entity = Entity(code="branch", name="Branch")
    attributes = [
        Attribute(name="staff", data_type="integer", position=1),
        Attribute(name="note", data_type="text", position=2),
        Attribute(name="region", data_type="reference", reference=region, position=3),
    ]
    save_entity(entity, attributes)
    return entity


@pytest.fixture
def reject(branch: Entity) -> Reject:
    """Return a function that stages one row of `branch` and returns its id; rejected unless told otherwise."""

    def insert(**values: Any) -> int:
        row = {
            "code": "B1",
            "name": "One",
            "staff": "many",
            "import_status": 2,
            "error_code": int(ErrorBit.WRONG_TYPE),
            "error_message": "staff: 'many' is not a whole number.",
            **values,
        }
        columns = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join(["%s"] * len(row))
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO stg_branch ({columns}) VALUES ({marks}) RETURNING id", list(row.values()))
            return cursor.fetchone()[0]

    return insert


@pytest.fixture
def stored(branch: Entity) -> Stored:
    """Return a function that reads one staged row of `branch` as it is stored."""

    def read(row_id: int) -> dict[str, Any]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM stg_branch WHERE id = %s", [row_id])
            return dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))

    return read
