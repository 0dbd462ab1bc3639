"""Switches are called by what they say when on; the tables stay as they are."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('staging', '0021_language_of_rows'),
    ]

    operations = [
        migrations.AlterField(
            model_name='attribute',
            name='is_cancelled',
            field=models.BooleanField(default=False, verbose_name='retired'),
        ),
        migrations.AlterField(
            model_name='businessrule',
            name='is_cancelled',
            field=models.BooleanField(default=False, verbose_name='cancelled'),
        ),
        migrations.AlterField(
            model_name='changefeed',
            name='is_kept',
            field=models.BooleanField(default=True, help_text='Whether changes are noted at present.', verbose_name='kept'),
        ),
        migrations.AlterField(
            model_name='changefeed',
            name='is_whole',
            field=models.BooleanField(default=False, help_text='Whether there was no member before the first change.', verbose_name='whole'),
        ),
        migrations.AlterField(
            model_name='entity',
            name='is_cancelled',
            field=models.BooleanField(default=False, verbose_name='retired'),
        ),
    ]
