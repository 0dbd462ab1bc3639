"""Gives the staging tables that exist the column that says what became of each row."""

from django.db import migrations

from staging.identifiers import staging_table
from staging.tables.columns import staging_columns
from staging.tables.create import add_column
from staging.tables.columns import real_columns


def add_the_column(apps, schema_editor):
    """Add the column where it is missing; rows that were processed before have no outcome."""
    (column,) = [column for column in staging_columns() if column.name == "import_outcome"]
    for code in apps.get_model("staging", "Entity").objects.values_list("code", flat=True):
        real = real_columns(staging_table(code))
        if real and column.name not in real:
            add_column(staging_table(code), column)


class Migration(migrations.Migration):
    dependencies = [
        ("staging", "0002_late_references_and_uploads"),
    ]

    operations = [
        migrations.RunPython(add_the_column, migrations.RunPython.noop),
    ]
