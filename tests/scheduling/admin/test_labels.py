"""Promise: whoever may only look at a form reads the labels and helps that those read who may change it."""

import re

import pytest

from tests.scheduling.admin.addresses import OURS, filled
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.admin.test_every_door import things  # noqa: F401 (a fixture)

pytestmark = pytest.mark.django_db
_FIELD = re.compile(r'<div class="(?:form-row|fieldBox)[^"]*\bfield-([\w-]+)[^"]*"')
_LABEL = re.compile(r"<(label|legend)[^>]*>(.*?)</\1>", re.DOTALL)


def labels(page: str) -> dict[str, str]:
    """Return what the fields of a form are called, by their names."""
    _, *parts = _FIELD.split(page.partition('id="content"')[2])
    found = {name: _LABEL.search(rest) for name, rest in zip(parts[::2], parts[1::2], strict=True)}
    return {name: re.sub(r"<[^>]+>|\s+", " ", label[2]).strip().rstrip(": ") for name, label in found.items() if label}


def test_who_may_only_look_reads_the_same_labels(things):  # noqa: F811 (the fixture)
    steward, viewer, wrong, compared = client_for("superuser"), client_for("Viewer"), {}, 0
    for pattern, name in OURS:
        address = filled(pattern, things)
        if name.endswith("_change") and (looked := viewer.get(address)).status_code == 200:
            written, read = labels(steward.get(address).text), labels(looked.text)
            both = written.keys() & read.keys()
            compared += len(both)
            wrong |= {f"{name}: {key}": (written[key], read[key]) for key in both if written[key] != read[key]}
    assert compared > 40 and wrong == {}
