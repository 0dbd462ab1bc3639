"""The auditor of the soak would notice: each promise is broken as it once was, and it says so (deep checks only)."""

import logging
import os
import time
from pathlib import Path

import pytest

from tests.acceptance.soak.breaks import BREAKS
from tests.acceptance.soak.rain import Soak, Weather, soaked
from tests.depth import DEEP

logger = logging.getLogger(__name__)

# It ends as soon as it is convicted; so long at most.
SECONDS = int(os.environ.get("SOAK_BREAK_SECONDS", "600"))

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(not DEEP, reason="minutes for each; make test-deep, or DEPTH=deep make test-services ARGS=…"),
]


@pytest.mark.parametrize("name", BREAKS)
def test_a_promise_that_is_broken_is_noticed(name: str, tmp_path: Path) -> None:
    broken = BREAKS[name]
    with soaked(tmp_path) as installation:
        installation.environment["SOAK_BREAKS"] = name
        began = time.monotonic()
        weather = Weather(broken.faults, broken.deliveries, broken.wishes, broken.says, broken.pause_seconds)
        found = Soak(installation, name, weather).rain(SECONDS)
        logger.info("%s: %.0f s: %s", name, time.monotonic() - began, found)
        assert any(broken.says in what for what in found), f"{found}\n{installation.logs()}"
