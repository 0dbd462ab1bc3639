"""Business rules as versions: the rule with its conditions as a model file writes them."""

from __future__ import annotations

import json
from typing import Any

from django.utils.translation import gettext_lazy as _

from staging.errors import InvalidDefinition
from staging.model_files.read import load_json
from staging.models import BusinessRule, RuleLine
from staging.rules.document import read_condition, save_rule, write_condition
from staging.rules.lines import condition_of, lines_of
from staging.rules.words import condition_words
from staging.states import RulePart
from staging.versions.subjects import Content, Tracked
from staging.versions.words import Parts, Words

_COLUMNS = ("name", "message", "effect", "position", "is_cancelled")


_LINE = Words(RuleLine, keys=("part", "alternative", "attribute", "comparison", "value"))


def _read(rule: BusinessRule) -> Content:
    lines = list(rule.lines.all())
    parts = {str(part): condition_of(lines, part) for part in RulePart}
    conditions = {name: write_condition(condition) for name, condition in parts.items() if condition}
    return {column: getattr(rule, column) for column in _COLUMNS} | {"entity": rule.entity.code} | conditions


def _go_back(rule: BusinessRule, content: Content) -> None:
    """Make a rule what the content says; raises InvalidDefinition as `save_rule` does."""
    wanted, errors = load_json(json.dumps(content)), dict[str, list[str]]()
    lines: list[RuleLine] = []
    for part in RulePart:
        if str(part) in wanted:
            lines += lines_of(read_condition(wanted[str(part)], str(part), errors), part)
    if errors:
        raise InvalidDefinition(errors)
    for column in _COLUMNS:
        setattr(rule, column, wanted.get(column, getattr(rule, column)))
    save_rule(rule, lines)


def _condition(document: Any) -> str:
    return str(condition_words(read_condition(document, "", {}))) if document else ""


RULE = Tracked(
    BusinessRule,
    columns=_COLUMNS,
    read=_read,
    words=Words(
        BusinessRule,
        keys=[*_COLUMNS, "entity", *RulePart.values],
        labels={"when": _("When"), "must": _("Must"), "is_cancelled": _("Cancelled"), "entity": _("Entity")},
        shown={"when": _condition, "must": _condition},
        only_in_form={"lines": Parts(_("Line"), lambda line: str(line["attribute"]), _LINE)},
    ),
    go_back=_go_back,
    parts={RuleLine: lambda line: [line.rule_id]},
    owned="entity__",
)
