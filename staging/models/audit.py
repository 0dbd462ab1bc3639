"""The audit: who came in, who was refused, who took data away, who approved; nothing updates a row."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from staging.models.append_only import AppendOnly
from staging.states import AuditKind


class AuditEntry(AppendOnly):
    """One thing that somebody did. It names people by name: the entry outlives the account. Retention deletes it."""

    happened_at = models.DateTimeField(_("when"), db_default=Now())
    kind = models.CharField(_("what"), max_length=20, choices=AuditKind)
    person = models.CharField(_("who"), max_length=200, blank=True)
    address = models.CharField(_("from"), max_length=60, blank=True)
    about = models.CharField(_("about"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit")
        ordering = ["-happened_at", "-id"]
        default_permissions = ()  # whence people come is nothing for everybody who may look at the work
        permissions = [("audit", "Can see the audit"), ("export_auditentry", "Can take the audit away as a file")]
        indexes = [
            models.Index(fields=["-happened_at", "-id"], name="audit_by_time"),
            models.Index(fields=["person", "-happened_at", "-id"], name="audit_by_person"),
            models.Index(fields=["kind", "-happened_at", "-id"], name="audit_by_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.person}"
