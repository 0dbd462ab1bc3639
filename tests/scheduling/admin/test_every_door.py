"""Promise: every address of the admin, for every role and method, lets through whom it should and nobody else."""

import re
from collections.abc import Iterator
from datetime import date

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import transaction
from django.test import Client
from django.urls import get_resolver

from scheduling import clock
from scheduling.admin.calendar_import import _signed
from scheduling.models import (
    BlackoutCalendar,
    Heartbeat,
    Queue,
    RetentionPolicy,
    Run,
    SchedulerConfiguration,
    SchedulerState,
)
from scheduling.runs.start import start_batch_now
from scheduling.schedules.drafts import PeriodDraft
from staging.models import Batch
from tests.scheduling.admin.conftest import client_for, make_configuration, make_event

pytestmark = pytest.mark.django_db

ROLES = ("anonymous", "nobody", "Viewer", "Operator", "Steward", "Administrator", "superuser")
VIEWERS = {"Viewer", "Operator", "Steward", "Administrator", "superuser"}
OPERATORS = VIEWERS - {"Viewer"}
STEWARDS = OPERATORS - {"Operator"}
ADMINISTRATORS = STEWARDS - {"Steward"}
NOBODY: set[str] = set()

_READ_ONLY = {"changelist": (VIEWERS, NOBODY), "add": (NOBODY, NOBODY), "delete": (NOBODY, NOBODY)}
# Page of scheduling -> (who may GET it, who may change something by POST).
DOORS: dict[str, dict[str, tuple[set[str], set[str]]]] = {
    "schedulerconfiguration": {
        "changelist": (VIEWERS, OPERATORS), "add": (NOBODY, NOBODY), "delete": (NOBODY, NOBODY),
        "change": (VIEWERS, STEWARDS), "history": (VIEWERS, NOBODY), "test_run": (OPERATORS, NOBODY),
        "process": (OPERATORS, OPERATORS), "preview": (NOBODY, NOBODY),
        "why_not": (VIEWERS, NOBODY), "forecast": (VIEWERS, NOBODY),
        "pause": (OPERATORS, OPERATORS), "resume": (NOBODY, OPERATORS),
        "pause_everything": (OPERATORS, OPERATORS), "resume_everything": (NOBODY, OPERATORS),
    },
    "blackoutcalendar": {
        "changelist": (VIEWERS, STEWARDS), "add": (STEWARDS, STEWARDS), "delete": (STEWARDS, STEWARDS),
        "change": (VIEWERS, STEWARDS), "history": (VIEWERS, NOBODY), "import": (STEWARDS, STEWARDS),
    },
    "schedulerlog": {**_READ_ONLY, "change": (VIEWERS, NOBODY), "history": (VIEWERS, NOBODY)},
    "run": {**_READ_ONLY, "change": (VIEWERS, NOBODY), "history": (VIEWERS, NOBODY), "fragment": (VIEWERS, NOBODY),
            "cancel": (NOBODY, OPERATORS)},
    "heartbeat": {**_READ_ONLY, "change": (VIEWERS, NOBODY), "history": (VIEWERS, NOBODY)},
    "queue": {**_READ_ONLY, "change": (VIEWERS, ADMINISTRATORS), "history": (VIEWERS, NOBODY)},
    "retentionpolicy": {**_READ_ONLY, "change": (VIEWERS, ADMINISTRATORS), "history": (VIEWERS, NOBODY)},
}  # fmt: skip

# What a person would post to change something at this door; the other doors get a plain "yes".
_PERIODS = {"periods-TOTAL_FORMS": "1", "periods-INITIAL_FORMS": "0", "periods-0-kind": "weekly",
            "periods-0-run_days": ["sat", "sun"]}  # fmt: skip
FORMS = {
    "blackoutcalendar_add": {"name": "Other", "timezone": "UTC", "policy": "skip", **_PERIODS},
    "blackoutcalendar_change": {"name": "Other", "timezone": "UTC", "policy": "roll", **_PERIODS},
    "blackoutcalendar_changelist": {"action": "delete_selected", "index": "0", "select_across": "1"},
    "schedulerconfiguration_change": {"processing_mode": "triggered", "trigger_row_threshold": "7", "is_enabled": "on"},
    "schedulerconfiguration_pause": {"pause_reason": "Audit"},
    "schedulerconfiguration_pause_everything": {"pause_reason": "Audit"},
    "queue_change": {"max_running": "9"},
    "retentionpolicy_change": {"log_days": "5", "processed_rows_days": "5", "runs_days": "5"},
    "schedulerconfiguration_changelist": {"action": "process_selected", "confirmed": "yes", "index": "0",
                                          "select_across": "1"},
}  # fmt: skip


def addresses() -> Iterator[tuple[str, str]]:
    """Yield (pattern, name) of every address of the project."""

    def walk(patterns, prefix):
        for pattern in patterns:
            if hasattr(pattern, "url_patterns"):
                yield from walk(pattern.url_patterns, prefix + str(pattern.pattern))
            else:
                yield "/" + prefix + str(pattern.pattern), pattern.name or ""

    yield from walk(get_resolver().url_patterns, "")


# What must hold before a door can change something.
BEFORE = {
    "schedulerconfiguration_resume": lambda: SchedulerConfiguration.objects.update(paused_at=clock.now()),
    "schedulerconfiguration_resume_everything": lambda: SchedulerState.objects.create(pk=1, paused_at=clock.now()),
}

OURS = [(pattern, name) for pattern, name in addresses() if re.match(r"/admin/(staging|scheduling)/", pattern)]
SCHEDULING = [(pattern, name) for pattern, name in OURS if pattern.startswith("/admin/scheduling/") and name]


