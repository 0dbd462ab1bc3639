"""Every address of the project, and which of them are pages of ours: one list for whatever looks at all pages."""

import re
from collections.abc import Iterator, Mapping

from django.urls import get_resolver


def addresses() -> Iterator[tuple[str, str]]:
    """Yield (pattern, name) of every address of the project."""

    def walk(patterns, prefix):
        for pattern in patterns:
            if hasattr(pattern, "url_patterns"):
                yield from walk(pattern.url_patterns, prefix + str(pattern.pattern))
            else:
                yield "/" + prefix + str(pattern.pattern), pattern.name or ""

    yield from walk(get_resolver().url_patterns, "")


def filled(pattern: str, things: Mapping[str, int]) -> str:
    """Return an address with keys of existing things in it: of what the part is called, else of the page's model."""
    model = pattern.split("/")[3]

    def key(part: re.Match[str]) -> str:
        return str(things.get(part[1].removesuffix("_id"), things[model]))

    return re.sub(r"<\w+:(\w+)>", key, pattern)


OURS = [(pattern, name) for pattern, name in addresses() if re.match(r"/admin/(staging|scheduling)/", pattern)]
SCHEDULING = [(pattern, name) for pattern, name in OURS if pattern.startswith("/admin/scheduling/") and name]
STAGING = [(pattern, name) for pattern, name in OURS if pattern.startswith("/admin/staging/") and name]
