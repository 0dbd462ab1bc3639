"""The outbox: what is due for a channel becomes one message to each of its addresses, which is sent at least once.

News become messages in one transaction, so none is lost and none is in two messages. A message is claimed before it is
sent: a process that dies while it sends leaves it to the next one, when its claim is over.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from scheduling import clock
from scheduling.alerts.message import Message, message_of
from scheduling.alerts.transports import CannotSend, send
from scheduling.lifecycle.alerts import claim_delivery, end_delivery, put_off_delivery
from scheduling.models import AlertChannel, AlertDelivery, AlertNotice
from scheduling.states import ChannelKind, DeliveryStatus
from staging.wording import one_line

logger = logging.getLogger(__name__)

CLAIMED_FOR = timedelta(minutes=2)  # longer than any attempt takes
ATTEMPTS = 12  # over some six hours
_FIRST_WAIT, _LONGEST_WAIT = (
    timedelta(seconds=50),
    timedelta(minutes=55),
)  # so that a round a minute later is not too early
_AT_ONCE = 100  # messages of one round: the next one is a minute later
_ROUND = timedelta(seconds=20)  # nor does a slow mail server keep a round longer than this


def put_together(now: datetime) -> int:
    """Make one message for each address out of all that is due for its channel; return how many."""
    due = AlertNotice.objects.filter(due_at__lte=now).order_by().values("channel").distinct()
    return sum(_put_together(channel, now) for channel in AlertChannel.objects.filter(pk__in=due))


def _put_together(channel: AlertChannel, now: datetime) -> int:
    with transaction.atomic():
        # Whoever locks the channel first takes all of it; the other finds nothing left.
        AlertChannel.objects.select_for_update().get(pk=channel.pk)
        notices = list(AlertNotice.objects.filter(channel=channel, due_at__lte=now))
        news = [[notice.alert_id, notice.news] for notice in notices]
        made = [
            AlertDelivery(
                channel=channel, address=address, person=person, news=news, created_at=now, next_attempt_at=now
            )
            for address, person in addresses_of(channel)
            if news and channel.is_enabled
        ]
        AlertDelivery.objects.bulk_create(made)
        AlertNotice.objects.filter(pk__in=[notice.pk for notice in notices]).delete()
    return len(made)


def addresses_of(channel: AlertChannel) -> Iterator[tuple[str, User | None]]:
    """Yield where a channel sends to, each address once, with the person behind it where there is one."""
    if channel.kind != ChannelKind.EMAIL:
        yield channel.url, None
        return
    told = set()
    people = User.objects.filter(Q(pk__in=channel.people.all()) | Q(groups__in=channel.groups.all()), is_active=True)
    for person in people.exclude(email="").distinct().order_by("pk"):
        if person.email.lower() not in told:
            told.add(person.email.lower())
            yield person.email, person
    for address in channel.addresses.split():
        if address.lower() not in told:
            told.add(address.lower())
            yield address, None


def put_test_message(channel: AlertChannel, *, now: datetime) -> int:
    """Put a test message to each address of a channel into the outbox; return how many."""
    made = [
        AlertDelivery(channel=channel, address=address, person=person, created_at=now, next_attempt_at=now)
        for address, person in addresses_of(channel)
    ]
    AlertDelivery.objects.bulk_create(made)
    return len(made)


def deliver(now: datetime) -> int:
    """Send what waits and is due; return how many were sent. Never raises for what an address does.

    Several may deliver at once: a message is claimed first.
    """
    due = AlertDelivery.objects.filter(status=DeliveryStatus.WAITING, next_attempt_at__lte=now)
    sent, time = 0, clock.starting_at(now)
    for delivery in due.select_related("channel", "person").order_by("next_attempt_at", "pk")[:_AT_ONCE]:
        if time() - now > _ROUND:
            break
        if claim_delivery(delivery, until=time() + CLAIMED_FOR):
            sent += _attempt(delivery, message_of(delivery), time)
    return sent


def _attempt(delivery: AlertDelivery, message: Message, time: clock.TimeSource) -> bool:
    try:
        answer = send(delivery, message)
    except CannotSend as error:
        _failed(delivery, error, time())
        return False
    except Exception as error:
        logger.exception("message %s could not be sent", delivery.pk, extra={"event": "alert_not_sent"})
        _failed(delivery, error, time())
        return False
    return end_delivery(delivery.pk, DeliveryStatus.SENT, answer=answer, now=time())


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
