"""The fixtures of the crash-point matrix: its ground is prepared once, each test has a site of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.crash.ground import Ground, ground
from tests.acceptance.crash.site import Site


@pytest.fixture(scope="session")
def _ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with ground(tmp_path_factory.mktemp("ground")) as made:
        yield made


@pytest.fixture
def site(_ground: Ground, tmp_path: Path) -> Iterator[Site]:
    """The prepared database, its auditor watching, for one test."""
    with _ground.site(tmp_path) as made:
        yield made
