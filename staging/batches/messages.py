"""Every sentence a rejected row may carry, in one place; `{column}`, `{value}` and `{limit}` are filled per row."""

from dataclasses import dataclass

from staging.sql.compose import Sql, sql
from staging.states import DataType, ErrorBit


@dataclass(frozen=True)
class Problem:
    """One thing that can be wrong with one column: its error bit, its sentence."""

    bit: ErrorBit
    text: str


_TYPE_NAMES = {
    DataType.TEXT: "readable text",
    DataType.INTEGER: "a whole number",
    DataType.DECIMAL: "a decimal number of at most 40 digits on each side of the point",
    DataType.BOOLEAN: "yes or no",
    DataType.DATE: "a date (YYYY-MM-DD)",
    DataType.DATETIME: "a date and time (YYYY-MM-DDTHH:MM:SS)",
}

CODE_MISSING = Problem(ErrorBit.CODE_MISSING, "{column} is missing.")
DUPLICATE = Problem(ErrorBit.DUPLICATE_CODE, "{column}: '{value}' is in more than one row of the batch.")
REQUIRED = Problem(ErrorBit.REQUIRED_MISSING, "{column} is required and would have no value.")
TOO_SHORT = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is shorter than {limit} characters.")
TOO_LONG = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is longer than {limit} characters.")
TOO_LOW = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is below {limit}.")
TOO_HIGH = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is above {limit}.")
PATTERN = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' does not match {limit}.")
CHOICE = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is not one of {limit}.")
NOT_FOUND = Problem(ErrorBit.REFERENCE, "{column}: '{value}' is not an active member of {limit}.")
UNIQUE = Problem(ErrorBit.UNIQUE_TAKEN, "{column}: '{value}' belongs to more than one member.")
RENAME = Problem(ErrorBit.NEW_CODE_TAKEN, "{column}: '{value}' cannot be given, renaming is not supported yet.")
ACTION_UNKNOWN = Problem(ErrorBit.UNKNOWN_ACTION, "{column}: '{value}' is not an import action.")
ACTION_LATER = Problem(ErrorBit.UNKNOWN_ACTION, "{column}: import action {value} is not supported yet.")
TOO_BIG = Problem(ErrorBit.WRONG_TYPE, "{column}: '{value}' is a larger whole number than can be stored.")
TARGET_REJECTED = Problem(ErrorBit.REFERENCE_REJECTED, "{column}: '{value}' is a row of this batch that was rejected.")


def wrong_type(data_type: str) -> Problem:
    """Return the problem of a value that is not of its column's type."""
    text = f"{{column}}: '{{value}}' is not {_TYPE_NAMES[DataType(data_type)]}."
    return Problem(ErrorBit.WRONG_TYPE, text)


def sentence(problem: Problem, column: str, value: Sql, limit: str = "") -> Sql:
    """Return the SQL that puts the sentence together; `value` is text that is safe to show."""
    before, _, after = problem.text.replace("{column}", column).partition("{value}")
    if not after:
        return sql("{text}", text=before)
    return sql("({before} || {value} || {after})", before=before, value=value, after=after.replace("{limit}", limit))
