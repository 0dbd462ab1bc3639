"""Once: a single local moment."""

from tests.scheduling.cadence.asking import before, cadence, faults, fires


def test_it_fires_once_and_then_never() -> None:
    rule = cadence("once", "Europe/Amsterdam", at_local="2026-06-15T09:00:00")
    assert fires(rule, "2026-06-15T08:59:59+02:00") == ["2026-06-15T09:00+02:00"]
    assert fires(rule, "2026-06-15T09:00:00+02:00") == []
    assert before(rule, "2026-06-15T09:00:01+02:00") == "2026-06-15T09:00+02:00"
    assert before(rule, "2026-06-15T09:00:00+02:00") is None


def test_a_moment_in_the_gap_moves_on_by_the_gap() -> None:
    rule = cadence("once", "Europe/Amsterdam", at_local="2026-03-29T02:30:00")
    assert fires(rule, "2026-01-01T00:00+00:00") == ["2026-03-29T03:30+02:00"]


def test_a_moment_in_the_overlap_is_its_first_copy() -> None:
    rule = cadence("once", "Europe/Amsterdam", at_local="2026-10-25T02:30:00")
    assert fires(rule, "2026-01-01T00:00+00:00") == ["2026-10-25T02:30+02:00"]


def test_outside_its_dates_it_never_fires() -> None:
    rule = cadence("once", at_local="2026-10-25T02:30:00", starts_on="2026-10-26")
    assert fires(rule, "2026-01-01T00:00+00:00") == []
    assert not rule.can_fire()


def test_its_sentence() -> None:
    assert cadence("once", at_local="2026-06-15T09:00:00").describe() == "Once on 2026-06-15 at 09:00, UTC"


def test_it_refuses_an_offset_and_nonsense() -> None:
    assert "offset" in faults({"kind": "once", "at_local": "2026-06-15T09:00:00+02:00"})["at_local"][0]
    assert faults({"kind": "once", "at_local": 5}).keys() == {"at_local"}
    assert faults({"kind": "once"}).keys() == {"at_local"}
