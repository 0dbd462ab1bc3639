"""Alert rules and channels as versions; of where a channel leads to a mark only: its URL is as good as a password."""

from __future__ import annotations

import hashlib
from datetime import time
from typing import Any

from django.contrib.auth.models import Group, User
from django.db.models import Model, QuerySet
from django.utils.dateparse import parse_time
from django.utils.translation import gettext_lazy as _

from scheduling.alerts.channels import channel_errors
from scheduling.alerts.rules import rule_errors
from scheduling.errors import InvalidSchedule
from scheduling.models import AlertChannel, AlertRule, Job, Plan
from scheduling.subjects.named import rename
from scheduling.subjects.telling import check_columns, in_words, told_missing
from staging.models import Entity
from staging.versions.subjects import Content, Tracked
from staging.versions.words import Words

_PLAIN = ("condition", "number", "percent", "minutes", "categories", "remind_every_minutes", "tells_each",
          "tells_end", "escalate_after_minutes", "is_enabled")  # fmt: skip
_SETS: dict[str, tuple[type[Model], str]] = {
    "entities": (Entity, "code"),
    "plans": (Plan, "name"),
    "jobs": (Job, "name"),
    "channels": (AlertChannel, "name"),
    "escalate_to": (AlertChannel, "name"),
}
_OF_CHANNEL = ("kind", "roles", "to_responsible", "addresses", "digest", "timezone", "is_enabled")
_MARKED = ("url", "secret")
_TIMES = ("digest_at", "quiet_from", "quiet_until")
_ROUNDS, _MARK = 20_000, 6
_PEOPLE: dict[str, tuple[type[Model], str]] = {"people": (User, "username"), "groups": (Group, "name")}


def _read_rule(rule: AlertRule) -> Content:
    found: Content = {"name": rule.name, **{name: getattr(rule, name) for name in _PLAIN}, "at": _shown(rule.at)}
    return found | {name: _names(getattr(rule, name), by) for name, (_, by) in _SETS.items()}


def _read_channel(channel: AlertChannel) -> Content:
    found: Content = {"name": channel.name, **{name: getattr(channel, name) for name in _OF_CHANNEL}}
    found |= {name: _shown(getattr(channel, name)) for name in _TIMES}
    found |= {name: _mark(channel, name) for name in _MARKED}
    return found | {name: _names(getattr(channel, name), by) for name, (_, by) in _PEOPLE.items()}


@in_words
def _rule_back(rule: AlertRule, content: Content) -> None:
    """Make a rule what the content says. Raises InvalidSchedule for what is gone, or cannot be any more."""
    content = {**_read_rule(rule), **content}  # what an earlier release did not know stays as it is
    found = _things(_SETS, content)
    values = {**{name: content[name] for name in _PLAIN}, "at": _time(content["at"])}
    check_columns(rule, values)
    if wrong := rule_errors({**values, **{name: list(things) for name, things in found.items()}}):
        raise InvalidSchedule({name: [text] for name, text in wrong.items()})
    _store(rule, content["name"], values, found)


@in_words
def _channel_back(channel: AlertChannel, content: Content) -> None:
    """Make a channel what the content says; its URL and its secret stay. Raises InvalidSchedule for who is gone."""
    content = {**_read_channel(channel), **content}  # what an earlier release did not know stays as it is
    found = _things(_PEOPLE, content)
    values = {name: content[name] for name in _OF_CHANNEL} | {name: _time(content[name]) for name in _TIMES}
    check_columns(channel, values)
    if wrong := channel_errors({**values, **found, "url": channel.url}):
        raise InvalidSchedule({name: [text] for name, text in wrong.items()})
    _store(channel, content["name"], values, found)


def _store(thing: Any, name: str, values: dict[str, Any], sets: dict[str, QuerySet[Any]]) -> None:
    rename(thing, name)
    for column, value in values.items():
        setattr(thing, column, value)
    thing.save(update_fields=list(values))
    for column, things in sets.items():
        getattr(thing, column).set(things)


def _mark(channel: AlertChannel, name: str) -> str:
    """Return what tells one secret from another and gives none away."""
    value = getattr(channel, name)
    if not value:
        return ""
    return hashlib.pbkdf2_hmac("sha256", value.encode(), f"{name} {channel.pk}".encode(), _ROUNDS).hex()[:_MARK]


def _names(things: Any, by: str) -> list[str]:
    return sorted(things.values_list(by, flat=True))


def _things(kinds: dict[str, tuple[type[Model], str]], content: Content) -> dict[str, QuerySet[Any]]:
    """Return all that a content names; raises InvalidSchedule for all of it that is gone."""
    found = {name: model._default_manager.filter(**{f"{by}__in": content[name]}) for name, (model, by) in kinds.items()}
    missing = {
        name: {*content[name]} - {*things.values_list(kinds[name][1], flat=True)} for name, things in found.items()
    }
    if any(missing.values()):
        raise InvalidSchedule({name: told_missing(gone) for name, gone in missing.items() if gone})
    return found


def _shown(at: time | None) -> str | None:
    return at.strftime("%H:%M") if at is not None else None


def _time(text: str | None) -> time | None:
    return parse_time(text) if text is not None else None


ALERT_RULE = Tracked(
    AlertRule,
    columns=("name", *_PLAIN, "at"),
    read=_read_rule,
    words=Words(
        AlertRule,
        keys=("name", *_PLAIN, "at", *_SETS),
        labels={
            "condition": _("What is wrong"),
            "number": _("How many"),
            "percent": _("Per cent of the rows"),
            "minutes": _("For how many minutes"),
            "at": _("By this time of day"),
            "categories": _("Categories of jobs and plans"),
            "channels": _("Tell"),
            "remind_every_minutes": _("Remind every so many minutes"),
            "escalate_after_minutes": _("After so many minutes without an answer"),
            "escalate_to": _("Tell then"),
            "is_enabled": _("Enabled"),
        },
    ),
    go_back=_rule_back,
    links={getattr(AlertRule, name).through: lambda rule: [rule.pk] for name in _SETS},
)
ALERT_CHANNEL = Tracked(
    AlertChannel,
    columns=("name", *_OF_CHANNEL, *_TIMES, *_MARKED),
    read=_read_channel,
    words=Words(
        AlertChannel,
        keys=("name", *_OF_CHANNEL, *_TIMES, *_PEOPLE, *_MARKED),
        marked=_MARKED,
        labels={
            "kind": _("How"),
            "digest": _("Tell"),
            "timezone": _("Time zone"),
            "digest_at": _("At"),
            "quiet_from": _("Quiet from"),
            "quiet_until": _("Quiet until"),
            "is_enabled": _("Enabled"),
        },
    ),
    go_back=_channel_back,
    links={getattr(AlertChannel, name).through: lambda channel: [channel.pk] for name in _PEOPLE},
)
