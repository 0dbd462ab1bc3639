"""Admin pages of scheduling."""

from django.contrib import admin

from scheduling.admin import (
    calendars,
    configurations,
    job_schedules,
    jobs,
    log,
    operations,
    plans,
    queues,
    runs,
    scripts,
    workers,
)  # fmt: skip

__all__ = [
    "calendars", "configurations", "job_schedules", "jobs", "log", "operations", "plans", "queues", "runs", "scripts",
    "workers",
]  # fmt: skip

admin.site.site_title = "Staging Scheduler"
admin.site.site_header = "Staging Scheduler"
admin.site.index_title = "How things stand"
admin.site.site_url = None
