"""Alerts: what is watched, what is wrong now, whom it is told, and every message; `alerts` is the only writer here."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from scheduling.states import AlertCondition, AlertNews, ChannelKind, DeliveryStatus, Digest
from staging.wording import say

_WEEK = 10_080  # minutes


def shown_url(address: str) -> str:
    """Return an address as a page may show it: that of a service has its token in it, so only its beginning is left."""
    scheme, mark, _rest = address.partition("://")
    return f"{scheme}://…" if mark and scheme.lower() not in ("http", "https") else address


class AlertChannel(models.Model):
    """A way to people: e-mail to some of them, a webhook, or a service; and when it may disturb them."""

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=10, choices=ChannelKind, default=ChannelKind.EMAIL)
    people = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="+")
    groups = models.ManyToManyField(
        "auth.Group", blank=True, related_name="+", help_text=_("Everybody in them who has an e-mail address.")
    )
    roles = models.JSONField(
        default=list, db_default=[], blank=True, help_text=_("Everybody with one of these, by whatever group.")
    )
    to_responsible = models.BooleanField(
        _("whoever is responsible"), default=False, db_default=False,
        help_text=_("The owner of what the alert is about: the person, or everybody in the group."),
    )  # fmt: skip
    addresses = models.TextField(blank=True, help_text=_("More e-mail addresses, one on a line."))
    url = models.CharField(_("URL"), max_length=1000, blank=True)
    secret = models.CharField(
        max_length=200, blank=True, help_text=_("Signs what the webhook gets; whoever has it can check who sent it.")
    )
    digest = models.CharField(max_length=10, choices=Digest, default=Digest.AT_ONCE)
    digest_at = models.TimeField(null=True, blank=True, help_text=_("For once a day."))
    quiet_from = models.TimeField(null=True, blank=True, help_text=_("Nothing is told between these times of day."))
    quiet_until = models.TimeField(null=True, blank=True)
    timezone = models.CharField(max_length=64, default="UTC")
    is_enabled = models.BooleanField(_("enabled"), default=True)

    class Meta:
        verbose_name = _("alert channel")
        default_permissions = ("add", "change", "delete")  # its URL is as good as a password
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(quiet_from__isnull=True, quiet_until__isnull=True)
                | Q(quiet_from__isnull=False, quiet_until__isnull=False),
                name="alert_channel_quiet_has_both_ends",
            ),
            models.CheckConstraint(
                condition=~Q(digest=Digest.DAILY) | Q(digest_at__isnull=False), name="alert_channel_daily_has_a_time"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AlertRule(models.Model):
    """What is watched for, of what, and who is told. Nothing chosen of entities, plans and jobs: all of them."""

    name = models.CharField(max_length=100, unique=True)
    condition = models.CharField(max_length=20, choices=AlertCondition)
    number = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    percent = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    minutes = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(_WEEK * 4)]
    )
    at = models.TimeField(_("by"), null=True, blank=True)
    entities = models.ManyToManyField("staging.Entity", blank=True, related_name="+")
    plans = models.ManyToManyField("scheduling.Plan", blank=True, related_name="+")
    jobs = models.ManyToManyField("scheduling.Job", blank=True, related_name="+")
    categories = models.JSONField(default=list, blank=True, help_text=_("Of jobs and of plans."))
    channels = models.ManyToManyField("scheduling.AlertChannel", blank=True, related_name="rules")
    remind_every_minutes = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(5), MaxValueValidator(_WEEK)]
    )
    # The database has this default, too, and those of channels: the version before stores rows beside us.
    tells_each = models.BooleanField(_("tell each further failure"), default=False, db_default=False)
    tells_end = models.BooleanField(_("tell when it is over"), default=True)
    escalate_after_minutes = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(_WEEK)]
    )
    escalate_to = models.ManyToManyField("scheduling.AlertChannel", blank=True, related_name="+")
    is_enabled = models.BooleanField(_("enabled"), default=True)
    looked_at = models.DateTimeField(null=True, blank=True, editable=False)
    fingerprint = models.CharField(max_length=64, blank=True, editable=False, help_text=_("Of all that it found then."))

    class Meta:
        verbose_name = _("alert rule")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store it; what it found before counts no more: a round may have come since it was read, or it asks anew."""
        if not kwargs.get("update_fields"):
            self.fingerprint = ""
        super().save(*args, **kwargs)


