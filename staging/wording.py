"""How numbers, instants and lengths of time are written for people, and text for databases: one way for every page.

Words that change with a number stand in the catalogue of translations; `makemessages` finds them as `counted`.
"""

from datetime import UTC, datetime, timedelta

from django.utils.translation import ngettext

_UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))


def counted(number: int, one: str, many: str) -> str:
    """Return "1 row waits" or "1,200 rows wait" for the words that follow one and those that follow many."""
    return f"{number:,} {ngettext(one, many, number)}"


def instant(value: datetime) -> str:
    """Return an instant for reading, to the second, in UTC."""
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def duration(value: timedelta) -> str:
    """Return a length of time in its two largest units, cut and never rounded up: 1 d 3 h, 3 min 20 s, 0 s."""
    seconds = max(int(value.total_seconds()), 0)
    parts = []
    for name, size in _UNITS:
        amount, seconds = divmod(seconds, size)
        if amount:
            parts.append(f"{amount} {name}")
    return " ".join(parts[:2]) or "0 s"


def storable(text: str, longest: int | None = None) -> str:
    """Return text that every database stores: no NUL, no lone surrogate, cut to what a column holds."""
    clean = text.replace("\x00", "").encode("utf-8", "backslashreplace").decode()
    return clean if longest is None or len(clean) <= longest else f"{clean[: longest - 1]}…"
