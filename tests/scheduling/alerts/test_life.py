"""Promise: what is wrong is told once, reminded of as wished, answered by people, and told to be over."""

from datetime import time, timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core import mail

from scheduling.alerts.message import sentence_of
from scheduling.alerts.outbox import put_together
from scheduling.alerts.watch import go_round, look
from scheduling.housekeeping.cleanup import cleanup
from scheduling.housekeeping.roles import set_role
from scheduling.lifecycle import events
from scheduling.lifecycle.alerts import acknowledge, hand_back, snooze
from scheduling.models import (
    Alert,
    AlertChannel,
    AlertDelivery,
    AlertRule,
    Job,
    JobSchedule,
    PersonalChoices,
    Plan,
    SchedulerConfiguration,
)
from scheduling.states import EventType
from staging.models import Entity
from staging.states import Role
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.alerts.conftest import NOW, rule_of, told, without_times

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def rounds(start: int, end: int) -> list[tuple[int, str]]:
    """Go a round in each of these minutes; return what was told, by its minute."""
    found = []
    for minute in range(start, end):
        go_round(NOW + minute * MINUTE)
        found += [(minute, line) for line in told()]
    return found


def heal(configuration: SchedulerConfiguration) -> None:
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(last_result="completed", consecutive_failures=0)


def test_a_failure_is_told_once_and_so_is_its_end(channel, customer):
    rule_of("failed", channel)
    assert rounds(0, 5) == [(0, "Customer failed.")]
    heal(customer)
    assert rounds(5, 10) == [(5, "Over: Customer failed.")]
    assert Alert.objects.get().ended_at == NOW + 5 * MINUTE


def test_the_first_line_is_about_what_is_wrong_still_before_what_is_over(channel, customer):
    AlertChannel.objects.filter(pk=channel.pk).update(digest="hourly")
    rule_of("failed", channel)
    go_round(NOW + MINUTE)
    make_configuration("branch", last_result="failed", consecutive_failures=1)
    go_round(NOW + 2 * MINUTE)
    heal(customer)
    assert rounds(3, 70) == [(60, "Branch failed. And 1 more.")]


def test_many_failures_are_one_message_with_a_list(channel, customer):
    rule_of("failed", channel)
    for number in range(39):
        make_configuration(f"more_{number}", last_result="failed", consecutive_failures=1)
    go_round(NOW)
    (message,) = mail.outbox
    assert without_times(message.subject) == "Customer failed. And 39 more."
    assert message.body.count(" failed. (2026-11-20 12:00:00 UTC)\n") == 40
    assert f"/admin/scheduling/schedulerconfiguration/{customer.pk}/why-not/" in message.body


def test_the_first_line_says_when_by_the_clocks_of_the_reader(channel, customer):
    ann = User.objects.create_user("ann", email="ann@example.com", is_superuser=True)
    PersonalChoices.objects.create(person=ann, timezone="Asia/Tokyo")
    AlertChannel.objects.filter(pk=channel.pk).update(timezone="Europe/Amsterdam")
    channel.people.add(ann)
    rule_of("failed", channel)
    go_round(NOW)
    assert {message.to[0]: message.subject for message in mail.outbox} == {
        "ann@example.com": "Customer failed. (2026-11-20 21:00:00 Asia/Tokyo)",
        "night@example.com": "Customer failed. (2026-11-20 13:00:00 Europe/Amsterdam)",
    }


@pytest.mark.parametrize("others", [0, 3])
def test_the_first_line_keeps_what_happened_and_when_however_long_a_name_is(channel, others):
    job = Job.objects.create(name=("Customers " * 10).strip(), path="a.b", source="a.py:1")
    failed = {"job": job, "last_result": "failed", "consecutive_failures": 1}
    JobSchedule.objects.create(name="at noon " * 12, **failed)
    for number in range(others):
        JobSchedule.objects.create(name=f"more {number}", **failed)
    rule_of("failed", channel)
    go_round(NOW)
    (message,) = mail.outbox
    assert len(message.subject) <= AlertDelivery.FIRST_LINE
    assert message.subject.startswith("Job Customers Customers") and "…" in message.subject
    assert "noon ) failed. (2026-11-20 12:00:00 UTC)" in message.subject
    assert message.subject.endswith("And 3 more." if others else "UTC)")
    assert "at noon " * 12 in message.body  # where there is room


