"""What a page shows of the whole installation, read once for its header and for whatever else it asks of it."""

from __future__ import annotations

from django.http import HttpRequest

from scheduling.models import SiteFacts


def site_of(request: HttpRequest) -> SiteFacts:
    """Return what holds for the whole installation; one statement for each request, whatever asks for it."""
    known: SiteFacts | None = getattr(request, "site_facts", None)
    if known is None:
        known = request.site_facts = SiteFacts.read()  # type: ignore[attr-defined]
    return known