@pytest.fixture
def things() -> dict[str, int]:
    """One of everything, with its key by model name."""
    configuration = make_configuration("customer")
    started = start_batch_now(make_configuration("branch"), started_by="someone", now=clock.now())
    heartbeat = Heartbeat.objects.create(name="w1", kind="worker", started_at=clock.now(), seen_at=clock.now())
    return {
        "blackoutcalendar": BlackoutCalendar.objects.create(name="Holidays").pk,
        "schedulerconfiguration": configuration.pk, "entity": configuration.entity_id, "run": started.run.pk,
        "batch": started.batch.pk, "schedulerlog": make_event().pk, "heartbeat": heartbeat.pk,
        "queue": Queue.objects.get().pk, "retentionpolicy": RetentionPolicy.objects.get_or_create(pk=1)[0].pk,
    }  # fmt: skip


def fill(pattern: str, things: dict[str, int]) -> str:
    """Return an address with the key of an existing thing in it."""
    model = pattern.split("/")[3]
    return re.sub(r"<[^>]+>", str(things[model]), pattern)


def door(name: str) -> tuple[set[str], set[str]]:
    """Return the table's row of an address."""
    model, page = name.removeprefix("scheduling_").split("_", 1)
    return DOORS[model][page]


def state() -> dict[str, list]:
    """Return all rows of both apps."""
    models = [model for app in ("staging", "scheduling") for model in apps.get_app_config(app).get_models()]
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}


def refused(response) -> bool:
    return response.status_code in (403, 404, 405) or (
        response.status_code == 302 and response.headers["Location"].startswith("/admin/login/")
    )


def data_for(name: str, things: dict[str, int]) -> dict[str, object]:
    key = name.removeprefix("scheduling_")
    extra = (
        {"_selected_action": [things[key.removeprefix("staging_").split("_")[0]]]} if key.endswith("changelist") else {}
    )
    if key == "blackoutcalendar_import":
        calendar = BlackoutCalendar.objects.get(pk=things["blackoutcalendar"])
        extra = {"drafts": _signed(calendar, [PeriodDraft(first_day=date(2026, 12, 25))], "holidays.csv")}
    return {"post": "yes", **FORMS.get(key, {}), **extra}


def test_every_address_of_scheduling_has_its_row_in_the_table():
    expected = {f"scheduling_{model}_{page}" for model, pages in DOORS.items() for page in pages}
    assert {name for _, name in SCHEDULING} == expected


@pytest.mark.parametrize("role", ROLES)
def test_get_shows_only_what_the_role_may_see_and_changes_nothing(role, things):
    client, before, wrong = client_for(role), state(), {}
    for pattern, name in SCHEDULING:
        response = client.get(fill(pattern, things))
        if refused(response) is not (role not in door(name)[0]):
            wrong[name] = response.status_code
    assert wrong == {}
    assert state() == before


@pytest.mark.parametrize("role", ROLES)
def test_post_changes_something_only_for_the_roles_that_may(role, things):
    client, wrong = client_for(role), {}
    for pattern, name in SCHEDULING:
        with transaction.atomic():
            BEFORE.get(name.removeprefix("scheduling_"), lambda: None)()
            before = state()
            response = client.post(fill(pattern, things), data_for(name, things))
            if (state() != before) is not (role in door(name)[1]):
                wrong[name] = response.status_code
            transaction.set_rollback(True)
    assert wrong == {}


@pytest.mark.parametrize("role", ["anonymous", "nobody"])
@pytest.mark.parametrize("method", ["get", "post", "put", "delete", "patch"])
def test_without_a_role_no_address_of_ours_answers(role, method, things):
    client, before = client_for(role), state()
    for pattern, name in OURS:
        response = getattr(client, method)(fill(pattern, things))
        led_on = response.status_code == 302 and not name  # the bare number leads to the form, which refuses
        assert refused(response) or led_on, (pattern, response.status_code)
    assert state() == before


@pytest.mark.parametrize("method", ["get", "post", "put", "delete", "patch"])
def test_a_viewer_changes_nothing_at_any_address(method, things):
    client, before = client_for("Viewer"), state()
    for pattern, name in OURS:
        response = getattr(client, method)(fill(pattern, things), data_for(name, things) if method == "post" else {})
        assert response.status_code < 500
    assert state() == before


def test_every_action_names_its_permission(rf):
    for model, model_admin in admin.site._registry.items():
        if model._meta.app_label not in ("staging", "scheduling"):
            continue
        for action in model_admin.actions or ():
            function = getattr(model_admin, action) if isinstance(action, str) else action
            assert getattr(function, "allowed_permissions", None), f"{action} of {model.__name__} would run for viewers"


@pytest.mark.parametrize(("path", "data"), [("process", {}), ("change", {"processing_mode": "manual"})])
def test_a_post_without_its_csrf_token_is_refused(path, data, things):
    client = client_for("superuser")
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    before = state()
    url = f"/admin/scheduling/schedulerconfiguration/{things['schedulerconfiguration']}/{path}/"
    assert strict.post(url, data).status_code == 403
    assert strict.post(f"/admin/scheduling/run/{Run.objects.get().pk}/cancel/").status_code == 403
    assert state() == before and Batch.objects.count() == 1


@pytest.mark.parametrize("key", ["0", "x", "-1", "9" * 40, "1%00", "%27"])
def test_a_key_that_is_none_is_never_a_traceback(key, superuser):
    for pattern, _ in OURS:
        response = superuser.get(re.sub(r"<[^>]+>", key, pattern))
        assert response.status_code < 500, pattern
