"""Switches are called by what they say when on; the tables stay as they are."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('scheduling', '0054_run_tried_again'),
    ]

    operations = [
        migrations.AlterField(
            model_name='alertchannel',
            name='is_enabled',
            field=models.BooleanField(default=True, verbose_name='enabled'),
        ),
        migrations.AlterField(
            model_name='alertrule',
            name='is_enabled',
            field=models.BooleanField(default=True, verbose_name='enabled'),
        ),
        migrations.AlterField(
            model_name='backfillslot',
            name='is_left_out',
            field=models.BooleanField(default=False, verbose_name='left out'),
        ),
        migrations.AlterField(
            model_name='jobschedule',
            name='is_enabled',
            field=models.BooleanField(default=True, verbose_name='enabled'),
        ),
        migrations.AlterField(
            model_name='jobschedule',
            name='is_running',
            field=models.BooleanField(default=False, editable=False, verbose_name='running'),
        ),
        migrations.AlterField(
            model_name='personalchoices',
            name='has_dismissed_first_steps',
            field=models.BooleanField(default=False, verbose_name='first steps dismissed'),
        ),
        migrations.AlterField(
            model_name='personalchoices',
            name='has_shortcuts',
            field=models.BooleanField(db_default=True, default=True, help_text='Single keys lead to pages.', verbose_name='shortcuts'),
        ),
        migrations.AlterField(
            model_name='plan',
            name='is_cancelled',
            field=models.BooleanField(default=False, help_text='Plans are cancelled, never deleted.', verbose_name='cancelled'),
        ),
        migrations.AlterField(
            model_name='plan',
            name='is_enabled',
            field=models.BooleanField(default=True, verbose_name='enabled'),
        ),
        migrations.AlterField(
            model_name='plan',
            name='is_running',
            field=models.BooleanField(default=False, editable=False, verbose_name='running'),
        ),
        migrations.AlterField(
            model_name='planstep',
            name='is_cancelled',
            field=models.BooleanField(default=False, verbose_name='cancelled'),
        ),
        migrations.AlterField(
            model_name='queue',
            name='is_cancelled',
            field=models.BooleanField(default=False, help_text='Nothing new goes into it; what is in it goes on to its end.', verbose_name='cancelled'),
        ),
        migrations.AlterField(
            model_name='run',
            name='is_partial',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='A restart that leaves out what has not completed: it makes nothing good.', verbose_name='partial'),
        ),
        migrations.AlterField(
            model_name='savedfilter',
            name='is_shared',
            field=models.BooleanField(default=False, help_text='With everybody who sees the log.', verbose_name='shared'),
        ),
        migrations.AlterField(
            model_name='schedulerconfiguration',
            name='is_enabled',
            field=models.BooleanField(default=True, verbose_name='enabled'),
        ),
        migrations.AlterField(
            model_name='schedulerconfiguration',
            name='is_running',
            field=models.BooleanField(default=False, editable=False, verbose_name='running'),
        ),
        migrations.AlterField(
            model_name='sqlscript',
            name='is_cancelled',
            field=models.BooleanField(default=False, verbose_name='cancelled'),
        ),
    ]