def test_a_message_speaks_the_language_of_its_reader(channel, customer):
    ann = User.objects.create_user("ann", email="ann@example.com", is_superuser=True)
    PersonalChoices.objects.create(person=ann, language="nl")
    channel.people.add(ann)
    rule_of("failed", channel)
    go_round(NOW)
    told = {message.to[0]: message for message in mail.outbox}
    dutch, english = told["ann@example.com"], told["night@example.com"]
    assert dutch.subject == "Customer is mislukt. (2026-11-20 12:00:00 UTC)"
    assert "Wat nu mis is: " in dutch.body and "What is wrong now: " not in dutch.body
    assert english.subject == "Customer failed. (2026-11-20 12:00:00 UTC)" and "What is wrong now: " in english.body


def test_each_further_failure_is_told_where_the_rule_says_so(channel, customer):
    rule_of("failed", channel, tells_each=True)
    assert rounds(0, 2) == [(0, "Customer failed.")]
    SchedulerConfiguration.objects.filter(pk=customer.pk).update(consecutive_failures=2)
    assert rounds(2, 4) == [(2, "Again: Customer failed 2 times in a row.")]


def test_another_name_is_no_further_failure(channel, customer):
    rule_of("failed", channel, tells_each=True)
    assert rounds(0, 2) == [(0, "Customer failed.")]
    Entity.objects.update(name="Client")
    make_configuration("branch", last_result="failed", consecutive_failures=1)
    assert rounds(2, 4) == [(2, "Branch failed.")]
    SchedulerConfiguration.objects.filter(pk=customer.pk).update(consecutive_failures=2)
    assert rounds(4, 6) == [(4, "Again: Client failed 2 times in a row.")]


@pytest.mark.parametrize("answer", ["acknowledge", "snooze"])
def test_a_further_failure_disturbs_nobody_while_somebody_is_on_it_or_it_rests(channel, customer, answer):
    rule_of("failed", channel, tells_each=True)
    rounds(0, 2)
    alert = Alert.objects.get()
    if answer == "acknowledge":
        acknowledge(alert.pk, by="ann", comment="", now=NOW)
    else:
        snooze(alert.pk, by="ann", until=NOW + 10 * MINUTE)
    SchedulerConfiguration.objects.filter(pk=customer.pk).update(consecutive_failures=2)
    assert rounds(2, 4) == []
    assert str(sentence_of(Alert.objects.get())) == "Customer failed 2 times in a row."
    hand_back(alert.pk)
    SchedulerConfiguration.objects.filter(pk=customer.pk).update(consecutive_failures=3)
    assert rounds(11, 13) == [(11, "Again: Customer failed 3 times in a row.")]


def test_a_failure_leads_to_the_run_that_failed(channel, customer):
    events.record(EventType.ERROR, now=NOW - MINUTE, entity_id=customer.entity_id, run_id=7)
    rule_of("failed", channel)
    go_round(NOW)
    assert "/admin/scheduling/run/7/change/" in mail.outbox[0].body


def test_nobody_is_told_of_an_entity_that_he_may_not_see(customer):
    branch = make_configuration("branch", last_result="failed", consecutive_failures=1)
    plan = Plan.objects.create(name="Nightly", last_result="failed", consecutive_failures=1)
    channel = AlertChannel.objects.create(name="Mail")
    for name, entities in (("all", None), ("customers", [customer.entity]), ("none", ())):
        person = User.objects.create_user(name, email=f"{name}@example.com")
        if entities != ():
            person.groups.add(group := Group.objects.create(name=name))
            set_role(group, Role.VIEWER, entities)
        channel.people.add(person)
    rule_of("failed", channel)
    go_round(NOW)
    bodies = {message.to[0].partition("@")[0]: message.body for message in mail.outbox}
    assert bodies.keys() == {"all", "customers"}
    assert all(name in bodies["all"] for name in ("Customer", "Branch", "Nightly")) and branch and plan
    assert "Customer" in bodies["customers"] and "Branch" not in bodies["customers"]
    assert "Nightly" not in bodies["customers"]


