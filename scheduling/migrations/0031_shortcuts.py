from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('scheduling', "0030_enqueued_jobs"),
    ]

    operations = [
        migrations.AddField(
            model_name='personalchoices',
            name='has_shortcuts',
            field=models.BooleanField(db_default=True, default=True, help_text='Single keys lead to pages.'),
        ),
    ]
