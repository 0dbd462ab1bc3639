"""The Celery application of the production profile, and beat's one entry: send the cycle."""

import logging
import os
from datetime import UTC, datetime

from celery import Celery
from celery.schedules import schedstate, schedule
from celery.signals import after_setup_logger, beat_init

from scheduler_project.logs import show_from

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")

# What Django would look at before a worker starts is for `check`; whether it may start is asked by our own step.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("scheduler_project")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["scheduling"])


class OnTheTick(schedule):
    """Due at each tick of the installation: on the full minute, whichever second beat was started on."""

    def is_due(self, last_run_at: datetime) -> schedstate:
        """Return whether a tick came since the last one that was sent, and how long until the next."""
        from scheduling import conf
        from scheduling.dispatch.cycle import latest_tick, until_next_tick

        now, last_run_at = self.now().astimezone(UTC), self.maybe_make_aware(last_run_at)
        # A clock that was put back leaves a last run in the future: it must not keep beat silent until then.
        is_due = last_run_at < latest_tick(now) or last_run_at - now > conf.dispatch_interval()
        return schedstate(is_due=is_due, next=until_next_tick(now).total_seconds())


@app.on_after_configure.connect
def _schedule(sender: Celery, **_: object) -> None:
    """Give beat its entries: ticks in UTC, which no daylight-saving change can silence.

    A tick that no worker took before the next one is dropped, so an outage is not followed by a flood.
    """
    from django.conf import settings

    cycle = float(settings.DISPATCH_INTERVAL_SECONDS)
    ticks, expires = OnTheTick(cycle, app=sender), max(cycle - 5, 1)
    sender.conf.beat_schedule = {
        "dispatch": {"task": "scheduling.dispatch", "schedule": ticks, "options": {"expires": expires}},
    }


@after_setup_logger.connect
def _show(logger: logging.Logger, loglevel: int, **_: object) -> None:
    """Let `--loglevel` say what the log of this process shows, and not what is kept with the attempts of jobs."""
    show_from(loglevel, logger)


@beat_init.connect
def _begin(**_: object) -> None:
    """Send the first cycle when beat starts; its first tick may be a whole interval away."""
    entry = app.conf.beat_schedule["dispatch"]
    app.send_task(entry["task"], **entry["options"])
