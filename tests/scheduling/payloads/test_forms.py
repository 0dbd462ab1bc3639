"""Promise: every field of every form takes any text, or says why not: no failure, and no markup of theirs in a page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import pytest
from django.contrib import admin
from django.db import transaction
from django.db.models import DateTimeField
from django.test import Client

from tests.depth import some
from tests.scheduling.admin.addresses import addresses
from tests.scheduling.payloads.corpus import PAYLOADS, sample
from tests.scheduling.payloads.reading import Form, Page, faults
from tests.scheduling.payloads.test_pages import pages
from tests.scheduling.payloads.world import World

pytestmark = pytest.mark.django_db
FORM = "application/x-www-form-urlencoded"
# What these forms send says who comes in, and locks the account of the visitor.
_LEFT_OUT = ("/logout/", "/password_change/", "/login/")
_PARTS = 40  # a part is one test, so that several processes share them
_TRIED = some(range(_PARTS), one_in=_PARTS)


@dataclass(frozen=True)
class Try:
    """One payload in one field of one form."""

    page: str
    number: int
    field: str
    payload: str


def encoded(values: dict[str, list[str]]) -> str:
    """Return a form's body; half a surrogate goes as the bytes that somebody would send by hand."""
    return urlencode(values, doseq=True, errors="surrogatepass")


def forms(client: Client, world: World) -> Iterator[tuple[str, int, Form]]:
    """Yield every form of every page."""
    for address in pages(world):
        response = client.get(address)
        if response.status_code == 200 and response.headers.get("Content-Type", "").startswith("text/html"):
            for number, form in enumerate(Page(response.content.decode()).forms):
                if not any(part in urljoin(address, form.action) for part in _LEFT_OUT):
                    yield address, number, form
                    yield from questions(client, address, number, form)


def questions(client: Client, address: str, number: int, form: Form) -> Iterator[tuple[str, int, Form]]:
    """Yield the forms of the pages that ask before an action of a list is done."""
    for action in filter(None, form.choices.get("action", [])):
        with transaction.atomic():
            response = client.post(address, encoded(form.sent(action=action)), content_type=FORM)
            if response.status_code == 200:
                yield from ((address, number, each) for each in Page(response.content.decode()).forms
                            if each.choices.get("action") is None and not each.action.endswith(_LEFT_OUT))  # fmt: skip
            transaction.set_rollback(True)


def tries(found: list[tuple[str, int, Form]], part: int) -> list[tuple[Try, Form]]:
    """Return what this part tries: each field of each form with one payload, and with seven of them when deep."""
    fields = [(page, number, name, form) for page, number, form in found for name in form.names]
    whole = [
        (Try(page, number, name, payload), form)
        for place, (page, number, name, form) in enumerate(fields)
        for payload in turned(place)
    ]
    return sample(whole, quick=len(PAYLOADS), deep=9)[part::_PARTS]


def turned(place: int) -> list[str]:
    """Return the names of the payloads, beginning elsewhere for each field."""
    names = list(PAYLOADS)
    start = place * 7 % len(names)
    return names[start:] + names[:start]


def sent(client: Client, one: Try, form: Form) -> list[str]:
    """Send a form with a payload in one field, look where it leads, and return what is wrong."""
    return answered(client, one.page, form, {one.field: PAYLOADS[one.payload]})


def answered(client: Client, page: str, form: Form, values: dict[str, str]) -> list[str]:
    """Send a form with these values, look where it leads, and return what is wrong."""
    to = urljoin(page, form.action)
    body = encoded(form.sent(**values))
    if form.method == "get":
        return faults(client.get(f"{urlsplit(to).path}?{body}"))
    response = client.post(to, body, content_type=FORM)
    found = faults(response)
    if response.status_code == 302:
        found += faults(client.get(response.headers["Location"])) + faults(client.get(page))
    return found


