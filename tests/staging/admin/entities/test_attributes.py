"""An attribute is changed by who may, after a page that says what will happen; a refusal changes nothing."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.urls import reverse

from staging.admin.entities.attributes import FIELDS
from staging.models import Attribute, Batch, Entity
from staging.tables.columns import real_columns


def _sql(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def staff(branch: Entity) -> Attribute:
    """A whole number with values."""
    _sql("INSERT INTO mdm_branch (code, staff) VALUES ('a', 12), ('b', NULL)")
    return branch.attributes.get(name="staff")


def _url(attribute: Attribute) -> str:
    return reverse("admin:staging_attribute", args=[attribute.entity_id, attribute.pk])


def _post(attribute: Attribute, **more: Any) -> dict[str, Any]:
    values = {name: getattr(attribute, name) for name in FIELDS}
    values |= {"reference": attribute.reference_id, "choices": "\n".join(attribute.choices), **more}
    return {name: value for name, value in values.items() if value not in (None, False)}


def test_a_rename_is_shown_then_done_and_traced(administrator: Client, staff: Attribute) -> None:
    page = administrator.post(_url(staff), _post(staff, name="people"))
    html = page.content.decode()
    assert "1 stored value" in html
    assert "What will happen" in html
    assert "staff" in real_columns("mdm_branch")
    hidden = {name: page.context["form"].data.get(name, "") for name in FIELDS}
    answer = administrator.post(_url(staff), {**hidden, "confirmed": "yes"}, follow=True)
    assert [str(message) for message in answer.context["messages"]] == ["Attribute people of Branch was changed."]
    assert _sql("SELECT people FROM mdm_branch WHERE code = 'a'") == [(12,)]
    assert "Changed name of attribute “staff”." in LogEntry.objects.get().get_change_message()


def test_the_hidden_fields_of_the_page_mean_what_was_typed(administrator: Client, staff: Attribute) -> None:
    values = _post(staff, choices="1\n12", required="on", min_value="1")
    html = administrator.post(_url(staff), values).content.decode()
    assert 'type="hidden" name="required" value="on"' in html or 'name="required" value="True"' in html
    assert 'name="choices" value="1\n12"' in html


def test_a_type_that_does_not_fit_shows_the_values_and_offers_no_button(
    administrator: Client, staff: Attribute
) -> None:
    html = administrator.post(_url(staff), _post(staff, data_type="date")).content.decode()
    assert "1 cannot be read as date: &#x27;12&#x27;" in html
    assert "confirmed" not in html
    forced = administrator.post(_url(staff), _post(staff, data_type="date", confirmed="yes"), follow=True)
    assert "cannot be read as date" in forced.content.decode()
    assert Attribute.objects.get(pk=staff.pk).data_type == "integer"


def test_a_wrong_name_is_told_at_its_field(administrator: Client, staff: Attribute) -> None:
    page = administrator.post(_url(staff), _post(staff, name="code"))
    assert "system column" in str(page.context["form"].errors["name"])


def test_a_batch_that_runs_is_named(administrator: Client, staff: Attribute) -> None:
    batch = Batch.objects.create(entity=staff.entity, status="running", created_at="2026-01-01T00:00:00Z")
    html = administrator.post(_url(staff), _post(staff, required="on")).content.decode()
    assert f"Batch {batch.pk} of this entity is under way" in html
    forced = administrator.post(_url(staff), _post(staff, required="on", confirmed="yes"), follow=True)
    assert "under way" in forced.content.decode()
    assert not Attribute.objects.get(pk=staff.pk).required


def test_nothing_changed_says_so(administrator: Client, staff: Attribute) -> None:
    assert "nothing to change" in administrator.post(_url(staff), _post(staff)).content.decode()


def test_the_list_leads_to_each_attribute_and_the_form_to_the_list(administrator: Client, staff: Attribute) -> None:
    url = reverse("admin:staging_attributes", args=[staff.entity_id])
    assert _url(staff) in administrator.get(url).content.decode()
    form = administrator.get(reverse("admin:staging_entity_change", args=[staff.entity_id])).content.decode()
    assert url in form


def test_only_who_may_change_entities(steward: Client, staff: Attribute) -> None:
    assert steward.get(_url(staff)).status_code == 403
    assert steward.post(_url(staff), _post(staff, name="x", confirmed="yes")).status_code == 403
    assert steward.get(reverse("admin:staging_attributes", args=[staff.entity_id])).status_code == 403


def test_an_attribute_of_another_entity_is_not_found(administrator: Client, staff: Attribute) -> None:
    other = Entity.objects.create(code="other", name="Other")
    assert administrator.get(reverse("admin:staging_attribute", args=[other.pk, staff.pk])).status_code == 404
