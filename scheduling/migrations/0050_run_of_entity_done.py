"""An index of how long the batches of each entity took, made beside a system that works: runs are stored meanwhile."""

from importlib import import_module

from django.db import migrations, models
from django.db.models import Q

AddIndexBeside = import_module("scheduling.migrations.0047_run_by_title").AddIndexBeside


class Migration(migrations.Migration):

    atomic = False
    dependencies = [
        ('scheduling', '0049_expected_durations_and_deadlines'),
    ]

    operations = [
        AddIndexBeside(
            model_name='run',
            index=models.Index(
                condition=Q(('kind', 'batch'), ('status', 'completed')),
                fields=['entity', '-id', 'started_at', 'finished_at'],
                name='run_of_entity_done',
            ),
        ),
    ]
