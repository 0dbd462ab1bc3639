# Steps that run once for each item of a list, and the tasks of their items.

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('scheduling', '0050_run_of_entity_done'),
        ('staging', '0021_language_of_rows'),
    ]

    operations = [
        migrations.AddField(
            model_name='planstep',
            name='for_each',
            field=models.JSONField(blank=True, default=None, null=True),
        ),
        migrations.AddField(
            model_name='planstep',
            name='for_each_query',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='listing_for', to='scheduling.sqlscript'),
        ),
        migrations.AddField(
            model_name='planstep',
            name='for_each_result',
            field=models.JSONField(blank=True, default=None, null=True),
        ),
        migrations.AddField(
            model_name='planstep',
            name='side_by_side',
            field=models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)]),
        ),
        migrations.AddField(
            model_name='task',
            name='item',
            field=models.JSONField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='task',
            name='item_number',
            field=models.PositiveIntegerField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='task',
            name='items',
            field=models.JSONField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='task',
            name='mapped_by',
            field=models.ForeignKey(blank=True, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='mapped', to='scheduling.task'),
        ),
        migrations.AlterField(
            model_name='houroffigures',
            name='kind',
            field=models.CharField(choices=[('batch', 'batch'), ('job', 'job'), ('script', 'SQL script'), ('call', 'call'), ('wait', 'wait'), ('map', 'for each item'), ('plan', 'plan'), ('ordered', 'ordered work')], max_length=10),
        ),
        migrations.AlterField(
            model_name='run',
            name='kind',
            field=models.CharField(choices=[('batch', 'batch'), ('job', 'job'), ('script', 'SQL script'), ('call', 'call'), ('wait', 'wait'), ('map', 'for each item'), ('plan', 'plan'), ('ordered', 'ordered work')], max_length=10),
        ),
        migrations.AlterField(
            model_name='task',
            name='workload',
            field=models.CharField(choices=[('batch', 'batch'), ('job', 'job'), ('script', 'SQL script'), ('call', 'call'), ('wait', 'wait'), ('map', 'for each item'), ('plan', 'plan'), ('ordered', 'ordered work')], max_length=20),
        ),
        migrations.AddConstraint(
            model_name='planstep',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('for_each__isnull', True), ('for_each_query__isnull', True), ('for_each_result__isnull', True)), models.Q(('for_each__isnull', False), ('for_each_query__isnull', True), ('for_each_result__isnull', True)), models.Q(('for_each__isnull', True), ('for_each_query__isnull', True), ('for_each_result__isnull', False)), models.Q(('for_each__isnull', True), ('for_each_query__isnull', False), ('for_each_result__isnull', True)), _connector='OR'), name='step_has_items_of_one_list'),
        ),
    ]
