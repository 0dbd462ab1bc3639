"""Promises of `createsuperuser`: without questions it refuses what it refuses to somebody who types."""

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db


@pytest.fixture
def given(monkeypatch):
    """Return a function that makes the account of the environment with this password."""
    monkeypatch.setenv("DJANGO_SUPERUSER_USERNAME", "marjolein")
    monkeypatch.setenv("DJANGO_SUPERUSER_EMAIL", "m@example.com")

    def make(password):
        monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", password)
        call_command("createsuperuser", "--no-input", verbosity=0)

    return make


@pytest.mark.parametrize(
    ("password", "words"),
    [
        ("password", "too common"),
        ("aB3$", "too short"),
        ("marjolein1", "username"),
        (" ", "too short"),
    ],
)
def test_a_weak_password_of_the_environment_makes_no_account(given, password, words):
    with pytest.raises(CommandError, match=words) as refused:
        given(password)
    assert refused.value.returncode == 2 and str(refused.value).startswith("DJANGO_SUPERUSER_PASSWORD: ")
    assert not User.objects.exists()


def test_a_good_one_makes_the_account_and_none_makes_one_that_nobody_can_use(given, monkeypatch):
    given("a long one for marjolein")
    assert User.objects.get().check_password("a long one for marjolein")
    monkeypatch.delenv("DJANGO_SUPERUSER_PASSWORD")
    call_command("createsuperuser", "--no-input", "--username", "bob", verbosity=0)
    assert not User.objects.get(username="bob").has_usable_password()
