"""The fields every schedule shares, however it is started: configurations now, jobs and plans later."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from scheduling.states import DstGap, DstOverlap, IntervalAnchor, ScheduleType


class CadenceFields(models.Model):
    """A cadence as columns. Times and days are comma lists, as people write them; `schedules` checks them."""

    schedule_type = models.CharField(max_length=20, choices=ScheduleType, blank=True)
    interval_minutes = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(1440)]
    )
    interval_anchor = models.CharField(max_length=20, choices=IntervalAnchor, default=IntervalAnchor.WALL_CLOCK)
    window_start = models.TimeField(null=True, blank=True)
    window_end = models.TimeField(null=True, blank=True)
    run_times = models.CharField(max_length=200, blank=True, help_text="For example 06:00, 18:30.")
    run_days = models.CharField(max_length=100, blank=True, help_text="For example mon, fri.")
    run_days_of_month = models.CharField(max_length=100, blank=True, help_text="For example 1, 15, last.")
    every_n_weeks = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1)])
    cron_expression = models.CharField(max_length=100, blank=True, help_text="Five fields, for example 0 6 * * 1-5.")
    starts_on = models.DateField(null=True, blank=True)
    ends_on = models.DateField(null=True, blank=True)
    timezone = models.CharField(max_length=64, default="UTC", help_text="For example Europe/Amsterdam.")
    dst_gap = models.CharField(max_length=20, choices=DstGap, default=DstGap.FIRST_VALID)
    dst_overlap = models.CharField(max_length=20, choices=DstOverlap, default=DstOverlap.FIRST)
    next_scheduled_run = models.DateTimeField(null=True, blank=True)
    armed_from = models.DateTimeField(
        null=True, blank=True, help_text="Set when the schedule is created, edited or enabled; earlier slots never run."
    )
    is_enabled = models.BooleanField(default=True)

    class Meta:
        abstract = True
