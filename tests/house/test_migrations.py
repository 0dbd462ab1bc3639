"""A migration takes nothing from the version before, which goes on writing while processes are exchanged."""

import pytest
from django.apps import apps
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import (
    AddField,
    AddIndex,
    AlterModelTable,
    DeleteModel,
    RemoveField,
    RenameField,
    RenameModel,
)
from django.db.models import NOT_PROVIDED, Field, TextField

# The last ones from before this rule.
BEFORE = {"scheduling": "0021", "staging": "0011"}
LARGE = ("attempt", "run", "schedulerlog", "task", "taskdependency")
TAKES_AWAY = (AlterModelTable, DeleteModel, RemoveField, RenameField, RenameModel)


def refuses_who_does_not_know(field: Field) -> bool:
    """Return whether a row of somebody who does not know the field is refused: it must have a value and has none."""
    has_none = not field.null and field.db_default is NOT_PROVIDED
    return has_none and not field.many_to_many and not field.primary_key


@pytest.mark.parametrize("app", BEFORE)
def test_the_version_before_can_still_write(app: str) -> None:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    later = [
        (name, operation)
        for (of, name), migration in sorted(loader.disk_migrations.items())
        if of == app and name[:4] > BEFORE[app]
        for operation in migration.operations
    ]
    taken = [f"{name}: {operation.describe()}" for name, operation in later if isinstance(operation, TAKES_AWAY)]
    needed = [
        f"{name}: {operation.describe()}"
        for name, operation in later
        if isinstance(operation, AddField) and refuses_who_does_not_know(operation.field)
    ]
    assert not taken, f"Leave it for a later version; the one before still uses it: {taken}"
    assert not needed, f"Give it null=True or a db_default; the version before does not fill it: {needed}"
    assert apps.is_installed(app)


def test_an_index_of_a_large_table_is_made_beside_those_who_write() -> None:
    """Within a transaction, whoever stores a row would wait until all that there are have been read."""
    migrations = sorted(MigrationLoader(None, ignore_no_migrations=True).disk_migrations.items())
    within = [
        f"{name}: {operation.describe()}"
        for (of, name), migration in migrations
        if of == "scheduling" and name[:4] > "0045" and migration.atomic
        for operation in migration.operations
        if isinstance(operation, AddIndex) and operation.model_name in LARGE
    ]
    assert not within, f"Make it as 0047 does: {within}"


def test_the_rule_sees_a_field_that_must_be_filled() -> None:
    assert refuses_who_does_not_know(TextField(default="x"))
    assert not refuses_who_does_not_know(TextField(null=True))
    assert not refuses_who_does_not_know(TextField(db_default=""))
