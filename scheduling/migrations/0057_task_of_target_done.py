"""An index of how long the tasks of each target took, made beside a system that works: tasks are stored meanwhile."""

from importlib import import_module

from django.db import migrations, models
from django.db.models import Q

AddIndexBeside = import_module("scheduling.migrations.0047_run_by_title").AddIndexBeside


class Migration(migrations.Migration):

    atomic = False
    dependencies = [
        ('scheduling', '0056_steps_run_anew'),
    ]

    operations = [
        AddIndexBeside(
            model_name='task',
            index=models.Index(
                condition=Q(('status', 'completed')),
                fields=['workload', 'target_id', '-id', 'started_at', 'finished_at'],
                name='task_of_target_done',
            ),
        ),
    ]
