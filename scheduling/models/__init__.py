"""Tables of scheduling: constraints and reads; the verbs are in the rooms above."""

from scheduling.models.alert import Alert, AlertChannel, AlertDelivery, AlertNotice, AlertRule
from scheduling.models.calendar import BlackoutCalendar, BlackoutPeriod
from scheduling.models.configuration import SchedulerConfiguration
from scheduling.models.figures import FiguresMark, HourOfFigures
from scheduling.models.job import AttemptLog, Job, JobSchedule
from scheduling.models.log import SchedulerLog
from scheduling.models.pause_fields import PauseFields
from scheduling.models.person import BulkAction, PersonalChoices
from scheduling.models.plan import EntityDependency, Plan, PlanAfter, PlanStep, SqlScript
from scheduling.models.queue import Queue
from scheduling.models.run import Attempt, Run, Task, TaskDependency
from scheduling.models.saved_filter import SavedFilter
from scheduling.models.schedule import CadenceFields, RunSchedule, Schedule
from scheduling.models.site import Heartbeat, RetentionPolicy, SchedulerState
from scheduling.models.tally import Tally, TallyMark

__all__ = [
    "Alert", "AlertChannel", "AlertDelivery", "AlertNotice", "AlertRule", "Attempt", "AttemptLog", "BlackoutCalendar",
    "BlackoutPeriod", "BulkAction", "CadenceFields", "EntityDependency", "FiguresMark", "Heartbeat", "HourOfFigures",
    "Job", "JobSchedule", "PauseFields", "PersonalChoices", "Plan", "PlanAfter", "PlanStep", "Queue",
    "RetentionPolicy", "Run", "RunSchedule", "SavedFilter", "Schedule", "SchedulerConfiguration", "SchedulerLog",
    "SchedulerState", "SqlScript", "Tally", "TallyMark", "Task", "TaskDependency",
]  # fmt: skip
