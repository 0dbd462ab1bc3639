"""Tables of scheduling: constraints and reads; the verbs are in the rooms above."""

from scheduling.models.alert import Alert, AlertChannel, AlertDelivery, AlertNotice, AlertRule
from scheduling.models.attempt import Attempt, AttemptLog
from scheduling.models.backfill import Backfill, BackfillSlot
from scheduling.models.calendar import BlackoutCalendar, BlackoutPeriod, PauseFields
from scheduling.models.configuration import SchedulerConfiguration
from scheduling.models.figures import FiguresMark, HourOfFigures, Tally, TallyMark
from scheduling.models.job import Job, JobSchedule
from scheduling.models.log import SchedulerLog
from scheduling.models.person import BulkAction, PersonalChoices, SavedFilter
from scheduling.models.plan import EntityDependency, Plan, PlanAfter
from scheduling.models.queue import Queue
from scheduling.models.run import Run, Task, TaskDependency
from scheduling.models.schedule import CadenceFields, RunSchedule, Schedule
from scheduling.models.site import Heartbeat, RetentionPolicy, SchedulerState, SiteFacts
from scheduling.models.step import PlanStep, SqlScript

__all__ = [
    "Alert", "AlertChannel", "AlertDelivery", "AlertNotice", "AlertRule", "Attempt", "AttemptLog", "Backfill",
    "BackfillSlot", "BlackoutCalendar", "BlackoutPeriod", "BulkAction", "CadenceFields", "EntityDependency",
    "FiguresMark", "Heartbeat", "HourOfFigures", "Job", "JobSchedule", "PauseFields", "PersonalChoices", "Plan",
    "PlanAfter", "PlanStep", "Queue", "RetentionPolicy", "Run", "RunSchedule", "SavedFilter", "Schedule",
    "SchedulerConfiguration", "SchedulerLog", "SchedulerState", "SiteFacts", "SqlScript", "Tally", "TallyMark",
    "Task", "TaskDependency",
]  # fmt: skip
