"""The index of the items of a step, made beside a system that works: tasks are stored meanwhile."""

from importlib import import_module

from django.db import migrations, models
from django.db.models import Q

AddIndexBeside = import_module("scheduling.migrations.0047_run_by_title").AddIndexBeside


class Migration(migrations.Migration):

    atomic = False
    dependencies = [
        ('scheduling', '0051_items_of_steps'),
    ]

    operations = [
        AddIndexBeside(
            model_name='task',
            index=models.Index(
                condition=Q(('mapped_by__isnull', False)), fields=['mapped_by', 'item_number'], name='task_of_step'
            ),
        ),
    ]
