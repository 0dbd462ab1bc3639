"""Tokens by command: the secret once, what is wrong in one line, and revoked is revoked."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import Client

from staging.models import ApiToken
from tests.scheduling.management.test_run_commands import ask, refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def loader() -> User:
    """The account of a service, with a role."""
    user = User.objects.create_user("loader")
    user.groups.add(Group.objects.get(name="Operator"))
    return user


def _status(secret: str) -> int:
    return Client().get("/api/v1/batches", headers={"Authorization": f"Bearer {secret}"}).status_code


def test_a_token_is_made_shown_once_listed_used_and_revoked(capsys, loader, make_entity):
    make_entity("branch")
    made = ask(capsys, "create_token", "loader", "--scope", "deposit", "--scope", "read", "--entity", "branch",
               "--days", 30, "--name", "nightly")  # fmt: skip
    secret = made.pop("token")
    assert made["scopes"] == ["read", "deposit"] and made["entities"] == ["branch"] and made["name"] == "nightly"
    left = datetime.fromisoformat(made["expires"]) - datetime.now(UTC)
    assert timedelta(days=29) < left <= timedelta(days=30)
    assert secret not in str(ApiToken.objects.values()) and _status(secret) == 200
    (listed,) = ask(capsys, "list_tokens")["tokens"]
    assert listed["state"] == "active" and listed["last_used"] and secret not in str(listed)
    call_command("list_tokens")
    assert f"nightly ({secret[:8]}…): loader, read, deposit, branch; active" in capsys.readouterr().out
    assert ask(capsys, "revoke_token", made["id"]) == {"id": made["id"], "name": "nightly", "revoked": True}
    assert _status(secret) == 401 and ask(capsys, "list_tokens")["tokens"][0]["state"] == "revoked"
    assert refused("revoke_token", made["id"]) == (2, f"Token {made['id']} is revoked already.")


def test_an_expired_token_is_refused(capsys, loader):
    secret = ask(capsys, "create_token", "loader", "--scope", "read", "--days", 1)["token"]
    ApiToken.objects.update(expires_at=datetime.now(UTC) - timedelta(seconds=1))
    assert _status(secret) == 401 and ask(capsys, "list_tokens")["tokens"][0]["state"] == "expired"


def test_what_is_wrong_is_exit_code_2(loader):
    User.objects.create_user("nobody")
    User.objects.create_user("gone", is_active=False)
    assert refused("create_token", "nobody", "--scope", "read") == (
        2, "person: nobody has no role, so a token of theirs could do nothing.")  # fmt: skip
    for arguments in (
        ("loadr", "--scope", "read"),
        ("gone", "--scope", "read"),
        ("loader",),
        ("loader", "--scope", "write"),
        ("loader", "--scope", "read", "--entity", "nowhere"),
        ("loader", "--scope", "read", "--days", "0"),
        ("loader", "--scope", "read", "--name", "x" * 51),
        ("loader", "--scope", "read", "--name", "a\nb"),
    ):
        assert refused("create_token", *arguments)[0] == 2
    for number in ("x", 987654321, 10**30):
        assert refused("revoke_token", number)[0] == 2
    assert not ApiToken.objects.exists()


def test_no_tokens(capsys):
    call_command("list_tokens")
    assert capsys.readouterr().out.strip() == "There are no tokens."