def filled(found: list[tuple[str, int, Form]]) -> Iterator[tuple[str, Form, dict[str, str]]]:
    """Yield every kind of form once, with a payload in each of its fields; of a quick check, each database has half."""
    kinds: dict[Any, tuple[str, Form]] = {}
    for page, _, form in found:
        to = re.sub(r"\d+", "0", urlsplit(urljoin(page, form.action)).path)
        if form.names:
            kinds.setdefault((to, form.method, tuple(form.names)), (page, form))
    assert len(kinds) > 50
    for number, (page, form) in enumerate(some(list(kinds.values()), one_in=2)):
        names = turned(number)
        yield page, form, {name: PAYLOADS[names[at % len(names)]] for at, name in enumerate(form.names)}


@pytest.mark.parametrize("part", _TRIED)
def test_any_text_in_any_field_is_stored_or_refused_in_words(part: int, world: World, visitor: Client) -> None:
    """One field after the other, a quick check few of them; and in all fields of each form at once."""
    wrong: dict[Any, Any] = {}
    found = list(forms(visitor, world))
    for one, form in tries(found, part):
        with transaction.atomic():
            if told := sent(visitor, one, form):
                wrong[one] = told
            transaction.set_rollback(True)
    for page, form, values in filled(found) if part == _TRIED[0] else ():
        with transaction.atomic():
            if told := answered(visitor, page, form, values):
                wrong[page, form.action] = told
            transaction.set_rollback(True)
    assert wrong == {}


def test_the_forms_of_the_admin_are_all_among_them(world: World, visitor: Client) -> None:
    """So that a page that answers otherwise is not left out without a word."""
    named = {world.fill(pattern) for pattern, name in addresses() if name.endswith(("_add", "_change"))}
    tried = {each.partition("?")[0]: each for each in pages(world)}
    without, closed = set(), set()
    for address in named - {"/admin/password_change/"}:
        response = visitor.get(tried[address])
        if response.status_code == 403:
            closed.add(address)
        elif not any(form.method == "post" and form.names for form in Page(response.content.decode()).forms[1:]):
            without.add(address)
    kinds = ("scheduling/schedulerlog", "scheduling/run", "scheduling/heartbeat", "staging/batch", "staging/apitoken",
             "scheduling/alert", "staging/auditentry")  # fmt: skip
    shown_only = {world.fill(f"/admin/{each}/<path:object_id>/change/") for each in kinds}
    assert without <= shown_only and len(named - closed - without) > 15


def test_fields_that_no_form_has_change_nothing(world: World, visitor: Client) -> None:
    """A form that is sent with every column of its model besides leaves what it leaves without them."""
    wrong, tried = {}, 0
    for model in admin.site._registry:
        options = model._meta
        if options.app_label not in ("staging", "scheduling"):
            continue
        address = world.fill(f"/admin/{options.app_label}/{options.model_name}/<path:object_id>/change/")
        response = visitor.get(address)
        shown = response.context and response.context.get("adminform")
        if response.status_code != 200 or not shown or not shown.form.fields:
            continue
        form = max(Page(response.content.decode()).forms, key=lambda each: len(each.names))
        taken = {*shown.form.fields, *form.sent()}
        more = {name: "7" for each in options.concrete_fields for name in (each.name, each.attname)}
        more = {name: value for name, value in more.items() if name not in taken}
        tried += len(more)
        left = [after(visitor, model, address, form.sent(**extra)) for extra in ({}, more)]
        if left[0] != left[1]:
            wrong[options.model_name] = [pair for pair in zip(*left, strict=True) if pair[0] != pair[1]]
    assert wrong == {} and tried > 50


def after(client: Client, model: Any, address: str, values: dict[str, list[str]]) -> list[Any]:
    """Return the rows of a model as a form would leave them, without the moments that it notes."""
    with transaction.atomic():
        client.post(address, encoded(values), content_type=FORM)
        names = [each.attname for each in model._meta.concrete_fields if not isinstance(each, DateTimeField)]
        rows = list(model._default_manager.order_by("pk").values(*names))
        transaction.set_rollback(True)
    return rows
