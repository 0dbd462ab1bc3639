from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scheduling", "0022_tallies")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="trace",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="The span that started it.",
                max_length=100,
            ),
        ),
    ]
