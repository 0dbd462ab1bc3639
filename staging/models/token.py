"""The tokens that machines sign in with: never more than the account they belong to, and often much less."""

from __future__ import annotations

from typing import Any, Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from staging.states import Scope, TokenState

SECRET_PREFIX = "sst_"  # noqa: S105 (what every secret begins with, so that scanners find one that leaked)


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    """Reads that doors share."""

    def with_now(self) -> Self:
        """Add the database's clock as `read_at`: what is over is judged by the one clock that all hosts share."""
        return self.annotate(read_at=Now())


class ApiToken(models.Model):
    """A secret, kept as its hash, with what it may be used for. `created_by` says who handed it out.

    Whether it holds for every entity is said, not concluded from an empty list: an entity that is deleted would open
    all others to its token.
    """

    name = models.CharField(max_length=50, help_text=_("What uses it, for example warehouse-loader; the log says it."))
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        help_text=_("The token may never do more."),
    )
    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=12, editable=False, help_text=_("How the secret begins, to tell tokens apart."))
    scopes = models.JSONField(default=list, help_text=_("Out of read, deposit, operate and configure."))
    all_entities = models.BooleanField(default=False, help_text=_("Holds for every entity, also for new ones."))
    entities = models.ManyToManyField("staging.Entity", blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    created_by = models.CharField(max_length=150, blank=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_by = models.CharField(max_length=150, blank=True, editable=False)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        verbose_name = _("API token")
        ordering = ["-id"]
        default_permissions = ()
        permissions = [("manage_tokens", "Can hand out, see and revoke API tokens")]

    def __str__(self) -> str:
        return self.name

    @property
    def state(self) -> TokenState:
        """Return whether it works; needs `with_now`."""
        if self.revoked_at is not None:
            return TokenState.REVOKED
        if self.expires_at is not None and self.expires_at <= self.read_at:  # type: ignore[attr-defined]
            return TokenState.EXPIRED
        person: Any = self.person
        may_sign_in = isinstance(person, AbstractBaseUser) and person.is_active
        return TokenState.ACTIVE if may_sign_in else TokenState.SWITCHED_OFF

    def allows(self, scope: Scope) -> bool:
        """Return whether it has this scope."""
        return scope.value in self.scopes
