from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scheduling", "0018_process_of_an_attempt_and_outage")]

    operations = [
        migrations.AddField(
            model_name="queue",
            name="is_cancelled",
            field=models.BooleanField(
                default=False, help_text="Nothing new goes into it; what is in it goes on to its end."
            ),
        ),
    ]
