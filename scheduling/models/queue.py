"""Queues, each with a maximum of tasks that run at once."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Queue(models.Model):
    """What tasks wait in; at most `max_running` of its tasks run at any instant, and none starts while it is paused."""

    name = models.CharField(max_length=60, unique=True)
    max_running = models.PositiveIntegerField(default=4)
    celery_queue = models.CharField(
        max_length=100,
        blank=True,
        help_text=_("The Celery queue its wake-ups go to, for workers that do only this; empty: the usual one."),
    )
    is_cancelled = models.BooleanField(
        _("cancelled"), default=False, help_text=_("Nothing new goes into it; what is in it goes on to its end.")
    )
    paused_at = models.DateTimeField(null=True, blank=True, editable=False)
    paused_by = models.CharField(max_length=150, blank=True, editable=False)
    pause_reason = models.CharField(max_length=200, blank=True, editable=False)
    turn = models.BigIntegerField(default=0, editable=False, help_text=_("How far it has come."))
    last_claim_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [models.CheckConstraint(condition=Q(max_running__gte=1), name="queue_lets_something_run")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_paused(self) -> bool:
        """Return whether none of its tasks may start."""
        return self.paused_at is not None
