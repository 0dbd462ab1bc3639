import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("staging", "0014_demands_of_answers"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "happened_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="when"),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("signed_in", "signed in"),
                            ("refused", "sign-in failed"),
                            ("signed_out", "signed out"),
                            ("exported", "took data away"),
                            ("approved", "approved a batch"),
                            ("discarded", "discarded a batch"),
                        ],
                        max_length=20,
                        verbose_name="what",
                    ),
                ),
                ("person", models.CharField(blank=True, max_length=200, verbose_name="who")),
                ("address", models.CharField(blank=True, max_length=60, verbose_name="from")),
                ("about", models.CharField(blank=True, max_length=500, verbose_name="about")),
            ],
            options={
                "verbose_name": "audit entry",
                "verbose_name_plural": "audit",
                "ordering": ["-happened_at", "-id"],
                "default_permissions": (),
                "permissions": [
                    ("audit", "Can see the audit"),
                    ("export_auditentry", "Can take the audit away as a file"),
                ],
                "indexes": [
                    models.Index(fields=["-happened_at", "-id"], name="audit_by_time"),
                    models.Index(fields=["kind", "-happened_at", "-id"], name="audit_by_kind"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Version",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("subject_type", models.CharField(max_length=100)),
                ("subject_id", models.BigIntegerField()),
                ("name", models.CharField(max_length=200)),
                ("number", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("found", "as it was when its history began"),
                            ("added", "added"),
                            ("changed", "changed"),
                            ("deleted", "deleted"),
                        ],
                        max_length=10,
                    ),
                ),
                ("content", models.JSONField(default=dict)),
                ("change", models.JSONField(default=list)),
                ("made_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("made_by", models.CharField(blank=True, max_length=200)),
                (
                    "door",
                    models.CharField(
                        choices=[
                            ("page", "a page"),
                            ("file", "a model file"),
                            ("api", "the API"),
                            ("command", "a command"),
                            ("code", "code"),
                            ("beside", "past all doors"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "detail",
                    models.CharField(
                        blank=True, help_text="The file's release, the token, the command.", max_length=200
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=500)),
            ],
            options={
                "ordering": ["-made_at", "-id"],
                "default_permissions": (),
                "indexes": [models.Index(fields=["-made_at", "-id"], name="version_by_time")],
                "constraints": [
                    models.UniqueConstraint(fields=("subject_type", "subject_id", "number"), name="version_number_once")
                ],
            },
        ),
    ]
