"""Every sentence a rejected row may carry, in one place; `{column}`, `{value}` and `{limit}` are filled per row."""

from dataclasses import dataclass

from staging.sql.compose import Sql, sql
from staging.states import DataType, ErrorBit


@dataclass(frozen=True)
class Problem:
    """One thing that can be wrong with one column: its error bit, its sentence."""

    bit: ErrorBit
    template: str


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
EMPTIED = Problem(ErrorBit.REQUIRED_MISSING, "{column} is required and keeps its value.")
TOO_SHORT = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is shorter than {limit} characters.")
TOO_LONG = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is longer than {limit} characters.")
TOO_LOW = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is below {limit}.")
TOO_HIGH = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is above {limit}.")
PATTERN = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' does not match {limit}.")
CHOICE = Problem(ErrorBit.CONSTRAINT, "{column}: '{value}' is not one of {limit}.")
NOT_FOUND = Problem(ErrorBit.REFERENCE, "{column}: '{value}' is not an active member of {limit}.")
UNIQUE = Problem(ErrorBit.UNIQUE_TAKEN, "{column}: '{value}' is taken by another member or row.")
EXISTS = Problem(ErrorBit.CODE_EXISTS, "{column}: '{value}' exists already.")
UNKNOWN = Problem(ErrorBit.CODE_NOT_FOUND, "{column}: '{value}' does not exist.")
REFERENCED = Problem(ErrorBit.STILL_REFERENCED, "{column}: '{value}' is still referred to by {limit}.")
NEEDED = Problem(ErrorBit.STILL_REFERENCED, "{column}: '{value}' is still referred to by {limit}, which needs a value.")
TAKEN = Problem(ErrorBit.NEW_CODE_TAKEN, "{column}: '{value}' is the code of another member.")
WANTED_TWICE = Problem(ErrorBit.NEW_CODE_TAKEN, "{column}: '{value}' is wanted by another row of the batch.")
PROTECTED = Problem(ErrorBit.PROTECTED_VALUE, "{column}: '{value}' is not what is stored, which may not change.")
ACTION_UNKNOWN = Problem(ErrorBit.UNKNOWN_ACTION, "{column}: '{value}' is not an import action.")
TOO_BIG = Problem(ErrorBit.WRONG_TYPE, "{column}: '{value}' is a larger whole number than can be stored.")
TARGET_REJECTED = Problem(ErrorBit.REFERENCE_REJECTED, "{column}: '{value}' is a row of this batch that was rejected.")


def wrong_type(data_type: str) -> Problem:
    """Return the problem of a value that is not of its column's type."""
    text = f"{{column}}: '{{value}}' is not {_TYPE_NAMES[DataType(data_type)]}."
    return Problem(ErrorBit.WRONG_TYPE, text)


# What a field that was skipped says before its sentence; the row is processed.
WARNING = "Warning: "


def sentence(problem: Problem, column: str, value: Sql, limit: str = "") -> Sql:
    """Return the SQL that puts the sentence together; `value` is text that is safe to show."""
    before, _, after = problem.template.replace("{column}", column).partition("{value}")
    if not after:
        return sql("{text}", text=before)
    return sql("({before} || {value} || {after})", before=before, value=value, after=after.replace("{limit}", limit))
