"""Promise: what is refused, failed, released or made good is told on a page like the others, on every screen."""

import pytest
from django.db import OperationalError
from playwright.sync_api import expect

from scheduling import clock
from scheduling.dispatch.recover import release_task
from scheduling.models import Heartbeat, Run
from scheduling.queues import claim_next
from tests.browser.screens import faults, looks_at_pages
from tests.scheduling.admin.conftest import make_configuration, make_user
from tests.scheduling.runs.pieces import item, start


def _sign_in(person, password: str) -> None:
    person.visit("login/")
    person.page.fill("#id_username", "steward")
    person.page.fill("#id_password", password)
    with person.page.expect_navigation():  # the answer has the same address
        person.page.click("input[type=submit]")


@looks_at_pages
def test_a_locked_sign_in_and_pages_that_fail_look_like_the_others(person, monkeypatch, settings):
    settings.AXES_FAILURE_LIMIT = 2
    make_user("Steward")
    found = []
    for name, error in (("busy", OperationalError("database is locked")), ("failed", ValueError("secret"))):
        monkeypatch.setattr("django.contrib.auth.views.auth_login", _raising(error))
        _sign_in(person, "secret")
        found += _faults_of_a_refusal(person, name)
        colour = "getComputedStyle(document.querySelector('.notice')).borderLeftWidth"
        assert person.page.evaluate(colour) == "5px", "the page has no style"
    for _ in range(2):
        _sign_in(person, "wrong")
    expect(person.page.locator("body")).to_contain_text("opens again by itself")
    assert [*found, *_faults_of_a_refusal(person, "locked")] == []


def _faults_of_a_refusal(person, name: str) -> list[str]:
    """Return the faults of a page that was answered with the code of an error, which the console tells as one."""
    person.complaints.clear()
    return faults(person, name)


def _raising(error: Exception):
    def login(*_: object) -> None:
        raise error

    return login


@looks_at_pages
def test_the_pages_of_an_operators_day_have_no_serious_fault(person, monkeypatch):
    now = clock.now()
    run = start(item("prices", attempts=2), item("stock"), now=now)
    doomed, other = claim_next(worker="host-1:4711", now=now), claim_next(worker="host-1:4711", now=now)
    release_task(other.task_id, by="ann", now=now)
    values = {"kind": "plan", "title": "Nightly", "created_at": now, "finished_at": now}
    good = Run.objects.create(fire_key="good", status="completed", **values)
    bad = Run.objects.create(fire_key="bad", status="failed", error="No.", made_good_by=good, **values)
    Heartbeat.objects.create(name="host-2", kind="worker", started_at=now, seen_at=now, trouble="Its clock is wrong.")
    configuration = make_configuration("customer")
    form = f"scheduling/schedulerconfiguration/{configuration.pk}"
    pages = {
        "a new queue": "scheduling/queue/add/",
        "release": f"scheduling/run/{run.pk}/release/?task={doomed.task_id}",
        "released": f"scheduling/run/{run.pk}/change/",
        "runs": "scheduling/run/",
        "made good": f"scheduling/run/{bad.pk}/change/",
        "workers": "scheduling/heartbeat/",
        "values of a test run": f"{form}/change/?typed=1&processing_mode=scheduled&schedule_type=daily&run_times=x",
    }
    make_user("superuser")
    person.log_in("superuser")
    found = []
    for name, path in pages.items():
        person.visit(path)
        found += faults(person, name)
    for action in ("disable_selected", "pause_selected", "enable_selected"):
        person.visit("scheduling/schedulerconfiguration/")
        person.page.locator("input.action-select").first.check()
        person.page.select_option("select[name=action]", action)
        with person.page.expect_navigation():
            person.page.click("button[name=index]")
        found += faults(person, action)
    assert found == []


@pytest.mark.parametrize("person", [{"java_script_enabled": False}], indirect=True)
def test_without_scripts_the_way_back_from_a_test_run_tells_what_the_values_mean(steward, customer):
    page = steward.page
    steward.visit(f"scheduling/schedulerconfiguration/{customer.pk}/change/")
    page.check('input[name="processing_mode"][value="scheduled"]')
    page.select_option("#id_schedule_type", "daily")
    page.fill("#id_run_times", "07:15")
    page.click("text=Test run (nothing is saved)")
    page.click("text=with these values")
    assert "Every day at 07:15" in page.inner_text("#preview-sentence")
    page.click("input[name=_continue]")
    customer.refresh_from_db()
    assert customer.run_times == "07:15"
