"""The rules that every installation begins with; people change or delete them as they like."""

from typing import Any

from django.db import migrations

_RULES: list[dict[str, Any]] = [
    {"name": "A run failed", "condition": "failed"},
    {"name": "A planned run was missed", "condition": "missed"},
    {"name": "A planned run is late", "condition": "late", "minutes": 15},
    {"name": "A batch waits for approval", "condition": "held"},
    {"name": "A run takes longer than usual", "condition": "long"},
    {"name": "Scheduler, workers or broker are silent", "condition": "silent"},
]


def add(apps: Any, schema_editor: Any) -> None:
    rules = apps.get_model("scheduling", "AlertRule").objects
    for rule in _RULES:
        rules.get_or_create(name=rule["name"], defaults=rule)


class Migration(migrations.Migration):
    dependencies = [("scheduling", "0025_alerts")]

    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
