"""Instants and days as in English: one form on all pages; whoever types a day in the Dutch way is understood."""

from django.conf.locale.nl import formats as dutch  # type: ignore[import-untyped]

DATE_FORMAT = SHORT_DATE_FORMAT = "Y-m-d"
TIME_FORMAT = "H:i"  # of day, as people type it
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "Y-m-d H:i:s"

# The first is what a form shows.
DATE_INPUT_FORMATS = ["%Y-%m-%d", *dutch.DATE_INPUT_FORMATS]
DATETIME_INPUT_FORMATS = ["%Y-%m-%d %H:%M:%S", *dutch.DATETIME_INPUT_FORMATS]
