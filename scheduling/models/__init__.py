"""Tables of scheduling: constraints and reads; the verbs are in the rooms above."""

from scheduling.models.cadence_fields import CadenceFields
from scheduling.models.calendar import BlackoutCalendar, BlackoutPeriod
from scheduling.models.configuration import SchedulerConfiguration
from scheduling.models.log import SchedulerLog
from scheduling.models.run import Attempt, Queue, Run, Task
from scheduling.models.site import Heartbeat, RetentionPolicy, SchedulerState

__all__ = [
    "Attempt", "BlackoutCalendar", "BlackoutPeriod", "CadenceFields", "Heartbeat", "Queue", "RetentionPolicy", "Run",
    "SchedulerConfiguration", "SchedulerLog", "SchedulerState", "Task",
]  # fmt: skip
