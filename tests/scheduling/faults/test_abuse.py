"""Abuse: what is written where nobody may, asked by other columns, kept after a right is lost, or seen of secrets."""

import json
import logging
import os
import subprocess
import sys

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from scheduling.models import SchedulerConfiguration
from tests.house.source import ROOT
from tests.scheduling.admin.conftest import client_for, client_of, make_configuration, make_user
from tests.scheduling.api.test_matrix import DOORS, IDS, address

pytestmark = pytest.mark.django_db

CHANGING = [door for door in DOORS if door[1] != "GET" and getattr(door[2].body, "checked", True)]
CANARY = "canary-that-nobody-may-see"


def columns_of_ours():
    """Return the names of all columns of all our models."""
    models = [*apps.get_app_config("scheduling").get_models(), *apps.get_app_config("staging").get_models(), User]
    return sorted({field.name for model in models for field in model._meta.concrete_fields})


def contents():
    """Return everything that the database holds, as text."""
    told = []
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            told.append(f"{table} {cursor.fetchall()}")
    return "\n".join(told)


@pytest.mark.parametrize(("route", "method", "declared"), CHANGING, ids=[IDS[DOORS.index(door)] for door in CHANGING])
def test_no_column_is_set_that_a_call_does_not_declare(route, method, declared, make_entity, api):
    """Status, owner, token, guard: every column of every table is sent to every address."""
    make_entity("own")
    caller = api()
    caller.get("entities")
    before = SchedulerConfiguration.objects.values().get()
    if hasattr(declared.body, "types"):
        return
    body = dict.fromkeys(columns_of_ours(), 1)
    response = caller(method, address(route), body, If_Match="*")
    assert response.status_code in (400, 404), response.content
    if response.status_code == 400:
        told = json.dumps(response.json())
        assert "is_running" in told or "takes no body" in told, told
    assert SchedulerConfiguration.objects.values().get() == before


def test_a_form_sets_nothing_that_it_does_not_show(db):
    configuration = make_configuration("branch", processing_mode="manual")
    where = reverse("admin:scheduling_schedulerconfiguration_change", args=[configuration.pk])
    more = {name: "7" for name in columns_of_ours() if name not in ("processing_mode", "is_enabled", "timezone")}
    browser = client_for("Steward")
    browser.post(where, {**more, "processing_mode": "manual", "is_enabled": "on"})
    now = SchedulerConfiguration.objects.get(pk=configuration.pk)
    held = ("is_running", "fire_count", "consecutive_failures", "running_task_id", "backoff_until", "entity_id")
    assert [getattr(now, name) for name in held] == [getattr(configuration, name) for name in held]


LISTS = sorted(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist" for model in admin.site._registry)
HOSTILE = (
    "_connector=OR", "_negated=1", "person__password__startswith={}", "user__password__startswith={}",
    "password__startswith={}", "entity__batches__requested_by__password={}", "secret_hash__startswith={}",
    "o=-99.99", "o=password", "p=-1", "p=99999999999999999999", "q=%00", "pk__in=1,2", "e=1", "all=",
)  # fmt: skip


@pytest.mark.parametrize("where", LISTS)
def test_a_list_is_asked_by_nothing_that_it_does_not_offer(where):
    """Answers that differ with the guess would tell a password letter by letter."""
    browser = client_for("superuser")
    browser.raise_request_exception = False
    for question in HOSTILE:
        answers = [browser.get(f"{reverse(where)}?{question.format(guess)}") for guess in ("p", "zzz")]
        statuses = {answer.status_code for answer in answers}
        assert len(statuses) == 1 and statuses <= {200, 302, 400, 404}, (question, statuses)
        if "{}" in question and statuses == {200}:
            shown = [answer.content.decode().replace("zzz", "p") for answer in answers]
            assert abs(len(shown[0]) - len(shown[1])) < 200, question


@pytest.mark.parametrize("loss", ["the role", "the account", "staff"])
def test_a_right_that_is_lost_is_lost_at_the_next_request(loss):
    configuration = make_configuration("branch")
    steward = make_user("Steward")
    browser = client_of(steward)
    where = reverse("admin:scheduling_schedulerconfiguration_pause", args=[configuration.pk])
    assert browser.get(where).status_code == 200
    if loss == "the role":
        steward.groups.clear()
    else:
        User.objects.filter(pk=steward.pk).update(**{"is_active" if loss == "the account" else "is_staff": False})
    assert browser.post(where, {"pause_reason": "Audit"}).status_code in (302, 403)
    assert SchedulerConfiguration.objects.get(pk=configuration.pk).paused_at is None


def test_no_secret_that_passes_through_is_kept_or_told(api, caplog, make_entity):
    """A password that was mistyped, one that was right, a token: in no table, no line of a log, no answer."""
    make_entity("branch")
    User.objects.create_user("ann", password=CANARY, is_staff=True)
    caller, bearer = api(), {"Authorization": f"Bearer {CANARY}"}
    with caplog.at_level(logging.DEBUG):
        answers = [
            Client().post("/admin/login/", {"username": "ann", "password": CANARY}),
            Client().post("/admin/login/", {"username": CANARY + "?", "password": CANARY + "!"}),
            Client().get("/api/v1/entities", headers=bearer),
            Client().get("/metrics", headers=bearer),
            caller.post("entities/branch/rows", [{"code": "a", "name": "A"}]),
            caller.post("entities/branch/rows", "{"),
            caller.get("entities/nowhere"),
        ]
    logged = "\n".join(record.getMessage() for record in caplog.records if not record.name.startswith("django.db"))
    told = "\n".join(answer.content.decode() for answer in answers[2:])
    for secret in (CANARY + "!", caller.secret, caller.secret[12:]):
        assert secret not in contents() and secret not in logged and secret not in told
    assert f"Bearer {CANARY}" not in logged and CANARY not in told


@pytest.mark.parametrize("command", [("manage.py", "check", "--database", "default"), ("manage.py", "doctor")])
def test_no_command_tells_the_passwords_of_services_that_are_away(command):
    """Nor does the trace of an error of theirs."""
    told = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "scheduler_project.settings",
        "SECRET_KEY": "only-for-tests-" + "0123456789" * 4,
        "DATABASE_URL": f"postgres://scheduler:{CANARY}@127.0.0.1:1/scheduler",
        "CELERY_BROKER_URL": f"redis://:{CANARY}@127.0.0.1:1/0",
        "LOG_LEVEL": "DEBUG",
    }
    done = subprocess.run([sys.executable, *command], cwd=ROOT, env=told, capture_output=True, text=True)
    assert done.returncode == 1 and "does not answer" in done.stdout + done.stderr
    assert CANARY not in done.stdout + done.stderr


PAGES = ("/admin/login/", "/admin/", "/api/v1/entities", "/api/v1/docs/", "/nowhere", "/admin/staging/entity/add/")


@pytest.mark.parametrize("where", PAGES)
@pytest.mark.parametrize("who", ["anonymous", "superuser"])
def test_every_answer_has_the_headers_that_protect_who_reads_it(where, who):
    headers = client_for(who).get(where).headers
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy and "default-src '" in policy
    assert headers["X-Frame-Options"] == "DENY" and headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin" and headers["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost:80@evil.example", "a b"])
def test_a_name_that_is_not_ours_is_answered_by_nothing_of_ours(host):
    answer = Client(raise_request_exception=False).get("/admin/login/", headers={"Host": host})
    assert answer.status_code == 400 and b"csrf" not in answer.content
