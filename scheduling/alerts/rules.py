"""What an alert rule needs by its condition: one home for its form and for going back to an earlier version."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from scheduling.states import AlertCondition
from staging.wording import Said, say

LONGEST_REST = timedelta(days=31)
LIMITS = ("number", "percent", "minutes", "at")
# What each condition cannot do without, and what else it may take; anything else is none of its business.
_NEEDS = {
    AlertCondition.NOTHING_COMPLETED: ("minutes",),
    AlertCondition.WAITING: ("minutes",),
    AlertCondition.NOT_DELIVERED: ("at",),
}
_TAKES = {
    AlertCondition.FAILED: ("number",),
    AlertCondition.WARNED: ("number",),
    AlertCondition.LATE: ("minutes",),
    AlertCondition.REJECTED: ("number", "percent"),
    AlertCondition.HELD: ("minutes",),
    AlertCondition.LONG: ("minutes",),
    **_NEEDS,
}
_OF_ENTITIES = (
    AlertCondition.NOT_DELIVERED,
    AlertCondition.REJECTED,
    AlertCondition.HELD,
    AlertCondition.WAITING,
    AlertCondition.VOLUME,
)


def rest_error(until: datetime, now: datetime) -> Said | None:
    """Return what is wrong with letting an alert rest until an instant; None when it may."""
    if now < until <= now + LONGEST_REST:
        return None
    return say("An alert rests until an instant that is to come, {days} days from now at most.", days=LONGEST_REST.days)


def rule_errors(values: Mapping[str, Any]) -> dict[str, Said]:
    """Return what is wrong with the values of a rule, by field; sets of things may be anything that can be empty."""
    condition = AlertCondition(values["condition"])
    label, found = condition.label, dict[str, Said]()
    for name in LIMITS:
        if name in _NEEDS.get(condition, ()) and values.get(name) is None:
            found[name] = say("“{condition}” needs this.", condition=label)
        elif values.get(name) is not None and name not in _TAKES.get(condition, ()):
            found[name] = say("“{condition}” has no use of this; leave it empty.", condition=label)
    if values.get("tells_each") and condition != AlertCondition.FAILED:
        found["tells_each"] = say("“{condition}” has no use of this.", condition=label)
    chosen = [bool(values.get(name)) for name in ("plans", "jobs", "categories")]
    if condition in _OF_ENTITIES and any(chosen) and not values.get("entities"):
        found["entities"] = say(
            "“{condition}” is about entities; choose some, or nothing at all for all.", condition=label
        )
    if values.get("escalate_after_minutes") and not values.get("escalate_to"):
        found["escalate_to"] = say("Choose who is told then.")
    return found
