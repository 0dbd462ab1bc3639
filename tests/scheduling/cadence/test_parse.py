"""From a document to a cadence, or to all its faults."""

from dataclasses import FrozenInstanceError

import pytest

from scheduling.cadence.parse import KINDS
from tests.scheduling.cadence.asking import cadence, faults


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    for kind in ("hourly", None, ["daily"]):
        (message,) = faults({"kind": kind})["kind"]
        assert all(known in message for known in KINDS)


def test_a_field_that_the_kind_does_not_have_is_refused() -> None:
    assert faults({"kind": "daily", "times": ["06:00"], "time": "07:00"}) == {
        "time": ["A cadence of kind daily has no field time."]
    }


def test_faults_of_all_fields_come_together_with_the_zone_s() -> None:
    document = {"kind": "weekly", "days": "mon", "times": ["6am"], "ends_on": "2026-13-01", "every_weeks": "two"}
    assert faults(document, "Nowhere").keys() == {"timezone", "days", "times", "ends_on", "every_weeks"}


def test_the_last_day_may_not_lie_before_the_first() -> None:
    document = {"kind": "daily", "times": ["06:00"], "starts_on": "2026-02-02", "ends_on": "2026-02-01"}
    assert faults(document) == {"ends_on": ["The last day 2026-02-01 is before the first day 2026-02-02."]}


def test_a_cadence_cannot_be_changed_and_equal_ones_are_equal() -> None:
    rule = cadence("daily", times=["06:00", "06:00"])
    assert rule == cadence("daily", times=["6:00"])
    assert hash(rule) == hash(cadence("daily", times=["6:00"]))
    with pytest.raises(FrozenInstanceError):
        rule.timezone = "Europe/Amsterdam"  # type: ignore[misc]
