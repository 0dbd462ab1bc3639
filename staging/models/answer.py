"""What was answered to a request that carried a key, so that sending it again starts nothing a second time."""

from datetime import timedelta
from typing import Any

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from staging.wording import say

KEPT_FOR = timedelta(hours=24)


class KeptAnswer(models.Model):
    """The answer to one key of one caller at one address; without a status the first request is still at work.

    `seen_at` is the last sign of life of that work; `answer` holds how far it came, if it commits in pieces.
    `body_hash` is empty until the whole body was read.
    """

    caller = models.CharField(max_length=40, help_text=_("token:ID, or person:ID for a session."))
    address = models.CharField(max_length=64, help_text=_("A digest of method, path and parameters."))
    key = models.CharField(max_length=255)
    body_hash = models.CharField(max_length=64, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    answer = models.JSONField(null=True, blank=True)
    headers = models.JSONField(default=dict, blank=True)
    demands = models.JSONField(
        null=True,
        blank=True,
        help_text=_("What its caller had to be allowed; asked again before it is repeated."),
    )
    started_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["id"]
        default_permissions = ()
        indexes = [models.Index(fields=["started_at"], name="answer_by_age")]
        constraints = [models.UniqueConstraint(fields=["caller", "address", "key"], name="answer_once_per_key")]

    def __str__(self) -> str:
        return say("Answer to {key}", key=self.key)

    def unanswered(self) -> models.QuerySet["KeptAnswer"]:
        """Return this claim as long as its work is not answered; every change of one goes through here."""
        return KeptAnswer.objects.filter(pk=self.pk, status=None)

    def answered(self, status: int, body_hash: str, answer: Any, headers: dict[str, str], demands: list[Any]) -> bool:
        """Store the answer, and return whether nobody was first."""
        found = self.unanswered().update(
            status=status, body_hash=body_hash, answer=answer, headers=headers, demands=demands
        )
        return bool(found)
