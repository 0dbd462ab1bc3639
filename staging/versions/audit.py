"""Writes the audit: who came in, who was refused, who took data away, who approved."""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now
from django.http import HttpRequest

from staging.models import AuditEntry
from staging.states import AuditKind
from staging.wording import storable

_AGAIN_AFTER = timedelta(hours=1)


def note(kind: AuditKind, *, person: str = "", address: str = "", about: str = "") -> None:
    """Append one entry; `person` is the name of an account, `address` whence they came."""
    AuditEntry.objects.create(kind=kind, **_texts(person=person, address=address, about=about))


def note_export(request: HttpRequest, about: str) -> None:
    """Append that whoever is signed in takes data away."""
    address = request.META.get("REMOTE_ADDR", "")
    note(AuditKind.EXPORTED, person=request.user.get_username(), address=address, about=about)


def note_reading(request: HttpRequest, person: str, about: str) -> None:
    """Append that a program takes data away, once an hour: it reads page by page, or follows a feed for ever."""
    texts = _texts(person=person, address=request.META.get("REMOTE_ADDR", ""), about=about)
    told = AuditEntry.objects.filter(kind=AuditKind.EXPORTED, happened_at__gt=Now() - _AGAIN_AFTER, **texts)
    if not told.exists():
        AuditEntry.objects.create(kind=AuditKind.EXPORTED, **texts)


def _texts(**given: str) -> dict[str, str]:
    """Return the texts of an entry, cut to what its columns hold."""
    longest = {column.name: column.max_length or 0 for column in AuditEntry._meta.concrete_fields}
    return {name: storable(text, longest[name]) for name, text in given.items()}
