"""Which channels do not work: one rule for the start page and for their own list."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from scheduling.alerts.addresses import reaching_nobody
from scheduling.models import AlertChannel, AlertDelivery
from scheduling.states import ChannelKind, DeliveryStatus

_DAY = timedelta(hours=24)
_FAILS = 3  # attempts after which a message is more than a moment late


def broken_channels(now: datetime, naming: Iterable[AlertChannel]) -> QuerySet[AlertChannel]:
    """Return the alert channels that do not work: a message was given up lately, or fails and fails, or none has one.

    One that took a later message from the same address works again; of a webhook or service from any, for it has one at
    a time. No message can have one that names only people without an e-mail address, or who may see no alert. A message
    that was given up without a failure had nothing left to tell, or nobody to tell it to. `naming`: the channels that
    name only people.
    """
    lost = Q(status=DeliveryStatus.GIVEN_UP, finished_at__gte=now - _DAY, attempts__gte=_FAILS)
    fails = Q(status=DeliveryStatus.WAITING, attempts__gte=_FAILS)
    taken = AlertDelivery.objects.filter(
        Q(address=OuterRef("address")) | ~Q(channel__kind=ChannelKind.EMAIL), channel=OuterRef("channel"),
        status=DeliveryStatus.SENT, finished_at__gt=OuterRef("finished_at"),
    )  # fmt: skip
    broken = AlertDelivery.objects.filter(lost & ~Exists(taken) | fails).values("channel")
    return AlertChannel.objects.filter(Q(pk__in=broken) | reaching_nobody(naming), is_enabled=True)
