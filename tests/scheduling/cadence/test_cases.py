"""The public conformance cases, to the letter, forwards and backwards."""

import json
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from scheduling.cadence.parse import parse_cadence

CASES = json.loads(Path(__file__).with_name("cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_public_case_fires_as_expected(case: dict[str, Any]) -> None:
    rule = parse_cadence(case["cadence"], case["timezone"])
    found: list[datetime] = []
    moment: datetime | None = datetime.fromisoformat(case["after"])
    while len(found) < max(len(case["expected"]), 1) and (moment := rule.next_after(moment)) is not None:
        found.append(moment)
    assert [fire.astimezone(rule.zone).isoformat() for fire in found] == case["expected"]
    assert all(rule.previous_before(later) == earlier for earlier, later in pairwise(found))
