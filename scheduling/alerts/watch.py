"""One round of the watch: opens what is newly wrong, ends what is over, and puts the news of both into the outbox.

Each rule is one transaction: an alert is never there without its news, and news never come twice. Whoever is alive may
call a round at any time, also several at once: a rule looks once within its pace, whoever is first.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, transaction
from django.db.models import Q, QuerySet, prefetch_related_objects

from scheduling.alerts.conditions import find
from scheduling.alerts.findings import Breach, Breaches, Round
from scheduling.alerts.outbox import deliver, put_together
from scheduling.alerts.transports import CannotSend, ping
from scheduling.cadence.quiet import told_at
from scheduling.lifecycle.alerts import (
    end_alerts,
    forget_disabled,
    note_escalated,
    note_told,
    open_alerts,
    pass_rounds,
    take_round,
)
from scheduling.models import Alert, AlertChannel, AlertNotice, AlertRule
from scheduling.statements import foreseen, prepared, prepared_values, row_of
from scheduling.states import AlertNews, Digest

logger = logging.getLogger(__name__)

PACE = timedelta(seconds=50)  # a round a minute, whoever asks for it


def go_round(now: datetime) -> int:
    """Look, put the news together, send what is due, and say outside that we live; return how many were sent.

    Never raises: whoever calls this has other work.
    """
    sent = 0
    for step in (look, put_together, deliver):
        try:
            sent = step(now)
        except Exception:
            logger.exception(
                "alerts: %s failed; it is tried again a minute later", step.__name__, extra={"event": "alerts_failed"}
            )
    return sent


def tell_outside() -> None:
    """Tell the outside watchman, if there is one, that a cycle ended well; it tells people when we fall silent."""
    if not settings.ALERTS_PING_URL:
        return
    try:
        ping(settings.ALERTS_PING_URL)
    except CannotSend as error:
        logger.warning("the outside watchman was not reached: %s", error, extra={"event": "ping_failed"})


def look(now: datetime) -> int:
    """Let every rule look whose last look is a while ago; return how many alerts are new or over.

    A rule that cannot be evaluated costs the others nothing; those that find what they found before cost one statement
    together.
    """
    found = _due_rules(now)
    changed, asked, same = forget_disabled([rule.pk for rule in found if not rule.is_enabled], now=now), Round(now), []
    rules = [rule for rule in found if rule.is_enabled]
    if not rules:
        return changed
    with foreseen(now):
        prefetch_related_objects([rule for rule in rules if rule.pk in asked.naming()], "entities", "plans", "jobs")
        pressing = _pressing(rules, now)
        for rule in rules:
            try:
                breaches = find(rule, asked)
                if rule.pk not in pressing and breaches.is_as_before(rule.fingerprint):
                    same.append(rule.pk)
                else:
                    changed += _look(rule, breaches, now)
            except Exception:
                logger.exception("alert rule %s could not look", rule.name, extra={"event": "alert_rule_failed"})
    pass_rounds(same, now=now, since=now - PACE)
    return changed


def _due_rules(now: datetime) -> list[AlertRule]:
    """Return the rules whose last look is a while ago, and those that were switched off since theirs."""
    names = [each.attname for each in AlertRule._meta.concrete_fields]

    def due(before: datetime) -> QuerySet[Any, Any]:
        is_due = Q(is_enabled=True) & (Q(looked_at__isnull=True) | Q(looked_at__lte=before))
        return AlertRule.objects.filter(is_due | Q(is_enabled=False, looked_at__isnull=False)).values_list(*names)

    found = prepared_values("rules", due, before=now - PACE)
    return [row_of(AlertRule, DEFAULT_DB_ALIAS, names, values) for values in found]


def _look(rule: AlertRule, found: Breaches, now: datetime) -> int:
    is_as_before = bool(found.fingerprint) and found.fingerprint == rule.fingerprint
    fingerprint = rule.fingerprint if is_as_before else found.fingerprint_told
    with transaction.atomic():
        if not take_round(rule, now=now, fingerprint=fingerprint):
            return 0
        opened: list[Alert] = []
        again: list[Alert] = []
        ended: list[Alert] = []
        if not is_as_before:
            known = {alert.subject: alert for alert in _of_subjects(rule, found)}
            opened, again = _open(rule, found.breaches, known, now)
            ended = _end(found, known, now)
            _tell(rule, opened, AlertNews.OPENED, now)
            _tell_again(rule, again, now)
            _tell_end(rule, ended, now)
        _remind(rule, now)
        _escalate(rule, now)
        return len(opened) + len(ended)


def _pressing(rules: Iterable[AlertRule], now: datetime) -> set[int]:
    """Return the rules that have something to remind of, or to hand on; one statement for all of them."""
    patience = {
        rule.pk: (rule.remind_every_minutes, rule.escalate_after_minutes)
        for rule in rules
        if rule.remind_every_minutes is not None or rule.escalate_after_minutes is not None
    }
    if not patience:
        return set()
    moments = {
        f"{what}_{pk}": now - timedelta(minutes=wait)
        for pk, waits in patience.items()
        for what, wait in zip(("told", "begun"), waits, strict=True)
        if wait is not None
    }

    def late(now: datetime, **before: datetime) -> QuerySet[Any, Any]:
        chosen = Q()
        for pk in patience:
            if f"told_{pk}" in before:
                chosen |= Q(rule=pk, told_at__lte=before[f"told_{pk}"])
            if f"begun_{pk}" in before:
                chosen |= Q(rule=pk, opened_at__lte=before[f"begun_{pk}"], escalated_at__isnull=True)
        return Alert.objects.unanswered(now).filter(chosen).order_by().values_list("rule").distinct()

    return {pk for (pk,) in prepared(("pressing", *moments), late, now=now, **moments)}


def _of_subjects(rule: AlertRule, found: Breaches) -> QuerySet[Alert, Any]:
    """Return the open alerts of what the rule looked at."""
    known = rule.alerts.filter(ended_at__isnull=True).order_by("pk")
    return known if found.judged is None else known.filter(subject__in=found.judged | found.gone)


def _open(
    rule: AlertRule, breaches: Iterable[Breach], known: Mapping[str, Alert], now: datetime
) -> tuple[list[Alert], list[Alert]]:
    """Open what is newly wrong; of what was wrong before, keep the sentence up to date.

    Return what is new, and what failed again: a sentence changes also when something gets another name.
    """
    new, changed, again = [], [], []
    for breach in breaches:
        said, alert = breach.said().stored(), known.get(breach.subject)
        if alert is None:
            new.append(
                Alert(
                    rule=rule, subject=breach.subject, entity_id=breach.entity_id, said=said,
                    leads_to=breach.leads_to, opened_at=now, told_at=now,
                )
            )  # fmt: skip
        elif alert.said != said:
            if _times(alert.said) != _times(said):
                again.append(alert)
            alert.said, alert.leads_to = said, breach.leads_to
            changed.append(alert)
    open_alerts(new)
    Alert.objects.bulk_update(changed, ["said", "leads_to"], batch_size=500)
    return new, again


def _times(said: Mapping[str, Any]) -> object:
    """Return how many times in a row something failed, as the sentence of its alert says; once needs no number."""
    return said.get("values", {}).get("times", 1)


def _tell_again(rule: AlertRule, again: Sequence[Alert], now: datetime) -> None:
    """Tell each further failure, where the rule says so, of what is neither on somebody's desk nor put aside."""
    if not rule.tells_each or not again:
        return
    pressing = list(_unanswered(rule, now).filter(pk__in=[alert.pk for alert in again]))
    note_told([alert.pk for alert in pressing], now=now)
    _tell(rule, pressing, AlertNews.AGAIN, now)


