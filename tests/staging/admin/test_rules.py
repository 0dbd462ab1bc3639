"""People put business rules together line by line; what cannot be carried out is told at its field."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from staging.entities.save import save_entity
from staging.models import Attribute, BusinessRule, Entity

PREFIX = "lines"


@pytest.fixture
def branch(db: None) -> Entity:
    """An entity with two attributes."""
    entity = Entity(code="branch", name="Branch")
    save_entity(entity, [Attribute(name="staff", data_type="integer"), Attribute(name="is_open", data_type="boolean")])
    return entity


def form(entity: Entity, *lines: dict[str, Any], **fields: Any) -> dict[str, Any]:
    data = {"entity": entity.pk, "name": "Enough staff", "effect": "reject", "position": 0, **fields}
    data |= {f"{PREFIX}-TOTAL_FORMS": len(lines), f"{PREFIX}-INITIAL_FORMS": 0}
    for number, line in enumerate(lines):
        data |= {f"{PREFIX}-{number}-{field}": value for field, value in {"alternative": 1, **line}.items()}
    return data


MUST = {"part": "must", "attribute": "staff", "comparison": "at_least", "value": "1"}
WHEN = {"part": "when", "attribute": "is_open", "comparison": "equals", "value": "yes"}


def test_an_administrator_adds_a_rule_and_reads_it_as_a_sentence(administrator: Client, branch: Entity) -> None:
    add = reverse("admin:staging_businessrule_add")
    page = administrator.get(add, {"entity": branch.pk}).content.decode()
    assert "Add a business rule to Branch" in page and '<option value="staff">' in page

    administrator.post(add, form(branch, WHEN, MUST))

    rule = BusinessRule.objects.get()
    assert (rule.entity, rule.lines.count()) == (branch, 2)
    listed = administrator.get(reverse("admin:staging_businessrule_changelist")).content.decode()
    assert "When is_open is ‘yes’: staff is at least ‘1’." in listed
    assert administrator.get(reverse("admin:staging_businessrule_change", args=[rule.pk])).status_code == 200


def test_a_retired_entity_is_not_offered_for_a_new_rule(administrator: Client, branch: Entity) -> None:
    kept, gone = Entity.objects.create(code="kept", name="Kept"), Entity.objects.create(code="gone", name="Gone")
    Entity.objects.filter(pk=gone.pk).update(is_cancelled=True)

    offered = administrator.get(reverse("admin:staging_businessrule_add")).context["entities"]

    assert offered == [(branch.pk, "Branch"), (kept.pk, "Kept")]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([{**MUST, "value": "many"}], "must be a whole number"),
        ([WHEN], "Say what must hold"),
        ([{**MUST, "attribute": "other"}], "Select a valid choice"),
        ([{**MUST, "comparison": "matches"}], "can match a pattern"),
    ],
)
def test_a_mistake_is_shown_and_nothing_is_stored(
    administrator: Client, branch: Entity, lines: list[dict[str, Any]], text: str
) -> None:
    page = administrator.post(reverse("admin:staging_businessrule_add"), form(branch, *lines))
    assert page.status_code == 200 and text in page.content.decode()
    assert not BusinessRule.objects.exists()


def test_an_empty_list_says_so(administrator: Client, branch: Entity) -> None:
    rules = reverse("admin:staging_businessrule_changelist")
    page = administrator.get(rules).content.decode()
    assert "There is nothing in this list yet." in page and "<h1>Business rules</h1>" in page
    assert "Nothing in this list is what you ask for." in administrator.get(rules, {"q": "x"}).content.decode()


def test_without_an_entity_it_is_asked_for_and_the_form_comes_next(
    administrator: Client, branch: Entity, region: Entity
) -> None:
    for asked in ({}, {"entity": "x"}):
        page = administrator.get(reverse("admin:staging_businessrule_add"), asked).content.decode()
        assert "Which entity is the rule about?" in page and f'<option value="{branch.pk}">Branch</option>' in page
    region.delete()
    (page,) = administrator.get(reverse("admin:staging_businessrule_add"), follow=True).redirect_chain
    assert page[0].endswith(f"/add/?entity={branch.pk}"), "there is but one"
    branch.delete()
    assert b"no entity yet" in administrator.get(reverse("admin:staging_businessrule_add")).content


def test_the_same_name_twice_is_told_at_the_name(administrator: Client, branch: Entity) -> None:
    BusinessRule.objects.create(entity=branch, name="Enough staff")
    page = administrator.post(reverse("admin:staging_businessrule_add"), form(branch, MUST))
    assert "already exists" in page.content.decode()


def test_the_entity_of_a_stored_rule_stays(administrator: Client, branch: Entity, region: Entity) -> None:
    rule = BusinessRule.objects.create(entity=branch, name="Enough staff")
    change = reverse("admin:staging_businessrule_change", args=[rule.pk])
    administrator.post(change, form(region, MUST))
    rule.refresh_from_db()
    assert rule.entity == branch and rule.lines.count() == 1


@pytest.mark.parametrize("role", ["Viewer", "Operator", "Steward"])
def test_others_read_rules_and_change_none(as_role: Any, branch: Entity, role: str) -> None:
    rule = BusinessRule.objects.create(entity=branch, name="Enough staff")
    client = as_role(role)
    change = reverse("admin:staging_businessrule_change", args=[rule.pk])
    assert client.get(change).status_code == 200
    assert client.post(change, form(branch, MUST)).status_code == 403
    assert client.post(reverse("admin:staging_businessrule_add"), form(branch, MUST)).status_code == 403
    assert not rule.lines.exists()
