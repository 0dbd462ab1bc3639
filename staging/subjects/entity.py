"""Entities with their attributes as versions: the section of a model file, and back through the same rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import copy
from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from staging.entities.operations import change_attribute
from staging.errors import InvalidDefinition
from staging.model_files.apply import apply_entities
from staging.model_files.keys import ATTRIBUTE_KEYS, ENTITY_KEYS
from staging.model_files.owners import OWNER_KINDS
from staging.model_files.plan import plan_entities
from staging.model_files.read import load_json
from staging.model_files.shape import Problems
from staging.model_files.write import entity_section
from staging.models import OWNER_COLUMNS, Attribute, Entity
from staging.tables.columns import one_at_a_time, told_when_in_use
from staging.versions.subjects import Content, Tracked
from staging.versions.units import one_change
from staging.versions.words import ID, Parts, Words, plain

_ATTRIBUTE = Words(
    Attribute,
    keys=[key.name for key in ATTRIBUTE_KEYS],
    columns={key.name: key.field for key in ATTRIBUTE_KEYS},
    labels={"is_cancelled": _("Retired"), "reference": _("Refers to"), "choices": _("Allowed values")},
)


def _read(entity: Entity) -> Content:
    """Return an entity as a model file shows it, without its rules, which have versions of their own."""
    section = entity_section(entity)
    section.pop("rules", None)
    keys = dict(entity.attributes.values_list("name", "pk"))
    return {
        **section,
        "attributes": [{ID: keys.get(part["name"]), **part} for part in section.get("attributes", [])],
    }


def _go_back(entity: Entity, content: Content) -> None:
    """Make an entity what the content says. What came since is retired; raises what the model file's door raises."""
    with told_when_in_use(), one_change():
        one_at_a_time()
        wanted = load_json(json.dumps(content))  # fractions as a file has them
        _rename_back(entity, wanted["attributes"])
        names = {part["name"] for part in wanted["attributes"]}
        since = [part for part in _read(entity)["attributes"] if part["name"] not in names]
        parts = [*wanted["attributes"], *({**part, "is_cancelled": True} for part in since)]
        section = {**wanted, "attributes": [_without_id(part) for part in parts]}
        problems = Problems()
        plans = plan_entities([section], {}, problems)
        if problems.errors:
            raise InvalidDefinition(problems.errors)
        apply_entities(plans)


def _rename_back(entity: Entity, wanted: list[Mapping[str, Any]]) -> None:
    """Give attributes that were renamed since their old names, with all that goes by them."""
    names = {part[ID]: part["name"] for part in wanted if part.get(ID)}
    for attribute in entity.attributes.select_related("entity", "reference"):
        old = names.get(attribute.pk, attribute.name)
        if old != attribute.name:
            renamed = copy(attribute)
            renamed.name = old
            change_attribute(renamed)


def _without_id(part: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key != ID}


ENTITY = Tracked(
    Entity,
    columns=[*(key.field for key in ENTITY_KEYS), *OWNER_COLUMNS],
    read=_read,
    words=Words(
        Entity,
        keys=["attributes", *(key.name for key in ENTITY_KEYS), *OWNER_KINDS],
        labels={"is_cancelled": _("Retired")},
        shown={"language": lambda value: dict(settings.LANGUAGES).get(value, plain(value))},
        parts={"attributes": Parts(_("Attribute"), lambda part: str(part["name"]), _ATTRIBUTE)},
    ),
    go_back=_go_back,
    named_by="code",
    owned="",
    parts={Attribute: lambda attribute: [attribute.entity_id]},
)
