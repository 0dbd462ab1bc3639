"""Every method of every address that the resolver knows: who may, and who may not, by scope, role and entity."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from scheduling.housekeeping.roles import set_role
from scheduling.models import Alert, AlertRule, Backfill, Job, Plan, Queue, Run, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from staging import tokens
from staging.api.kit.doors import Door, door_of
from staging.api.kit.resource import Resource
from staging.models import Batch, Entity
from staging.states import Scope
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step
from tests.staging.api.conftest import Api
from tests.staging.api.test_resource import problem

pytestmark = pytest.mark.django_db
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def _patterns(found: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    for each in found.url_patterns:
        route = before + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from _patterns(each, route)
        elif isinstance(each, URLPattern):
            yield route, getattr(each.callback, "view_class", None) or getattr(each.callback, "cls", None)


def addresses() -> dict[str, type[Resource]]:
    """Return every route of the API below /api/v1/ with its class."""
    found = dict(_patterns(get_resolver()))
    return {
        route.removeprefix("api/v1/"): view
        for route, view in found.items()
        if route.startswith("api/v1/") and view is not None and issubclass(view, Resource)
    }


def doors() -> list[tuple[str, str, Door]]:
    """Return every method of every address with its door."""
    return [
        (route, method, declared)
        for route, view in sorted(addresses().items())
        for method in METHODS
        if (declared := door_of(view, method)) is not None
    ]


DOORS = doors()
OF_ENTITIES = ("batches", "runs", "alerts", "plans", "backfills")
OF_NONE = ("jobs", "queues", "calendars")  # of no entity: nobody who is limited to some sees one
IDS = [f"{method} {route}" for route, method, _ in DOORS]


def address(route: str, code: str = "own", number: int = 1) -> str:
    """Return a route with something in its places."""
    places = {"code": code, "id": str(number), "name": "Nothing"}
    return re.sub(r"<\w+:(\w+)>", lambda place: places.get(place[1], "1"), route)


def ask(caller: Api, route: str, method: str, **places: Any) -> Any:
    """Send the least that is read: who may not is told before anything of it is judged."""
    return caller(method, address(route, **places), {} if method != "GET" else None, If_Match="*")


@pytest.fixture
def entities(make_entity: Any) -> Any:
    """Two entities, each with a batch."""
    own, other = make_entity("own").entity, make_entity("other").entity
    for entity in (own, other):
        Batch.objects.create(entity=entity, created_at=entity.created_at)
    return own, other


def test_the_contract_is_there() -> None:
    expected = """GET entities, POST entities, GET entities/C,
        PUT entities/C, PATCH entities/C, GET entities/C/rows, POST entities/C/rows, GET entities/C/rows/I,
        PATCH entities/C/rows/I, POST entities/C/rows/I/retry, GET entities/C/members, GET entities/C/changes,
        GET batches/I/changes, GET entities/C/schedule,
        PUT entities/C/schedule, PATCH entities/C/schedule, POST entities/C/test-run, POST entities/C/why-not,
        POST entities/C/preview, POST entities/C/process, GET batches, GET batches/I, POST batches/I/undo,
        POST batches/I/approve, POST batches/I/discard, POST batches/I/send-back, GET runs, GET runs/I,
        GET runs/I/items, POST runs/cancel, POST runs/I/cancel, POST runs/I/restart, POST runs/I/retry,
        POST runs/I/skip, POST runs/I/complete,
        POST runs/I/hold, POST runs/I/resume, POST runs/I/run-only, POST runs/I/run-from,
        GET log, GET plans, POST plans/N/run, POST plans/N/check,
        POST plans/N/backfill, GET jobs,
        POST jobs/N/run, POST jobs/N/backfill, GET backfills, GET backfills/I, POST backfills/I/cancel,
        GET queues, POST queues/N/pause, POST queues/N/resume, GET calendars,
        GET alerts, GET alerts/I,
        POST alerts/I/acknowledge, POST alerts/I/hand-back, POST alerts/I/snooze, GET forecast,
        POST simulate, GET status, GET model, PUT model, GET schema/"""
    places = {"code": "C", "id": "I", "name": "N"}
    found = {
        f"{method} " + re.sub(r"<\w+:(\w+)>", lambda at: places.get(at[1], "X"), route) for route, method, _ in DOORS
    }
    assert set(re.split(r",\s+", expected)) <= found


@pytest.mark.parametrize(("route", "method", "declared"), DOORS, ids=IDS)
def test_each_scope_opens_its_own_doors_only(
    route: str, method: str, declared: Door, entities: Any, person: Any
) -> None:
    problem(ask(Api(Client(), None, ""), route, method), 401)
    for scope in Scope:
        token, secret = tokens.issue(person(), name="m", scopes=[scope.value], entities=None, by="test")
        response = ask(Api(Client(), token, secret), route, method)
        if scope == declared.scope:
            assert response.status_code != 401 and not _lacks_scope(response), response.content
        else:
            assert _lacks_scope(response), response.content


def _lacks_scope(response: Any) -> bool:
    return response.status_code == 403 and "scope" in response.json()["detail"]


@pytest.mark.parametrize(("route", "method", "declared"), DOORS, ids=IDS)
def test_each_right_is_needed(route: str, method: str, declared: Door, entities: Any, person: Any) -> None:
    """Somebody with all rights but one is refused, whichever it is; a token is no way around."""
    everything = person("Administrator").get_all_permissions()
    for lacking in declared.needs:
        user = User.objects.create_user(f"lacks-{lacking}")
        names = [each.split(".") for each in everything - {lacking}]
        user.user_permissions.set(
            [
                p
                for p in Permission.objects.select_related("content_type")
                if [p.content_type.app_label, p.codename] in names
            ]
        )
        token, secret = tokens.issue(user, name="m", scopes=list(Scope.values), entities=None, by="test")
        assert lacking in problem(ask(Api(Client(), token, secret), route, method), 403)["detail"]


@pytest.fixture(params=["token", "person", "both"])
def limited(request: Any, entities: Any, api: Any, person: Any) -> Api:
    """A caller who is limited to their own entity: by the token, by the person's group, or by what both have alone."""
    own, other = entities
    if request.param == "token":
        return api(entities=[own], name="limited")
    third = Entity.objects.create(code="third", name="Third")
    group = Group.objects.create(name="Administrators of own")
    set_role(group, "Administrator", [own] if request.param == "person" else [own, third])
    user = person("", "limited")
    user.groups.add(group)
    named = None if request.param == "person" else [own, other]
    token, secret = tokens.issue(person("", "limited"), name="m", scopes=list(Scope.values), entities=named, by="test")
    return Api(Client(), token, secret)


