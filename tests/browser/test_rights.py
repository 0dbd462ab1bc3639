"""Promises of rights per entity, in a real browser: a group is made in one form, its steward sees just their own."""

import pytest
from django.contrib.auth.models import Group, User

from scheduling.housekeeping.roles import set_role
from scheduling.models import SchedulerConfiguration
from staging.models import Entity
from tests.browser.conftest import Person
from tests.browser.screens import faults
from tests.scheduling.admin.conftest import make_user

MEND = "staging.mend_rows"


@pytest.fixture
def prices() -> Entity:
    """An entity that is not the steward's; it needs no tables to be seen or not."""
    return Entity.objects.create(code="price", name="Prices")


def test_a_group_is_limited_to_an_entity_by_hand(
    person: Person, customer: SchedulerConfiguration, prices: Entity
) -> None:
    make_user("superuser")
    person.log_in("superuser")
    person.visit("auth/group/add/")
    assert faults(person, "a new group") == []
    page = person.page
    page.fill("#id_name", "Customer stewards")
    page.check("input[name=role][value=Steward]")
    page.check("input[name=reach][value=named]")
    page.click("input[name=_save]")
    assert "Choose at least one entity" in page.inner_text(".field-entities")
    assert faults(person, "a group without entities") == []
    page.check("label:has-text('Customer') input[name=entities]")
    page.click("input[name=_save]")
    page.wait_for_selector("#result_list")
    row = page.inner_text("tr:has-text('Customer stewards')")
    assert "Steward" in row and "Prices" not in row
    assert faults(person, "groups") == []
    ann = User.objects.create_user("ann")
    ann.groups.add(Group.objects.get(name="Customer stewards"))
    assert ann.has_perm(MEND, customer.entity) and not ann.has_perm(MEND, prices)


def test_the_steward_of_one_entity_sees_just_that(
    person: Person, customer: SchedulerConfiguration, prices: Entity
) -> None:
    group = Group.objects.create(name="Customer stewards")
    set_role(group, "Steward", [customer.entity])
    steward = User.objects.create_user("ann", password="secret", is_staff=True)
    steward.groups.add(group)
    person.log_in("ann")
    page = person.page
    assert "You see what is of Customer" in page.inner_text("#content")
    assert "Queues" not in page.inner_text("#content") and "Pause everything" not in page.inner_text("#content")
    assert faults(person, "start page of one entity") == []
    for place, name in (("scheduling/schedulerconfiguration/", "configurations"), ("staging/entity/", "entities")):
        person.visit(place)
        assert "Customer" in page.inner_text("#result_list") and "Prices" not in page.content()
        assert faults(person, f"{name} of one entity") == []
    person.visit(f"staging/entity/{prices.pk}/rows/")
    assert "You may not do this" in page.inner_text("h1")
