"""Finds the configuration an address names; what is not there is a 404, never a traceback."""

from django.http import Http404

from scheduling.models import SchedulerConfiguration


def find_configuration(pk: str | int) -> SchedulerConfiguration | None:
    """Return the configuration with what its pages show of it, or None."""
    if not str(pk).isdecimal():
        return None
    known = SchedulerConfiguration.objects.select_related("entity", "running_task", "calendar")
    return known.prefetch_related("calendar__periods").filter(pk=pk).first()


def get_configuration(pk: str | int) -> SchedulerConfiguration:
    """Return the configuration with what its pages show of it; an unknown one is a 404."""
    configuration = find_configuration(pk)
    if configuration is None:
        raise Http404("There is no such configuration.")
    return configuration
