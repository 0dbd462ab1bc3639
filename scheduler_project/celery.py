"""The Celery application of the production profile, and beat's one entry: send the cycle."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")

app = Celery("scheduler_project")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["scheduling"])


@app.on_after_configure.connect
def _schedule_the_cycle(sender: Celery, **_: object) -> None:
    """Give beat its one entry: an elapsed-time tick, which no daylight-saving change can silence."""
    from django.conf import settings

    seconds = settings.DISPATCH_INTERVAL_SECONDS
    sender.conf.beat_schedule = {
        "dispatch": {"task": "scheduling.dispatch", "schedule": seconds, "options": {"expires": max(seconds - 5, 1)}}
    }
