"""The description of the API is true: its examples do, and no request gets an answer that it does not tell."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection, transaction
from django.test import Client
from drf_spectacular.validation import validate_schema
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from scheduling import clock
from scheduling.jobs.reconcile import sync_jobs
from scheduling.model_files.load import load
from scheduling.models import Backfill, Plan, SchedulerConfiguration
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.execute import work_off_run
from staging import tokens
from staging.api.description import description
from staging.states import Scope
from tests.depth import examples
from tests.scheduling.admin.conftest import failure_rule

pytestmark = pytest.mark.django_db
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
METHODS = ("get", "post", "put", "patch", "delete")
OPERATIONS = [
    (path, method) for path, methods in description()["paths"].items() for method in METHODS if method in methods
]
KINDS = sorted({path.split("/")[3] for path, _ in OPERATIONS})
SCHEMA = schemathesis.openapi.from_dict(description())
SCHEMA.app = WSGIHandler()


def of_kind(kind: str) -> Iterator[tuple[str, str]]:
    """Go through the requests about one kind of thing; what one of them did is gone when the next is sent."""
    for path, method in OPERATIONS:
        if path.split("/")[3] == kind:
            with transaction.atomic():
                yield path, method
                transaction.set_rollback(True)


@dataclass
class Site:
    """An installation with something of everything, and a token for all of it."""

    secret: str
    batch: int
    run: int
    row: int
    alert: int
    backfill: int

    def places(self, path: str) -> dict[str, Any]:
        """Return what stands in the places of an address so that there is something at it."""
        numbers = {"/batches/": self.batch, "/rows/": self.row, "/alerts/": self.alert, "/backfills/": self.backfill}
        number = next((number for part, number in numbers.items() if part in path), self.run)
        names = {"plans": "Nightly", "jobs": "Retention", "queues": "default", "calendars": "Holidays"}
        kind = path.split("/")[3]
        known = {"code": "branch", "id": number, "name": names.get(kind, "")}
        return {name: known[name] for name in re.findall(r"{(\w+)}", path) if name in known}


@pytest.fixture
def site(make_entity: Any, deposit: Any, person: Any) -> Site:
    """An entity with rows that wait and a batch that was, a plan, a calendar, and our own jobs."""
    make_entity("branch")
    load(
        {
            "version": 1,
            "calendars": [{"name": "Holidays", "periods": [{"kind": "days", "first_day": "2026-12-25"}]}],
            "plans": [{"name": "Nightly", "steps": [{"entity": "branch"}]}],
        },
        now=clock.now(),
    )
    sync_jobs(clock.now())
    deposit("branch", 3)
    deposit("branch", 1, staff="many", prefix="wrong")
    started = start_batch_now(SchedulerConfiguration.objects.get(), started_by="test", now=clock.now())
    work_off_run(started.run, time=clock.now)
    deposit("branch", 3, prefix="c")
    secret = tokens.issue(person(), name="x", scopes=list(Scope.values), entities=None, by="test")[1]
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM stg_branch WHERE import_status = 2")
        ((rejected,),) = cursor.fetchall()
    alert = failure_rule().alerts.create(subject="x", said={"say": "Wrong."}, opened_at=clock.now())
    backfill = Backfill.objects.create(
        plan=Plan.objects.get(), since=clock.now() - timedelta(days=1), until=clock.now(), created_at=clock.now()
    )
    return Site(secret, started.batch.pk, started.run.pk, rejected, alert.pk, backfill.pk)


@pytest.fixture(autouse=True)
def _kept_connection() -> Iterator[None]:
    """Keep the test's connection open from request to request, as Django's own client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.parametrize("kind", KINDS)
def test_no_answer_is_unknown(kind: str, site: Site) -> None:
    for path, method in of_kind(kind):
        for mode in GenerationMode:
            ask(path, method, mode, site)


def ask(path: str, method: str, mode: GenerationMode, site: Site) -> None:
    """Send requests as the description allows them, or as it does not, and hold the answers against it."""
    operation = SCHEMA[path][method]
    anything = operation.as_strategy(generation_mode=mode)
    there = operation.as_strategy(generation_mode=mode, path_parameters=site.places(path))

    @settings(max_examples=examples(6), deadline=None, phases=[Phase.explicit, Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(case=there | anything if site.places(path) else anything)
    def send(case: Any) -> None:
        response = case.call(headers={"Authorization": f"Bearer {site.secret}"})
        case.validate_response(response, checks=CHECKS)

    send()


@pytest.mark.parametrize("kind", KINDS)
def test_the_examples_are_taken(kind: str, site: Site) -> None:
    """What the description shows can be sent as it is; where it cannot be done just now, it is a conflict."""
    for path, method in of_kind(kind):
        operation = description()["paths"][path][method]
        for media_type, content in operation.get("requestBody", {"content": {"": {}}})["content"].items():
            response = as_shown(path, method, media_type, content.get("example"), site)
            assert response.status_code < 300 or response.status_code == 409, (method, path, response.content)
            assert str(response.status_code) in operation["responses"], (method, path)


def as_shown(path: str, method: str, media_type: str, body: Any, site: Site) -> Any:
    """Send a request as the description shows it, about something that is there; return the answer."""
    address = path.format(**site.places(path) | dict.fromkeys(("row",), "x"))
    asked = description()["paths"][path][method]["parameters"]
    query = {each["name"]: each["example"] for each in asked if each["in"] == "query" and "example" in each}
    headers = {"Authorization": f"Bearer {site.secret}", "If-Match": "*"}
    sent = body if isinstance(body, str | None) else json.dumps(body)
    content_type = {"content_type": media_type} if media_type else {}
    return Client().generic(method.upper(), address, sent or "", headers=headers, query_params=query, **content_type)


def test_every_body_and_every_answer_has_an_example_or_a_schema() -> None:
    for path, method in OPERATIONS:
        operation = description()["paths"][path][method]
        for content in operation.get("requestBody", {"content": {}})["content"].values():
            assert "example" in content, (method, path)
        assert operation["summary"] and operation["operationId"], (method, path)
        assert any(status.startswith("2") for status in operation["responses"]), (method, path)
    ids = [description()["paths"][path][method]["operationId"] for path, method in OPERATIONS]
    assert len(set(ids)) == len(ids)


def test_the_description_is_openapi_3_1() -> None:
    validate_schema(description())