def _end(found: Breaches, known: Mapping[str, Alert], now: datetime) -> list[Alert]:
    """End what was wrong and is not found any more."""
    wrong = {breach.subject for breach in found.breaches}
    over = [alert for subject, alert in known.items() if subject not in wrong]
    end_alerts([alert.pk for alert in over], now=now)
    return over


def _tell(rule: AlertRule, alerts: Sequence[Alert], news: AlertNews, now: datetime) -> None:
    _tell_channels(rule.channels.all(), alerts, news, now)


def _tell_end(rule: AlertRule, ended: Sequence[Alert], now: datetime) -> None:
    """Say that it is over to every channel that was told, or is to be told, that it began."""
    if not rule.tells_end or not ended:
        return
    handed_on = [alert for alert in ended if alert.escalated_at is not None]
    _tell(rule, ended, AlertNews.ENDED, now)
    told = set(rule.channels.all())
    _tell_channels([one for one in rule.escalate_to.all() if one not in told], handed_on, AlertNews.ENDED, now)


def _tell_channels(channels: Iterable[AlertChannel], alerts: Sequence[Alert], news: AlertNews, now: datetime) -> None:
    AlertNotice.objects.bulk_create(
        AlertNotice(alert=alert, channel=channel, news=news, due_at=due)
        for channel in channels
        if channel.is_enabled
        for due in [when_told(channel, now)]
        for alert in alerts
    )


def when_told(channel: AlertChannel, now: datetime) -> datetime:
    """Return the first instant at which this channel may be told what is new at `now`."""
    quiet = (channel.quiet_from, channel.quiet_until) if channel.quiet_from and channel.quiet_until else None
    daily = channel.digest_at if channel.digest == Digest.DAILY else None
    return told_at(now, ZoneInfo(channel.timezone), quiet, hourly=channel.digest == Digest.HOURLY, daily=daily)


def _remind(rule: AlertRule, now: datetime) -> None:
    """Tell again what is still wrong, and neither on somebody's desk nor put aside."""
    if rule.remind_every_minutes is None:
        return
    before = now - timedelta(minutes=rule.remind_every_minutes)
    again = list(_unanswered(rule, now).filter(told_at__lte=before))
    note_told([alert.pk for alert in again], now=now)
    _tell(rule, again, AlertNews.REMINDER, now)


def _escalate(rule: AlertRule, now: datetime) -> None:
    """Hand on what nobody has answered for so long."""
    if rule.escalate_after_minutes is None:
        return
    before = now - timedelta(minutes=rule.escalate_after_minutes)
    late = list(_unanswered(rule, now).filter(opened_at__lte=before, escalated_at__isnull=True))
    note_escalated([alert.pk for alert in late], now=now)
    _tell_channels(rule.escalate_to.all(), late, AlertNews.ESCALATED, now)


def _unanswered(rule: AlertRule, now: datetime) -> QuerySet[Alert, Any]:
    return Alert.objects.unanswered(now).filter(rule=rule)
