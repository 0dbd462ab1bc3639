"""The Celery application of the production profile, and beat's one entry: send the cycle."""

import os

from celery import Celery
from celery.signals import beat_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")

app = Celery("scheduler_project")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["scheduling"])


@app.on_after_configure.connect
def _schedule(sender: Celery, **_: object) -> None:
    """Give beat its entries: elapsed-time ticks, which no daylight-saving change can silence.

    A tick that no worker took before the next one is dropped, so an outage is not followed by a flood.
    """
    from django.conf import settings

    cycle = float(settings.DISPATCH_INTERVAL_SECONDS)
    sender.conf.beat_schedule = {
        "dispatch": {"task": "scheduling.dispatch", "schedule": cycle, "options": {"expires": max(cycle - 5, 1)}},
    }


@beat_init.connect
def _begin(**_: object) -> None:
    """Send the first cycle when beat starts; its own first tick would come a whole interval later."""
    entry = app.conf.beat_schedule["dispatch"]
    app.send_task(entry["task"], **entry["options"])
