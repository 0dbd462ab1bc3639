# How often a run of a plan is tried, which attempt a run is, and when the next one comes.
# Runs and tasks before plans, as those lock them who end a run.

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('scheduling', '0052_tasks_of_a_step'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='attempt_number',
            field=models.PositiveSmallIntegerField(db_default=1, default=1, editable=False, help_text='Which attempt of its plan it is.'),
        ),
        migrations.AddField(
            model_name='run',
            name='attempts_allowed',
            field=models.PositiveSmallIntegerField(db_default=1, default=1, editable=False, help_text='How often its plan is tried in all.'),
        ),
        migrations.AddField(
            model_name='run',
            name='next_attempt_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='It failed; from when on what failed is tried again.', null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='retry_backoff',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name='run',
            name='retry_interval_seconds',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name='task',
            name='is_fatal',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='Its work said that trying again is pointless.'),
        ),
        migrations.AddField(
            model_name='plan',
            name='run_attempts',
            field=models.PositiveSmallIntegerField(db_default=1, default=1, help_text='A run that failed is tried again by a linked run of what failed, so often in all.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)]),
        ),
        migrations.AddField(
            model_name='plan',
            name='run_retry_backoff',
            field=models.BooleanField(db_default=False, default=False, help_text='Up to a day.'),
        ),
        migrations.AddField(
            model_name='plan',
            name='run_retry_interval_seconds',
            field=models.PositiveIntegerField(db_default=60, default=60, validators=[django.core.validators.MaxValueValidator(86400)]),
        ),
        migrations.AddConstraint(
            model_name='plan',
            constraint=models.CheckConstraint(condition=models.Q(('run_attempts__gte', 1)), name='plan_runs_at_least_once'),
        ),
    ]
