"""Promise: whatever an address asks for by its parameters, it is answered in words, or not at all: never a failure."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.test import Client

from tests.depth import some
from tests.scheduling.api.test_matrix import DOORS, address
from tests.scheduling.payloads.corpus import PAYLOADS, sample
from tests.scheduling.payloads.reading import Page, faults
from tests.scheduling.payloads.test_forms import turned
from tests.scheduling.payloads.test_pages import pages
from tests.scheduling.payloads.world import World

pytestmark = pytest.mark.django_db
# What lists of Django's admin read, and what somebody would try who wants to read more by them.
KNOWN = ["q", "o", "p", "e", "all", "_facets", "_popup", "_to_field", "_changelist_filters", "next",
         "id__in", "entity__id__exact", "person__password__startswith", "pk__regex", "_connector", "a\"b", "%s",
         "a__b__c"]  # fmt: skip


def asked(client: Client, world: World) -> Iterator[tuple[str, str]]:
    """Yield every page with each parameter that its forms and links know, and with those that any might know."""
    for page in sorted({each.partition("?")[0] for each in pages(world)}):
        response = client.get(page)
        if response.status_code == 200 and response.headers.get("Content-Type", "").startswith("text/html"):
            read = Page(response.content.decode())
            links = (urlsplit(link).query for link in read.links if link.startswith("?"))
            names = {name for query in links for name, _ in parse_qsl(query, keep_blank_values=True)}
            names |= {name for form in read.forms if form.method == "get" for name in form.names}
            yield from ((page, name) for name in sorted({*names, *KNOWN}))


def coded(name: str, value: str) -> str:
    """Return one parameter; half a surrogate goes as the bytes that somebody would send by hand."""
    return urlencode({name: value[:4000]}, errors="surrogatepass")


def test_any_parameter_of_any_page(world: World, visitor: Client) -> None:
    whole = [
        (page, name, payload) for place, (page, name) in enumerate(asked(visitor, world)) for payload in turned(place)
    ]
    wrong = {}
    for page, name, payload in sample(whole, quick=48 * len(PAYLOADS), deep=len(PAYLOADS) // 2):
        if found := faults(visitor.get(f"{page}?{coded(name, PAYLOADS[payload])}")):
            wrong[page, name, payload] = found
    assert wrong == {}


def test_no_list_takes_what_the_database_cannot_read_or_what_keeps_it_busy(world: World, visitor: Client) -> None:
    lists = sorted(page for page in {each.partition("?")[0] for each in pages(world)} if page.count("/") == 4)
    assert len(lists) > 15
    for page in lists:
        for lookup in ("pk__regex", "id__iregex", "name__regex", "id__in", "pk__range", "id", "pk__lt", "id__contains"):
            for value in ("{0} {} (a+)+$", "9" * 400, f"1,{'9' * 40}"):
                assert not faults(visitor.get(page, {lookup: value})), (page, lookup, value)


def test_a_search_for_more_words_than_a_statement_can_take_is_answered_in_words(world: World, visitor: Client) -> None:
    addresses = sorted({each.partition("?")[0] for each in pages(world)})
    assert {page: told for page in addresses if (told := faults(visitor.get(page, {"q": "a " * 1_000})))} == {}
    lists = visitor.get("/admin/staging/entity/", {"q": "a " * 1_000})
    assert "A search takes at most 30 words." in lists.content.decode() and not lists.context["cl"].result_count


def test_any_parameter_of_the_api(world: World, visitor: Client) -> None:
    reading = [(route, declared) for route, method, declared in DOORS if method == "GET"]
    whole = [
        (address(route, code="customer", number=world.batch.pk), name, payload)
        for place, (route, declared) in enumerate(reading)
        for name in [*(each.name for each in declared.query), "cursor", "limit", "zqx"]
        for payload in turned(place)
    ]
    wrong = {}
    for place, name, payload in some(whole, one_in=120):
        response = visitor.get(f"/api/v1/{place}?{coded(name, PAYLOADS[payload])}")
        if found := faults(response):
            wrong[place, name, payload] = found
    assert wrong == {}


@pytest.mark.parametrize("route", some(sorted({route for route, _, _ in DOORS}), one_in=4))
def test_any_text_in_the_place_of_a_code_or_a_name(route: str, world: World, visitor: Client) -> None:
    for payload in PAYLOADS.values():
        coded_part = urlencode({"": payload[:300]}, errors="surrogatepass")[1:] or "%20"
        response = visitor.get("/api/v1/" + re.sub(r"<\w+:\w+>", lambda _: coded_part.replace("+", "%20"), route))  # noqa: B023
        assert not faults(response) and response.status_code < 500
