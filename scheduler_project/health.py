"""Answers the probes of a supervisor: /healthz is this process alive, /readyz can it serve; and a scrape with a token.

A middleware and not a view: probes come with the address of a container as host name and over plain HTTP, which
ALLOWED_HOSTS and the redirect to HTTPS would refuse.
"""

from collections.abc import Callable

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse

from scheduler_project.metrics import metrics
from scheduling import broker, clock, conf
from scheduling.doctor.installation import unapplied_migrations
from scheduling.models import Heartbeat
from staging.wording import say


class HealthMiddleware:
    """Answers the two probe paths, and /metrics to machines, before anything else sees the request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self._get_response = get_response
        self._is_migrated = False

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer a probe, or pass the request on."""
        if request.path == "/healthz":
            return JsonResponse({"status": "alive"})
        if request.path == "/readyz":
            missing = self._missing()
            told = {"status": "; ".join(missing.values()), "missing": list(missing)} if missing else {"status": "ready"}
            return JsonResponse(told, status=503 if missing else 200)
        if request.path == "/metrics" and request.headers.get("Authorization"):
            return metrics(request)
        return self._get_response(request)

    def _missing(self) -> dict[str, str]:
        """Return what this installation lacks to serve, each with its words. Details stay in the server's own log."""
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            if not self._is_migrated:  # read once: a process never sees its own migrations undone
                self._is_migrated = not unapplied_migrations()
            if not self._is_migrated:
                return {"migrations": say("migrations are not applied")}
            has_cycle = _has_a_cycle()
        except DatabaseError:
            return {"database": say("the database does not answer")}
        found = {
            "broker": say("the broker does not answer") if broker.trouble() else "",
            "last cycle": "" if has_cycle else say("no cycle has run lately"),
        }
        return {what: words for what, words in found.items() if words}


def _has_a_cycle() -> bool:
    """Return whether the dispatcher gave a sign of life lately."""
    clock.follow()
    seen = Heartbeat.objects.filter(name=Heartbeat.DISPATCHER).values_list("seen_at", flat=True).first()
    return seen is not None and clock.now() - seen <= conf.cycle_silence()
