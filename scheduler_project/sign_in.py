"""The doors by which people come in: a password, with a lock after too many wrong ones, and single sign-on."""

from typing import Any

from axes.backends import AxesStandaloneBackend
from axes.exceptions import AxesBackendPermissionDenied
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache


class Lock(AxesStandaloneBackend):
    """Refuses an account that is locked; it knows nobody itself. Code that asks without a request is no visitor."""

    def authenticate(self, request: HttpRequest | None, *args: Any, **kwargs: Any) -> None:
        """Raise AxesBackendPermissionDenied where passwords open nothing, and while this visitor is locked out."""
        if not settings.LOCAL_ACCOUNTS:
            raise AxesBackendPermissionDenied
        if request is not None:
            super().authenticate(request, *args, **kwargs)


@never_cache
@login_not_required
def sign_in(request: HttpRequest) -> HttpResponse:
    """Show the admin's page of the sign-in, with the doors that are open here."""
    address = reverse("openid_connect_login", args=[settings.OIDC_PROVIDER]) if settings.OIDC_ISSUER else ""
    doors = {"address": address, "name": settings.OIDC_NAME, "local_accounts": settings.LOCAL_ACCOUNTS}
    return admin.site.login(request, {"sign_in": doors})
