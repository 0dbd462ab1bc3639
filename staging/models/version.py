"""Versions of what people define, one row for each change of one thing; nothing updates a row."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from staging.states import DoorKind, VersionKind


class Version(models.Model):
    """One thing as it stood after a change, and the change that led to it.

    It names what it is about by numbers and by name, not by a foreign key: the history of what is deleted stays.
    `content` is the whole thing as plain values, its parts included, references by name; `change` the list of what
    differs from the version before, each as its path, the old and the new value.
    """

    subject_type = models.CharField(max_length=100)
    subject_id = models.BigIntegerField()
    name = models.CharField(max_length=200)
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=VersionKind)
    content = models.JSONField(default=dict)
    change = models.JSONField(default=list)
    made_at = models.DateTimeField(db_default=Now())
    made_by = models.CharField(max_length=200, blank=True)
    door = models.CharField(max_length=10, choices=DoorKind)
    detail = models.CharField(max_length=200, blank=True, help_text=_("The file's release, the token, the command."))
    token = models.CharField(max_length=200, blank=True, db_default="", help_text=_("By which a file was sent."))
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        verbose_name = _("change")
        verbose_name_plural = _("changes")
        ordering = ["-made_at", "-id"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["subject_type", "subject_id", "number"], name="version_number_once")
        ]
        indexes = [models.Index(fields=["-made_at", "-id"], name="version_by_time")]

    def __str__(self) -> str:
        return f"{self.name} {self.number}"
