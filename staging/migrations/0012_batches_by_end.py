from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("staging", "0011_feed_of_changes")]

    operations = [
        # First what needs the strongest lock: taken second, it would meet a batch that waits for the first.
        migrations.RemoveIndex(model_name="batch", name="batch_rejections"),
        migrations.AddIndex(
            model_name="batch",
            index=models.Index(
                condition=models.Q(("finished_at__isnull", False)), fields=["finished_at"], name="batch_by_end"
            ),
        ),
    ]
