"""An OpenID Connect provider in a process of its own, as an organisation runs one: people, groups, a sign-in page.

    python -m tests.acceptance.provider PORT FOLDER REDIRECT_URI

Who is who stands in FOLDER/people.json and is read at every question: {"anna": {"sub": "1", "groups": ["Steward"]}}.
Everybody's password is `secret`.
"""

import json
import sys
from pathlib import Path
from typing import Any
from wsgiref.simple_server import make_server

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings
from django.urls import include, path

urlpatterns: list[Any] = []
CLIENT_ID, CLIENT_SECRET = "staging-scheduler", "secret-of-the-client"


def main(port: int, folder: Path, redirect_uri: str) -> None:
    """Serve until somebody ends the process."""
    _configure(folder)
    import django
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    django.setup()
    call_command("migrate", verbosity=0)
    from django.contrib.auth.models import User
    from oauth2_provider.models import Application

    people = folder / "people.json"
    settings.OAUTH2_PROVIDER["OAUTH2_VALIDATOR_CLASS"] = _claims(people)
    urlpatterns.extend(_urls())
    for name in json.loads(people.read_text()):
        User.objects.create_user(name, password="secret", is_staff=True)
    Application.objects.create(
        client_id=CLIENT_ID,
        client_secret=CLIENT_SECRET,
        client_type=Application.CLIENT_CONFIDENTIAL,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris=redirect_uri,
        algorithm=Application.RS256_ALGORITHM,
        skip_authorization=True,
    )
    make_server("127.0.0.1", port, get_wsgi_application()).serve_forever()


def _configure(folder: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    settings.configure(
        SECRET_KEY="of the provider",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=__name__,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder / "provider.sqlite3"}},
        INSTALLED_APPS=[
            "django.contrib.admin",
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "django.contrib.messages",
            "oauth2_provider",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]},
        }],
        LOGIN_URL="/admin/login/",
        # A browser keeps the cookies of one host together, whatever the port.
        SESSION_COOKIE_NAME="provider_session",
        CSRF_COOKIE_NAME="provider_csrf",
        USE_TZ=True,
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_RSA_PRIVATE_KEY": key.decode(),
            "SCOPES": {"openid": "Who", "profile": "Name", "email": "Address"},
            "PKCE_REQUIRED": True,
        },
    )  # fmt: skip


def _claims(people: Path) -> type:
    """Return what says of a person what the file says now."""
    from oauth2_provider.oauth2_validators import OAuth2Validator

    class Claims(OAuth2Validator):  # type: ignore[misc]
        oidc_claim_scope = None

        def get_additional_claims(self, request: Any) -> dict[str, Any]:
            name = request.user.get_username()
            return {"preferred_username": name, **json.loads(people.read_text())[name]}

    return Claims


def _urls() -> list[Any]:
    from django.contrib import admin

    return [path("admin/", admin.site.urls), path("o/", include("oauth2_provider.urls", namespace="oauth2_provider"))]


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
