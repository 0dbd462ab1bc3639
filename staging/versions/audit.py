"""Writes the audit: who came in, who was refused, who took data away, who approved."""

from __future__ import annotations

from django.http import HttpRequest

from staging.models import AuditEntry
from staging.states import AuditKind
from staging.wording import storable


def note(kind: AuditKind, *, person: str = "", address: str = "", about: str = "") -> None:
    """Append one entry; `person` is the name of an account, `address` whence they came."""
    texts = {"person": storable(person, 200), "address": storable(address, 60), "about": storable(about, 500)}
    AuditEntry.objects.create(kind=kind, **texts)


def note_export(request: HttpRequest, about: str) -> None:
    """Append that whoever is signed in takes data away."""
    address = request.META.get("REMOTE_ADDR", "")
    note(AuditKind.EXPORTED, person=request.user.get_username(), address=address, about=about)
