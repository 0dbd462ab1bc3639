"""Promise: a page of the kit lets nobody in who may not, by no method it does not name, and always says what it did."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import AnonymousUser, Permission, User
from django.contrib.messages import get_messages
from django.contrib.messages.storage.fallback import FallbackStorage
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.test import RequestFactory

from staging.models import Entity
from staging.pages import (
    ASK,
    DO,
    PagesAdmin,
    confirming,
    is_confirmed,
    number_in,
    page,
    row_or_404,
    shown,
    told,
    warned,
)

pytestmark = pytest.mark.django_db


class EntityPages(PagesAdmin):
    """An admin with one page of its own."""

    pages = (("<int:pk>/look/", page("view")(lambda model_admin, request, pk: HttpResponse("seen")), "look"),)

    def has_mend_permission(self, request):
        return request.user.has_perm("staging.mend_rows")


@pytest.fixture
def pages():
    return EntityPages(Entity, admin.site)


def asked(method="get", *permissions, **data):
    """Return a request of a person with these permissions."""
    request = getattr(RequestFactory(), method)("/", data)
    request.user = AnonymousUser()
    if permissions:
        request.user = User.objects.create_user("ann", is_staff=True)
        codes = [name.partition(".")[2] for name in permissions]
        request.user.user_permissions.set(Permission.objects.filter(codename__in=codes))
    return request


@page("mend", "staging.view_rows", methods=ASK)
def both(model_admin, request):
    return HttpResponse("in")


@pytest.mark.parametrize("permissions", [(), ("staging.mend_rows",), ("staging.view_rows",)])
def test_who_lacks_one_permission_stays_outside_whatever_the_method(pages, permissions):
    request = asked("put", *permissions)
    with pytest.raises(PermissionDenied):
        both(pages, request)


def test_who_has_all_permissions_enters_by_the_named_methods_only(pages):
    request = asked("get", "staging.mend_rows", "staging.view_rows")
    found = {}
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE"):
        request.method = method
        found[method] = both(pages, request).status_code
    assert found == {"GET": 200, "HEAD": 200, "POST": 200, "PUT": 405, "DELETE": 405}


def test_a_page_that_only_does_something_is_never_opened_by_a_link(pages):
    response = page(methods=DO)(lambda model_admin, request: HttpResponse("done"))(pages, asked())
    assert (response.status_code, response["Allow"]) == (405, "POST")


def test_a_page_stands_before_the_stock_ones_and_knows_its_admin(pages):
    first, *others = pages.get_urls()
    assert (first.name, str(first.pattern)) == ("look", "<int:pk>/look/")
    assert others
    request = asked("get", "staging.view_entity")
    assert first.callback(request, pk=1).content == b"seen"


def test_a_page_of_an_admin_asks_strangers_to_sign_in(pages):
    response = pages.get_urls()[0].callback(asked(), pk=1)
    assert response.status_code == 302 and "login" in response["Location"]


def test_what_a_page_shows_stands_in_the_frame_of_the_admin(pages):
    context = shown(pages, asked("get", "staging.view_entity"), "any.html", title="Rows", rows=[1]).context_data
    assert (context["title"], context["rows"], context["opts"]) == ("Rows", [1], Entity._meta)
    assert context["site_header"] == "Staging Scheduler"


def test_a_question_carries_what_was_ticked_to_its_answer():
    hidden = confirming("cancel_selected", [Entity(pk=7), Entity(pk=9)])
    assert hidden == [
        ("action", "cancel_selected"), ("confirmed", "yes"), ("_selected_action", "7"), ("_selected_action", "9"),
    ]  # fmt: skip
    assert is_confirmed(asked("post", confirmed="yes"))
    assert not is_confirmed(asked("post")) and not is_confirmed(asked("get", confirmed="yes"))


@pytest.mark.parametrize("text", ["", "x", "-1", "1.0", "²", "٣", "9" * 19, "1\x00"])
def test_what_is_no_key_is_no_number_and_not_there(text):
    assert number_in(text) is None
    with pytest.raises(Http404, match="gone"):
        row_or_404(Entity.objects.all(), text, "gone")


def test_a_key_leads_to_its_row_within_the_rows_asked_for():
    entity = Entity.objects.create(code="branch")
    assert row_or_404(Entity.objects.all(), str(entity.pk), "gone") == entity
    with pytest.raises(Http404, match="gone"):
        row_or_404(Entity.objects.exclude(pk=entity.pk), entity.pk, "gone")


def test_a_verb_that_was_carried_out_is_told_and_one_that_was_not_is_a_warning(rf):
    request = rf.get("/")
    request.session = {}
    request._messages = FallbackStorage(request)
    assert told(request, "Started.", "/run/")["Location"] == "/run/"
    assert warned(request, ValueError("It runs already."), "/job/")["Location"] == "/job/"
    assert [(each.level_tag, str(each)) for each in get_messages(request)] == [
        ("success", "Started."), ("warning", "It runs already."),
    ]  # fmt: skip
