"""Promise: rules and channels of alerts have versions, and go back to one; where a channel leads to is in none."""

from datetime import time

import pytest
from django.urls import reverse

from scheduling import clock
from scheduling.alerts.watch import go_round
from scheduling.models import AlertChannel, AlertRule
from staging.errors import CannotGoBack
from staging.models import Version
from staging.versions.subjects import subject_of
from tests.scheduling.admin.conftest import client_for, failure_rule, make_configuration

pytestmark = pytest.mark.django_db(transaction=True)
RULE = {"name": "Mine", "condition": "failed", "is_enabled": "on"}


@pytest.fixture
def rule(db) -> AlertRule:
    return failure_rule()


def test_a_rule_has_versions_and_goes_back_to_one(rule):
    channel = AlertChannel.objects.create(name="Night", addresses="a@example.com")
    client = client_for("Steward")
    page = reverse("admin:scheduling_alertrule_change", args=[rule.pk])
    client.post(page, {**RULE, "name": rule.name, "number": "3", "channels": [channel.pk], "tells_end": "on"})
    entity = make_configuration("customer").entity
    sent = {"entities": [entity.pk], "escalate_after_minutes": "5", "escalate_to": [channel.pk]}
    client.post(page, {**RULE, "name": "Renamed", **sent})
    history = client.get(reverse("admin:scheduling_alertrule_history", args=[rule.pk])).content.decode()
    assert "How many: 3 → blank" in history and "Name: A run failed → Renamed" in history and "steward" in history
    subject = subject_of(AlertRule)
    rule.refresh_from_db()
    first, second = Version.objects.filter(subject_type=subject.key, subject_id=rule.pk).order_by("number")[:2]
    subject.go_back(rule, first.content)
    assert subject.read(AlertRule.objects.get(pk=rule.pk)) == first.content != second.content
    Version.objects.filter(pk=first.pk).update(content={**first.content, "channels": ["Night"]})
    first.refresh_from_db()
    channel.delete()
    with pytest.raises(CannotGoBack, match="There is no 'Night' any more"):
        subject.go_back(rule, first.content)


def test_a_channel_has_versions_without_where_it_leads_to():
    channel = AlertChannel.objects.create(name="Hook", kind="webhook", url="https://example.com/s3cret", secret="pst")
    AlertChannel.objects.filter(pk=channel.pk).update(name="Hook")
    channel.quiet_from, channel.quiet_until = time(22), time(6)
    channel.save()
    subject = subject_of(AlertChannel)
    versions = list(Version.objects.filter(subject_type=subject.key, subject_id=channel.pk).order_by("number"))
    told = str([(version.content, version.change) for version in versions])
    assert versions and "s3cret" not in told and "pst" not in told
    subject.go_back(channel, {**subject.read(channel), "quiet_from": None, "quiet_until": None})
    channel.refresh_from_db()
    assert (channel.quiet_from, channel.url) == (None, "https://example.com/s3cret")


def test_a_look_of_a_rule_is_no_change_of_it(rule):
    before = Version.objects.count()
    go_round(clock.now())
    assert Version.objects.count() == before
