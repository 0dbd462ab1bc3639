"""The outbox: what is due for a channel becomes one message to each of its addresses, which is sent at least once.

News become messages in one transaction, so none is lost and none is in two messages. A message is claimed before it is
sent: a process that dies while it sends leaves it to the next one, when its claim is over.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.alerts.addresses import Address, addresses_of, goes_to
from scheduling.alerts.message import message_of
from scheduling.alerts.transports import send
from scheduling.lifecycle.alerts import claim_delivery, end_delivery, put_off_delivery
from scheduling.models import AlertChannel, AlertDelivery, AlertNotice
from scheduling.outside.calls import CannotSend
from scheduling.statements import prepared
from scheduling.states import AlertNews, ChannelKind, DeliveryStatus
from staging.wording import one_line, say

logger = logging.getLogger(__name__)

CLAIMED_FOR = timedelta(minutes=2)  # longer than any attempt takes
ATTEMPTS = 12  # over some six hours
_FIRST_WAIT, _LONGEST_WAIT = (
    timedelta(seconds=50),
    timedelta(minutes=55),
)  # so that a round a minute later is not too early
_DIED = gettext_noop("Each process that sent it died of it.")
_NOTHING_LEFT = gettext_noop("Nothing is left to tell: the alerts are gone, or this person may not see them any more.")
_NOBODY = gettext_noop("The channel sends nothing to this address any more.")
_AT_ONCE = 100  # messages of one round: the next one is a minute later
_ROUND = timedelta(seconds=20)  # nor does a slow mail server keep a round longer than this


def put_together(now: datetime) -> int:
    """Make one message for each address out of all that is due for its channel; return how many.

    What a channel was to tell when it was switched off waits until it is switched on.
    """

    def due(now: datetime) -> QuerySet[Any, Any]:
        return AlertNotice.objects.filter(due_at__lte=now).order_by().values_list("channel").distinct()

    channels = [pk for (pk,) in prepared("notices due", due, now=now)]
    if not channels:
        return 0
    return sum(_put_together(channel, now) for channel in AlertChannel.objects.filter(pk__in=channels, is_enabled=True))


def _put_together(channel: AlertChannel, now: datetime) -> int:
    with transaction.atomic():
        # Whoever locks the channel first takes all of it; the other finds nothing left.
        AlertChannel.objects.select_for_update().get(pk=channel.pk)
        known = AlertNotice.objects.filter(channel=channel)
        due = known.filter(due_at__lte=now)
        # What is over by now is told to be over: its end, which a digest would bring later, is told with it.
        ends = Q(news=AlertNews.ENDED, alert__in=due.values("alert"))
        notices = list(known.filter(Q(due_at__lte=now) | ends).select_related("alert"))
        alerts = list({notice.alert_id: notice.alert for notice in notices}.values())
        made = []
        for to in addresses_of(channel, alerts) if notices else ():
            news = [[one.alert_id, one.news] for one in notices if to.only is None or one.alert_id in to.only]
            made.append(_message(channel, to, now, news))
        if notices and not made and not channel.to_responsible:
            text = "news by channel %s reach nobody: nobody it names has an e-mail address and may see them"
            logger.warning(text, channel.name, extra={"event": "alert_reaches_nobody"})
        AlertDelivery.objects.bulk_create(made)
        AlertNotice.objects.filter(pk__in=[notice.pk for notice in notices]).delete()
    return len(made)


def put_test_message(channel: AlertChannel, *, now: datetime) -> int:
    """Put a test message to each address of a channel into the outbox; return how many."""
    made = [_message(channel, to, now, []) for to in addresses_of(channel)]
    AlertDelivery.objects.bulk_create(made)
    return len(made)


def _message(channel: AlertChannel, to: Address, now: datetime, news: list[list[Any]]) -> AlertDelivery:
    return AlertDelivery(
        channel=channel, address=to.text, person=to.person, news=news, created_at=now, next_attempt_at=now
    )


def deliver(now: datetime) -> int:
    """Send what waits and is due; return how many were sent. Never raises for what an address does.

    Several may deliver at once: a message is claimed first. New messages go before those that failed, and what is away
    is asked once in a round: neither keeps the messages of others waiting. By a channel that is switched off only tests
    leave.
    """
    if not prepared("deliveries due", lambda now: _due(now).order_by().values_list("pk")[:1], now=now):
        return 0
    due = _due(now).select_related("channel", "person").order_by("attempts", "next_attempt_at", "pk")
    sent, left, time = 0, _AT_ONCE, clock.starting_at(now)
    while waiting := list(due[:left]):
        for delivery in waiting:
            left -= 1
            if time() - now > _ROUND:
                return sent
            outcome = _attempt(delivery, time)
            sent += outcome == _Outcome.SENT
            if outcome == _Outcome.AWAY:
                due = due.exclude(_same_way(delivery))
                break
        else:
            break
    return sent


def _due(now: datetime) -> QuerySet[AlertDelivery, Any]:
    on = Q(channel__is_enabled=True) | Q(news=[])
    return AlertDelivery.objects.filter(on, status=DeliveryStatus.WAITING, next_attempt_at__lte=now)


class _Outcome(Enum):
    SENT, NOT_SENT, AWAY = range(3)


def _same_way(delivery: AlertDelivery) -> Q:
    """Return the condition of messages that would meet the same silence: all mail goes through one server."""
    if delivery.channel.kind == ChannelKind.EMAIL:
        return Q(channel__kind=ChannelKind.EMAIL)
    return Q(channel=delivery.channel)


def _attempt(delivery: AlertDelivery, time: clock.TimeSource) -> _Outcome:
    if delivery.attempts >= ATTEMPTS:  # whoever sent it the last time died of it
        end_delivery(delivery.pk, DeliveryStatus.GIVEN_UP, answer=delivery.answer or say(_DIED), now=time())
        return _Outcome.NOT_SENT
    address = goes_to(delivery)
    if not claim_delivery(delivery, address=address or delivery.address, until=time() + CLAIMED_FOR):
        return _Outcome.NOT_SENT
    try:
        message = message_of(delivery) if address else None
        if message is None:
            why = say(_NOTHING_LEFT) if address else say(_NOBODY)
            end_delivery(delivery.pk, DeliveryStatus.GIVEN_UP, answer=why, now=time())
            return _Outcome.NOT_SENT
        answer = send(delivery, message)
    except CannotSend as error:
        _failed(delivery, error, time())
        return _Outcome.AWAY if error.is_away else _Outcome.NOT_SENT
    except Exception as error:
        logger.exception("message %s could not be sent", delivery.pk, extra={"event": "alert_not_sent"})
        _failed(delivery, error, time())
        return _Outcome.NOT_SENT
    end_delivery(delivery.pk, DeliveryStatus.SENT, answer=answer, now=time())
    return _Outcome.SENT


def _failed(delivery: AlertDelivery, error: Exception, now: datetime) -> None:
    """Try again later, each time twice as long after, or give up after the last attempt."""
    answer, attempts = one_line(error) or type(error).__name__, delivery.attempts + 1
    if attempts >= ATTEMPTS:
        end_delivery(delivery.pk, DeliveryStatus.GIVEN_UP, answer=answer, now=now)
        told = "a message by channel %s was given up: %s"
        logger.error(told, delivery.channel.name, answer, extra={"event": "alert_given_up"})
        return
    wait = min(_FIRST_WAIT * 2 ** (attempts - 1), _LONGEST_WAIT)
    put_off_delivery(delivery.pk, answer=answer, wait=wait, now=now)
