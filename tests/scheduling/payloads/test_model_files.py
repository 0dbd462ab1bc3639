"""Promise: a model file with anything at all in any place is loaded or refused with paths, whichever door it takes."""

import copy
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client

from tests.depth import some
from tests.scheduling.payloads.corpus import PAYLOADS, TEXTS
from tests.scheduling.payloads.reading import faults
from tests.scheduling.payloads.test_forms import turned
from tests.scheduling.payloads.world import World

pytestmark = pytest.mark.django_db
Path_ = tuple[Any, ...]


def leaves(document: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Yield the way to every value of a document that is no mapping and no list."""
    inside: Any = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in inside:
        if isinstance(value, dict | list):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def changed(document: Any, path: Path_, payload: str, *, is_key: bool) -> Any:
    """Return the document with a payload in one place, as its value or as its key."""
    made = copy.deepcopy(document)
    place = made
    for key in path[:-1]:
        place = place[key]
    if is_key and isinstance(place, dict):
        place[payload] = place.pop(path[-1])
    else:
        place[path[-1]] = payload
    return made


def tries(document: Any) -> list[tuple[Path_, str, bool]]:
    """Return what is tried: each payload in the place of each value, and of each key."""
    whole = [
        (path, payload, is_key)
        for place, path in enumerate(leaves(document))
        for payload in turned(place)
        for is_key in (False, True)
    ]
    return some(whole, one_in=6 * len(PAYLOADS) + 1)


def test_by_the_api(world: World, visitor: Client) -> None:
    document = visitor.get("/api/v1/model").json()
    wrong = {}
    for path, payload, is_key in tries(document):
        body = json.dumps(changed(document, path, PAYLOADS[payload], is_key=is_key))
        with transaction.atomic():
            answer = visitor.put("/api/v1/model", body, content_type="application/json", headers={"If-Match": "*"})
            found = faults(answer)
            if answer.status_code == 200:
                found += faults(visitor.get("/admin/")) + faults(visitor.get("/api/v1/model"))
            transaction.set_rollback(True)
        if found or answer.status_code not in (200, 400):
            wrong[path, payload, is_key] = found or answer.content[:200]
    assert wrong == {}


def test_by_the_command(world: World, visitor: Client, tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    document = visitor.get("/api/v1/model").json()
    for path, payload, is_key in tries(document)[::2]:
        file.write_text(json.dumps(changed(document, path, PAYLOADS[payload], is_key=is_key)))
        with transaction.atomic():
            try:
                call_command("load_model", str(file), stdout=StringIO())
            except CommandError as error:
                assert error.returncode in (2, 3)
            transaction.set_rollback(True)


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_files_that_are_none(suffix: str, db: None, tmp_path: Path) -> None:
    file = tmp_path / f"m.{suffix}"
    for payload in some(TEXTS, one_in=4):
        file.write_bytes(payload.encode(errors="surrogatepass"))
        with pytest.raises(CommandError) as caught:
            call_command("load_model", str(file), stdout=StringIO())
        assert caught.value.returncode == 2
