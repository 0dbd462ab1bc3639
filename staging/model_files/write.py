"""Writes stored entities as sections of a model file: what differs from the defaults, in the order of the contract."""

from decimal import Decimal
from typing import Any

import yaml

from staging.model_files.keys import ATTRIBUTE_KEYS, ENTITY_KEYS, Key, default
from staging.model_files.owners import owner_section
from staging.model_files.rules import rule_sections
from staging.models import Attribute, Entity

_ALWAYS = ("code", "name", "type")


def entity_section(entity: Entity) -> dict[str, Any]:
    """Return an entity with its attributes and rules as the file shows it; what holds its default is left out."""
    section = _section(entity, ENTITY_KEYS) | owner_section(entity)
    attributes = [_section(a, ATTRIBUTE_KEYS) for a in entity.attributes.select_related("reference")]
    rules = rule_sections(entity)
    return section | ({"attributes": attributes} if attributes else {}) | ({"rules": rules} if rules else {})


def write_yaml(document: Any) -> str:
    """Return plain data as YAML that `parse_yaml` reads back as the same."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None)


class _Dumper(yaml.SafeDumper):
    """YAML without anchors, with exact fractions."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return that a value met twice is written twice."""
        return True


def _fraction(dumper: yaml.SafeDumper, value: float | Decimal) -> yaml.ScalarNode:
    text = format(value if isinstance(value, Decimal) else Decimal(repr(value)), "f")
    return dumper.represent_scalar("tag:yaml.org,2002:float", text if "." in text else f"{text}.0")


_Dumper.add_representer(float, _fraction)
_Dumper.add_representer(Decimal, _fraction)


def _section(instance: Entity | Attribute, keys: tuple[Key, ...]) -> dict[str, Any]:
    section = {}
    for key in keys:
        value = getattr(instance, key.field)
        if isinstance(value, Entity):
            section[key.name] = value.code
        elif value is not None and (key.name in _ALWAYS or value != default(type(instance), key.field)):
            section[key.name] = key.to_file(value)
    return section
