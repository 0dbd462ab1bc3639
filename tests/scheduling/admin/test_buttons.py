"""Promise: a page has one primary button at most: what to press is no question."""

import re

import pytest

from tests.scheduling.admin.addresses import OURS, filled
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.admin.test_every_door import fail_a_step, things  # noqa: F401 (a fixture)

pytestmark = pytest.mark.django_db
_PRESSED = re.compile(r"<(?:button|input|a)\b[^>]*>")
_IS_BUTTON = re.compile(r'^<button|type="submit"|class="[^"]*\bbutton\b')
# Looks like a button of second rank, or is not there while another one is.
_SECOND = re.compile(r'class="[^"]*\b(plain|closelink|cancel-link|deletelink)\b|name="_(addanother|continue)"| hidden')


def primary(page: str) -> list[str]:
    """Return the tags of a page that look like its primary button."""
    tags = _PRESSED.findall(page.partition('id="content"')[2])
    return [tag for tag in tags if _IS_BUTTON.search(tag) and not _SECOND.search(tag)]


def test_no_page_has_two_primary_buttons(things):  # noqa: F811 (the fixture)
    fail_a_step()
    client, wrong = client_for("superuser"), {}
    for pattern, name in OURS:
        response = client.get(filled(pattern, things), {"task": 777})
        if response.status_code == 200 and not response.streaming and len(found := primary(response.text)) > 1:
            wrong[name] = found
    assert wrong == {}
