"""The only door by which a table or column name enters SQL: validated, escaped and quoted here."""

import re
import unicodedata
from collections.abc import Collection

from staging.errors import InvalidIdentifier
from staging.wording import say

_MAX_CODE = 40
CODE_PATTERN = r"^[a-z][a-z0-9_]{0,39}\Z"

# Columns that every staging or production table has; an attribute may not take their name.
SYSTEM_COLUMNS = frozenset(
    {
        "id", "code", "name", "new_code", "import_action", "import_status", "batch_id", "batch_tag", "error_code",
        "error_message", "import_outcome", "is_active", "created_at", "updated_at", "created_batch_id",
        "updated_batch_id",
    }
)  # fmt: skip

_MAX_BYTES = 63  # PostgreSQL cuts longer names silently, so two of them could become one.


def quote(name: str) -> str:
    """Return `name` as a quoted SQL identifier, safe beside bound parameters.

    Doubles `"` (Django's own quote_name does not) and `%` (the drivers read it as a placeholder).
    Raises InvalidIdentifier for an empty name, one with a NUL, or one longer than 63 bytes.
    """
    if not name or "\x00" in name:
        raise InvalidIdentifier(say("{name!r} cannot be a table or column name.", name=name))
    if len(name.encode()) > _MAX_BYTES:
        raise InvalidIdentifier(say("{name!r} is longer than {most} bytes.", name=name, most=_MAX_BYTES))
    return '"' + name.replace('"', '""').replace("%", "%%") + '"'


def check_code(code: str) -> str:
    """Return `code` when it may name an entity or attribute; raise InvalidIdentifier otherwise."""
    if not re.match(CODE_PATTERN, code):
        raise InvalidIdentifier(
            say(
                "{code!r}: use lower-case letters, digits and underscores, start with a letter, at most 40 characters.",
                code=code,
            )
        )
    return code


def check_column(name: str) -> str:
    """Return `name` when it may name an attribute's column; raise InvalidIdentifier otherwise."""
    if check_code(name) in SYSTEM_COLUMNS:
        raise InvalidIdentifier(say("{name!r} is a system column; choose another name.", name=name))
    return name


# Letters of Europe that are no letter of ASCII with an accent.
_SPELT = str.maketrans({"ß": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l"})


def legal_column(text: str, taken: Collection[str]) -> str:
    """Return the name of a column that a text of people suggests: legal, no system column, none of those taken.

    Accents go, what is no letter or digit becomes an underscore, and a number tells those apart that are alike.
    """
    letters = unicodedata.normalize("NFKD", text.translate(_SPELT)).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "_", letters).strip("_") or "column"
    stem = stem if stem[0].isalpha() else f"column_{stem}"
    if stem in SYSTEM_COLUMNS:
        stem = f"own_{stem}"
    name, number = stem[:_MAX_CODE], 1
    while name in taken or name in SYSTEM_COLUMNS:
        number += 1
        ending = f"_{number}"
        name = f"{stem[: _MAX_CODE - len(ending)]}{ending}"
    return name


def staging_table(entity_code: str) -> str:
    """Return the unquoted name of an entity's staging table."""
    return f"stg_{check_code(entity_code)}"


def production_table(entity_code: str) -> str:
    """Return the unquoted name of an entity's production table."""
    return f"mdm_{check_code(entity_code)}"


def history_table(entity_code: str) -> str:
    """Return the unquoted name of the table that keeps what an entity's members were."""
    return f"hst_{check_code(entity_code)}"


def before_column(name: str) -> str:
    """Return the unquoted name of the history column that holds what a production column held before a change."""
    return f"was_{name}"
