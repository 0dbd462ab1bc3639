"""Mending: retry some, retry all of a kind, change values; the row waits again and the trace tells who did what."""

import re

from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.urls import reverse

from staging.models import Entity, Handling
from staging.states import ErrorBit
from tests.staging.admin.conftest import Reject, Stored


def _retry_url(entity: Entity) -> str:
    return reverse("admin:staging_rows_retry", args=[entity.pk])


def _edit_url(entity: Entity, row_id: int) -> str:
    return reverse("admin:staging_row_edit", args=[entity.pk, row_id])


def _form(client: Client, url: str) -> dict[str, str]:
    """Return what a browser would send when nothing is changed."""
    form = client.get(url).context["form"]
    return {field.html_name: field.value() or "" for field in form}


def _trace() -> str:
    return LogEntry.objects.latest("id").get_change_message()


def test_retry_selected_sets_exactly_these_rows_pending_and_clears_their_errors(
    steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    chosen, other = reject(batch_id=4), reject(code="B2")
    response = steward.post(_retry_url(branch), {"row": [chosen]}, follow=True)
    assert "1 row is pending again" in response.content.decode()
    row = stored(chosen)
    assert (row["import_status"], row["error_code"], row["error_message"]) == (0, 0, None)
    assert stored(other)["import_status"] == 2
    assert _trace() == f"Retried 1 rejected row: rows {chosen}."


def test_retry_selected_without_a_tick_says_so(steward: Client, branch: Entity, reject: Reject) -> None:
    reject()
    response = steward.post(_retry_url(branch), {}, follow=True)
    assert "Tick the rows to retry first." in response.content.decode()
    assert not LogEntry.objects.exists()


def test_rows_that_are_no_longer_rejected_are_left_alone_and_named(
    steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    processed, rejected = reject(import_status=1), reject()
    response = steward.post(_retry_url(branch), {"row": [processed, rejected]}, follow=True)
    assert "1 of the rows were no longer rejected" in response.content.decode()
    assert stored(processed)["import_status"] == 1


def test_retry_all_of_a_kind_is_confirmed_with_the_count_first(
    steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    both, one, other = reject(error_code=8 | 16), reject(), reject(error_code=16, error_message="note: 'x' is odd.")
    html = steward.get(_retry_url(branch), {"bit": int(ErrorBit.WRONG_TYPE)}).content.decode()
    assert "2 rejected rows" in html
    assert 'method="post"' in html
    response = steward.post(_retry_url(branch), {"bit": int(ErrorBit.WRONG_TYPE)}, follow=True)
    assert "2 rows are pending again" in response.content.decode()
    assert [stored(row_id)["import_status"] for row_id in (both, one, other)] == [0, 0, 2]
    assert _trace() == "Retried 2 rejected rows: all with the error “Not of the attribute's type”."


def test_many_of_a_kind_are_retried_in_pieces_and_the_rest_by_going_on(
    steward: Client, branch: Entity, reject: Reject, stored: Stored, monkeypatch
) -> None:
    monkeypatch.setattr("staging.uploads.mend._PIECE", 2)
    rows, bit = [reject() for _ in range(5)], int(ErrorBit.WRONG_TYPE)

    def again() -> list[int]:
        return [row for row in rows if stored(row)["import_status"] == 0]

    monkeypatch.setattr("staging.uploads.mend._SECONDS", 0)  # a request is one piece
    page = steward.post(_retry_url(branch), {"bit": bit}, follow=True).content.decode()
    assert len(again()) == 2 and "2 rows are pending again so far" in page
    assert "3 rejected rows of Branch are left." in page and 'id="bulk-goes-on"' in page
    monkeypatch.setattr("staging.uploads.mend._SECONDS", 60)
    page = steward.post(f"{_retry_url(branch)}?bit={bit}", {"bit": bit}, follow=True).content.decode()
    assert len(again()) == 5 and "3 rows are pending again" in page
    assert LogEntry.objects.count() == 3  # one for each piece


def test_a_kind_that_nobody_has_any_more_is_no_error(steward: Client, branch: Entity) -> None:
    html = steward.get(_retry_url(branch), {"bit": 8}).content.decode()
    assert "No rejected row of Branch has the error" in html
    assert (
        "None of the rows is rejected any more"
        in steward.post(_retry_url(branch), {"bit": 8}, follow=True).content.decode()
    )


def test_the_form_shows_each_error_beside_the_column_it_names(steward: Client, branch: Entity, reject: Reject) -> None:
    row_id = reject(error_message="staff: 'many' is not a whole number.\nA rule failed.")
    response = steward.get(_edit_url(branch, row_id))
    beside = {field.name: sentences for field, _, sentences in response.context["lines"]}
    assert beside["column_staff"] == ["staff: 'many' is not a whole number."]
    assert beside["column_note"] == []
    assert response.context["general"] == ["A rule failed."]


def test_an_edit_stores_the_value_sets_the_row_pending_and_is_traced(
    steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    row_id = reject(note="keep me")
    data = _form(steward, _edit_url(branch, row_id)) | {"value-column_staff": "12", "value-column_name": ""}
    response = steward.post(_edit_url(branch, row_id), data, follow=True)
    assert f"Row {row_id} is pending again" in response.content.decode()
    row = stored(row_id)
    assert (row["staff"], row["name"], row["note"]) == ("12", None, "keep me")
    assert (row["import_status"], row["error_code"], row["error_message"]) == (0, 0, None)
    assert _trace() == (f"Mended staged row {row_id} (code “B1”): name from “One” to blank; staff from “many” to “12”.")
    assert LogEntry.objects.latest("id").user.username == "Steward-user"
    work = Handling.objects.get()
    assert (work.handled_by, work.first_id, work.last_id) == ("Steward-user", row_id, row_id)


def test_blanks_line_breaks_and_unknown_actions_survive_an_edit_of_something_else(
    steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    row_id = reject(note="one\ntwo", name="  spaced  ", import_action=9)
    data = _form(steward, _edit_url(branch, row_id)) | {"value-column_staff": "1"}
    data["value-column_note"] = "one\r\ntwo"  # as every browser sends it
    steward.post(_edit_url(branch, row_id), data)
    row = stored(row_id)
    assert (row["note"], row["name"], row["import_action"], row["staff"]) == ("one\ntwo", "  spaced  ", 9, "1")


def test_saving_without_a_change_retries_the_row(
    steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    row_id = reject()
    steward.post(_edit_url(branch, row_id), _form(steward, _edit_url(branch, row_id)))
    assert stored(row_id)["import_status"] == 0
    assert _trace() == f"Retried 1 rejected row: row {row_id}, unchanged."


def test_when_someone_was_faster_nothing_changes_and_the_page_says_so(
    steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    row_id = reject()
    data = _form(steward, _edit_url(branch, row_id)) | {"value-column_staff": "12"}
    with connection.cursor() as cursor:
        cursor.execute("UPDATE stg_branch SET import_status = 1, error_code = 0 WHERE id = %s", [row_id])
    response = steward.post(_edit_url(branch, row_id), data, follow=True)
    assert "was faster" in response.content.decode()
    assert stored(row_id)["staff"] == "many"
    assert not LogEntry.objects.exists()


def test_a_row_rejected_again_with_other_values_is_not_overwritten(
    steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    row_id = reject()
    data = _form(steward, _edit_url(branch, row_id)) | {"value-column_staff": "12"}
    with connection.cursor() as cursor:
        cursor.execute("UPDATE stg_branch SET staff = 'lots' WHERE id = %s", [row_id])
    response = steward.post(_edit_url(branch, row_id), data, follow=True)
    assert "was faster" in response.content.decode()
    assert stored(row_id)["staff"] == "lots"


def test_a_row_that_is_not_rejected_offers_no_form(steward: Client, branch: Entity, reject: Reject) -> None:
    html = steward.get(_edit_url(branch, reject(import_status=1))).content.decode()
    assert "Save and retry" not in html
    assert "nothing to mend" in html


def test_a_row_that_is_gone_is_not_found(steward: Client, branch: Entity) -> None:
    assert steward.get(_edit_url(branch, 424_242)).status_code == 404


def test_an_attribute_named_like_a_field_of_the_page_is_only_a_column(
    administrator: Client, steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    from staging.entities.save import save_entity
    from staging.models import Attribute

    save_entity(branch, [Attribute(name="seen"), Attribute(name="csrfmiddlewaretoken")])
    row_id = reject(seen="a", csrfmiddlewaretoken="b")
    data = _form(steward, _edit_url(branch, row_id)) | {"value-column_seen": "c"}
    steward.post(_edit_url(branch, row_id), data)
    assert (stored(row_id)["seen"], stored(row_id)["csrfmiddlewaretoken"]) == ("c", "b")


def test_a_nul_character_is_refused_at_its_field(
    steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    row_id = reject()
    data = _form(steward, _edit_url(branch, row_id)) | {"value-column_staff": "1\x002"}
    response = steward.post(_edit_url(branch, row_id), data)
    assert response.status_code == 200
    assert re.search("Null characters are not allowed", response.content.decode())
    assert stored(row_id)["staff"] == "many"


def test_after_a_retry_the_person_is_back_on_the_same_filter(steward: Client, branch: Entity, reject: Reject) -> None:
    row_id = reject()
    html = steward.get(reverse("admin:staging_rows", args=[branch.pk]), {"status": "rejected", "bit": 8})
    action = re.search(r'<form method="post" action="([^"]*retry[^"]*)"', html.content.decode())
    assert action
    response = steward.post(action[1].replace("&amp;", "&"), {"row": [row_id]})
    assert response["Location"].endswith("/rows/?status=rejected&bit=8")


def test_broken_tables_are_explained_and_not_a_crash(
    steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    row_id = reject()
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE stg_branch RENAME COLUMN error_message TO other")
    for url, data in [(_edit_url(branch, row_id), {}), (_retry_url(branch), {"row": [row_id]})]:
        response = steward.post(url, data, follow=True)
        assert "Column stg_branch.error_message is missing." in response.content.decode()
    assert stored(row_id)["import_status"] == 2
