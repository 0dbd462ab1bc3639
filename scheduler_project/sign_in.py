"""The doors by which people come in: a password, with a lock after too many wrong ones, and single sign-on."""

from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.backends import AxesStandaloneBackend
from axes.exceptions import AxesBackendPermissionDenied
from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_failure_limit
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.db.models import Sum
from django.db.models.functions import Least
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache

from scheduling.admin.unsent import kept_in
from staging.states import AuditKind
from staging.versions.audit import note
from staging.versions.doers import doer
from staging.wording import say


class Lock(AxesStandaloneBackend):
    """Refuses an account that is locked; it knows nobody itself. Code that asks without a request is no visitor."""

    def authenticate(self, request: HttpRequest | None, *args: Any, **kwargs: Any) -> None:
        """Raise AxesBackendPermissionDenied where passwords open nothing, and while this visitor is locked out."""
        if not settings.LOCAL_ACCOUNTS:
            raise AxesBackendPermissionDenied
        if request is not None:
            super().authenticate(request, *args, **kwargs)


class AccountAndAddress(AxesDatabaseHandler):
    """Counts wrong passwords for an account from an address, and all from one address, whichever accounts it tries.

    One account counts for an address only as often as locks it: who tries one again and again keeps no others out.
    """

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """Return how many wrong passwords count against this visitor: enough to lock when the address had its share."""
        found: int = super().get_failures(request, credentials)
        limit, since = get_failure_limit(request, credentials), get_cool_off_threshold(request)
        tried = AccessAttempt.objects.filter(ip_address=request.axes_ip_address, attempt_time__gte=since)  # type: ignore[attr-defined]
        counted = tried.aggregate(all=Sum(Least("failures_since_start", limit)))["all"] or 0
        return max(found, limit) if counted >= settings.SIGN_IN_ADDRESS_ATTEMPTS else found


class AuditedPassword:
    """Refuses no password: as a validator it is told of each that is set, on whichever page or by whatever command."""

    def validate(self, password: str, user: Any = None) -> None:
        """Take any."""

    def password_changed(self, password: str, user: Any = None) -> None:
        """Note in the audit whose password was set, and by whom."""
        if user is not None:
            by = doer().name or say("code or a command")
            note(AuditKind.PASSWORD_SET, person=by, about=say("Account {name}", name=user.get_username()))

    def get_help_text(self) -> str:
        """Return nothing that a person has to know."""
        return ""


@never_cache
@login_not_required
def sign_in(request: HttpRequest) -> HttpResponse:
    """Show the admin's page of the sign-in, with the doors that are open here."""
    address = reverse("openid_connect_login", args=[settings.OIDC_PROVIDER]) if settings.OIDC_ISSUER else ""
    doors = {"address": address, "name": settings.OIDC_NAME, "local_accounts": settings.LOCAL_ACCOUNTS}
    return admin.site.login(request, {"sign_in": doors, "is_kept": kept_in(request.session) is not None})
