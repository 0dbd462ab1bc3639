from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scheduling", "0021_turns_without_a_file"), ("staging", "0012_batches_by_end")]

    operations = [
        migrations.AlterModelOptions(
            name="schedulerstate",
            options={
                "permissions": [
                    ("pause", "Can pause and resume schedules"),
                    ("oversee", "Can see how well the installation is: its metrics and what the doctor finds"),
                ]
            },
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=40)),
                ("labels", models.CharField(blank=True, max_length=200)),
                ("count", models.BigIntegerField(default=0)),
                ("total", models.FloatField(default=0)),
            ],
            options={"ordering": ["name", "labels"], "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="TallyMark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("counted_before", models.DateTimeField(blank=True, null=True)),
            ],
            options={"default_permissions": ()},
        ),
        migrations.AddConstraint(
            model_name="tally",
            constraint=models.UniqueConstraint(fields=("name", "labels"), name="tally_once"),
        ),
        migrations.AddConstraint(
            model_name="tallymark",
            constraint=models.CheckConstraint(condition=models.Q(("id", 1)), name="tally_mark_is_one_row"),
        ),
    ]
