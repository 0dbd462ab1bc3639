"""Signs people in by OpenID Connect: who they are and which groups they have is their organisation's to say."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.openid_connect import views
from django.conf import settings
from django.contrib.admin import AdminSite
from django.contrib.auth import SESSION_KEY, logout
from django.contrib.auth.models import Group, User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from requests import RequestException

from staging.wording import say

logger = logging.getLogger(__name__)


class SingleSignOn(DefaultSocialAccountAdapter):
    """Lets in whoever has a group that is here, under an account of their own, with exactly these groups.

    An account belongs to the provider's `sub`: names and mail addresses change hands, and a local account that has the
    same name stays what it is.
    """

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuse who may not come in; set the groups of an account that is known already, also if none is left."""
        documents = _documents(sociallogin)
        if len({str(document.get("sub")) for document in documents}) != 1:
            raise ImmediateHttpResponse(_refused(request, say("Its answers are about two different people.")))
        groups = _groups(documents)
        if not groups:
            if sociallogin.is_existing:
                _take_all(sociallogin.user)
            name = settings.OIDC_NAME
            raise ImmediateHttpResponse(_refused(request, say("{name} gives you no role here.", name=name)))
        sociallogin.email_addresses = []  # an address proves nothing here, and must not stand in anybody's way
        if not sociallogin.is_existing:
            return
        if not sociallogin.user.is_active:
            raise ImmediateHttpResponse(_refused(request, say("Your account here is switched off.")))
        _grant(sociallogin.user, groups)

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """Make an account at the first sign-in."""
        user: User = super().save_user(request, sociallogin, form)
        _grant(user, _groups(_documents(sociallogin)))
        return user

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Return True: who has a group here needs no other invitation."""
        return True

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, exception: Any = None, extra_context: Any = None
    ) -> None:
        """Tell in words that it did not work; why is told to operators."""
        _failed(f"{error} {exception or ''}".strip())
        told = say("{name} did not confirm who you are. Try again.", name=settings.OIDC_NAME)
        raise ImmediateHttpResponse(_refused(request, told))


class NoLocalSessionsMiddleware:
    """Ends sessions that a password began, where passwords open nothing any more. It stands behind the sessions."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer; whoever the provider did not confirm in this session is signed out first."""
        by = {each.get("method") for each in request.session.get(AUTHENTICATION_METHODS_SESSION_KEY, ())}
        if SESSION_KEY in request.session and "socialaccount" not in by:
            logout(request)
        return self._get_response(request)


def hide_tables(site: AdminSite) -> None:
    """Take the package's tables off the admin's pages: settings say everything that they could."""
    for model in [model for model in site._registry if model._meta.app_label in ("account", "socialaccount")]:
        site.unregister(model)


def begin(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Send a person to the provider."""
    return _unless_away(views.login, request, provider_id)


def end(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Take a person in who comes back from the provider."""
    return _unless_away(views.callback, request, provider_id)


def _unless_away(view: Callable[..., HttpResponse], request: HttpRequest, provider_id: str) -> HttpResponse:
    """Do what the view does, or tell in words that the provider does not answer: both views ask it where to go."""
    try:
        return view(request, provider_id)
    except RequestException as error:
        _failed(error)
        return _refused(request, say("{name} does not answer. Try again later.", name=settings.OIDC_NAME))


def cancelled(request: HttpRequest) -> HttpResponse:
    """Go back to the sign-in: the person gave up at the provider."""
    return redirect("admin:login")


def _documents(sociallogin: SocialLogin) -> list[dict[str, Any]]:
    """Return what the provider said: the identity token and the answer about the person, where there are both."""
    said = sociallogin.account.extra_data
    return [said[part] for part in ("id_token", "userinfo") if said.get(part)]


def _groups(documents: Iterable[dict[str, Any]]) -> list[Group]:
    """Return the groups of this installation whose names the provider names."""
    claims = [document.get(settings.OIDC_GROUPS_CLAIM) or () for document in documents]
    names = {str(name) for claim in claims for name in ([claim] if isinstance(claim, str) else claim)}
    return list(Group.objects.filter(name__in=names).order_by("name"))


def _grant(user: User, groups: list[Group]) -> None:
    """Give a person exactly these groups; who lost one at the provider loses it here."""
    user.groups.set(groups)
    user.is_staff = True
    user.save(update_fields=["is_staff"])
    vars(user)["backend"] = settings.AUTHENTICATION_BACKENDS[-1]  # which the session asks for permissions
    names = ", ".join(group.name for group in groups)
    logger.info("%s signs in with the groups %s", user.get_username(), names, extra={"event": "signed_in"})


def _take_all(user: User) -> None:
    """Take the groups of a person away: sessions that are open and tokens live by them, not by the sign-in."""
    user.groups.clear()
    user.is_staff = False
    user.save(update_fields=["is_staff"])
    name = user.get_username()
    logger.warning("%s lost all groups at the provider, and here", name, extra={"event": "groups_lost"})


def _failed(why: object) -> None:
    logger.warning("sign-in by %s failed: %s", settings.OIDC_ISSUER, why, extra={"event": "sign_in_failed"})


def _refused(request: HttpRequest, why: str) -> HttpResponse:
    return render(request, "sign_in_refused.html", {"why": why}, status=403)
