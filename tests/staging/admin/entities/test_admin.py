"""Entities in the admin: defined with attributes and tables at once, refused with the reason and nothing half-done."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from staging.entities.save import save_entity
from staging.models import Attribute, Entity
from staging.tables.columns import real_columns
from tests.staging.admin.conftest import Reject

ADD = reverse("admin:staging_entity_add")
LIST = reverse("admin:staging_entity_changelist")


def _change(entity: Entity) -> str:
    return reverse("admin:staging_entity_change", args=[entity.pk])


def _form(client: Client, url: str) -> dict[str, Any]:
    """Return what a browser would send when nothing is changed."""
    context = client.get(url).context
    formset = context["inline_admin_formsets"][0].formset
    forms = [context["adminform"].form, formset.management_form, *formset.forms]
    data = {field.html_name: field.value() for form in forms for field in form}
    return {name: value for name, value in data.items() if value is not None and value is not False}


def _attribute(index: int, **values: Any) -> dict[str, Any]:
    return {f"attributes-{index}-{name}": value for name, value in values.items()}


def _errors(response: Any) -> dict[str, list[str]]:
    """Return every error of the answered form by the name of its field."""
    formset = response.context["inline_admin_formsets"][0].formset
    found = {name: list(texts) for name, texts in response.context["adminform"].form.errors.items()}
    for form in formset.forms:
        found.update({f"{form.prefix}-{name}": list(texts) for name, texts in form.errors.items()})
    if formset.non_form_errors():
        found["attributes"] = list(formset.non_form_errors())
    return found


def _produce(table: str = "mdm_branch", **values: Any) -> None:
    columns = ", ".join(f'"{name}"' for name in values)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({columns}) VALUES ({', '.join(['%s'] * len(values))})", list(values.values())
        )


# --- defining ---------------------------------------------------------------------------------------------------------


def test_a_new_entity_gets_its_attributes_and_both_tables(administrator: Client) -> None:
    data = _form(administrator, ADD) | {"code": "product", "name": "Product"}
    data |= _attribute(0, name="price", data_type="decimal", min_value="0", required="on")
    response = administrator.post(ADD, data, follow=True)
    assert "was added successfully" in response.content.decode()
    assert "price" in real_columns("stg_product")
    assert "price" in real_columns("mdm_product")
    assert Entity.objects.get(code="product").attributes.get().required


def test_adding_an_attribute_alters_both_tables(administrator: Client, branch: Entity) -> None:
    data = _form(administrator, _change(branch)) | _attribute(3, name="opened_on", data_type="date")
    assert administrator.post(_change(branch), data).status_code == 302
    assert "opened_on" in real_columns("stg_branch")
    assert "opened_on" in real_columns("mdm_branch")


def test_attributes_added_without_a_position_come_last(administrator: Client, branch: Entity) -> None:
    data = _form(administrator, _change(branch)) | _attribute(3, name="opened_on", data_type="date")
    administrator.post(_change(branch), data)
    assert list(branch.attributes.values_list("name", flat=True)) == ["staff", "note", "region", "opened_on"]


def test_choices_are_lines_of_text(administrator: Client, branch: Entity) -> None:
    data = _form(administrator, _change(branch)) | {"attributes-1-choices": " red \r\n\r\ngreen\r\n"}
    assert administrator.post(_change(branch), data).status_code == 302
    assert branch.attributes.get(name="note").choices == ["red", "green"]
    assert _form(administrator, _change(branch))["attributes-1-choices"] == "red\ngreen"
    assert ">\nred\ngreen</textarea>" in administrator.get(_change(branch)).content.decode()


def test_the_code_and_the_names_of_columns_stay(administrator: Client, branch: Entity) -> None:
    data = _form(administrator, _change(branch)) | {"code": "other", "attributes-0-name": "other", "name": "Shop"}
    assert administrator.post(_change(branch), data).status_code == 302
    branch.refresh_from_db()
    assert (branch.code, branch.name) == ("branch", "Shop")
    assert branch.attributes.filter(name="staff").exists()


def test_the_form_leads_to_the_delivery_contract(administrator: Client, branch: Entity) -> None:
    url = reverse("admin:staging_contract", args=[branch.pk])
    assert url in administrator.get(_change(branch)).content.decode()


def test_tables_that_differ_from_the_definition_are_named(administrator: Client, branch: Entity) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE stg_branch RENAME COLUMN note TO other")
    assert "Column stg_branch.note is missing." in administrator.get(_change(branch)).content.decode()


# --- errors at their field --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"code": "Bad Code"}, "code"),
        ({"code": ""}, "code"),
        ({"code": "region"}, "code"),
        ({"name": ""}, "name"),
        ({"sentinel_number": "x"}, "sentinel_number"),
        ({"processed_retention_days": "0"}, "processed_retention_days"),
        (_attribute(0, name="code"), "attributes-0-name"),
        (_attribute(0, name="Bad Name"), "attributes-0-name"),
        (_attribute(0, data_type="reference"), "attributes-0-reference"),
        (_attribute(0, pattern="("), "attributes-0-pattern"),
        (_attribute(0, max_length="1", min_length="2"), "attributes-0-max_length"),
        (_attribute(0, data_type="integer", min_value="low"), "attributes-0-min_value"),
        (_attribute(0, data_type="boolean", choices="a"), "attributes-0-choices"),
    ],
)
def test_a_broken_rule_is_shown_at_its_field_and_nothing_is_stored(
    administrator: Client, region: Entity, values: dict[str, Any], field: str
) -> None:
    data = _form(administrator, ADD) | {"code": "product", "name": "Product"}
    data |= _attribute(0, name="size", data_type="text") | values
    response = administrator.post(ADD, data)
    assert response.status_code == 200
    assert list(_errors(response)) == [field]
    assert not Entity.objects.filter(code="product").exists()
    assert not real_columns("stg_product")


def test_two_attributes_of_one_name_are_told_apart(administrator: Client, branch: Entity) -> None:
    data = _form(administrator, _change(branch)) | _attribute(3, name="staff", data_type="text")
    errors = _errors(administrator.post(_change(branch), data))
    assert errors == {"attributes-3-name": ["There are two attributes 'staff'; rename one."]}


def test_several_errors_are_shown_at_once(administrator: Client) -> None:
    data = _form(administrator, ADD) | {"code": "1x", "name": "Product"}
    data |= _attribute(0, name="id", data_type="text", pattern="(")
    assert set(_errors(administrator.post(ADD, data))) == {"code", "attributes-0-name", "attributes-0-pattern"}


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_retyping_a_column_that_holds_values_is_refused_at_its_field(administrator: Client, branch: Entity) -> None:
    _produce(code="B1", staff=5)
    data = _form(administrator, _change(branch)) | {"attributes-0-data_type": "date", "name": "Shop"}
    errors = _errors(administrator.post(_change(branch), data))
    assert list(errors) == ["attributes-0-data_type"]
    assert "holds 1 value" in errors["attributes-0-data_type"][0]
    branch.refresh_from_db()
    assert branch.name == "Branch"
    assert branch.attributes.get(name="staff").data_type == "integer"


def test_deleting_an_attribute_that_holds_values_is_refused_with_the_way_out(
    administrator: Client, branch: Entity, reject: Reject
) -> None:
    reject(staff="7")
    data = _form(administrator, _change(branch)) | {"attributes-0-DELETE": "on", "name": "Shop"}
    response = administrator.post(_change(branch), data)
    assert "Retire it instead" in response.content.decode()
    branch.refresh_from_db()
    assert branch.name == "Branch"
    assert "staff" in real_columns("stg_branch")


def test_deleting_an_attribute_that_holds_nothing_drops_its_columns(administrator: Client, branch: Entity) -> None:
    data = _form(administrator, _change(branch)) | {"attributes-0-DELETE": "on"}
    assert administrator.post(_change(branch), data).status_code == 302
    assert "staff" not in real_columns("stg_branch")
    assert "staff" not in real_columns("mdm_branch")


def test_a_refusal_of_the_tables_themselves_undoes_everything_and_is_shown(
    administrator: Client, branch: Entity, monkeypatch: pytest.MonkeyPatch
) -> None:
    from staging.errors import WouldLoseData

    def refuse(entity: Entity) -> None:
        raise WouldLoseData("Attribute 'staff' holds 3 values, which the change would lose.")

    monkeypatch.setattr("staging.admin.entities.admin.sync", refuse)
    data = _form(administrator, _change(branch)) | {"name": "Shop"} | _attribute(3, name="size", data_type="text")
    response = administrator.post(_change(branch), data)
    assert response.status_code == 200
    assert _errors(response)["attributes"] == ["Attribute 'staff' holds 3 values, which the change would lose."]
    branch.refresh_from_db()
    assert branch.name == "Branch"
    assert not branch.attributes.filter(name="size").exists()
    assert not LogEntry.objects.exists()


# --- deleting ---------------------------------------------------------------------------------------------------------


def _delete(client: Client, entity: Entity) -> Any:
    return client.post(reverse("admin:staging_entity_delete", args=[entity.pk]), {"post": "yes"}, follow=True)


def _delete_by_action(client: Client, *entities: Entity) -> Any:
    chosen = [entity.pk for entity in entities]
    data = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
    return client.post(LIST, data, follow=True)


@pytest.mark.parametrize("delete", [_delete, _delete_by_action])
def test_an_entity_with_rows_is_kept_and_the_reason_is_given(
    administrator: Client, branch: Entity, reject: Reject, delete: Callable[..., Any]
) -> None:
    reject()
    response = delete(administrator, branch)
    assert "Branch: 1 row in its staging and production tables" in response.content.decode()
    assert Entity.objects.filter(code="branch").exists()
    assert real_columns("stg_branch")


@pytest.mark.parametrize("delete", [_delete, _delete_by_action])
def test_an_entity_that_others_refer_to_is_kept(
    administrator: Client, region: Entity, branch: Entity, delete: Callable[..., Any]
) -> None:
    assert "attribute “region” of Branch refers to it" in delete(administrator, region).content.decode()
    assert Entity.objects.filter(code="region").exists()


@pytest.mark.parametrize("delete", [_delete, _delete_by_action])
def test_an_empty_entity_goes_with_its_tables(
    administrator: Client, branch: Entity, delete: Callable[..., Any]
) -> None:
    save_entity(branch, [Attribute(name="parent", data_type="reference", reference=branch)])
    assert "uccessfully" in delete(administrator, branch).content.decode()
    assert not Entity.objects.filter(code="branch").exists()
    assert not real_columns("stg_branch")
    assert not real_columns("mdm_branch")


def test_several_are_deleted_all_or_none(
    administrator: Client, region: Entity, branch: Entity, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As when a row lands between the look at the page and the click.
    monkeypatch.setattr("staging.admin.entities.admin.deletion_preview", lambda objs, request: ([], {}, set(), []))
    lone = Entity(code="alone", name="Alone")
    save_entity(lone, [])
    _produce("mdm_branch", code="B1")
    response = _delete_by_action(administrator, lone, branch)
    assert "hold 1 row." in response.content.decode()
    assert Entity.objects.filter(code__in=["alone", "branch"]).count() == 2
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize("role", ["Viewer", "Operator", "Steward", ""])
def test_only_administrators_define_and_delete(role: str, as_role: Callable[[str], Client], branch: Entity) -> None:
    client = as_role(role)
    assert client.get(ADD).status_code == 403
    assert client.post(ADD, {"code": "x"}).status_code == 403
    assert client.post(_change(branch), {"name": "Shop"}).status_code == 403
    assert _delete(client, branch).status_code == 403
    _delete_by_action(client, branch)
    branch.refresh_from_db()
    assert branch.name == "Branch"


def test_viewers_see_the_definition_without_buttons(viewer: Client, branch: Entity) -> None:
    html = viewer.get(_change(branch)).content.decode()
    assert "staff" in html
    assert 'name="_save"' not in html
    assert "attributes-0-name" not in html


def test_whoever_may_only_add_entities_may_give_them_attributes(db: None) -> None:
    user = User.objects.create_user("adder", password="x", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["add_entity", "view_entity"]))
    client = Client()
    client.force_login(user)
    data = _form(client, ADD) | {"code": "product", "name": "Product"} | _attribute(0, name="size", data_type="text")
    client.post(ADD, data)
    assert "size" in real_columns("stg_product")


# --- the list ---------------------------------------------------------------------------------------------------------


def test_the_list_shows_how_many_rows_wait_and_were_rejected(viewer: Client, branch: Entity, reject: Reject) -> None:
    for status in (0, 0, 0, 2, 2, 1):
        reject(import_status=status)
    response = viewer.get(LIST)
    entity = next(item for item in response.context["cl"].result_list if item.code == "branch")
    assert (entity.live_attributes, entity.pending_rows.count, entity.rejected_rows) == (3, 3, 2)


def test_the_list_costs_the_same_number_of_statements_for_any_number_of_entities(viewer: Client) -> None:
    save_entity(Entity(code="first", name="First"), [])
    viewer.get(LIST)
    with CaptureQueriesContext(connection) as one:
        viewer.get(LIST)
    for number in range(12):
        save_entity(Entity(code=f"e{number}", name=f"E{number}"), [Attribute(name="size")])
    with CaptureQueriesContext(connection) as many:
        viewer.get(LIST)
    assert len(many) == len(one)


def test_the_form_costs_the_same_number_of_statements_for_any_number_of_attributes(
    administrator: Client, branch: Entity, region: Entity
) -> None:
    administrator.get(_change(branch))  # the first page of a process also reads what all later ones keep
    with CaptureQueriesContext(connection) as few:
        administrator.get(_change(branch))
    save_entity(branch, [Attribute(name=f"a{number}", data_type="reference", reference=region) for number in range(9)])
    with CaptureQueriesContext(connection) as many:
        administrator.get(_change(branch))
    assert len(many) == len(few)


def test_one_broken_entity_does_not_hide_the_figures_of_the_others(
    viewer: Client, branch: Entity, reject: Reject
) -> None:
    reject()
    save_entity(Entity(code="broken", name="Broken"), [])
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE stg_broken")
    response = viewer.get(LIST)
    figures = {item.code: (item.pending_rows.error, item.rejected_rows) for item in response.context["cl"].result_list}
    assert figures["branch"] == ("", 1)
    assert figures["broken"][1] is None
    assert "stg_broken is missing" in response.content.decode()


def test_entities_are_found_by_code_name_and_description(viewer: Client, branch: Entity, region: Entity) -> None:
    found = viewer.get(LIST, {"q": "bran"}).context["cl"].result_list
    assert [entity.code for entity in found] == ["branch"]


def test_no_page_carries_inline_script_or_style(administrator: Client, branch: Entity, reject: Reject) -> None:
    import re

    row_id = reject()
    urls = [LIST, ADD, _change(branch), reverse("admin:staging_rows", args=[branch.pk])]
    urls += [reverse("admin:staging_row_edit", args=[branch.pk, row_id]), reverse("admin:staging_batch_changelist")]
    for url in urls:
        html = administrator.get(url).content.decode()
        assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)|<style|\sstyle=|\son[a-z]+=", html), url


def test_an_entity_with_a_hundred_attributes_can_still_be_saved(administrator: Client) -> None:
    entity = Entity(code="wide", name="Wide")
    save_entity(entity, [Attribute(name=f"a{number}") for number in range(100)])
    data = _form(administrator, _change(entity)) | {"name": "Wider"}
    assert administrator.post(_change(entity), data).status_code == 302
    entity.refresh_from_db()
    assert entity.name == "Wider"
