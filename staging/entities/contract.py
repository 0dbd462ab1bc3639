"""The delivery contract of an entity: all that somebody needs who writes into its staging table, in one document."""

from typing import Any

from django.utils.translation import gettext_noop

from staging.entities.examples import bulk_example, curl_example, insert_example
from staging.errors import StagingError
from staging.identifiers import staging_table
from staging.models import Attribute, Entity
from staging.sql.dialect import DECIMAL_DIGITS
from staging.states import DataType, ErrorBit, ImportAction, ImportStatus, MergeMode, OnError, error_meaning
from staging.tables.columns import sentinel, staged_column, table_problems
from staging.tables.create import INDEXED_LENGTH, live_attributes
from staging.tables.deliveries import Rejections, active_codes, rejections_by_tag
from staging.wording import say

MOST_CODES = 50
_MOST_GROUPS = 30

# Templates; what they say is said when the contract is asked for, with the limits of the house.
_ACCEPTED: dict[str, str] = {
    DataType.TEXT: gettext_noop("any text"),
    DataType.INTEGER: gettext_noop("a whole number: 140, -3"),
    DataType.DECIMAL: gettext_noop(
        "a number with a point, no thousands separator, at most {digits} digits on either side of the point: "
        "12.50, 1e3, .5, 5."
    ),
    DataType.BOOLEAN: gettext_noop("true/false, yes/no, y/n, t/f or 1/0, in any case"),
    DataType.DATE: gettext_noop("a date: 2026-01-31"),
    DataType.DATETIME: gettext_noop(
        "a date and time: 2026-01-31T08:30:00+01:00, 2026-01-31 08:30; without an offset it is UTC, a date alone is "
        "midnight"
    ),
}
_OWN_COLUMNS = {
    "code": gettext_noop("the business key: which member the row is about; required, at most {longest} characters"),
    "name": gettext_noop("its name"),
    "new_code": gettext_noop("renames the member to this code, at most {longest} characters"),
    "import_action": gettext_noop("what the row asks for, see the actions; empty: the default"),
    "batch_tag": gettext_noop("a label of your delivery; a batch can take the rows of one label only"),
}
_STATUSES = {
    ImportStatus.PENDING: gettext_noop("pending: it waits for the next batch"),
    ImportStatus.PROCESSED: gettext_noop("processed: import_outcome says what became of it"),
    ImportStatus.REJECTED: gettext_noop("rejected: error_code and error_message say why"),
    ImportStatus.HELD: gettext_noop("held: its batch waits for a person"),
}
_LEFT_ALONE = ("id", "import_status", "batch_id", "error_code", "error_message", "import_outcome", "created_at")


def delivery_contract(entity: Entity) -> dict[str, Any]:
    """Return the contract as plain data, ready for JSON; instants as ISO-8601 text in UTC.

    Works with tables that others altered: `problems` names the differences, and what cannot be read is empty.
    """
    attributes = live_attributes(entity)
    problems = table_problems(entity)
    return {
        "entity": {"code": entity.code, "name": entity.name, "description": entity.description},
        "table": staging_table(entity.code),
        "problems": problems,
        "own_columns": [
            {"name": name, "meaning": say(meaning, longest=INDEXED_LENGTH)} for name, meaning in _OWN_COLUMNS.items()
        ],
        "leave_alone": list(_LEFT_ALONE),
        "columns": [_column(entity, attribute) for attribute in attributes],
        "import_actions": [
            {"value": int(action), "meaning": str(action.label), "is_default": action == entity.default_import_action}
            for action in ImportAction
        ],
        "statuses": [{"value": int(status), "meaning": say(text)} for status, text in _STATUSES.items()],
        "errors": [{"bit": int(bit), "meaning": error_meaning(bit)} for bit in ErrorBit],
        "sentinels": {
            "text": entity.sentinel_text,
            "number": entity.sentinel_number,
            "datetime": entity.sentinel_datetime,
        },
        "examples": {
            "insert": insert_example(entity),
            "bulk": bulk_example(entity),
            "curl": curl_example(entity),
        },
        "last_errors": [] if problems else [_rejections(group) for group in rejections_by_tag(entity, _MOST_GROUPS)],
    }


def _column(entity: Entity, attribute: Attribute) -> dict[str, Any]:
    mode = MergeMode(attribute.merge_mode or entity.default_merge_mode)
    return {
        "name": attribute.name,
        "type": staged_column(attribute).type,
        "meaning": attribute.data_type,
        "accepted": _accepted(attribute),
        "required": attribute.required,
        "unique": attribute.unique,
        "limits": limits_in_words(attribute),
        "merge_mode": str(mode),
        "merging": str(mode.label),
        "on_error": str(OnError(attribute.on_error).label),
        "clears": sentinel(entity, attribute.data_type),
        "codes": _codes(attribute.reference) if attribute.reference else None,
    }


def _accepted(attribute: Attribute) -> str:
    if attribute.reference:
        return say(
            "the code of an active member of {reference}, or of one that comes in the same batch",
            reference=attribute.reference.name,
        )
    return accepted_form(attribute.data_type)


def accepted_form(data_type: str) -> str:
    """Return what a column of this type takes, in words and with examples."""
    return say(_ACCEPTED[data_type], digits=DECIMAL_DIGITS)


def limits_in_words(attribute: Attribute) -> list[str]:
    """Return what a value has to keep to, each in a few words."""
    limits = [
        (attribute.min_length, say("at least {min_length} characters", min_length=attribute.min_length)),
        (attribute.max_length, say("at most {max_length} characters", max_length=attribute.max_length)),
        (attribute.min_value, say("at least {min_value}", min_value=attribute.min_value)),
        (attribute.max_value, say("at most {max_value}", max_value=attribute.max_value)),
        (attribute.pattern, say("matches {pattern}", pattern=attribute.pattern)),
        (attribute.choices, say("one of {choices}", choices=", ".join(map(str, attribute.choices)))),
    ]
    is_indexed = attribute.unique and attribute.data_type == DataType.TEXT and not attribute.choices
    if is_indexed and (attribute.max_length or INDEXED_LENGTH) >= INDEXED_LENGTH:
        limits.append((True, say("at most {indexed_length} characters", indexed_length=INDEXED_LENGTH)))
    return [text for limit, text in limits if limit]


def _codes(target: Entity) -> dict[str, Any]:
    """Return the first codes a reference may carry; none where the other entity's table cannot be read."""
    try:
        first, more = active_codes(target, MOST_CODES)
    except StagingError:
        first, more = [], False
    return {"entity": target.code, "name": target.name, "first": first, "more": more}


def _rejections(group: Rejections) -> dict[str, Any]:
    return {
        "batch_tag": group.batch_tag,
        "error_code": group.error_code,
        "meanings": list(group.meanings),
        "rows": group.rows,
        "newest_at": group.newest_at.isoformat() if group.newest_at else None,
        "example": group.example,
    }
