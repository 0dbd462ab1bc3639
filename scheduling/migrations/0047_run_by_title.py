"""Indexes of runs, made beside a system that works: runs are stored meanwhile.

That cannot be done in a transaction. What a break left, an index that is not valid, the next try takes away first.
"""

from django.db import migrations, models
from django.db.models import Q

# How titles begin, in upper or lower case. SQLite has none: it reads all titles, of which it has few.
BEGINNINGS = "run_by_beginning"
_MAKE_BEGINNINGS = (
    f"CREATE INDEX CONCURRENTLY {BEGINNINGS} ON scheduling_run (UPPER(title::text) text_pattern_ops)"
    " WHERE entity_id IS NULL"
)


def ready_for(schema_editor, name):
    """Wait for the transactions of others as long as they take, and take away what a break left."""
    schema_editor.execute("SET lock_timeout = 0")
    schema_editor.execute("SET statement_timeout = 0")
    schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")


def as_before(schema_editor):
    schema_editor.execute("RESET lock_timeout")
    schema_editor.execute("RESET statement_timeout")


class AddIndexBeside(migrations.AddIndex):
    """Adds an index while others write."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if schema_editor.connection.vendor != "postgresql":
            schema_editor.execute(f"DROP INDEX IF EXISTS {self.index.name}")
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        ready_for(schema_editor, self.index.name)
        schema_editor.add_index(to_state.apps.get_model(app_label, self.model_name), self.index, concurrently=True)
        as_before(schema_editor)


def add_beginnings(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        ready_for(schema_editor, BEGINNINGS)
        schema_editor.execute(_MAKE_BEGINNINGS)
        as_before(schema_editor)


def drop_beginnings(apps, schema_editor):
    schema_editor.execute(f"DROP INDEX IF EXISTS {BEGINNINGS}")


class Migration(migrations.Migration):

    atomic = False
    dependencies = [
        ('scheduling', '0046_alerts_of_what_has_no_schedule'),
    ]

    operations = [
        AddIndexBeside(
            model_name='run',
            index=models.Index(condition=Q(('warnings__gt', 0)), fields=['finished_at'], name='run_warned'),
        ),
        AddIndexBeside(
            model_name='run',
            index=models.Index(condition=Q(('kind', 'ordered')), fields=['title', '-id'], name='run_of_ordered_work'),
        ),
        AddIndexBeside(
            model_name='run',
            index=models.Index(condition=Q(('entity__isnull', True)), fields=['title', 'id'], name='run_by_title'),
        ),
        migrations.RunPython(add_beginnings, drop_beginnings),
    ]
