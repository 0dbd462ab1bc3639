"""Admin pages of scheduling."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from scheduling.admin.alerts.alerts import AlertAdmin
from scheduling.admin.alerts.channels import AlertChannelAdmin
from scheduling.admin.alerts.rules import AlertRuleAdmin
from scheduling.admin.batches.admin import BatchAdmin
from scheduling.admin.calendars.admin import CalendarAdmin
from scheduling.admin.configurations.admin import ConfigurationAdmin
from scheduling.admin.jobs.admin import JobAdmin
from scheduling.admin.jobs.schedules import JobScheduleAdmin
from scheduling.admin.log.admin import LogAdmin
from scheduling.admin.monitoring.workers import HeartbeatAdmin
from scheduling.admin.operations.groups import RoleGroupAdmin
from scheduling.admin.operations.queues import QueueAdmin
from scheduling.admin.operations.retention import RetentionAdmin
from scheduling.admin.operations.scripts import ScriptAdmin
from scheduling.admin.plans.admin import PlanAdmin
from scheduling.admin.runs.admin import RunAdmin

__all__ = [
    "AlertAdmin", "AlertChannelAdmin", "AlertRuleAdmin", "BatchAdmin", "CalendarAdmin", "ConfigurationAdmin",
    "HeartbeatAdmin", "JobAdmin", "JobScheduleAdmin", "LogAdmin", "PlanAdmin",
    "QueueAdmin", "RetentionAdmin", "RoleGroupAdmin", "RunAdmin", "ScriptAdmin",
]  # fmt: skip

admin.site.site_title = "Staging Scheduler"
admin.site.site_header = "Staging Scheduler"
admin.site.index_title = _("How things stand")
admin.site.site_url = None
admin.site.empty_value_display = _("none")  # type: ignore[assignment] # said when it is read
