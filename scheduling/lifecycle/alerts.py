"""Moves of alerts and their messages. Each is an update that names the state it believes in; 0 = someone was faster."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q

from scheduling.models import Alert, AlertDelivery, AlertRule
from scheduling.statements import run
from scheduling.states import DeliveryStatus
from staging.wording import storable

_ANSWER = 500


def take_round(rule: AlertRule, *, now: datetime, fingerprint: str) -> bool:
    """Note that a rule looks at `now`, and what it finds; False when another process has looked since it was read."""
    since = Q(looked_at=rule.looked_at) if rule.looked_at is not None else Q(looked_at__isnull=True)
    same = AlertRule.objects.filter(since, pk=rule.pk, is_enabled=True)
    return bool(same.update(looked_at=now, fingerprint=fingerprint))


def pass_rounds(ids: Collection[int], *, now: datetime, since: datetime) -> int:
    """Note that rules look at `now` and find what they found before; not of those somebody else looked at meanwhile."""
    if not ids:
        return 0
    table, marks = AlertRule._meta.db_table, ", ".join(["%s"] * len(ids))
    mine = f"id IN ({marks}) AND looked_at <= %s"
    return run(f"UPDATE {table} SET looked_at = %s WHERE {mine}", now, *ids, since)  # noqa: S608 (names of our own models)


def forget_disabled(ids: Collection[int], *, now: datetime) -> int:
    """End the open alerts of those of these rules that are switched off, of which nobody is told; return how many."""
    if not ids:
        return 0
    with transaction.atomic():
        off = AlertRule.objects.filter(pk__in=ids, is_enabled=False)
        ended = Alert.objects.open().filter(rule__in=off).update(ended_at=now)
        off.update(fingerprint="", looked_at=None)
    return ended


def switch_off_emptied(ids: Collection[int]) -> int:
    """Switch off those of these rules that name nothing any more, which would be about everything; return how many."""
    if not ids:
        return 0
    named = {"entities__isnull": True, "plans__isnull": True, "jobs__isnull": True, "categories": []}
    emptied = list(AlertRule.objects.filter(pk__in=ids, is_enabled=True, **named).distinct())
    for rule in emptied:  # one by one, so that the history of each tells it
        rule.is_enabled = False
        rule.save(update_fields=["is_enabled"])
    return len(emptied)


def open_alerts(alerts: Iterable[Alert]) -> None:
    """Store new alerts, each with its key; whoever calls this has taken the round of their rule."""
    Alert.objects.bulk_create(alerts)


def end_alerts(ids: Collection[int], *, now: datetime) -> int:
    """End alerts that are open; return how many."""
    return Alert.objects.open().filter(pk__in=ids).update(ended_at=now)


def note_told(ids: Collection[int], *, now: datetime) -> int:
    """Note that news of open alerts were put together, from which reminders count."""
    return Alert.objects.filter(pk__in=ids).update(told_at=now)


def note_escalated(ids: Collection[int], *, now: datetime) -> int:
    """Note that alerts which nobody answered were handed on; each only once."""
    return Alert.objects.unanswered(now).filter(pk__in=ids, escalated_at__isnull=True).update(escalated_at=now)


def acknowledge(*ids: int, by: str, comment: str, now: datetime) -> int:
    """Note who looks after open alerts; return how many: not of those that are over, or where somebody was faster."""
    free = Alert.objects.open().filter(pk__in=ids, acknowledged_at__isnull=True)
    return free.update(acknowledged_at=now, acknowledged_by=by, comment=comment)


def hand_back(*ids: int) -> int:
    """Let open alerts be nobody's again; return how many: not those that are over, or were nobody's."""
    held = Alert.objects.open().filter(pk__in=ids, acknowledged_at__isnull=False)
    return held.update(acknowledged_at=None, acknowledged_by="", comment="")


def snooze(*ids: int, by: str, until: datetime | None) -> int:
    """Let open alerts rest until an instant, or with None no longer; return how many: not those that are over."""
    return Alert.objects.open().filter(pk__in=ids).update(snoozed_until=until, snoozed_by=by if until else "")


def claim_delivery(delivery: AlertDelivery, *, address: str, until: datetime) -> bool:
    """Claim a waiting message for one attempt to an address; when the process dies, it is free again from `until` on.

    It is noted in the message as it was read, too.
    """
    waiting = AlertDelivery.objects.filter(
        pk=delivery.pk, status=DeliveryStatus.WAITING, attempts=delivery.attempts,
        next_attempt_at=delivery.next_attempt_at,
    )  # fmt: skip
    delivery.address = address
    return bool(waiting.update(attempts=F("attempts") + 1, next_attempt_at=until, address=address))


def end_delivery(delivery_id: int, status: DeliveryStatus, *, answer: str, now: datetime) -> bool:
    """End a message that waits: sent, or given up."""
    waiting = AlertDelivery.objects.filter(pk=delivery_id, status=DeliveryStatus.WAITING)
    return bool(waiting.update(status=status, answer=storable(answer, _ANSWER), finished_at=now))


def put_off_delivery(delivery_id: int, *, answer: str, wait: timedelta, now: datetime) -> bool:
    """Let a message that could not be sent be tried again after a while."""
    waiting = AlertDelivery.objects.filter(pk=delivery_id, status=DeliveryStatus.WAITING)
    return bool(waiting.update(answer=storable(answer, _ANSWER), next_attempt_at=now + wait))
