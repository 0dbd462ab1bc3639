"""Promise: somebody who is told of an alert finds it, takes it and sees why; the pages have no fault on any screen."""

import pytest
from django.core import mail
from playwright.sync_api import expect

from scheduling import clock
from scheduling.alerts.outbox import deliver, put_together
from scheduling.alerts.watch import go_round
from scheduling.models import Alert, AlertChannel, SchedulerConfiguration
from staging.wording import say
from tests.browser.screens import faults, looks_at_pages, with_and_without_scripts
from tests.scheduling.admin.conftest import failure_rule, make_user

ALERTS = "scheduling/alert/"


@pytest.fixture
def wrong(customer) -> Alert:
    """The customers failed, and the rule that an installation begins with saw it."""
    failure_rule()
    SchedulerConfiguration.objects.update(last_result="failed", consecutive_failures=2)
    go_round(clock.now())
    return Alert.objects.get()


def test_from_the_start_page_to_who_looks_after_it_and_why(steward, wrong):
    page = steward.page
    steward.visit("")
    page.locator("#card-alerts a").click()
    page.get_by_role("link", name="Customer failed 2 times in a row.", exact=True).click()
    page.get_by_label("Comment").fill("Ask the supplier")
    page.get_by_role("button", name="I am on it").click()
    page.get_by_text("You look after it; nobody is reminded of it.").wait_for()
    assert "Ask the supplier" in page.locator("dl.facts").inner_text()
    steward.visit(ALERTS)
    expect(page.locator("#alerts tbody")).to_contain_text("steward: Ask the supplier")
    page.get_by_role("link", name="The page that explains: Customer failed 2 times in a row.").click()
    page.wait_for_url("**/schedulerconfiguration/*/why-not/")
    assert steward.complaints == []


@with_and_without_scripts
def test_what_is_ticked_in_the_list_is_taken_at_once(person, wrong):
    Alert.objects.create(rule=wrong.rule, subject="x", opened_at=wrong.opened_at, said=say("Other failed.").stored())
    make_user("Operator")
    person.log_in("operator")
    page = person.page
    person.visit(ALERTS)
    page.get_by_label("Choose: Customer failed 2 times in a row.").check()
    page.get_by_label("Comment").fill("Ask the supplier")
    page.get_by_role("button", name="I am on it").click()
    page.get_by_text("You look after 1 alert: nobody is reminded.").wait_for()
    expect(page.locator("#alerts tbody")).to_contain_text("operator: Ask the supplier")
    assert page.locator("#alerts tbody").inner_text().count("nobody") == 1
    assert person.complaints == []


@with_and_without_scripts
def test_from_a_new_channel_and_rule_to_the_mail_about_a_failure(person, customer, settings):
    settings.EMAIL_HOST = "mail.example.com"
    make_user("Administrator")
    person.log_in("administrator")
    page = person.page
    person.visit("scheduling/alertchannel/add/")
    page.get_by_label("Name").fill("Night watch")
    page.get_by_label("Addresses").fill("night@example.com")
    page.get_by_role("button", name="Save and continue editing").click()
    page.get_by_role("button", name="Send a test message").click()
    expect(page.locator(".messagelist")).to_contain_text("1 test message leaves within a minute")
    assert deliver(clock.now()) == 1
    page.reload()
    expect(page.get_by_role("table", name="The last messages by this channel")).to_contain_text("night@example.com")

    person.visit("scheduling/alertrule/add/")
    page.get_by_label("Name").fill("Anything failed")
    page.get_by_label("What is wrong").select_option("failed")
    page.locator("#id_channels").get_by_label("Night watch").check()
    page.get_by_role("button", name="Save", exact=True).click()
    SchedulerConfiguration.objects.update(last_result="failed", consecutive_failures=1)
    for step in (go_round, put_together, deliver):
        step(clock.now())
    test, told = mail.outbox
    assert (
        told.to == ["night@example.com"] and told.subject.startswith("Customer failed") and told.subject != test.subject
    )
    assert person.complaints == []


@with_and_without_scripts
def test_an_alert_rests_for_an_hour_and_no_longer(steward, wrong):
    page, sentence = steward.page, "Customer failed 2 times in a row."
    steward.visit(ALERTS)
    page.get_by_role("link", name=sentence, exact=True).click()
    page.get_by_role("button", name="Let it rest").click()
    expect(page.locator("dl.facts")).to_contain_text("Rests until")
    steward.visit(ALERTS)
    expect(page.locator("#alerts tbody")).to_contain_text("rests until")
    page.get_by_role("link", name=sentence, exact=True).click()
    page.get_by_role("button", name="Let it rest no longer").click()
    expect(page.locator("dl.facts")).not_to_contain_text("Rests until")
    wrong.refresh_from_db()
    assert wrong.snoozed_until is None and steward.complaints == []


def test_who_took_data_away_is_found_in_the_audit_and_taken_away_as_a_file(person, customer):
    make_user("Administrator")
    person.log_in("administrator")
    page = person.page
    person.visit("staging/auditentry/")
    expect(page.locator("#result_list")).to_contain_text("administrator")
    for _ in range(2):  # the second file tells of the first
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Download as CSV").click()
    assert "The audit" in waiting.value.path().read_text(encoding="utf-8-sig")
    page.reload()
    page.get_by_role("link", name="administrator").first.click()
    expect(page.locator("#content")).to_contain_text("Only what administrator did.")
    assert person.complaints == []


@looks_at_pages
def test_the_pages_of_alerts_have_no_serious_fault(person, wrong):
    make_user("Administrator")
    person.log_in("administrator")
    channel = AlertChannel.objects.create(name="Night watch", addresses="night@example.com")
    found = []
    for name, path in {
        "alerts": ALERTS, "alert": f"{ALERTS}{wrong.pk}/change/", "over": f"{ALERTS}?state=over",
        "rules": "scheduling/alertrule/", "rule": f"scheduling/alertrule/{wrong.rule_id}/change/",
        "channels": "scheduling/alertchannel/", "channel": f"scheduling/alertchannel/{channel.pk}/change/",
        "new channel": "scheduling/alertchannel/add/",
    }.items():  # fmt: skip
        person.visit(path)
        found += faults(person, name)
    assert found == []
