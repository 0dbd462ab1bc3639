"""Where a channel sends to, and what each address may read: a person is told of nothing that he may not see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import Group, Permission, User
from django.db.models import Exists, OuterRef, Q, QuerySet

from scheduling.models import Alert, AlertChannel, AlertDelivery, AlertRule
from scheduling.schedules.responsibility import owners_of
from scheduling.states import ChannelKind
from staging.rights import covers, reach

SEES = "scheduling.view_alert"


@dataclass(frozen=True)
class Address:
    """One address, with the person behind it where there is one; `only`: the alerts it is for, None for all."""

    text: str
    person: User | None = None
    only: frozenset[int] | None = None


def addresses_of(channel: AlertChannel, alerts: Sequence[Alert] = ()) -> Iterator[Address]:
    """Yield where a channel sends news of these alerts to, each address once; nobody without a right to see any."""
    if channel.kind != ChannelKind.EMAIL:
        yield Address(channel.url)
        return
    told = set[str]()
    for person, only in _people(channel, alerts):
        if person.email.lower() not in told and (only is None or only):
            told.add(person.email.lower())
            yield Address(person.email, person, only)
    for address in channel.addresses.split():
        if address.lower() not in told:
            told.add(address.lower())
            yield Address(address)


def goes_to(delivery: AlertDelivery) -> str:
    """Return where a message goes by now, for its channel may be mended while it waits; empty: to nobody any more."""
    channel, person = delivery.channel, delivery.person
    if channel.kind != ChannelKind.EMAIL:
        return channel.url
    if person is not None:
        return person.email
    return delivery.address if delivery.address.lower() in channel.addresses.lower().split() else ""


def readable_by(person: User | None, alerts: Iterable[Alert]) -> set[int]:
    """Return which of these alerts may be told to a person; all, where an address has nobody behind it."""
    if person is None:
        return {alert.pk for alert in alerts}
    if not person.is_active:
        return set()
    ids = reach(person, SEES)
    return {alert.pk for alert in alerts if covers(ids, alert)}


def chosen_people(channel: AlertChannel) -> Q:
    """Return the condition of the people that a channel names, by themselves, by their group or by their role."""
    by_role = Q(groups__name__in=channel.roles) | Q(groups__entity_role__role__in=channel.roles)
    named = Q(pk__in=channel.people.all()) | Q(groups__in=channel.groups.all())
    return named | by_role if channel.roles else named


def naming_people() -> list[AlertChannel]:
    """Return the channels of e-mail that rules tell news by, and that name people, groups or roles only."""
    led_to = AlertRule.escalate_to.through.objects.filter(alertchannel=OuterRef("pk"))
    named = AlertChannel.objects.filter(kind=ChannelKind.EMAIL, addresses="", to_responsible=False, is_enabled=True)
    return list(named.filter(Q(rules__isnull=False) | Exists(led_to)).distinct().order_by("pk"))


def reaching_nobody(channels: Iterable[AlertChannel]) -> Q:
    """Return the condition of those of these channels, which name people, that can reach nobody."""
    found = Q(pk__in=())
    for channel in channels:
        found |= Q(~Exists(_who_may_read().filter(chosen_people(channel))), pk=channel.pk)
    return found


def _who_may_read() -> QuerySet[User]:
    """Return the people who have an e-mail address and may see alerts, of whatever entity."""
    app, codename = SEES.split(".")
    seeing = Permission.objects.filter(content_type__app_label=app, codename=codename)
    groups = Group.objects.filter(permissions__in=seeing)
    groups = groups.exclude(entity_role__all_entities=False, entity_role__entities__isnull=True)
    may = Q(is_superuser=True) | Q(user_permissions__in=seeing) | Q(groups__in=groups.values("pk"))
    return _reachable().filter(pk__in=User.objects.filter(may).values("pk"))


def _reachable() -> QuerySet[User]:
    return User.objects.filter(is_active=True).exclude(email="")


def _people(channel: AlertChannel, alerts: Sequence[Alert]) -> Iterator[tuple[User, frozenset[int] | None]]:
    """Yield the people of a channel, each with the alerts that he is to be told of and may see."""
    reachable = _reachable()
    chosen = list(reachable.filter(chosen_people(channel)).distinct().order_by("pk"))
    theirs: dict[int, set[int]] = {person.pk: {alert.pk for alert in alerts} for person in chosen}
    people = {person.pk: person for person in chosen}
    if channel.to_responsible:
        owned = dict[tuple[str, int], set[int]]()
        for alert_id, thing in owners_of(alerts).items():
            for path, key in (("pk", thing.owner_id), ("groups", thing.owner_group_id)):
                if key is not None:
                    owned.setdefault((path, key), set()).add(alert_id)
        for (path, key), ids in owned.items():
            for person in reachable.filter(**{path: key}):
                people.setdefault(person.pk, person)
                theirs.setdefault(person.pk, set()).update(ids)
    for person in people.values():
        if not alerts:
            if person.has_perm(SEES):
                yield person, None
            continue
        yield person, frozenset(theirs[person.pk] & readable_by(person, alerts))
