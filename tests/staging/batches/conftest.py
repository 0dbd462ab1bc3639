"""What the tests of batches share."""

from typing import Any

import pytest


@pytest.fixture(params=[1, 2, 1000], ids=lambda rows: f"{rows} rows a chunk")
def chunks(request: pytest.FixtureRequest, settings: Any) -> int:
    """Merge in chunks of very few rows, then all in one."""
    settings.MERGE_CHUNK_ROWS = request.param
    return int(request.param)
