import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):

    dependencies = [
        ('scheduling', '0031_shortcuts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='BulkAction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model', models.CharField(max_length=100)),
                ('verb', models.CharField(max_length=50)),
                ('keys', models.JSONField(default=list, help_text='The keys of what was chosen, in the order of the list.')),
                ('values', models.JSONField(blank=True, default=dict, help_text='What was asked for on the page that confirms it.')),
                ('created_at', models.DateTimeField()),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('position', models.PositiveIntegerField(default=0, help_text='How many of the keys have had their turn.')),
                ('done', models.PositiveIntegerField(default=0)),
                ('idle', models.PositiveIntegerField(default=0, help_text='Nothing had to be done to them.')),
                ('refused', models.PositiveIntegerField(default=0)),
                ('told', models.JSONField(blank=True, default=dict, help_text='The first names of each outcome.')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'default_permissions': (),
                'constraints': [
                    models.CheckConstraint(condition=Q(finished_at__isnull=True) | Q(confirmed_at__isnull=False), name='bulk_action_asked_first'),
                    models.CheckConstraint(condition=Q(position=F('done') + F('idle') + F('refused')), name='bulk_action_counts_each_once'),
                ],
            },
        ),
    ]
