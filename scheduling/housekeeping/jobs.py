"""Our own jobs, declared as anybody's: they show among the others, and settings say when they run."""

from collections import Counter
from datetime import timedelta

from django.utils.translation import gettext_noop

from scheduling import conf
from scheduling.figures.roll_up import roll_up
from scheduling.housekeeping.cleanup import cleanup
from scheduling.jobs.context import JobContext
from scheduling.jobs.declare import cron, job
from scheduling.models import SchedulerLog
from scheduling.schedules.tzdata import installed_version, recompute_after_tzdata_change
from scheduling.states import EventType
from staging.wording import counted, said_together, say

_CATEGORY = "Housekeeping"
# What `cleanup` counts, one and many of it.
_DELETED = {
    "log": (gettext_noop("log event"), gettext_noop("log events")),
    "rows": (gettext_noop("processed row"), gettext_noop("processed rows")),
    "history": (gettext_noop("earlier state of a member"), gettext_noop("earlier states of members")),
    "runs": (gettext_noop("run"), gettext_noop("runs")),
    "audit": (gettext_noop("audit entry"), gettext_noop("audit entries")),
    "versions": (gettext_noop("version"), gettext_noop("versions")),
    "alerts": (gettext_noop("alert"), gettext_noop("alerts")),
    "messages": (gettext_noop("message"), gettext_noop("messages")),
}
_TOLD = (EventType.ZOMBIE, EventType.ERROR, EventType.MISSED, EventType.RETRIED)


@job("Retention", category=_CATEGORY, description="Deletes what is older than the retention policy, in small steps.")
@cron(conf.retention_cron(), name="By setting", catch_up=1)
def retention(context: JobContext) -> str:
    """Apply the retention policy."""
    counts = cleanup(context.now)
    told = (counted(count, *_DELETED[what]) for what, count in counts.items())
    return say("Deleted: {counts}.", counts=said_together(*told, by=", "))


@job("Time zone check", category=_CATEGORY, description="Moves next runs that new time zone data puts elsewhere.")
@cron(conf.time_zone_cron(), name="By setting", catch_up=1)
def time_zone_check(context: JobContext) -> str:
    """Look whether the time zone data changed; every process does so on its start, too."""
    moved = recompute_after_tzdata_change(context.now)
    return say("Time zone data {version}; {moved:,} next runs moved.", version=installed_version(), moved=moved)


@job("Statistics roll-up", category=_CATEGORY, description="Counts ended runs by the hour, to keep the figures longer.")
@cron(conf.statistics_cron(), name="By setting", catch_up=1)
def statistics_roll_up(context: JobContext) -> str:
    """Roll up what ended; the figures of the pages are exact also without it, and last longer than the runs with it."""
    changed, deleted = roll_up(context.now)
    return say("{changed:,} hours counted, {deleted:,} old ones deleted.", changed=changed, deleted=deleted)


@job("Recovery report", category=_CATEGORY, description="Counts what was lost, tried again, missed or failed in a day.")
@cron(conf.report_cron(), name="By setting")
def recovery_report(context: JobContext) -> str:
    """Count the events of the last 24 hours that somebody should know of, and log the newest of each kind."""
    since = context.now - timedelta(hours=24)
    events = SchedulerLog.objects.filter(event_type__in=_TOLD, event_time__gt=since, event_time__lte=context.now)
    counts = Counter(events.order_by().values_list("event_type", flat=True))
    for kind in _TOLD:
        newest = events.filter(event_type=kind).first()
        if newest is not None:
            context.logger.info("%s: %s, the newest: %s", kind.value, f"{counts[kind]:,}", newest.message)
    return ", ".join(f"{counts[kind]:,} {kind.value}" for kind in _TOLD) + " in 24 hours."
