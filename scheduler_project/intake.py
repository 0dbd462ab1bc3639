"""What a request may bring: files from people who are signed in, and from all others no more than a form."""

from collections.abc import Callable

from django.conf import settings
from django.core.files.uploadhandler import load_handler
from django.http import HttpRequest, HttpResponse

from staging.wording import say


class IntakeMiddleware:
    """Decides, before anything of the body is read, what takes its files in: nothing, unless somebody is signed in.

    The API decides by itself: it takes no files, bounds what it reads, and reads nothing before it knows who sends.

    It stands behind the authentication and before the check of the form's token, which reads the whole body.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Refuse what is too large for a form, and hand files to those handlers that this person may use."""
        if request.path.startswith("/api/"):
            return self._get_response(request)
        if request.method in ("POST", "PUT", "PATCH"):
            is_known = request.user.is_authenticated and request.user.is_active
            if not is_known and _announced(request) > (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0):
                return HttpResponse(say("This is more than may be sent without being signed in."), status=413)
            if is_known:
                request.upload_handlers = [load_handler(name, request) for name in settings.UPLOAD_HANDLERS]
        return self._get_response(request)


def _announced(request: HttpRequest) -> int:
    """Return how many bytes the request says it has; without a word the server reads none."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    return int(length) if length.isdecimal() else 0
