"""Promise: people see what is wrong and say that they are on it; rules and channels are refused at the field."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.urls import reverse

from scheduling import clock
from scheduling.alerts.outbox import put_together
from scheduling.housekeeping.roles import set_role
from scheduling.models import Alert, AlertChannel, AlertDelivery, AlertNotice, AlertRule, PersonalChoices
from staging.states import Role
from staging.wording import say
from tests.scheduling.admin.conftest import (
    client_for,
    client_of,
    failure_rule,
    make_configuration,
    make_limited,
    make_user,
)

pytestmark = pytest.mark.django_db
LIST = "/admin/scheduling/alert/"


@pytest.fixture
def alert() -> Alert:
    configuration = make_configuration("customer")
    return Alert.objects.create(
        rule=failure_rule(), subject=f"configuration:{configuration.pk}",
        entity=configuration.entity, said=say("{what} failed.", what="Customer").stored(),
        leads_to=f"configuration:{configuration.pk}", opened_at=clock.now() - timedelta(hours=1),
    )  # fmt: skip


def page_of(alert: Alert, verb: str) -> str:
    return reverse(f"admin:scheduling_alert_{verb}", args=[alert.pk])


def test_the_list_tells_what_is_wrong_and_leads_to_why(alert):
    text = client_for("Viewer").get(LIST).content.decode()
    assert "Customer failed." in text and "nobody" in text and "1 alert." in text
    assert reverse("admin:scheduling_schedulerconfiguration_why_not", args=[alert.subject.split(":")[1]]) in text


def test_the_card_of_the_start_page_counts_what_its_list_shows(alert):
    client = client_for("Viewer")
    card = client.get("/admin/").content.decode().partition('id="card-alerts"')[2].partition("</section>")[0]
    assert '<p class="figure">1</p>' in card and LIST in card
    Alert.objects.filter(pk=alert.pk).update(ended_at=clock.now())
    assert "Nothing is wrong." in client.get("/admin/").content.decode()
    assert "Nothing is wrong." in client.get(LIST).content.decode()
    assert "Customer failed." in client.get(LIST, {"state": "over"}).content.decode()


def test_an_operator_takes_it_lets_it_rest_and_hands_it_back(alert):
    client = client_for("Operator")
    client.post(page_of(alert, "acknowledge"), {"comment": "the disk"})
    alert.refresh_from_db()
    assert (alert.acknowledged_by, alert.comment) == ("operator", "the disk")
    assert "operator: the disk" in client.get(LIST).content.decode()
    again = client.post(page_of(alert, "acknowledge"), {"comment": "me too"}, follow=True).content.decode()
    assert "somebody else looks after it" in again
    client.post(page_of(alert, "snooze"), {"time": "1h"})
    alert.refresh_from_db()
    assert (
        alert.snoozed_until > clock.now()
        and "Let it rest no longer" in client.get(page_of(alert, "change")).content.decode()
    )
    client.post(page_of(alert, "snooze"))
    client.post(page_of(alert, "hand_back"))
    alert.refresh_from_db()
    assert alert.snoozed_until is None and alert.acknowledged_by == ""


def test_it_rests_until_an_instant_by_the_clocks_of_the_reader(alert):
    operator = make_user("Operator")
    PersonalChoices.objects.create(person=operator, timezone="Asia/Tokyo")
    client = client_of(operator)
    day = (clock.now() + timedelta(days=9)).date()
    client.post(page_of(alert, "snooze"), {"time": "1h", "until": f"{day}T09:30"})
    alert.refresh_from_db()
    assert alert.snoozed_until == datetime(day.year, day.month, day.day, 0, 30, tzinfo=UTC)
    assert "Asia/Tokyo" in client.get(page_of(Alert.objects.create(
        rule=alert.rule, subject="x", opened_at=alert.opened_at), "change")).content.decode()  # fmt: skip


@pytest.mark.parametrize(
    ("until", "words"),
    [("yesterday", "Write a day and a time"), ("2020-01-01T09:00", "an instant that is to come"),
     ("2999-01-01T09:00", "31 days from now at most")],
)  # fmt: skip
def test_an_instant_that_cannot_be_changes_nothing_and_is_said(alert, until, words):
    client = client_for("Operator")
    client.post(page_of(alert, "snooze"), {"time": "8h"})
    before = Alert.objects.get().snoozed_until
    for given in ({"until": until}, {"time": "1h", "until": until}):
        assert words in client.post(page_of(alert, "snooze"), given, follow=True).content.decode()
    assert (
        "Select a valid choice" in client.post(page_of(alert, "snooze"), {"time": "5y"}, follow=True).content.decode()
    )
    assert Alert.objects.get().snoozed_until == before


def test_a_viewer_answers_nothing_and_one_of_another_entity_sees_nothing(alert):
    viewer = client_for("Viewer")
    assert viewer.post(page_of(alert, "acknowledge")).status_code == 403
    assert "I am on it" not in viewer.get(page_of(alert, "change")).content.decode()
    make_configuration("branch")
    other = client_of(make_limited("Operator", "branch"))
    assert "Customer" not in other.get(LIST).content.decode()
    assert other.get(page_of(alert, "change")).status_code in (403, 404)
    assert other.post(page_of(alert, "acknowledge")).status_code in (403, 404)
    own = client_of(make_limited("Operator", "customer"))
    assert own.post(page_of(alert, "acknowledge")).status_code == 302


RULE = {"name": "Mine", "condition": "failed", "is_enabled": "on"}


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"condition": "waiting"}, "minutes", "needs this"),
        ({"condition": "held", "tells_each": "on"}, "tells_each", "has no use of this"),
        ({"condition": "not_delivered"}, "at", "needs this"),
        ({"percent": "5"}, "percent", "has no use of this"),
        ({"number": "x"}, "number", "whole number"),
        ({"escalate_after_minutes": "5"}, "escalate_to", "Choose who is told then."),
        ({"condition": "held", "categories": ["Outside"]}, "categories", "Select a valid choice"),
        ({"name": "A run failed"}, "name", "already exists"),
    ],
)
def test_a_rule_is_refused_at_the_field(given, field, words):
    response = client_for("Steward").post("/admin/scheduling/alertrule/add/", {**RULE, **given})
    assert words in str(response.context["adminform"].form.errors[field])


def test_a_steward_makes_a_rule(alert):
    client_for("Steward").post(
        "/admin/scheduling/alertrule/add/",
        {**RULE, "condition": "rejected", "percent": "5", "entities": [alert.entity_id], "tells_end": "on"},
    )
    rule = AlertRule.objects.get(name="Mine")
    assert (rule.percent, list(rule.entities.all())) == (5, [alert.entity])


CHANNEL = {"name": "Night", "kind": "email", "digest": "at_once", "timezone": "UTC", "is_enabled": "on"}


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({}, "people", "Choose people, groups, roles"),
        ({"addresses": "a@example.com\nnobody"}, "addresses", "nobody is no e-mail address."),
        ({"kind": "webhook", "url": "example.com"}, "url", "https://"),
        ({"kind": "service", "url": "json://example.com"}, "url", "choose a webhook"),
        ({"addresses": "a@example.com", "digest": "daily"}, "digest_at", "at what time"),
        ({"addresses": "a@example.com", "quiet_from": "22:00"}, "quiet_until", "a beginning and an end"),
        ({"addresses": "a@example.com", "timezone": "Nowhere"}, "timezone", "Select a valid choice"),
    ],
)
def test_a_channel_is_refused_at_the_field(given, field, words):
    response = client_for("Administrator").post("/admin/scheduling/alertchannel/add/", {**CHANNEL, **given})
    assert words in str(response.context["adminform"].form.errors[field])


def test_an_administrator_makes_a_channel_and_tests_it():
    client = client_for("Administrator")
    client.post("/admin/scheduling/alertchannel/add/", {**CHANNEL, "addresses": "a@example.com, b@example.com"})
    channel = AlertChannel.objects.get()
    page = reverse("admin:scheduling_alertchannel_change", args=[channel.pk])
    answer = client.post(reverse("admin:scheduling_alertchannel_test", args=[channel.pk]), follow=True)
    assert "2 test messages leave within a minute" in answer.content.decode()
    text = client.get(page).content.decode()
    assert AlertDelivery.objects.count() == 2 and "b@example.com" in text and "waiting" in text


def test_every_message_of_a_channel_can_be_read_page_by_page():
    channel, now = AlertChannel.objects.create(name="Night", addresses="a@example.com"), clock.now()
    for number in range(45):
        AlertDelivery.objects.create(channel=channel, address=f"n{number}@example.com", created_at=now,
                                     next_attempt_at=now)  # fmt: skip
    client, page, read = (
        client_for("Administrator"),
        reverse("admin:scheduling_alertchannel_change", args=[channel.pk]),
        [],
    )
    address = ""
    while True:
        text = client.get(page + address).content.decode()
        read += re.findall(r"n(\d+)@example.com", text.partition('id="messages"')[2])
        if not (older := re.search(r'href="(\?older=[^"#]+)#messages"', text)):
            break
        address = older[1]
    assert [int(number) for number in read] == list(range(44, -1, -1))
    assert "newer=" in text


def test_each_message_of_a_channel_says_what_it_told(alert):
    """Its first news and how many more; of what is kept no longer nothing, and of a test that it is one."""
    channel, now = AlertChannel.objects.create(name="Night", addresses="a@example.com"), clock.now()
    other = Alert.objects.create(rule=alert.rule, subject="configuration:0", opened_at=now, ended_at=now,
                                 said=say("{what} failed.", what="Country").stored())  # fmt: skip
    for news in (
        [],
        [[alert.pk, "opened"], [other.pk, "opened"], [0, "opened"]],
        [[other.pk, "ended"]],
        [[0, "opened"]],
    ):
        AlertDelivery.objects.create(channel=channel, address="x", created_at=now, next_attempt_at=now, news=news)
    text = client_for("Administrator").get(reverse("admin:scheduling_alertchannel_change", args=[channel.pk]))
    told = re.findall(r'<td data-label="Message" class="words">(.*?)</td>', text.content.decode())
    assert (told[0], told[3]) == ("", "test")
    assert told[1].startswith("Over: Country failed. (until ")
    assert told[2].startswith("Customer failed. (") and told[2].endswith(" And 2 more.")


@pytest.mark.parametrize("role", ["Viewer", "Operator", "Steward"])
def test_what_a_channel_holds_is_seen_by_administrators_alone(role):
    channel = AlertChannel.objects.create(name="Hook", kind="webhook", url="https://hooks.example.com/s3cret")
    client = client_for(role)
    assert client.get("/admin/scheduling/alertchannel/").status_code == 403
    assert client.get(reverse("admin:scheduling_alertchannel_change", args=[channel.pk])).status_code == 403


def test_a_secret_and_the_url_of_a_service_are_written_and_never_shown():
    url = "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/"
    channel = AlertChannel.objects.create(name="Night", kind="service", url=url, secret="whsec_c3RvcmVk")
    now = clock.now()
    AlertDelivery.objects.create(channel=channel, address=url, created_at=now, next_attempt_at=now)
    client, page = client_for("Administrator"), reverse("admin:scheduling_alertchannel_change", args=[channel.pk])

    def shown(**given: str) -> str:
        text = client.post(page, {**CHANNEL, "kind": "service", **given}, follow=True).content.decode()
        channel.refresh_from_db()
        return text + client.get(page).content.decode()

    texts = [client.get(page).content.decode(), shown(name=""), shown(name="Day")]
    assert (channel.name, channel.url, channel.secret) == ("Day", url, "whsec_c3RvcmVk")
    assert not any("TIiajk" in text or "whsec_" in text for text in texts) and 'placeholder="slack://…"' in texts[2]
    assert 'class="words">slack://…<' in texts[2]
    assert "shown nowhere" in texts[2] and "Changed Name" in str(LogEntry.objects.latest("pk"))
    shown(url="discord://1/other", secret="whsec_bmV3")
    assert (channel.url, channel.secret) == ("discord://1/other", "whsec_bmV3")
    shown(unsigned="on")
    assert (channel.url, channel.secret) == ("discord://1/other", "")
    assert "unsigned" not in client.get(page).content.decode()
    shown(kind="webhook", url="https://hooks.example.com/x")
    assert channel.url == "https://hooks.example.com/x" == client.get(page).context["adminform"].form["url"].value()


def test_the_url_of_a_service_does_not_become_that_of_a_webhook():
    channel = AlertChannel.objects.create(name="Night", kind="service", url="slack://T1JJ3T3L2/A1BRTD4JD/T")
    page = reverse("admin:scheduling_alertchannel_change", args=[channel.pk])
    answer = client_for("Administrator").post(page, {**CHANNEL, "kind": "webhook"})
    assert "https://" in str(answer.context["adminform"].form.errors["url"])


def test_a_channel_that_fails_shows_on_the_start_page():
    channel = AlertChannel.objects.create(name="Hook", kind="webhook", url="https://hooks.example.com/s3cret")
    now = clock.now()
    AlertDelivery.objects.create(channel=channel, address="x", created_at=now, next_attempt_at=now, attempts=3)
    assert 'id="card-channels"' in client_for("Administrator").get("/admin/").content.decode()
    assert 'id="card-channels"' not in client_for("Viewer").get("/admin/").content.decode()
    assert 'id="card-channels"' in _start_page()
    AlertDelivery.objects.update(status="given_up", finished_at=now)
    assert 'id="card-channels"' in _start_page()
    later = now + timedelta(seconds=1)
    AlertDelivery.objects.create(channel=channel, address="x", created_at=now, next_attempt_at=now, attempts=1,
                                 status="sent", finished_at=later)  # fmt: skip
    assert 'id="card-channels"' not in _start_page()


def test_the_card_of_channels_that_fail_leads_to_those_that_do():
    hook, mail = (AlertChannel.objects.create(name=name, kind="webhook", url="https://x.org") for name in "HM")
    now = clock.now()
    AlertDelivery.objects.create(channel=hook, address="x", created_at=now, next_attempt_at=now, attempts=3)
    card = _start_page().partition('id="card-channels"')[2].partition("</section>")[0]
    (place,) = re.findall(r'href="([^"]+alertchannel[^"]*)"', card)
    client = client_of(User.objects.get(username="administrator"))
    page = client.get(place).content.decode()
    assert _place(hook) in page and _place(mail) not in page
    everything = client.get(reverse("admin:scheduling_alertchannel_changelist")).content.decode()
    rows = everything.partition("<tbody>")[2].split("<tr>")
    assert ["badge-bad" in row for row in rows if _place(hook) in row or _place(mail) in row] == [True, False]


def _place(channel: AlertChannel) -> str:
    return reverse("admin:scheduling_alertchannel_change", args=[channel.pk])


def test_the_test_of_a_channel_for_whoever_is_responsible_says_why_nobody_gets_it():
    channel = AlertChannel.objects.create(name="Owners", to_responsible=True)
    told = client_for("Administrator").post(
        reverse("admin:scheduling_alertchannel_test", args=[channel.pk]), follow=True
    )
    assert "of alerts this channel tells whoever is" in told.content.decode()
    assert "reaches nobody" not in told.content.decode()


def test_that_nothing_of_ones_own_is_wrong_does_not_say_that_nothing_is(alert):
    mine = client_for("Viewer").get(LIST, {"mine": "yes"}).content.decode()
    assert "Nothing of yours is wrong." in mine and "Nothing is wrong." not in mine


@pytest.mark.parametrize(
    ("condition", "page"),
    [("failed", "why_not"), ("missed", "why_not"), ("late", "why_not"), ("nothing_completed", "why_not"),
     ("not_delivered", "change"), ("warned", "change")],
)  # fmt: skip
def test_what_did_not_run_leads_to_the_page_that_says_why(alert, condition, page):
    AlertRule.objects.filter(pk=alert.rule_id).update(condition=condition)
    key = alert.subject.split(":")[1]
    place = reverse(f"admin:scheduling_schedulerconfiguration_{page}", args=[key])
    client = client_for("Viewer")
    assert place in client.get(LIST).content.decode()
    assert client.get(place).status_code == 200
    for kind, model in (("plan", "plan"), ("job", "jobschedule")):
        Alert.objects.filter(pk=alert.pk).update(leads_to=f"{kind}:3")
        assert reverse(f"admin:scheduling_{model}_{page}", args=[3]) in client.get(LIST).content.decode()


def test_a_channel_that_can_reach_nobody_shows_on_the_start_page(alert):
    channel = AlertChannel.objects.create(name="Mail")
    channel.people.add(User.objects.create_user("ann"))
    assert 'id="card-channels"' not in _start_page()  # no rule tells anything by it
    alert.rule.channels.add(channel)
    assert 'id="card-channels"' in _start_page()
    User.objects.filter(username="ann").update(email="ann@example.com")
    assert 'id="card-channels"' in _start_page()  # who may see no alert is told of none
    group = Group.objects.create(name="Night")
    User.objects.get(username="ann").groups.add(group)
    set_role(group, Role.VIEWER, [])
    assert 'id="card-channels"' in _start_page()
    set_role(group, Role.VIEWER, [alert.entity])
    assert 'id="card-channels"' not in _start_page()


@pytest.mark.parametrize("by", ["channels", "escalate_to"])
@pytest.mark.parametrize("whose", ["role", "group"])
def test_a_channel_of_a_role_or_a_group_that_nobody_has_shows_on_the_start_page(alert, caplog, by, whose):
    group = Group.objects.create(name="Night")
    set_role(group, Role.STEWARD, None)
    channel = AlertChannel.objects.create(name="Mail", roles=[Role.STEWARD] if whose == "role" else [])
    channel.groups.set([group] if whose == "group" else [])
    getattr(alert.rule, by).add(channel)
    ann = User.objects.create_user("ann", email="")
    ann.groups.add(group)
    assert 'id="card-channels"' in _start_page()
    assert (
        "This channel reaches nobody"
        in client_of(User.objects.get(username="administrator"))
        .post(reverse("admin:scheduling_alertchannel_test", args=[channel.pk]), follow=True)
        .content.decode()
    )
    AlertNotice.objects.create(alert=alert, channel=channel, news="opened", due_at=alert.opened_at)
    assert put_together(clock.now()) == 0 and "reach nobody" in caplog.text
    User.objects.filter(pk=ann.pk).update(email="ann@example.com")
    assert 'id="card-channels"' not in _start_page()


def _start_page() -> str:
    client = client_of(User.objects.filter(username="administrator").first() or make_user("Administrator"))
    return client.get("/admin/").content.decode()
