"""Headers that every answer carries, whichever part of the server made it: probes, files, errors and the API, too."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# Of answers that are no page: should a browser show one all the same, nothing in it runs, loads or is framed.
_INERT = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_ALL = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class HeadersMiddleware:
    """Adds what is missing; what a page says itself stays. It stands first, so that no answer passes it by."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, with the headers."""
        response = self._get_response(request)
        for name, value in _ALL.items():
            response.headers.setdefault(name, value)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if not is_page:
            response.headers["Content-Security-Policy"] = _INERT
        else:
            response.headers.setdefault("Content-Security-Policy", _INERT)
        return response
