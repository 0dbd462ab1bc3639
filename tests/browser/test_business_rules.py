"""A person puts a business rule together in a real browser, reads it as a sentence, and sees a row rejected by it."""

import pytest
from playwright.sync_api import expect

from staging.models import BusinessRule, Entity
from tests.browser.screens import faults, looks_at_pages
from tests.scheduling.admin.conftest import make_user
from tests.staging.batches.bench import run_batch, stage, staged


@pytest.fixture
def administrator(person):
    """Signed in as an administrator: only they define rules."""
    make_user("Administrator")
    person.log_in("administrator")
    return person


def add_a_rule(page) -> None:
    page.get_by_label("Name:", exact=True).fill("VIPs have a name")
    page.select_option("#id_lines-0-part", "when")
    page.select_option("#id_lines-0-attribute", "code")
    page.select_option("#id_lines-0-comparison", "matches")
    page.fill("#id_lines-0-value", "^VIP")
    page.select_option("#id_lines-1-attribute", "name")
    page.select_option("#id_lines-1-comparison", "not_empty")
    page.get_by_role("button", name="Save and continue editing").click()


@pytest.mark.parametrize("person", [{}, {"java_script_enabled": False}], indirect=True)
def test_a_rule_is_put_together_and_rejects_a_row(administrator, customer):
    entity: Entity = customer.entity
    administrator.visit(f"staging/entity/{entity.pk}/change/")
    administrator.page.get_by_role("link", name="Add a business rule").click()
    add_a_rule(administrator.page)
    expect(administrator.page.get_by_text("When code matches ‘^VIP’: name is not empty.")).to_be_visible()

    stage(entity, {"code": "VIP1"}, {"code": "C1"})
    run_batch(entity)

    errors = {row["code"]: row["error_message"] for row in staged(entity) if row["code"] in ("VIP1", "C1")}
    assert errors["VIP1"] and "VIPs have a name" in errors["VIP1"] and "VIPs" not in (errors["C1"] or "")


@looks_at_pages
def test_no_serious_fault_on_the_pages_of_rules(administrator, customer):
    administrator.visit(f"staging/businessrule/add/?entity={customer.entity.pk}")
    add_a_rule(administrator.page)
    rule = BusinessRule.objects.get()
    for path in ("", f"add/?entity={customer.entity.pk}", f"{rule.pk}/change/"):
        administrator.visit(f"staging/businessrule/{path}")
        assert faults(administrator, f"rules {len(path)}") == []
