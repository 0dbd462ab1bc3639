"""Promise: what is ticked in the list of alerts is answered at once, and nothing that somebody may not answer."""

import re

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from scheduling import clock
from scheduling.housekeeping.roles import set_role
from scheduling.models import Alert
from staging.states import Role
from tests.scheduling.admin.conftest import client_for, client_of, make_configuration, make_limited, make_user
from tests.scheduling.admin.test_alerts import LIST, alert

__all__ = ["alert"]
pytestmark = pytest.mark.django_db
CHOSEN = f"{LIST}chosen/"


@pytest.fixture
def night(alert) -> list[Alert]:
    """Of five alerts one is over, and bob looks after another."""
    now, code = clock.now(), alert.entity.code
    more = [Alert.objects.create(rule=alert.rule, subject=f"{code}:{number}", entity=alert.entity, opened_at=now)
            for number in range(4)]  # fmt: skip
    Alert.objects.filter(pk=more[2].pk).update(ended_at=now)
    Alert.objects.filter(pk=more[3].pk).update(acknowledged_at=now, acknowledged_by="bob")
    return [alert, *more]


def desks() -> list[str]:
    return [one.acknowledged_by for one in Alert.objects.order_by("pk")]


def answered(person: Client, **chosen: object) -> str:
    """Return the list that somebody reads after he answered for many."""
    return person.post(CHOSEN, chosen, follow=True).content.decode()


def test_many_are_taken_and_handed_back_at_once(night):
    """Of what is chosen, what is over by now or somebody else's stays as it is, and that is said."""
    client, keys = client_for("Operator"), [one.pk for one in night]
    text = answered(client, alert=keys[:1] + keys[2:], verb="acknowledge", comment="the disk")
    assert "You look after 2 alerts: nobody is reminded." in text and "2 others stay as they are." in text
    assert desks() == ["operator", "", "operator", "", "bob"] and text.count("operator: the disk") == 2
    assert "Nothing changed" in answered(client, alert=[keys[0], keys[3]], verb="acknowledge")
    assert "Nobody looks after 3 alerts now." in answered(client, all="1", verb="hand_back") and desks() == [""] * 5


def test_many_rest_at_once_and_nothing_chosen_changes_nothing(night):
    client, resting = client_for("Operator"), Alert.objects.filter(snoozed_until__isnull=False)
    for chosen in ({}, {"alert": "x"}, {"alert": "99999999999999999999"}, {"alert": "0"}):
        text = answered(client, verb="snooze", time="1h", **chosen)
        assert "Choose alerts first." in text and not resting.exists()
    assert "4 alerts rest until" in answered(client, verb="snooze", time="1h", all="1") and resting.count() == 4
    assert "4 alerts rest no longer." in answered(client, verb="snooze", all="1") and not resting.exists()


def test_a_comment_that_is_too_long_takes_none_of_them(night):
    assert "at most 500" in answered(client_for("Operator"), all="1", verb="acknowledge", comment="x" * 501)
    assert desks() == ["", "", "", "", "bob"]


def test_who_answers_for_some_entities_answers_no_other_alert_and_is_offered_none(night):
    other = Alert.objects.create(rule=night[0].rule, subject="x", entity=make_configuration("country").entity,
                                 opened_at=clock.now())  # fmt: skip
    operator, readers = make_limited("Operator", "country"), Group.objects.create(name="Readers")
    set_role(readers, Role.VIEWER, [night[0].entity])
    operator.groups.add(readers)
    text = client_of(operator).get(LIST).content.decode()
    assert re.findall(r'name="alert" value="(\d+)"', text) == [str(other.pk)]
    answered(client_of(operator), all="1", verb="acknowledge")
    answered(client_of(operator), alert=night[0].pk, verb="acknowledge")
    assert desks() == ["", "", "", "", "bob", operator.username]
    assert "Choose" not in client_for("Viewer").get(LIST).content.decode()


def test_all_of_mine_are_no_more_than_the_list_shows(night):
    operator = make_user("Operator")
    answered(client_of(operator), all="1", mine="yes", verb="acknowledge")
    assert desks() == ["", "", "", "", "bob"]
    night[0].entity.owner = operator
    night[0].entity.save()
    answered(client_of(operator), all="1", mine="yes", verb="acknowledge")
    assert desks() == ["operator", "operator", "operator", "", "bob"]
