"""Every page of an entity and of its rows, and every way to change them, asks for permission, for each role."""

from collections.abc import Callable

import pytest
from django.contrib.admin import site
from django.test import Client
from django.urls import reverse

from staging.models import Entity
from tests.staging.admin.conftest import Reject, Stored

SEE, MEND, BRING, DEFINE = "see", "mend", "bring", "define"
# view name, arguments after the entity, method -> what it takes
REQUESTS = [
    ("admin:staging_rows", False, "get", SEE),
    ("admin:staging_row_edit", True, "get", SEE),
    ("admin:staging_row_edit", True, "post", MEND),
    ("admin:staging_rows_retry", False, "get", MEND),
    ("admin:staging_rows_retry", False, "post", MEND),
    ("admin:staging_rows_replace", False, "get", MEND),
    ("admin:staging_rows_replace", False, "post", MEND),
    ("admin:staging_rows_export", False, "get", SEE),
    ("admin:staging_members", False, "get", SEE),
    ("admin:staging_members_export", False, "get", SEE),
    ("admin:staging_member", True, "get", SEE),
    ("admin:staging_rows_upload", False, "get", BRING),
    ("admin:staging_rows_upload", False, "post", BRING),
    ("admin:staging_rows_upload_check", False, "get", BRING),
    ("admin:staging_rows_upload_check", False, "post", BRING),
    ("admin:staging_contract", False, "get", SEE),
    ("admin:staging_attributes", False, "get", DEFINE),
    ("admin:staging_attributes_propose", False, "get", DEFINE),
    ("admin:staging_attributes_propose", False, "post", DEFINE),
    ("admin:staging_entity_next", False, "get", SEE),
    ("admin:staging_attribute", True, "get", DEFINE),
    ("admin:staging_attribute", True, "post", DEFINE),
]
ROLES = {
    "Viewer": {SEE},
    "Operator": {SEE, BRING},
    "Steward": {SEE, MEND, BRING},
    "Administrator": {SEE, MEND, BRING, DEFINE},
    "": set(),
}


def _ask(client: Client, name: str, with_row: bool, method: str, entity: Entity, row_id: int) -> int:
    url = reverse(name, args=[entity.pk, row_id] if with_row else [entity.pk])
    data = {"bit": "8"} if method == "get" else {"row": [str(row_id)]}
    return getattr(client, method)(url, data).status_code


def test_every_page_of_an_entity_is_in_the_list() -> None:
    pages = {f"admin:{name}" for one in site._registry.values() for _, _, name in getattr(one, "pages", ())}
    ours = {name for name in pages if name.startswith("admin:staging_")} - {"admin:staging_auditentry_export"}
    assert ours == {name for name, *_ in REQUESTS}


@pytest.mark.parametrize("role", list(ROLES))
def test_each_role_gets_exactly_its_pages(
    role: str, as_role: Callable[[str], Client], branch: Entity, reject: Reject
) -> None:
    client, row_id = as_role(role), reject()
    for name, with_row, method, needs in REQUESTS:
        refused = _ask(client, name, with_row, method, branch, row_id) == 403
        assert refused == (needs not in ROLES[role]), (role, name, method)


def test_whoever_may_not_mend_changes_nothing(viewer: Client, branch: Entity, reject: Reject, stored: Stored) -> None:
    row_id = reject()
    for name, with_row, method, needs in REQUESTS:
        if needs == MEND:
            _ask(viewer, name, with_row, method, branch, row_id)
    assert stored(row_id)["import_status"] == 2


def test_strangers_are_sent_to_the_login(branch: Entity, reject: Reject, client: Client) -> None:
    row_id = reject()
    for name, with_row, method, _ in REQUESTS:
        url = reverse(name, args=[branch.pk, row_id] if with_row else [branch.pk])
        response = getattr(client, method)(url)
        assert response.status_code == 302
        assert response["Location"].startswith(reverse("admin:login"))


def test_changes_need_the_token_of_the_page(steward: Client, branch: Entity, reject: Reject, stored: Stored) -> None:
    row_id = reject()
    careful = Client(enforce_csrf_checks=True)
    careful.cookies = steward.cookies
    response = careful.post(reverse("admin:staging_rows_retry", args=[branch.pk]), {"row": [row_id]})
    assert response.status_code == 403
    assert stored(row_id)["import_status"] == 2


def test_looking_at_the_confirmation_changes_nothing(
    steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    row_id = reject()
    steward.get(reverse("admin:staging_rows_retry", args=[branch.pk]), {"bit": 8, "row": row_id})
    assert stored(row_id)["import_status"] == 2


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_other_methods_are_refused(
    method: str, steward: Client, branch: Entity, reject: Reject, stored: Stored
) -> None:
    row_id = reject()
    url = reverse("admin:staging_row_edit", args=[branch.pk, row_id])
    assert getattr(steward, method)(url).status_code == 405
    assert stored(row_id)["import_status"] == 2


def test_a_person_without_permission_does_not_learn_which_entities_exist(as_role: Callable[[str], Client]) -> None:
    assert as_role("").get(reverse("admin:staging_rows", args=[999_999])).status_code == 403
