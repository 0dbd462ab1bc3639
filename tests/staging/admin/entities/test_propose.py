"""Attributes proposed in the admin: shown first, corrected, added all or none; and what comes after a new entity."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse

from staging.entities.save import save_entity
from staging.models import Entity
from staging.tables.columns import real_columns
from tests.staging.admin.conftest import Reject


def _url(entity: Entity) -> str:
    return reverse("admin:staging_attributes_propose", args=[entity.pk])


def _next(entity: Entity) -> str:
    return reverse("admin:staging_entity_next", args=[entity.pk])


def _confirmed(response: Any) -> dict[str, Any]:
    """Return what a browser would send when the proposal is taken as it is."""
    formset = response.context["formset"]
    fields = [field for form in [formset.management_form, *formset] for field in form]
    data = {field.html_name: field.value() for field in fields}
    return {name: value for name, value in data.items() if value is not None and value is not False} | {
        "confirmed": "yes"
    }


def test_a_pasted_head_is_shown_and_only_then_added(administrator: Client, branch: Entity) -> None:
    before = set(branch.attributes.values_list("name", flat=True))
    shown = administrator.post(_url(branch), {"text": "code\tOpened on\tstaff\tSurface m2\nA\t2026-01-31\t7\t12.5\n"})
    assert set(branch.attributes.values_list("name", flat=True)) == before
    data = _confirmed(shown) | {"form-1-name": "surface"}
    assert administrator.post(_url(branch), data, follow=True).redirect_chain[0][0] == _next(branch)
    added = dict(branch.attributes.exclude(name__in=before).values_list("name", "data_type"))
    assert added == {"opened_on": "date", "surface": "decimal"}
    assert {"opened_on", "surface"} <= set(real_columns("stg_branch"))


def test_a_file_counts_and_columns_without_a_tick_are_left_out(administrator: Client, branch: Entity) -> None:
    file = SimpleUploadedFile("new.csv", "één;twee\n1;x\n".encode("utf-16"))
    data = _confirmed(administrator.post(_url(branch), {"file": file, "text": ""}))
    del data["form-1-add"]
    administrator.post(_url(branch), data)
    assert branch.attributes.filter(name="een", data_type="integer").exists()
    assert not branch.attributes.filter(name="twee").exists()


def test_what_is_wrong_stands_at_its_row_and_nothing_is_added(administrator: Client, branch: Entity) -> None:
    data = _confirmed(administrator.post(_url(branch), {"text": "one,two,three"}))
    count = branch.attributes.count()
    data |= {"form-0-name": "staff", "form-1-name": "id"}
    forms = administrator.post(_url(branch), data).context["formset"].forms
    assert forms[0].errors["name"] == ["There is a column of this name already; choose another one."]
    forms = administrator.post(_url(branch), data | {"form-0-name": "one"}).context["formset"].forms
    assert "system column" in str(forms[1].errors)
    answer = administrator.post(_url(branch), data | {"form-0-name": "Not so"})
    assert "lower-case letters" in str(answer.context["formset"].forms[0].errors)
    assert branch.attributes.count() == count


def test_what_cannot_be_read_is_said_and_what_was_pasted_stays(administrator: Client, branch: Entity) -> None:
    page = administrator.post(_url(branch), {"text": "code,name,staff"}).content.decode()
    assert "It names no column that is not there already." in page and "code,name,staff</textarea>" in page
    assert "Choose a file, or paste" in administrator.post(_url(branch), {"text": " "}).content.decode()


def test_only_who_may_define_is_shown_proposals(steward: Client, branch: Entity) -> None:
    assert steward.get(_url(branch)).status_code == 403
    assert steward.get(_next(branch)).status_code == 200


def test_the_way_to_the_first_batch_has_one_button(administrator: Client, branch: Entity) -> None:
    bare = Entity(code="bare", name="Bare")
    save_entity(bare, [])
    page = administrator.get(_next(bare))
    assert page.context["first"].url == _url(bare)
    assert page.content.decode().count('class="button default"') == 1
    assert administrator.get(_next(branch)).context["first"].words == "Bring rows"


def test_a_new_entity_leads_to_what_comes_next(administrator: Client, db: None) -> None:
    management = {f"attributes-{name}_FORMS": "0" for name in ("TOTAL", "INITIAL")}
    add = reverse("admin:staging_entity_add")
    fields = administrator.get(add).context["adminform"].form
    given = {field.html_name: field.value() for field in fields}
    given = {name: value for name, value in given.items() if value is not None and value is not False}
    answer = administrator.post(add, given | management | {"code": "fresh", "name": "Fresh"})
    assert answer.headers["Location"] == _next(Entity.objects.get(code="fresh"))


def test_the_form_tells_how_many_rows_wait_and_were_rejected(
    administrator: Client, branch: Entity, reject: Reject
) -> None:
    reject(code="X", staff="many")
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO stg_branch (code) VALUES ('A'), ('B')")
    rows = reverse("admin:staging_rows", args=[branch.pk])
    page = administrator.get(reverse("admin:staging_entity_change", args=[branch.pk])).content.decode()
    assert f'href="{rows}?status=waiting">2</a>' in page
    assert f'href="{rows}?status=rejected">1</a>' in page


def test_names_say_what_is_allowed_and_the_word_is_retired(administrator: Client, branch: Entity) -> None:
    add = administrator.get(reverse("admin:staging_entity_add")).content.decode()
    assert add.count("Use lower-case letters, digits and underscores") >= 2
    assert "Retired" in add and "Is cancelled" not in add
    listed = administrator.get(reverse("admin:staging_entity_changelist")).content.decode()
    assert ">Retired:<" in listed and "is cancelled" not in listed
