from django.db import migrations, models
import django.db.models.deletion

# Restarts that completed before this was kept make good what they repeat, too.
FILL = """
UPDATE scheduling_run SET made_good_by_id = (
    WITH RECURSIVE after (id) AS (
        SELECT again.id FROM scheduling_run AS again WHERE again.restart_of_id = scheduling_run.id
        UNION SELECT again.id FROM scheduling_run AS again JOIN after ON again.restart_of_id = after.id
    ) SELECT min(good.id) FROM scheduling_run AS good JOIN after ON good.id = after.id WHERE good.status = 'completed'
) WHERE status <> 'completed' AND id IN (SELECT restart_of_id FROM scheduling_run WHERE restart_of_id IS NOT NULL)
"""


def fill(apps, schema_editor):
    schema_editor.connection.cursor().execute(FILL)


class Migration(migrations.Migration):
    # PostgreSQL does not alter a table in the transaction that changed its rows: the index comes with the column.
    dependencies = [("scheduling", "0013_pause_of_a_job")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="made_good_by",
            field=models.ForeignKey(
                blank=True,
                help_text="The restart of it, or of its restarts, that completed.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="scheduling.run",
            ),
        ),
        migrations.AlterField(
            model_name="task",
            name="waits_for_entity",
            field=models.BooleanField(default=False, help_text="Its entity or job is at work in another run."),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
