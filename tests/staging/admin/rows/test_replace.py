"""One value is replaced in all rejected rows of a kind, after a page that says how many; the trace tells it."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.core import signing
from django.test import Client
from django.urls import reverse

from staging.admin.rows.replace import _SALT
from staging.models import Entity
from tests.staging.admin.conftest import Reject, Stored


@pytest.fixture
def url(branch: Entity) -> str:
    return reverse("admin:staging_rows_replace", args=[branch.pk]) + "?bit=8"


def _post(old: str, new: str, **more: str) -> dict[str, str]:
    return {"column": "staff", "old": signing.dumps(old, salt=_SALT), "new": new, **more}


def test_the_values_of_the_column_that_the_error_names_come_first(steward: Client, url: str, reject: Reject) -> None:
    for staff in ("many", "many", "few\nmore", None):
        reject(staff=staff)
    response = steward.get(url)
    assert response.context["column"] == "staff"
    assert [(found.value, found.count) for _, found in response.context["choices"]] == [
        ("many", 2), ("", 1), ("few\nmore", 1),
    ]  # fmt: skip
    assert steward.get(f"{url}&column=note").context["column"] == "note"
    assert steward.get(f"{url}&column=import_status").status_code == 404


def test_nothing_changes_before_the_count_is_confirmed(
    steward: Client, url: str, reject: Reject, stored: Stored
) -> None:
    many, few, other = reject(), reject(staff="few"), reject(error_code=16)
    html = steward.post(url, _post("many", "12")).content.decode()
    assert "1 rejected row</strong>" in html and "Replace in 1 row" in html
    assert stored(many)["staff"] == "many" and not LogEntry.objects.exists()

    hidden = dict(re.findall(r'name="(column|old|new|confirmed)" value="([^"]*)"', html))
    response = steward.post(url, hidden, follow=True)

    assert "1 row has a new value in staff and is pending again." in response.content.decode()
    assert (stored(many)["staff"], stored(many)["import_status"]) == ("12", 0)
    assert [stored(row)["staff"] for row in (few, other)] == ["few", "many"]
    assert LogEntry.objects.get().get_change_message() == ("Replaced staff in 1 rejected row: from “many” to “12”.")


def test_a_value_with_line_ends_is_found_again(steward: Client, url: str, reject: Reject, stored: Stored) -> None:
    row = reject(staff="few\nmore")
    steward.post(url, _post("few\nmore", "3", confirmed="yes"))
    assert stored(row)["staff"] == "3"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"old": ""}, "Choose the value to replace."),
        ({"old": "forged"}, "Choose the value again."),
        (_post("many", "many"), "This is the value that is there already."),
        (_post("many", "1\x00"), "Null characters are not allowed."),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_changes(
    steward: Client, url: str, reject: Reject, stored: Stored, data: dict[str, str], says: str
) -> None:
    row = reject()
    assert says in steward.post(url, {"column": "staff", "confirmed": "yes", **data}).content.decode()
    assert stored(row)["import_status"] == 2


def test_an_action_that_is_none_is_told(steward: Client, url: str, reject: Reject, stored: Stored) -> None:
    row = reject(import_action=9)
    data = _post("9", "upsert", confirmed="yes") | {"column": "import_action"}
    assert "is not an import action" in steward.post(url, data, follow=True).content.decode()
    assert stored(row)["import_action"] == 9


def test_when_someone_was_faster_that_is_told(steward: Client, url: str, reject: Reject) -> None:
    reject(staff="few")
    assert "No rejected row has this value" in steward.post(url, _post("many", "1")).content.decode()
    response = steward.post(url, _post("many", "1", confirmed="yes"), follow=True)
    assert "nothing was changed" in response.content.decode()
    assert not LogEntry.objects.exists()
