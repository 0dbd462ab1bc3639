"""Promise: somebody who is told of an alert finds it, takes it and sees why; the pages have no fault on any screen."""

import pytest

from scheduling import clock
from scheduling.alerts.watch import go_round
from scheduling.models import Alert, AlertChannel, SchedulerConfiguration
from tests.browser.screens import faults, looks_at_pages
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
    page.get_by_role("link", name="See why").click()
    page.wait_for_url("**/schedulerconfiguration/*/change/")
    assert steward.complaints == []


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
