from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("staging", "0011_feed_of_changes")]

    operations = [
        migrations.AddIndex(
            model_name="batch",
            index=models.Index(
                condition=models.Q(("finished_at__isnull", False)), fields=["finished_at"], name="batch_by_end"
            ),
        ),
        migrations.RemoveIndex(model_name="batch", name="batch_rejections"),
    ]
