"""The index of the runs that wait for the next attempt of their plan, made beside a system that works."""

from importlib import import_module

from django.db import migrations, models
from django.db.models import Q

AddIndexBeside = import_module("scheduling.migrations.0047_run_by_title").AddIndexBeside


class Migration(migrations.Migration):

    atomic = False
    dependencies = [
        ('scheduling', '0053_plans_are_tried_again'),
    ]

    operations = [
        AddIndexBeside(
            model_name='run',
            index=models.Index(
                condition=Q(('next_attempt_at__isnull', False)), fields=['next_attempt_at'], name='run_tried_again'
            ),
        ),
    ]