def made(kind: str, entity: Entity) -> Any:
    """Make what an address with this first word may name, of an entity; return how it is named."""
    if kind == "plans":
        return save_plan(PlanDraft(Plan(name=f"Of {entity.code}"), {}, [step(entity)]), now=NOW).name
    if kind == "batches":
        return Batch.objects.create(entity=entity, status="held", hold_reason="By hand.", created_at=NOW).pk
    if kind == "runs":
        run = Run.objects.create(kind="batch", entity=entity, fire_key=f"of {entity.code}", created_at=NOW)
        queue, _ = Queue.objects.get_or_create(name="default")
        step_of = {"workload": "batch", "entity": entity, "target_id": entity.pk}  # called as examples call a step
        Task.objects.create(run=run, key="branch", queue=queue, **step_of)
        return run.pk
    if kind == "backfills":
        plan = Plan.objects.get(name=made("plans", entity))
        return Backfill.objects.create(plan=plan, since=NOW - timedelta(days=1), until=NOW, created_at=NOW).pk
    rule, _ = AlertRule.objects.get_or_create(name="Wrong", defaults={"condition": "failed"})
    return Alert.objects.create(rule=rule, subject=entity.code, entity=entity, opened_at=NOW).pk


def asked_for(caller: Api, route: str, method: str, declared: Door, thing: Any) -> Any:
    """Ask for one thing with a body that would be carried out: nothing but the right is in its way."""
    where = re.sub(r"<\w+:\w+>", str(thing).replace(" ", "%20"), route)
    return caller(method, where, dict(getattr(declared.body, "example", None) or {}) if method != "GET" else None)


