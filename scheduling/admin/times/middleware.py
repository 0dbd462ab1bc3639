"""Shows pages in the time zone of their reader; commands, workers and the API know no reader and stay in UTC."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from scheduling.admin.times.choices import chosen_by
from scheduling.formatters import by_schedule
from scheduling.states import TimesShown


class TimesMiddleware:
    """Stands behind the sessions."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in the zone of who asks; whose zone nobody knows yet reads the site's, and schedules in their own."""
        chosen = None if request.path.startswith("/api/") else chosen_by(request)
        if chosen is None:
            return self._get_response(request)
        zone, shown = chosen
        mark = by_schedule.set(shown == TimesShown.SCHEDULES)
        try:
            with timezone.override(ZoneInfo("UTC" if shown == TimesShown.UTC else zone)):
                return self._get_response(request)
        finally:
            by_schedule.reset(mark)
