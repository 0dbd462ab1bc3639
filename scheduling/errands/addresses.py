"""Which addresses an entry of HTTP_STEPS allows, and the one way in which an address is read for it."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, quote, unquote, urlsplit

from staging.wording import say


def allows(entry: str, url: SplitResult) -> bool:
    """Return whether an entry of HTTP_STEPS allows an address: the same scheme, host and port, and its path or below.

    Raises ValueError for an entry that is no address.
    """
    allowed = entry_of(entry)
    above = allowed.path.rstrip("/")
    return _place(allowed) == _place(url) and (url.path == above or url.path.startswith(f"{above}/") or not above)


def entry_of(text: str) -> SplitResult:
    """Return the parts of an entry of HTTP_STEPS. Raises ValueError, with the entry, for what is none."""
    try:
        entry = parts_of(text.strip())
        is_wrong = entry.scheme not in ("http", "https") or not entry.hostname or "@" in entry.netloc
    except ValueError:
        is_wrong = True
    if is_wrong or entry.query or entry.fragment or climbs(entry.path):
        raise ValueError(say("{entry} is no beginning of an address, like https://api.example.com/v1.", entry=text))
    return entry


def _place(url: SplitResult) -> tuple[str, str, int]:
    return url.scheme, (url.hostname or "").rstrip("."), url.port or (443 if url.scheme == "https" else 80)


def parts_of(text: str) -> SplitResult:
    """Return the parts of an address as they are sent. Raises ValueError for what no address has."""
    if re.search(r"[\x00-\x20\x7f\\]", text):
        raise ValueError(text)
    url = urlsplit(text)
    url = url._replace(
        netloc=url.netloc if url.netloc.isascii() else url.netloc.encode("idna").decode(),
        path=quote(url.path, safe="/%:@!$&'()*+,;=~"),
        query=quote(url.query, safe="/%:@!$&'()*+,;=~?"),
    )
    _place(url)
    return url


def climbs(path: str) -> bool:
    """Return whether a server might read a way up out of a path, however often it decodes it."""
    for _ in range(4):
        parts = re.split(r"[/\\]", path)
        if any(part.partition(";")[0] in (".", "..") for part in parts):
            return True
        path = unquote(path)
    return False
