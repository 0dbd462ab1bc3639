"""Admin pages of scheduling."""

from django.contrib import admin

from scheduling.admin import calendars, configurations, log, operations, runs

__all__ = ["calendars", "configurations", "log", "operations", "runs"]

admin.site.site_title = "Staging Scheduler"
admin.site.site_header = "Staging Scheduler"
admin.site.index_title = "How things stand"
admin.site.site_url = None