def test_a_right_that_is_taken_before_the_message_leaves_keeps_it_back(customer):
    ann = User.objects.create_user("ann", email="ann@example.com")
    ann.groups.add(group := Group.objects.create(name="ones"))
    set_role(group, Role.VIEWER, [customer.entity])
    channel = AlertChannel.objects.create(name="Mail")
    channel.people.add(ann)
    rule_of("failed", channel)
    look(NOW)
    put_together(NOW)
    ann.groups.clear()
    go_round(NOW + MINUTE)
    assert mail.outbox == [] and AlertDelivery.objects.get().status == "given_up"


def test_people_are_found_by_role_and_by_responsibility(customer):
    people = {name: User.objects.create_user(name, email=f"{name}@example.com") for name in ("steward", "owner", "one")}
    for name, role in (("steward", Role.STEWARD), ("owner", Role.VIEWER), ("one", Role.VIEWER)):
        people[name].groups.add(group := Group.objects.create(name=f"{name}s"))
        set_role(group, role, None)
    Entity.objects.filter(pk=customer.entity_id).update(owner=people["owner"])
    plan = Plan.objects.create(name="Nightly", last_result="failed", consecutive_failures=1,
                               owner_group=Group.objects.get(name="ones"))  # fmt: skip
    by_role = AlertChannel.objects.create(name="Stewards", roles=[Role.STEWARD])
    rule_of("failed", by_role, AlertChannel.objects.create(name="Owners", to_responsible=True))
    go_round(NOW)
    got = {message.to[0].partition("@")[0]: message for message in mail.outbox}
    assert got.keys() == {"steward", "owner", "one"} and plan
    assert got["owner"].body.count(" failed.") == 1 and "Responsible: owner" in got["owner"].body
    assert got["one"].subject.startswith("Plan Nightly failed.") and "Responsible: ones" in got["one"].body
    assert got["steward"].body.count(" failed.") == 2


def test_only_so_many_failures_in_a_row_are_wrong(channel, customer):
    rule_of("failed", channel, number=3)
    assert rounds(0, 2) == []
    SchedulerConfiguration.objects.filter(pk=customer.pk).update(consecutive_failures=3)
    assert rounds(2, 4) == [(2, "Customer failed 3 times in a row.")]


def test_reminders_stop_when_somebody_is_on_it_and_go_on_when_it_is_handed_back(channel, customer):
    rule_of("failed", channel, remind_every_minutes=10)
    assert rounds(0, 22) == [(0, "Customer failed."), (10, "Still: Customer failed."), (20, "Still: Customer failed.")]
    alert = Alert.objects.get()
    assert acknowledge(alert.pk, by="ann", comment="the disk", now=NOW)
    assert not acknowledge(alert.pk, by="bob", comment="", now=NOW)
    assert rounds(22, 45) == []
    assert hand_back(alert.pk)
    assert rounds(45, 50) == [(45, "Still: Customer failed.")]


def test_what_rests_is_not_reminded_of_and_tells_its_end(channel, customer):
    rule_of("failed", channel, remind_every_minutes=10)
    go_round(NOW)
    told()
    assert snooze(Alert.objects.get().pk, by="ann", until=NOW + 30 * MINUTE)
    assert rounds(1, 31) == [(30, "Still: Customer failed.")]
    heal(customer)
    assert rounds(31, 33) == [(31, "Over: Customer failed.")]


def test_what_nobody_answers_is_handed_on_once_and_its_end_is_told_to_both(channel, customer):
    chief = AlertChannel.objects.create(name="Chief", addresses="chief@example.com")
    rule = rule_of("failed", channel, escalate_after_minutes=15)
    rule.escalate_to.set([chief])
    assert rounds(0, 20) == [(0, "Customer failed."), (15, "Nobody answered: Customer failed.")]
    heal(customer)
    go_round(NOW + 20 * MINUTE)
    assert sorted(message.to[0] for message in mail.outbox) == ["chief@example.com", "night@example.com"]


