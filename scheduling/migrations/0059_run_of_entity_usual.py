"""The index of how long batches took holds what is usual alone, no restart: so the index alone answers.

Made beside a system that works; only then the one before it goes.
"""

from importlib import import_module

from django.db import migrations, models
from django.db.models import Q

_beside = import_module("scheduling.migrations.0047_run_by_title")


class RemoveIndexBeside(migrations.RemoveIndex):
    """Takes an index away while others write."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        _beside.ready_for(schema_editor, self.name)
        _beside.as_before(schema_editor)


class Migration(migrations.Migration):

    atomic = False
    dependencies = [
        ('scheduling', '0058_log_without_run'),
    ]

    operations = [
        _beside.AddIndexBeside(
            model_name='run',
            index=models.Index(
                condition=Q(('kind', 'batch'), ('restart_of__isnull', True), ('status', 'completed')),
                fields=['entity', '-id', 'started_at', 'finished_at'],
                name='run_of_entity_usual',
            ),
        ),
        RemoveIndexBeside(model_name='run', name='run_of_entity_done'),
    ]
