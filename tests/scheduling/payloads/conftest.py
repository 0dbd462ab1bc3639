"""One of everything, and people who look at it."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.scheduling.admin.conftest import make_user
from tests.scheduling.payloads.world import World


@pytest.fixture
def world(db: None, settings: Any, tmp_path: Path) -> World:
    """Return one of everything."""
    settings.UPLOAD_FOLDER = str(tmp_path / "uploads")
    return World()


@pytest.fixture
def visitor(db: None) -> Client:
    """Return the browser of somebody who may everything; a fault of a page is an answer, as for people."""
    client = Client(raise_request_exception=False)
    client.force_login(make_user("superuser"))
    return client