class AlertQuerySet(models.QuerySet["Alert"]):
    """Reads that pages, the API and the watch share."""

    def open(self) -> Self:
        """Return what is wrong now."""
        return self.filter(ended_at__isnull=True)

    def unanswered(self, now: datetime) -> Self:
        """Return what is wrong now, and neither on somebody's desk nor put aside for a while."""
        asleep = Q(snoozed_until__isnull=False, snoozed_until__gt=now)
        return self.open().filter(acknowledged_at__isnull=True).exclude(asleep)


class Alert(models.Model):
    """One thing that is, or was, wrong by one rule: since when, until when, and who looks after it.

    `said` is its sentence as `staging.wording` keeps it, so that each reader reads it in his language.
    """

    rule = models.ForeignKey("scheduling.AlertRule", on_delete=models.CASCADE, related_name="alerts")
    subject = models.CharField(max_length=120, help_text=_("What it is about, unique among what is wrong by its rule."))
    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    said = models.JSONField(default=dict)
    leads_to = models.CharField(max_length=60, blank=True, help_text=_("What explains it: run:5, configuration:3."))
    opened_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    told_at = models.DateTimeField(null=True, blank=True, help_text=_("When news of it were last put together."))
    escalated_at = models.DateTimeField(null=True, blank=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = models.CharField(max_length=150, blank=True)
    comment = models.CharField(max_length=500, blank=True)
    snoozed_until = models.DateTimeField(null=True, blank=True)
    snoozed_by = models.CharField(max_length=150, blank=True)

    objects = AlertQuerySet.as_manager()

    class Meta:
        ordering = ["-opened_at", "-id"]
        permissions = [("acknowledge_alert", "Can acknowledge and snooze alerts")]
        indexes = [
            models.Index(fields=["opened_at"], condition=Q(ended_at__isnull=True), name="alert_open"),
            models.Index(fields=["ended_at"], condition=Q(ended_at__isnull=False), name="alert_ended"),
            models.Index(
                fields=["rule", "told_at"],
                condition=Q(ended_at__isnull=True, acknowledged_at__isnull=True),
                name="alert_to_remind_of",
            ),
            models.Index(
                fields=["rule", "opened_at"],
                condition=Q(ended_at__isnull=True, acknowledged_at__isnull=True, escalated_at__isnull=True),
                name="alert_to_hand_on",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["rule", "subject"], condition=Q(ended_at__isnull=True), name="alert_open_once"
            )
        ]

    def __str__(self) -> str:
        return say("Alert {alert}", alert=self.pk)


class AlertNotice(models.Model):
    """One piece of news of one alert for one channel, until messages take it up: half of the outbox."""

    alert = models.ForeignKey("scheduling.Alert", on_delete=models.CASCADE, related_name="notices")
    channel = models.ForeignKey("scheduling.AlertChannel", on_delete=models.CASCADE, related_name="notices")
    news = models.CharField(max_length=10, choices=AlertNews)
    due_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        default_permissions = ()
        indexes = [models.Index(fields=["channel", "due_at"], name="alert_notice_due")]

    def __str__(self) -> str:
        return say("News of alert {alert}", alert=self.alert_id)


class AlertDelivery(models.Model):
    """One message to one address, with what became of it: the other half of the outbox."""

    FIRST_LINE: ClassVar[int] = 200

    channel = models.ForeignKey("scheduling.AlertChannel", on_delete=models.CASCADE, related_name="deliveries")
    address = models.CharField(max_length=1000)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    news = models.JSONField(default=list, help_text=_("Pairs of alert and what is told of it; empty: a test."))
    status = models.CharField(max_length=10, choices=DeliveryStatus, default=DeliveryStatus.WAITING)
    created_at = models.DateTimeField()
    next_attempt_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    answer = models.CharField(max_length=500, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ["-id"]
        indexes = [
            models.Index(
                fields=["next_attempt_at"], condition=Q(status=DeliveryStatus.WAITING), name="alert_delivery_waiting"
            ),
            models.Index(
                fields=["finished_at"], condition=~Q(status=DeliveryStatus.WAITING), name="alert_delivery_finished"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status=DeliveryStatus.WAITING, finished_at__isnull=True)
                | (~Q(status=DeliveryStatus.WAITING) & Q(finished_at__isnull=False)),
                name="alert_delivery_finished_has_a_time",
            )
        ]

    def __str__(self) -> str:
        return say("Message {message}", message=self.pk)

    @property
    def shown_address(self) -> str:
        """Return where it goes, without the token of a service."""
        return shown_url(self.address)
