"""Forgets what the pieces of the test before did."""

import pytest

from tests.scheduling.runs.pieces import FAILING, RAN


@pytest.fixture(autouse=True)
def _forget() -> None:
    RAN.clear()
    FAILING.clear()
