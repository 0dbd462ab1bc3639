"""What a channel needs by its kind: one home for its form and for going back to an earlier version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from scheduling.alerts.transports import NOT_OUTSIDE
from scheduling.states import ChannelKind, Digest
from staging.wording import Said, say

_REACHES = ("people", "groups", "roles", "to_responsible", "addresses")


def channel_errors(values: Mapping[str, Any]) -> dict[str, Said]:
    """Return what is wrong with the values of a channel, by field; sets of people may be anything that can be empty."""
    found, kind, url = dict[str, Said](), values.get("kind"), values.get("url") or ""
    if kind == ChannelKind.EMAIL and not any(values.get(name) for name in _REACHES):
        found["people"] = say("Choose people, groups, roles or whoever is responsible, or write addresses.")
    if kind == ChannelKind.WEBHOOK and not (urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname):
        found["url"] = say("Write the address that is called: https://…")
    if kind == ChannelKind.SERVICE and ("://" not in url or url.partition("://")[0].lower() in NOT_OUTSIDE):
        found["url"] = say("Write the URL of a service, for example slack://…; for other addresses choose a webhook.")
    if values.get("digest") == Digest.DAILY and not values.get("digest_at"):
        found["digest_at"] = say("Say at what time of day.")
    if bool(values.get("quiet_from")) != bool(values.get("quiet_until")):
        found["quiet_until"] = say("Quiet hours have a beginning and an end.")
    return found
