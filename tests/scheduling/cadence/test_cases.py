"""The public conformance cases, to the letter."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from scheduling.cadence.parse import parse_cadence
from tests.scheduling.cadence.asking import fires

CASES = json.loads(Path(__file__).with_name("cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_public_case_fires_as_expected(case: dict[str, Any]) -> None:
    rule = parse_cadence(case["cadence"], case["timezone"])
    expected = [datetime.fromisoformat(fire).isoformat(timespec="minutes") for fire in case["expected"]]
    assert fires(rule, case["after"], max(len(expected), 1)) == expected