@pytest.mark.parametrize(("route", "method", "declared"), DOORS, ids=IDS)
def test_whoever_is_limited_to_entities_touches_no_other(
    route: str, method: str, declared: Door, entities: Any, limited: Api
) -> None:
    kind, is_of_one = route.partition("/")[0], "<" in route
    own, other = (made(kind, each) if kind in OF_ENTITIES else None for each in entities)
    if "<str:code>" in route:
        for code in ("other", "missing"):
            problem(ask(limited, route, method, code=code), 403)
        assert ask(limited, route, method).status_code != 403
    elif is_of_one and kind in OF_ENTITIES:
        problem(asked_for(limited, route, method, declared, other), 403)
        answer = asked_for(limited, route, method, declared, own)
        assert answer.status_code in (200, 202, 409), answer.content
    elif is_of_one and kind in OF_NONE:
        Job.objects.get_or_create(name="Retention", defaults={"path": "x.y"})
        for name in ("Retention", "default", "Nothing"):
            problem(asked_for(limited, route, method, declared, name), 403)
    elif route in ("model", "status", "runs/cancel") or (route, method) == ("entities", "POST"):
        problem(limited(method, route, {} if method != "GET" else None), 403)
    else:
        assert method == "GET" or route == "simulate", "This address has no row here: say what a limited caller gets."
        answer = asked_for(limited, route, method, declared, "")
        assert answer.status_code == 200 or (route in OF_NONE and answer.status_code == 403), answer.content
        if route != "schema/":  # the description of the API, the same for all
            told = answer.content.decode()
            assert '"other"' not in told and "Of other" not in told and "of other" not in told, told


@pytest.mark.parametrize("code", ["other", "missing"])
def test_what_is_simulated_for_another_entity_is_refused_whether_it_is_there_or_not(code: str, limited: Api) -> None:
    span = {"from": "2026-03-02T00:00:00Z", "until": "2026-03-02T06:00:00Z"}
    arrivals = [{"entity": code, "at": "2026-03-02T01:00:00Z", "rows": 1}]
    problem(limited.post("simulate", {**span, "arrivals": arrivals}), 403)


@pytest.mark.parametrize(("route", "method", "declared"), DOORS, ids=IDS)
def test_what_is_unknown_is_refused_everywhere(
    route: str, method: str, declared: Door, entities: Any, api: Any
) -> None:
    number = entities[0].batches.get().pk
    where = address(route, number=number)
    response = api()(method, f"{where}?bogus=1", {} if method != "GET" else None, If_Match="*")
    assert problem(response, 400)["errors"][0]["path"] == "bogus"
    if method != "GET" and getattr(declared.body, "checked", True) and not hasattr(declared.body, "types"):
        assert problem(api()(method, where, {"bogus": 1}, If_Match="*"), 400)["errors"]


@pytest.mark.parametrize(("route", "method", "declared"), DOORS, ids=IDS)
def test_what_is_not_there_is_a_404(route: str, method: str, declared: Door, entities: Any, api: Any) -> None:
    if "<" in route and not getattr(declared.body, "required", ()) and not hasattr(declared.body, "types"):
        body = {"code": "nowhere", "name": "x"} if method == "PUT" else {}
        problem(api()(method, address(route, "nowhere", 10**9), None if method == "GET" else body, If_Match="*"), 404)


def test_names_that_no_database_keeps_are_nowhere(api: Any) -> None:
    for address in (
        "plans/%00",
        "jobs/a%00/run",
        "queues/%00/pause",
        "calendars/%00",
        "entities/%00",
        "plans/%00/check",
    ):
        problem(api()("POST" if address.count("/") > 1 else "GET", address), 404)


@pytest.mark.parametrize(("route", "view"), sorted(addresses().items()), ids=sorted(addresses()))
def test_methods_without_a_door_are_405(route: str, view: type[Resource], entities: Any, api: Any) -> None:
    for method in METHODS:
        if door_of(view, method) is None:
            refused = ask(api(), route, method)
            problem(refused, 405)
            allowed = {each for each in METHODS if door_of(view, each) is not None}
            assert set(refused.headers["Allow"].split(", ")) - {"HEAD"} == allowed
