"""How a test changes a thing through each door: on its page, by a bulk action, by a file, by the API, by code."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from scheduling.model_files.dump import dump
from scheduling.models import (
    AlertRule,
    Job,
    JobSchedule,
    Queue,
    SchedulerConfiguration,
)
from staging.models import Entity
from tests.scheduling.payloads.reading import Page
from tests.staging.api.conftest import Api

REASON = "Because it was asked"
RELEASE = "2026.11"
DELETED = "deleted"
# What stands first in each of its table, or is called so.
_CALLED: dict[type, dict[str, str]] = {
    Entity: {"code": "shop"}, SchedulerConfiguration: {"entity__code": "shop"}, Queue: {"name": "slow"},
    Job: {"name": "Report"}, JobSchedule: {"job__name": "Report"}, AlertRule: {"name": "Mine"},
    Group: {"name__endswith": " shift"}, User: {"username__startswith": "ann"},
}  # fmt: skip


@dataclass
class Hand:
    """By whom it is done, and where a file may stand."""

    client: Client
    api: Api
    folder: Path
    reason: str = REASON


def thing(model: type) -> Any:
    """Return the one of a kind that is changed."""
    return model._base_manager.get(**_CALLED.get(model, {}))  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Act:
    """A change: the ways that it is, each a door or a place of it; what does it; of each kind that it changes a line.

    Of several lines a semicolon stands between.
    """

    ways: tuple[str, ...]
    do: Callable[[Hand], Any]
    told: dict[type, str]


def page(model: type, line: str, inline: type | None = None, **typed: str | None) -> Act:
    """Return a change on the page of a thing: what a browser sends, with something else typed in; None: no tick."""

    def do(hand: Hand) -> None:
        options = model._meta  # type: ignore[attr-defined]
        address = reverse(f"admin:{options.app_label}_{options.model_name}_change", args=[thing(model).pk])
        form = max(Page(hand.client.get(address).content.decode()).forms, key=lambda each: len(each.fields))
        sent = form.sent(**{name: text for name, text in typed.items() if text is not None})
        sent = {name: values for name, values in sent.items() if typed.get(name, "") is not None}
        hand.client.post(address, {**sent, "change_reason": hand.reason})

    return Act(("page", *([f"inline {inline.__name__}"] if inline else [])), do, {model: line})


def posted(name: str, model: type, line: str, sent: Callable[[Hand, str], dict[str, Any]], *more: str) -> Act:
    """Return a change on a page of its own: what `sent` makes of its address, with the reason, is what is posted."""

    def do(hand: Hand) -> None:
        keys = [thing(model).pk, *(thing(model).attributes.get(name=each).pk for each in more)]
        address = reverse(f"admin:{name}", args=keys)
        hand.client.post(address, {**sent(hand, address), "change_reason": hand.reason})

    return Act((f"page {name}",), do, {model: line})


def bulk(action: str, model: type, line: str) -> Act:
    """Return a change by a bulk action."""

    def do(hand: Hand) -> None:
        options = model._meta  # type: ignore[attr-defined]
        sent = {"action": action, "_selected_action": [thing(model).pk], "confirmed": "yes", "post": "yes"}
        address = reverse(f"admin:{options.app_label}_{options.model_name}_changelist")
        hand.client.post(address, {**sent, "change_reason": hand.reason})

    return Act((f"bulk {action}",), do, {model: line})


def deleted(model: type, **called: str) -> Act:
    """Return the deletion of a thing on its page."""

    def do(hand: Hand) -> None:
        options, row = model._meta, model._base_manager.get(**called) if called else thing(model)  # type: ignore[attr-defined]
        address = reverse(f"admin:{options.app_label}_{options.model_name}_delete", args=[row.pk])
        hand.client.post(address, {"post": "yes", "change_reason": hand.reason})

    return Act(("page delete",), do, {model: DELETED})


def file(
    way: str, told: dict[type, str], send: Callable[[Hand, dict[str, Any]], Any], text: str, number: int
) -> Act:  # fmt: skip
    """Return a change of everything that a model file has, sent by this way: to a text, or by a number."""

    def do(hand: Hand) -> None:
        document = deepcopy(dump())
        shop = next(each for each in document["entities"] if each["code"] == "shop")
        shop["name"] = shop["rules"][0]["message"] = document["calendars"][0]["description"] = text
        shop["schedule"]["run_times"] = [f"{number + 5:02}:00"]
        next(each for each in document["queues"] if each["name"] == "slow")["max_running"] = number
        document["scripts"][0]["sql"] = f"select {number}"
        document["plans"][0]["steps"][0]["priority"] = number + 1
        send(hand, {**document, "release": RELEASE})

    return Act((way,), do, told)


def by_command(hand: Hand, document: dict[str, Any]) -> None:
    path = hand.folder / "model.json"
    path.write_text(json.dumps(document))
    call_command("load_model", str(path), "--reason", hand.reason)


def by_api(hand: Hand, document: dict[str, Any]) -> None:
    hand.api("PUT", "model", document, **_why(hand))


def _why(hand: Hand) -> dict[str, str]:
    return {"Change_Reason": hand.reason} if hand.reason else {}


def api(method: str, route: str, body: dict[str, Any], model: type, line: str) -> Act:
    """Return a change by an address of the API of its own."""

    def do(hand: Hand) -> None:
        hand.api(method, route.replace("<str:code>", "shop"), body, If_Match="*", **_why(hand))

    return Act((f"api {method} {route}",), do, {model: line})


def code(model: type, line: str, change: Callable[[Any], Any], part: type | None = None) -> Act:
    """Return a change by code of the site; `part`: the rows, or the set, by which the thing is changed."""
    return Act((f"code {part.__name__}" if part else "code",), lambda _: change(thing(model)), {model: line})


def saved(**columns: Any) -> Callable[[Any], None]:
    """Return what sets columns and saves."""

    def change(row: Any) -> None:
        for name, value in columns.items():
            setattr(row, name, value)
        row.save()

    return change
