"""Keeps a spreadsheet from reading delivered text as a formula, in a way that can be taken back exactly."""

import re

# What begins a formula, also behind a line end, and in the full width that spreadsheets of the Far East read.
_BEGINS = "[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
_FORMULA = re.compile(f"'*{_BEGINS}")
_GUARDED = re.compile(f"'+{_BEGINS}")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")


def guard(text: str) -> str:
    """Return the text with a leading apostrophe when a spreadsheet might take it for a formula; numbers stay numbers.

    Text that already looks guarded gets one more, so that `unguard` always gives back what went in.
    """
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def unguard(text: str) -> str:
    """Return what `guard` was given: our own export, uploaded again, brings back the values it was made of."""
    return text[1:] if _GUARDED.match(text) else text
