"""Entities in the form of the model file: listed, read, added and changed by the rules of every door."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Count, Q
from rest_framework.response import Response

from staging.api.kit.callers import Caller
from staging.api.kit.doors import TOGETHER, Answer, Body, answer, door
from staging.api.kit.history import note_change
from staging.api.kit.listing import page_example, page_schema, paged
from staging.api.kit.parameters import MINE, PAGED, Parameter
from staging.api.kit.preconditions import conditional, insist_unchanged
from staging.api.kit.problems import ApiProblem, invalid
from staging.api.kit.resource import Resource
from staging.model_files.apply import apply_entities, entity_changes
from staging.model_files.keys import ATTRIBUTE_KEYS, ENTITY_KEYS
from staging.model_files.owners import OWNER_KINDS, owner_document
from staging.model_files.plan import EntityPlan, plan_entities
from staging.model_files.read import parse_json
from staging.model_files.shape import LIST, Problems
from staging.model_files.write import entity_section
from staging.models import Attribute, Entity, mine
from staging.states import Scope
from staging.tables.columns import one_at_a_time, pending_statistics, told_when_in_use
from staging.tables.landed import rejected_counts
from staging.wording import say

_HERE = "entities[0]"
_KINDS = {key.name: key.kind for key in ENTITY_KEYS} | {"attributes": LIST, "rules": LIST} | OWNER_KINDS
_SEES = ("staging.view_entity",)
_RULES = ("staging.add_businessrule", "staging.change_businessrule")
_ATTRIBUTE = Body({key.name: key.kind for key in ATTRIBUTE_KEYS}, ("name", "type"))
_PARTS = {
    "attributes": {"type": "array", "items": _ATTRIBUTE.schema()},
    "rules": {"type": "array", "items": {"type": "object"}},
}
EXAMPLE: dict[str, Any] = {
    "code": "depot",
    "name": "Depot",
    "attributes": [
        {"name": "manager", "type": "text", "max_length": 80},
        {"name": "opened_on", "type": "date", "required": True},
    ],
}
_ENTITY = Body(_KINDS, ("code", "name"), EXAMPLE, _PARTS, checked=False)
_CHANGE = Body(_KINDS, (), {"description": "Where goods wait."}, _PARTS, checked=False)
_WHOLE = Body(_KINDS, ("name",), {"name": "Depots", "attributes": EXAMPLE["attributes"]}, _PARTS, checked=False)
_SHOWN = Answer(_ENTITY.schema(), EXAMPLE, "The entity as a model file has it; what holds its default is left out.")
_COUNT = {"type": ["integer", "null"], "description": "Null while the tables cannot be read."}
_LISTED = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "name": {"type": "string"},
        "description": {"type": "string"},
        "owner": {"type": ["string", "null"]},
        "owner_group": {"type": ["string", "null"]},
        "is_cancelled": {"type": "boolean"},
        "attributes": {"type": "integer"},
        "pending": _COUNT,
        "rejected": _COUNT,
    },
}
_LISTED_EXAMPLE = {"code": "depot", "name": "Depot", "description": "", "owner": None, "owner_group": "Operations",
                   "is_cancelled": False, "attributes": 2, "pending": 0, "rejected": 0}  # fmt: skip


class Entities(Resource):
    """The entities that the caller may see."""

    @door(
        Scope.READ,
        "staging.view_entity",
        summary="List entities with their figures",
        query=(Parameter("is_cancelled", "flag", "Only those that are cancelled, or are not."), MINE, *PAGED),
        answers={200: answer(page_schema(_LISTED), page_example(_LISTED_EXAMPLE), "A page of entities.")},
    )
    def get(self) -> Any:
        """Return a page of them."""
        live = Count("attributes", filter=Q(attributes__is_cancelled=False))
        found = self.caller.only(Entity.objects.select_related("owner", "owner_group").annotate(live_attributes=live))
        if self.query["is_cancelled"] is not None:
            found = found.filter(is_cancelled=self.query["is_cancelled"])
        if self.query["mine"]:
            found = found.filter(mine(self.caller.person))
        listed = paged(self, found, lambda entity: {"entity": entity}, order=["code"])
        entities = [each["entity"] for each in listed["results"]]
        return listed | {"results": _with_figures(entities)}

    @door(
        Scope.CONFIGURE,
        "staging.add_entity",
        summary="Add an entity with its tables",
        body=_ENTITY,
        keyed=TOGETHER,
        answers={
            201: Answer(_SHOWN.schema, EXAMPLE, "It is there.", {"Location": "Its address.", "ETag": "Its ETag."})
        },
    )
    def post(self) -> Any:
        """Add one."""
        self.caller.insist_on_all(say("A new entity"))
        with told_when_in_use(), transaction.atomic():
            one_at_a_time()
            code = self.body.get("code") if isinstance(self.body, dict) else None
            if isinstance(code, str) and Entity.objects.filter(code=code[:41]).exists():
                text = say("There is already an entity {code!r}.", code=code)
                raise ApiProblem(409, text, {"code": [text]})
            plan = planned(self, self.body)
            apply_entities([plan])
            note_change(self.caller, plan.entity, None)
            document = shown(plan.entity)
        headers = {"Location": self.request.build_absolute_uri(f"{self.request.path}/{plan.entity.code}")}
        return conditional(self.request, document, 201, headers)


class OneEntity(Resource):
    """One entity, as a model file has it."""

    @door(
        Scope.READ,
        "staging.view_entity",
        summary="Read an entity",
        answers={200: _SHOWN},
        conditional=True,
    )
    def get(self, code: str) -> Any:
        """Return it."""
        return conditional(self.request, shown(self.entity))

    @door(
        Scope.CONFIGURE,
        "staging.change_entity",
        summary="Define an entity anew",
        body=_WHOLE,
        answers={200: _SHOWN},
        problems=(409,),
        conditional=True,
    )
    def put(self, code: str) -> Any:
        """Take the document for the whole definition: what it does not say has its default; nothing is deleted."""
        return self._change(lambda _: self.body)

    @door(
        Scope.CONFIGURE,
        "staging.change_entity",
        summary="Change parts of an entity",
        body=_CHANGE,
        answers={200: _SHOWN},
        problems=(409,),
        conditional=True,
    )
    def patch(self, code: str) -> Any:
        """Change the keys that are sent; null sets one back to its default."""
        return self._change(lambda document: merged(document, self.body))

    def _change(self, wanted: Any) -> Response:
        entity = self.entity
        with told_when_in_use(), transaction.atomic():
            one_at_a_time()
            entity.refresh_from_db()
            before = shown(entity)
            insist_unchanged(self.request, before)
            document = wanted(before)
            if isinstance(document, dict) and document.setdefault("code", entity.code) != entity.code:
                told = say("The code is {code!r} for good: the tables carry it.", code=entity.code)
                raise invalid({"code": [told]})
            plan = planned(self, document)
            changes = {what: each for what, each in entity_changes(plan).items() if each is None or each}
            if changes:
                apply_entities([plan])
                note_change(self.caller, entity, changes)
            return conditional(self.request, shown(Entity.objects.get(pk=entity.pk)))


def planned(resource: Resource, document: Any) -> EntityPlan:
    """Return an entity of a document as it would be stored. Raises a problem with every fault by its path in it."""
    if isinstance(resource.body, dict) and "rules" in resource.body:
        about = resource.entity if "code" in resource.kwargs else None
        resource.caller.insist_on_rights(*_RULES, of=about)
    problems = Problems()
    (plan,) = plan_entities([document], {}, problems)
    if problems.errors:
        raise invalid({_path(path): texts for path, texts in problems.errors.items()})
    _insist_on_references(resource, plan.attributes)
    return plan


def merged(document: Mapping[str, Any], change: Any) -> Any:
    """Return a document with the keys of a change; null takes one out, so that it has its default."""
    if not isinstance(change, dict):
        return change
    exact = parse_json(json.dumps(document))
    return {key: value for key, value in {**exact, **change}.items() if value is not None}


def shown(entity: Entity) -> dict[str, Any]:
    """Return an entity as plain data, such as a client would send it."""
    document: dict[str, Any] = json.loads(json.dumps(entity_section(entity), default=_exact))
    return document


def _exact(value: Decimal) -> str:
    return format(value, "f")


def _path(path: str) -> str:
    return "" if path == _HERE else path.removeprefix(f"{_HERE}.")


def _insist_on_references(resource: Resource, attributes: Sequence[Attribute]) -> None:
    """Refuse to let an entity newly refer to one that the caller may not see."""
    caller = Caller.of(resource.caller.person, resource.caller.token, _SEES)
    if not caller.is_limited:
        return
    stored = dict(Attribute.objects.filter(pk__in=[a.pk for a in attributes if a.pk]).values_list("pk", "reference"))
    for attribute in attributes:
        if attribute.reference is not None and stored.get(attribute.pk) != attribute.reference.pk:
            what = say("The entity {code}", code=attribute.reference.code)
            caller.insist_on(attribute.reference.pk, what)


def _with_figures(entities: Sequence[Any]) -> list[dict[str, Any]]:
    pending, rejected = pending_statistics(entities), rejected_counts(entities)
    return [
        {
            "code": entity.code,
            "name": entity.name,
            "description": entity.description,
            **owner_document(entity),
            "is_cancelled": entity.is_cancelled,
            "attributes": entity.live_attributes,
            "pending": pending[entity.pk].count if entity.pk in pending else None,
            "rejected": rejected.get(entity.pk),
        }
        for entity in entities
    ]
