"""The filters that templates find under `{% load look %}`; `scheduling.formatters` says what each of them does."""

from django.template import Library

from scheduling import formatters

register = Library()

for each in (
    formatters.badge,
    formatters.count,
    formatters.fire_time,
    formatters.gate_name,
    formatters.milliseconds,
    formatters.moment,
    formatters.paused_words,
    formatters.since,
    formatters.zone_shown,
):
    register.filter(each)