def test_quiet_hours_hold_news_back_and_what_is_over_by_then_is_told_as_over(channel, customer):
    AlertChannel.objects.filter(pk=channel.pk).update(quiet_from=time(11), quiet_until=time(13))
    rule_of("failed", channel)
    assert rounds(0, 30) == []
    heal(customer)
    assert rounds(30, 62) == [(60, "Over: Customer failed.")]


def test_a_digest_gathers_what_happened(channel, customer):
    AlertChannel.objects.filter(pk=channel.pk).update(digest="hourly")
    rule_of("failed", channel)
    go_round(NOW + MINUTE)
    make_configuration("branch", last_result="failed", consecutive_failures=1)
    assert rounds(2, 63) == [(60, "Customer failed. And 1 more.")]


def test_a_daily_digest_over_a_quiet_night_comes_at_its_time_by_the_clocks_of_the_channel(channel, customer):
    AlertChannel.objects.filter(pk=channel.pk).update(
        timezone="Europe/Amsterdam", digest="daily", digest_at=time(6), quiet_from=time(22), quiet_until=time(7)
    )
    rule_of("failed", channel)
    go_round(NOW)  # 13:00 there
    for hour in range(1, 18):
        go_round(NOW + hour * 60 * MINUTE)
    assert told() == []
    heal(customer)
    go_round(NOW + 18 * 60 * MINUTE)  # 07:00
    assert told() == ["Over: Customer failed."]
    go_round(NOW + 42 * 60 * MINUTE)
    assert told() == []  # it is over only once, though the next digest was the one for its end


def test_a_rule_that_cannot_look_costs_the_others_nothing(channel, customer, monkeypatch):
    from scheduling.alerts import watch

    rule_of("failed", channel)
    rule_of("held", channel)
    real = watch.find
    monkeypatch.setattr(watch, "find", lambda rule, asked: 1 / 0 if rule.condition == "held" else real(rule, asked))
    assert rounds(0, 2) == [(0, "Customer failed.")]


def test_two_that_look_at_once_tell_it_once(channel, customer):
    rule_of("failed", channel)
    go_round(NOW)
    go_round(NOW)
    assert told() == ["Customer failed."]
    assert AlertDelivery.objects.get().status == "sent"


def test_a_rule_that_is_switched_off_ends_its_alerts_without_a_word_and_begins_anew(channel, customer):
    rule = rule_of("failed", channel)
    assert rounds(0, 2) == [(0, "Customer failed.")]
    AlertRule.objects.filter(pk=rule.pk).update(is_enabled=False)
    assert rounds(2, 4) == [] and not Alert.objects.open().exists()
    AlertRule.objects.filter(pk=rule.pk).update(is_enabled=True)
    assert rounds(4, 6) == [(4, "Customer failed.")]


def test_a_sentence_that_changes_is_kept_up_to_date(channel, customer):
    rule_of("failed", channel)
    go_round(NOW)
    SchedulerConfiguration.objects.filter(pk=customer.pk).update(consecutive_failures=5)
    go_round(NOW + MINUTE)
    assert str(sentence_of(Alert.objects.get())) == "Customer failed 5 times in a row."


def test_a_disabled_rule_or_channel_tells_nothing(channel, customer):
    rule_of("failed", channel, is_enabled=False)
    AlertChannel.objects.create(name="Off", addresses="off@example.com", is_enabled=False)
    rule_of("failed", AlertChannel.objects.get(name="Off"), name="second")
    assert rounds(0, 3) == []
    assert Alert.objects.count() == 1


def test_retention_takes_what_is_long_over_and_leaves_what_is_wrong(channel, customer):
    rule = rule_of("failed", channel)
    go_round(NOW)
    Alert.objects.create(rule=rule, subject="old", opened_at=NOW, ended_at=NOW)
    cleanup(NOW + timedelta(days=365))
    assert [alert.subject for alert in Alert.objects.all()] == [f"configuration:{customer.pk}"]
    assert not AlertDelivery.objects.exists()
