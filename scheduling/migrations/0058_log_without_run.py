"""An index of the events that belong to no run, made beside a system that works: events are stored meanwhile."""

from importlib import import_module

from django.db import migrations, models
from django.db.models import Q

AddIndexBeside = import_module("scheduling.migrations.0047_run_by_title").AddIndexBeside


class Migration(migrations.Migration):

    atomic = False
    dependencies = [
        ('scheduling', '0057_task_of_target_done'),
    ]

    operations = [
        AddIndexBeside(
            model_name='schedulerlog',
            index=models.Index(
                condition=Q(('run_id__isnull', True)),
                fields=['event_type', '-event_time', '-id'],
                name='log_without_run',
            ),
        ),
    ]
