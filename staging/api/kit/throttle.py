"""How many requests a token may make in a minute, counted in each web process by itself."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.cache import caches
from rest_framework.throttling import BaseThrottle, SimpleRateThrottle

from staging.api.kit.callers import limiting_key

_WINDOW_SECONDS = 60


class CallerThrottle(BaseThrottle):
    """Counts in windows of a minute; one more than the setting allows is a 429 that says when to come again."""

    timer = SimpleRateThrottle.timer
    left = 0.0

    def allow_request(self, request: Any, view: Any) -> bool:
        """Count the request; return whether it is one too many."""
        most = settings.API_REQUESTS_PER_MINUTE
        if most <= 0:
            return True
        window, into = divmod(type(self).timer(), _WINDOW_SECONDS)
        self.left = _WINDOW_SECONDS - into
        name = f"api-requests:{limiting_key(request)}:{int(window)}"
        cache = caches["default"]
        cache.add(name, 0, timeout=2 * _WINDOW_SECONDS)
        try:
            return int(cache.incr(name)) <= most
        except ValueError:  # the cache was emptied between the two
            return True

    def wait(self) -> float:
        """Return after how many seconds the next window begins."""
        return self.left
