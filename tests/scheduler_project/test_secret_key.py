"""The secret key changes while people and programs are at work: what goes on, and what ends when the old one goes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.test import Client, override_settings

from scheduling import clock
from scheduling.model_files.load import load
from staging import tokens
from staging.admin.rows.replace import _SALT, ReplaceForm
from staging.model_files.read import read_file
from staging.models import KeptAnswer
from tests.scheduler_project.test_settings import LONG, start

MODEL = "version: 1\nentities:\n  - {code: city, name: City}\n"
# How the guide tells to set the keys: the new one alone signs, the old ones are still read; then the old ones go.
NEW = "another-key-" + "9876543210" * 4
ROTATED, OLD_ONE_GONE = {"SECRET_KEY": NEW, "SECRET_KEY_FALLBACKS": [settings.SECRET_KEY]}, {"SECRET_KEY": NEW}
PAGE = "/admin/staging/entity/"


def is_in(client: Client) -> bool:
    """Return whether the page answers without asking who it is."""
    return client.get(PAGE).status_code == 200


def deposit(secret: str, key: str) -> Any:
    """Deposit a row by the API with a key of idempotency."""
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": key}
    return Client().post("/api/v1/entities/city/rows", json.dumps([{"code": "a"}]), "application/json", headers=headers)


@pytest.fixture
def ann(db: None, tmp_path: Path) -> User:
    """Somebody who may do everything, and an entity."""
    (tmp_path / "model.yaml").write_text(MODEL)
    load(read_file(tmp_path / "model.yaml"), now=clock.now())
    return User.objects.create_superuser("ann", password="a long one for ann")


def test_with_the_old_key_still_read_nobody_signs_in_again(ann: User) -> None:
    often, seldom = Client(), Client()
    for client in (often, seldom):
        client.force_login(ann)
    with override_settings(**ROTATED):
        assert is_in(often), "the session was signed with the old key"
    with override_settings(**OLD_ONE_GONE):
        assert is_in(often), "who came meanwhile has a session signed with the new key"
        assert not is_in(seldom), "who did not signs in again"
        again = seldom.get("/admin/login/").content.decode()
        (csrf,) = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', again))
        form = {"username": "ann", "password": "a long one for ann", "csrfmiddlewaretoken": csrf}
        assert seldom.post("/admin/login/", form).status_code == 302 and is_in(seldom), "passwords hold"


def test_a_form_that_is_open_holds_until_the_old_key_goes(db: None) -> None:
    sent = {"old": signing.dumps("north", salt=_SALT), "new": "south"}
    with override_settings(**ROTATED):
        assert ReplaceForm(sent).is_valid()
    with override_settings(**OLD_ONE_GONE):
        form = ReplaceForm(sent)
        assert not form.is_valid() and form.errors["old"] == ["Choose the value again."]


def test_tokens_and_answers_that_were_kept_do_not_depend_on_the_key(ann: User) -> None:
    _, secret = tokens.issue(ann, name="feed", scopes=["deposit"], entities=None, by="ann")
    first = deposit(secret, "k")
    with override_settings(**OLD_ONE_GONE):
        again = deposit(secret, "k")
        assert again.headers["Idempotency-Replayed"] == "true" and again.json() == first.json()
    assert first.status_code == 200 and KeptAnswer.objects.count() == 1


def test_the_keys_are_a_list_with_commas(tmp_path: Path) -> None:
    show = "from scheduler_project import settings as s; print(s.SECRET_KEY_FALLBACKS)"
    assert start(tmp_path, show, SECRET_KEY=LONG).stdout.strip() == "[]"
    assert start(tmp_path, show, SECRET_KEY=LONG, SECRET_KEY_FALLBACKS="a,b").stdout.strip() == "['a', 'b']"
