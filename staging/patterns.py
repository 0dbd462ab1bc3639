"""User patterns that cannot hang a worker and mean the same on both databases."""

from functools import lru_cache
from typing import Any

import re2


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """Return the pattern compiled by RE2, whose time grows with the text only; raises re2.error."""
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def check_pattern(pattern: str) -> str | None:
    """Return what is wrong with a pattern, None when it may be used."""
    try:
        compiled(pattern)
    except re2.error as error:
        return f"Not a regular expression we accept: {error}."
    return None


def to_postgresql(pattern: str) -> str:
    """Return the pattern as PostgreSQL writes it."""
    return f"***:{pattern}"
