"""Promises of the door: nobody without an account fills the disk, or tries passwords without an end."""

import logging
from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.core.files import uploadhandler
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory
from django.urls import reverse

from scheduling import clock
from staging.uploads.quota import was_too_big

pytestmark = pytest.mark.django_db

LOGIN = "/admin/login/"


@pytest.fixture
def taken_in(monkeypatch):
    """Return the names of all files of which some handler kept a piece."""
    names: list[str] = []
    for handler in (uploadhandler.MemoryFileUploadHandler, uploadhandler.TemporaryFileUploadHandler):
        real = handler.new_file

        def note(self, field, name, *args, _real=real, **kwargs):
            names.append(name)
            return _real(self, field, name, *args, **kwargs)

        monkeypatch.setattr(handler, "new_file", note)
    return names


def files(size, number=3):
    return {f"file{n}": SimpleUploadedFile(f"f{n}", b"x" * size) for n in range(number)}


@pytest.mark.parametrize("path", [LOGIN, "/admin/", "/nowhere/", "/admin/staging/entity/add/"])
@pytest.mark.parametrize("token", [True, False])
def test_no_file_of_somebody_unknown_is_taken_in(taken_in, path, token):
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    if token:
        client.cookies["csrftoken"] = "x" * 32
    response = client.post(path, files(2000))
    assert response.status_code in (302, 403, 404) and not taken_in


def test_what_is_larger_than_a_form_is_refused_before_it_is_read(taken_in, settings, monkeypatch):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000
    monkeypatch.setattr("django.http.request.HttpRequest._load_post_and_files", lambda *_: pytest.fail("it was read"))
    assert Client().post(LOGIN, files(5000)).status_code == 413
    assert not taken_in


def test_all_files_of_a_request_count_together(taken_in, settings):
    settings.UPLOAD_MAX_BYTES = 4000
    request = RequestFactory().post("/", files(1500))
    request.upload_handlers = [uploadhandler.load_handler(name, request) for name in settings.UPLOAD_HANDLERS]
    assert len(request.FILES) == 2 and was_too_big(request)


def test_people_who_are_signed_in_bring_files(taken_in, ann):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)
    client.cookies["csrftoken"] = "x" * 32
    client.post("/admin/", files(100, 1))
    assert taken_in


@pytest.fixture
def ann(db):
    return User.objects.create_superuser("ann", password="right")


def sign_in(password, name="ann", **headers):
    return Client(**headers).post(LOGIN, {"username": name, "password": password})


def test_twenty_wrong_passwords_lock_the_account_there_and_are_told(ann, caplog):
    with caplog.at_level(logging.WARNING, logger="scheduling.signals"):
        answers = [sign_in("wrong").status_code for _ in range(20)]
    assert answers[:9] == [200] * 9 and set(answers[9:]) == {429}
    assert sum("account 'ann', from 127.0.0.1" in record.getMessage() for record in caplog.records) >= 10
    refused = sign_in("right")
    assert refused.status_code == 429 and "too many wrong passwords" in refused.content.decode()
    assert "by itself 15 minutes after the last try" in refused.content.decode()
    assert sign_in("right", REMOTE_ADDR="10.0.0.9").status_code == 302


def test_who_tries_many_accounts_from_one_address_is_locked_out_there(ann, settings):
    """One password for each of many accounts: no account is ever locked, so the address has to be."""
    settings.SIGN_IN_ADDRESS_ATTEMPTS = 30
    User.objects.create_user("bert", password="right", is_staff=True)
    answers = [sign_in("Spring2026", name=f"person{number}", HTTP_USER_AGENT=str(number)) for number in range(32)]
    assert [answer.status_code for answer in answers] == [200] * 29 + [429] * 3
    assert sign_in("right").status_code == 429
    assert sign_in("right", REMOTE_ADDR="10.0.0.9").status_code == 302
    AccessAttempt.objects.update(attempt_time=clock.now() - timedelta(minutes=16))
    assert sign_in("right", "bert").status_code == 302


def test_who_tries_one_account_again_and_again_keeps_no_others_out(ann, settings):
    settings.SIGN_IN_ADDRESS_ATTEMPTS = 30
    for _ in range(40):
        sign_in("wrong", HTTP_USER_AGENT="one browser")
    User.objects.create_user("bert", password="right", is_staff=True)
    assert sign_in("right").status_code == 429 and sign_in("right", "bert").status_code == 302


def test_a_right_password_makes_nothing_of_what_was_tried_for_others_good(ann, settings):
    settings.SIGN_IN_ADDRESS_ATTEMPTS = 30
    for number in range(29):
        sign_in("wrong", name=f"person{number}")
    assert sign_in("right").status_code == 302
    assert sign_in("wrong", name="person30").status_code == 429


def test_a_right_password_forgives_the_wrong_ones_before_it(ann):
    for _ in range(3):
        assert [sign_in("wrong").status_code for _ in range(5)] == [200] * 5
        assert sign_in("right").status_code == 302


def test_a_sign_in_that_goes_well_is_nothing_for_the_log(ann, caplog):
    with caplog.at_level(logging.INFO):
        assert sign_in("right").status_code == 302
    assert [record.getMessage() for record in caplog.records if record.name.startswith("axes")] == []


def test_the_lock_counts_from_the_last_try(ann):
    for _ in range(10):
        sign_in("wrong")
    AccessAttempt.objects.update(attempt_time=clock.now() - timedelta(minutes=10))
    assert sign_in("right").status_code == 429
    assert AccessAttempt.objects.get().attempt_time > clock.now() - timedelta(minutes=1)


def test_the_lock_ends_by_itself(ann, settings):
    for _ in range(10):
        sign_in("wrong")
    for attempt in AccessAttempt.objects.all():
        AccessAttempt.objects.update(attempt_time=attempt.attempt_time - timedelta(minutes=16))
    assert sign_in("right").status_code == 302


def test_no_page_of_the_admin_shows_attempts(ann):
    client = Client()
    client.force_login(ann)
    assert "axes" not in client.get(reverse("admin:index")).content.decode().lower()


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("x7Qp", "too short"), ("password123", "too common"), ("annabella.jones", "too similar"),
    ],
)  # fmt: skip
def test_a_weak_password_is_refused_on_every_page_that_sets_one(ann, password, why):
    """By its owner, by whoever makes an account, and by whoever sets it anew."""
    person = User.objects.create_user("annabella.jones", password="right", is_staff=True)
    hers, theirs = Client(), Client()
    hers.force_login(person)
    theirs.force_login(ann)
    new = {"password1": password, "password2": password, "usable_password": "true"}
    answers = [
        hers.post("/admin/password_change/",
                  {"old_password": "right", "new_password1": password, "new_password2": password}),
        theirs.post(reverse("admin:auth_user_password_change", args=[person.pk]), new),
        theirs.post("/admin/auth/user/add/", {"username": "annabella.jones2", **new}),
    ]  # fmt: skip
    assert all(answer.status_code == 200 and why in answer.content.decode() for answer in answers)
    assert User.objects.get(pk=person.pk).check_password("right") and User.objects.count() == 2
