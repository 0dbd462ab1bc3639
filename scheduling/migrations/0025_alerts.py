"""Alerts: rules, channels, what is wrong, and the messages of it."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('scheduling', '0024_saved_filters'),
        ('staging', '0014_demands_of_answers'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AlertChannel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True)),
                ('kind', models.CharField(choices=[('email', 'E-mail'), ('webhook', 'Webhook'), ('service', 'Service (Slack, Teams, …)')], default='email', max_length=10)),
                ('addresses', models.TextField(blank=True, help_text='More e-mail addresses, one on a line.')),
                ('url', models.CharField(blank=True, max_length=1000, verbose_name='URL')),
                ('secret', models.CharField(blank=True, help_text='Signs what the webhook gets; whoever has it can check who sent it.', max_length=200)),
                ('digest', models.CharField(choices=[('at_once', 'at once'), ('hourly', 'once an hour'), ('daily', 'once a day')], default='at_once', max_length=10)),
                ('digest_at', models.TimeField(blank=True, help_text='For once a day.', null=True)),
                ('quiet_from', models.TimeField(blank=True, help_text='Nothing is told between these times of day.', null=True)),
                ('quiet_until', models.TimeField(blank=True, null=True)),
                ('timezone', models.CharField(default='UTC', max_length=64)),
                ('is_enabled', models.BooleanField(default=True)),
                ('groups', models.ManyToManyField(blank=True, help_text='Everybody in them who has an e-mail address.', related_name='+', to='auth.group')),
                ('people', models.ManyToManyField(blank=True, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'alert channel',
                'ordering': ['name'],
                'default_permissions': ('add', 'change', 'delete'),
            },
        ),
        migrations.CreateModel(
            name='AlertDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(max_length=1000)),
                ('news', models.JSONField(default=list, help_text='Pairs of alert and what is told of it; empty: a test.')),
                ('status', models.CharField(choices=[('waiting', 'waiting'), ('sent', 'sent'), ('given_up', 'given up')], default='waiting', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('next_attempt_at', models.DateTimeField()),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('answer', models.CharField(blank=True, max_length=500)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('channel', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='scheduling.alertchannel')),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'message',
                'verbose_name_plural': 'messages',
                'ordering': ['-id'],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='AlertRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True)),
                ('condition', models.CharField(choices=[('failed', 'A run failed'), ('missed', 'A planned run was missed'), ('late', 'A planned run is late'), ('nothing_completed', 'Nothing completed for some time'), ('not_delivered', 'No rows were delivered by a time of day'), ('rejected', 'A batch rejected too many rows'), ('held', 'A batch waits for approval'), ('long', 'A run takes longer than usual'), ('waiting', 'Rows wait too long'), ('volume', 'A batch has far more or fewer rows than usual'), ('silent', 'Scheduler, workers or broker are silent')], max_length=20)),
                ('number', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('percent', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                ('minutes', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(40320)])),
                ('at', models.TimeField(blank=True, null=True, verbose_name='by')),
                ('categories', models.JSONField(blank=True, default=list, help_text='Of jobs.')),
                ('remind_every_minutes', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(5), django.core.validators.MaxValueValidator(10080)])),
                ('tells_end', models.BooleanField(default=True, verbose_name='tell when it is over')),
                ('escalate_after_minutes', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10080)])),
                ('is_enabled', models.BooleanField(default=True)),
                ('looked_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('fingerprint', models.CharField(blank=True, editable=False, help_text='Of all that it found then.', max_length=64)),
                ('channels', models.ManyToManyField(blank=True, related_name='rules', to='scheduling.alertchannel')),
                ('entities', models.ManyToManyField(blank=True, related_name='+', to='staging.entity')),
                ('escalate_to', models.ManyToManyField(blank=True, related_name='+', to='scheduling.alertchannel')),
                ('jobs', models.ManyToManyField(blank=True, related_name='+', to='scheduling.job')),
                ('plans', models.ManyToManyField(blank=True, related_name='+', to='scheduling.plan')),
            ],
            options={
                'verbose_name': 'alert rule',
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Alert',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rule', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='alerts', to='scheduling.alertrule')),
                ('subject', models.CharField(help_text='What it is about, unique among what is wrong by its rule.', max_length=120)),
                ('said', models.JSONField(default=dict)),
                ('leads_to', models.CharField(blank=True, help_text='What explains it: run:5, configuration:3.', max_length=60)),
                ('opened_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('told_at', models.DateTimeField(blank=True, help_text='When news of it were last put together.', null=True)),
                ('escalated_at', models.DateTimeField(blank=True, null=True)),
                ('acknowledged_at', models.DateTimeField(blank=True, null=True)),
                ('acknowledged_by', models.CharField(blank=True, max_length=150)),
                ('comment', models.CharField(blank=True, max_length=500)),
                ('snoozed_until', models.DateTimeField(blank=True, null=True)),
                ('snoozed_by', models.CharField(blank=True, max_length=150)),
                ('entity', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='staging.entity')),
            ],
            options={
                'ordering': ['-opened_at', '-id'],
                'permissions': [('acknowledge_alert', 'Can acknowledge and snooze alerts')],
            },
        ),
        migrations.CreateModel(
            name='AlertNotice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('news', models.CharField(choices=[('opened', 'is wrong'), ('reminder', 'is still wrong'), ('escalated', 'is wrong, and nobody answered'), ('ended', 'is over')], max_length=10)),
                ('due_at', models.DateTimeField()),
                ('alert', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='scheduling.alert')),
                ('channel', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='scheduling.alertchannel')),
            ],
            options={
                'ordering': ['id'],
                'default_permissions': (),
            },
        ),
        migrations.AddConstraint(
            model_name='alertchannel',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('quiet_from__isnull', True), ('quiet_until__isnull', True)), models.Q(('quiet_from__isnull', False), ('quiet_until__isnull', False)), _connector='OR'), name='alert_channel_quiet_has_both_ends'),
        ),
        migrations.AddConstraint(
            model_name='alertchannel',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('digest', 'daily'), _negated=True), ('digest_at__isnull', False), _connector='OR'), name='alert_channel_daily_has_a_time'),
        ),
        migrations.AddIndex(
            model_name='alertdelivery',
            index=models.Index(condition=models.Q(('status', 'waiting')), fields=['next_attempt_at'], name='alert_delivery_waiting'),
        ),
        migrations.AddIndex(
            model_name='alertdelivery',
            index=models.Index(condition=models.Q(('status', 'waiting'), _negated=True), fields=['finished_at'], name='alert_delivery_finished'),
        ),
        migrations.AddConstraint(
            model_name='alertdelivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', True), ('status', 'waiting')), models.Q(models.Q(('status', 'waiting'), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='alert_delivery_finished_has_a_time'),
        ),
        migrations.AddIndex(
            model_name='alertnotice',
            index=models.Index(fields=['channel', 'due_at'], name='alert_notice_due'),
        ),
        migrations.AddIndex(
            model_name='alert',
            index=models.Index(condition=models.Q(('ended_at__isnull', True)), fields=['opened_at'], name='alert_open'),
        ),
        migrations.AddIndex(
            model_name='alert',
            index=models.Index(condition=models.Q(('ended_at__isnull', False)), fields=['ended_at'], name='alert_ended'),
        ),
        migrations.AddConstraint(
            model_name='alert',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('rule', 'subject'), name='alert_open_once'),
        ),
    ]
