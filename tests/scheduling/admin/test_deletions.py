"""Promise: the page that asks before something is deleted says in words what goes along, whatever it is."""

import re

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from scheduling.models import AlertChannel, AlertRule, BlackoutCalendar, PersonalChoices
from staging.models import Entity
from staging.version_pages import Versioned
from tests.scheduling.admin.conftest import client_for

pytestmark = pytest.mark.django_db
KINDS = ("user", "group", "alertchannel", "alertrule", "blackoutcalendar", "entity")


@pytest.fixture
def things() -> dict[str, object]:
    """One of each kind that people delete, tied to others wherever it can be."""
    person, group = User.objects.create_user("ann", email="ann@example.com"), Group.objects.create(name="Night")
    person.groups.add(group)
    PersonalChoices.objects.create(person=person)
    channel, rule = AlertChannel.objects.create(name="Mail"), AlertRule.objects.create(name="Late", condition="late")
    channel.people.add(person)
    channel.groups.add(group)
    rule.channels.add(channel)
    entity = Entity.objects.create(code="branch", name="Branch")
    rule.entities.add(entity)
    made = (person, group, channel, rule, BlackoutCalendar.objects.create(name="Holidays"), entity)  # fmt: skip
    return dict(zip(KINDS, made, strict=True))


@pytest.fixture
def client() -> Client:
    """The browser of somebody who may delete all of it."""
    return client_for("superuser")


def asked(client: Client, thing: Model, way: str) -> str:
    """Return the words of the page that asks, of one thing or of what was ticked in the list."""
    model = type(thing)
    place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    if way == "page":
        response = client.get(reverse(f"{place}_delete", args=[thing.pk]))
    else:
        ticked = {"action": "delete_selected", "_selected_action": [thing.pk]}
        response = client.post(reverse(f"{place}_changelist"), ticked)
    assert response.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


@pytest.mark.parametrize("way", ["page", "list"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_goes_along_is_told_in_words(client, things, kind, way):
    words = asked(client, things[kind], way)
    assert str(things[kind]) in words
    for code in ("relationship", " object (", "choicess"):
        assert code not in words


def test_every_kind_that_has_versions_is_asked_like_this():
    assert all(isinstance(each, Versioned) for model, each in site._registry.items() if model._meta.model_name in KINDS)


@pytest.mark.parametrize("way", ["page", "list"])
def test_a_channel_says_which_rules_lose_it(client, things, way):
    second = AlertRule.objects.create(name="Held", condition="held")
    second.escalate_to.add(things["alertchannel"])
    words = asked(client, things["alertchannel"], way)
    for name in ("Late", "Held"):
        assert words.count(f"The alert rule “{name}” tells nobody by it any more.") == 1
    assert "tells nobody" not in asked(client, AlertChannel.objects.create(name="Idle"), way)


@pytest.mark.parametrize("kind", ["alertrule", "blackoutcalendar"])
def test_what_goes_along_is_counted_in_the_language_of_the_reader(client, things, kind):
    with override("nl"):
        client.cookies["django_language"] = "nl"
        words = asked(client, things[kind], "page")
    assert "Alerts:" not in words and "eriods:" not in words


@pytest.mark.parametrize("way", ["page", "list"])
def test_a_group_says_how_many_accounts_lose_it(client, things, way):
    assert "ccounts that are in it: 1" in asked(client, things["group"], way)
    assert "ccounts that are in it" not in asked(client, Group.objects.create(name="Empty"), way)
