import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("scheduling", "0026_alert_rules"),
    ]

    operations = [
        migrations.AddField(
            model_name="retentionpolicy",
            name="audit_days",
            field=models.PositiveIntegerField(
                db_default=365,
                default=365,
                help_text="Sign-ins, exports, approvals.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="retentionpolicy",
            name="changes_days",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="How long old versions of what is defined are kept; the newest always stays; empty: for ever.",
                null=True,
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AlterField(
            model_name="schedulerlog",
            name="event_type",
            field=models.CharField(
                choices=[
                    ("fired", "fired"),
                    ("skipped", "skipped"),
                    ("error", "error"),
                    ("completed", "completed"),
                    ("zombie", "zombie"),
                    ("missed", "missed"),
                    ("held", "held"),
                    ("retried", "retried"),
                    ("cancelled", "cancelled"),
                    ("paused", "paused"),
                    ("resumed", "resumed"),
                    ("review", "review"),
                    ("interrupted", "interrupted"),
                    ("moved", "moved"),
                    ("exported", "exported"),
                    ("changed", "changed"),
                ],
                max_length=30,
            ),
        ),
    ]
