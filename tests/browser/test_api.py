"""Promises of the API's page and of the page of tokens, in a real browser under the real security policy."""

import pytest

from tests.browser.conftest import Person
from tests.browser.screens import faults
from tests.scheduling.admin.conftest import make_user


@pytest.fixture
def administrator(person: Person) -> Person:
    """An administrator, logged in."""
    make_user("Administrator")
    person.log_in("administrator")
    return person


def test_the_description_is_shown_and_can_be_tried(administrator: Person) -> None:
    page = administrator.page
    page.goto(f"{administrator.base}/api/v1/docs/")
    page.wait_for_selector("#operations-entities-get_entities")
    assert page.locator(".opblock").count() > 40
    page.click("#operations-entities-get_entities")
    page.click("text=Try it out")
    page.click("text=Execute")
    page.wait_for_selector(".live-responses-table .response-col_status >> text=200")
    assert administrator.complaints == []


def test_a_token_is_made_and_revoked_by_hand(administrator: Person) -> None:
    page = administrator.page
    administrator.visit("staging/apitoken/add/")
    assert faults(administrator, "a new token") == []
    page.fill("#id_name", "warehouse")
    page.select_option("#id_person", label="administrator")
    page.check("input[name=scopes][value=read]")
    page.check("#id_all_entities")
    page.click("input[name=_save]")
    secret = page.inner_text("#secret")
    assert faults(administrator, "the secret") == []
    assert secret.startswith("sst_")
    page.click("text=All tokens")
    assert "active" in page.inner_text("#result_list") and secret not in page.content()
    assert faults(administrator, "tokens") == []
    page.check("#action-toggle")
    page.select_option("select[name=action]", "revoke_selected")
    page.click("button[name=index]")
    page.click("button:has-text('Revoke')")
    page.wait_for_selector("text=1 token revoked.")
    assert "revoked" in page.inner_text("#result_list")
    assert administrator.complaints == []
