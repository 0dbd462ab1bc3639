"""Values of members as JSON has them: numbers and truths as such, decimals as text with all digits, codes, instants."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from staging.exports.text import decimal_text
from staging.members.columns import MemberColumn, Reference
from staging.states import DataType

_TYPES: dict[str, dict[str, Any]] = {
    DataType.TEXT: {"type": "string"},
    DataType.INTEGER: {"type": "integer"},
    DataType.DECIMAL: {"type": "string", "format": "decimal"},
    DataType.BOOLEAN: {"type": "boolean"},
    DataType.DATE: {"type": "string", "format": "date"},
    DataType.DATETIME: {"type": "string", "format": "date-time"},
    DataType.REFERENCE: {"type": "string"},
}

_AS_IT_IS = {str, int, bool, type(None)}


def plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by column as JSON has them; a reference is the code of its member."""
    return {column: value if type(value) in _AS_IT_IS else plain(value) for column, value in values.items()}


def plain(value: Any) -> Any:
    """Return one value as JSON has it."""
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    return value.code if isinstance(value, Reference) else value


def plain_type(column: MemberColumn) -> dict[str, Any]:
    """Return what JSON schema says of the values of a column."""
    return _TYPES[DataType(column.data_type)]
