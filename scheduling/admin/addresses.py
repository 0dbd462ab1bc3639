"""Addresses of many pages of one kind: the pattern is looked up once, for it takes longer than to fill it in."""

from __future__ import annotations

from django.urls import reverse

_KEY = 987654321  # nothing else in an address of ours


class Addresses:
    """The addresses of one kind of page, which has one number in its address. Made for a request, not kept longer."""

    def __init__(self, page: str):
        self._before, self._after = reverse(page, args=[_KEY]).split(str(_KEY))

    def of(self, key: int) -> str:
        """Return the address of the page of the row with this key."""
        return f"{self._before}{key}{self._after}"
