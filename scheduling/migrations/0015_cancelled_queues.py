from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scheduling", "0014_what_made_a_run_good")]

    operations = [
        migrations.AddField(
            model_name="queue",
            name="is_cancelled",
            field=models.BooleanField(
                default=False, help_text="Nothing new goes into it; what is in it goes on to its end."
            ),
        ),
    ]
