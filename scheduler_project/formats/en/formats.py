"""Instants and days as all our pages write them: 2026-11-24 06:00:00."""

DATE_FORMAT = SHORT_DATE_FORMAT = "Y-m-d"
TIME_FORMAT = "H:i"  # of day, as people type it
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "Y-m-d H:i:s"
