"""Every kind of thing that has versions, a line for each."""

from __future__ import annotations

from scheduling.subjects.alert import ALERT_CHANNEL, ALERT_RULE
from scheduling.subjects.configuration import CONFIGURATION
from scheduling.subjects.job import JOB, JOB_SCHEDULE
from scheduling.subjects.named import CALENDAR, QUEUE, SCRIPT
from scheduling.subjects.people import GROUP, PERSON
from scheduling.subjects.plan import PLAN
from scheduling.subjects.retention import RETENTION
from staging.subjects.entity import ENTITY
from staging.subjects.rule import RULE
from staging.versions.hooks import follow

ALL = (
    ENTITY,
    RULE,
    CONFIGURATION,
    PLAN,
    CALENDAR,
    JOB,
    JOB_SCHEDULE,
    QUEUE,
    SCRIPT,
    ALERT_RULE,
    ALERT_CHANNEL,
    GROUP,
    PERSON,
    RETENTION,
)


def follow_all() -> None:
    """Give each of them versions from now on."""
    for subject in ALL:
        follow(subject)
