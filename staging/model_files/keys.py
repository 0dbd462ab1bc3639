"""Which keys of a model file stand for which fields (docs/configuration.md), for reading and writing alike."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import models

from staging.model_files.shape import NUMBER, SCALAR, SCALARS, TEXT, WHOLE, YES_NO, scalar_text
from staging.models import Attribute, Entity


@dataclass(frozen=True)
class Key:
    """One key of the file: the field it stands for and the kind of value it takes."""

    name: str
    field: str
    kind: str

    def to_field(self, value: Any) -> Any:
        """Return a value of the file as the model keeps it."""
        if self.kind == SCALARS:
            return [scalar_text(item) for item in value]
        if self.kind == SCALAR:
            return scalar_text(value)
        return _share(value) if self.kind == NUMBER else value

    def to_file(self, value: Any) -> Any:
        """Return a value of the model as the file shows it: numbers as numbers where they look so."""
        if self.kind == SCALARS:
            return [_number_or_text(item) for item in value]
        return _number_or_text(value) if self.kind == SCALAR else value


def _key(name: str, kind: str, field: str = "") -> Key:
    return Key(name, field or name, kind)


ENTITY_KEYS = (
    _key("code", TEXT),
    _key("name", TEXT),
    _key("description", TEXT),
    _key("default_import_action", WHOLE),
    _key("default_merge_mode", TEXT),
    _key("duplicates", TEXT),
    _key("language", TEXT),
    _key("max_error_rate", NUMBER),
    _key("max_change_rate", NUMBER),
    _key("max_removal_rate", NUMBER),
    _key("review", TEXT),
    _key("two_person_rule", YES_NO),
    _key("sentinel_text", TEXT),
    _key("sentinel_number", SCALAR),
    _key("sentinel_datetime", TEXT),
    _key("processed_retention_days", WHOLE),
    _key("keep_history", YES_NO),
    _key("is_cancelled", YES_NO),
)
ATTRIBUTE_KEYS = (
    _key("name", TEXT),
    _key("type", TEXT, "data_type"),
    _key("reference", TEXT),
    _key("required", YES_NO),
    _key("unique", YES_NO),
    _key("min_length", WHOLE),
    _key("max_length", WHOLE),
    _key("min", SCALAR, "min_value"),
    _key("max", SCALAR, "max_value"),
    _key("pattern", TEXT),
    _key("choices", SCALARS),
    _key("merge_mode", TEXT),
    _key("on_error", TEXT),
    _key("is_cancelled", YES_NO),
)
KEY_OF_FIELD = {key.field: key.name for key in (*ENTITY_KEYS, *ATTRIBUTE_KEYS)}


def default(model: type[Entity] | type[Attribute], field: str) -> Any:
    """Return what a field holds when the file does not say: the file is the whole definition."""
    found = model._meta.get_field(field)
    assert isinstance(found, models.Field)
    return found.get_default()


def _share(value: int | Decimal) -> float | int:
    """Return a number as the column holds it; one too large for it as it is, for the rules to refuse."""
    try:
        return float(value)
    except OverflowError:
        return int(value)


def _number_or_text(text: str) -> int | Decimal | str:
    if re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", text, re.ASCII) and text != "-0":
        return int(text)
    return Decimal(text) if re.fullmatch(r"-?[0-9]{1,20}\.[0-9]{1,20}", text, re.ASCII) else text
