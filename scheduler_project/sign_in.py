"""The lock of an account after too many wrong passwords, for whoever signs in by a request."""

from typing import Any

from axes.backends import AxesStandaloneBackend
from django.http import HttpRequest


class Lock(AxesStandaloneBackend):
    """Refuses an account that is locked; it knows nobody itself. Code that asks without a request is no visitor."""

    def authenticate(self, request: HttpRequest | None, *args: Any, **kwargs: Any) -> None:
        """Raise AxesBackendPermissionDenied while the account is locked for this visitor."""
        if request is not None:
            super().authenticate(request, *args, **kwargs)
