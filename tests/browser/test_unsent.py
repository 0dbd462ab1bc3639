"""Promise: a form that is sent when the session has ended is kept over the sign-in and sent when the person says so."""

from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from scheduling.models import Plan
from tests.browser.screens import faults, looks_at_pages, with_and_without_scripts


def _sends_too_late(steward) -> None:
    """Let a steward fill in a plan, save it when the session has ended, and sign in again."""
    page = steward.page
    steward.visit("scheduling/plan/add/")
    page.fill("#id_name", "Nightly & more")
    page.fill("#id_description", 'It has <marks> & "more"')
    Session.objects.all().delete()
    page.click("input[name=_save]")
    page.fill("#id_username", "steward")
    page.fill("#id_password", "secret")
    page.press("#id_password", "Enter")
    expect(page.locator("h1")).to_have_text("Send it now?")
    assert not Plan.objects.exists(), "nothing is sent unasked"


@with_and_without_scripts
def test_what_was_sent_when_the_session_had_ended_is_sent_when_the_person_says_so(steward):
    page = steward.page
    _sends_too_late(steward)
    expect(page.locator("#content")).to_contain_text("It goes to /admin/scheduling/plan/add/.")
    page.locator("button:text-is('Send it now')").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".messagelist")).to_contain_text("was added successfully")
    plan = Plan.objects.get()
    assert (plan.name, plan.description) == ("Nightly & more", 'It has <marks> & "more"')
    steward.visit("scheduling/schedulerconfiguration/unsent/")
    expect(page.locator(".messagelist")).to_contain_text("Nothing waits to be sent.")
    assert Plan.objects.count() == 1 and steward.complaints == []


def test_what_the_person_does_not_send_is_forgotten_and_leads_back_to_the_form(steward):
    page = steward.page
    _sends_too_late(steward)
    page.click("button:text-is('Do not send it')")
    page.wait_for_url("**/scheduling/plan/add/")
    expect(page.locator("#id_name")).to_have_value("")
    steward.visit("scheduling/schedulerconfiguration/unsent/")
    expect(page.locator(".messagelist")).to_contain_text("Nothing waits to be sent.")
    assert not Plan.objects.exists() and steward.complaints == []


@looks_at_pages
def test_the_question_is_readable_on_every_screen(steward):
    _sends_too_late(steward)
    assert faults(steward, "send it now") == []
