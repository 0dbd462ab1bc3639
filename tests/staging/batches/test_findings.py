"""Every problem of a row is told apart, however many columns an entity has."""

import pytest

from staging.batches.judging import checks
from staging.batches.judging.checks import Findings
from tests.staging.batches.bench import define, errors, run_batch, stage, staged

pytestmark = pytest.mark.django_db


def test_the_problems_of_a_column_share_an_integer_and_no_bit_is_given_twice() -> None:
    findings = Findings()
    for number in range(50):
        findings.add(f"c{number}", [(p, "", False) for p in (checks.REQUIRED, checks.TOO_LONG, checks.CHOICE)])

    given = {(f.word, f.bit) for f in findings}
    assert len(given) == len(findings) == 150
    assert all(len({f.word for f in findings if f.shown == f"c{number}"}) == 1 for number in range(50))
    assert max(bit for _, bit in given) < 2**62
    assert len(findings.words) == 3


def test_each_column_of_a_wide_entity_says_what_is_wrong_with_it() -> None:
    entity = define(
        "thing", *({"name": f"n{number}", "data_type": "integer", "max_value": "9"} for number in range(60))
    )
    wrong = [{"code": f"c{n}", f"n{n}": "x"} for n in range(60)]
    high = [{"code": f"d{n}", f"n{n}": "10"} for n in range(60)]
    both = {"code": "e", **{f"n{n}": "10" if n % 2 else "x" for n in range(60)}}
    stage(entity, *wrong, *high, both, {"code": "good", **{f"n{n}": "1" for n in range(60)}})

    assert run_batch(entity).rejected == 121

    messages_ = [row["error_message"] for row in staged(entity)]
    assert messages_[:60] == [f"n{n}: 'x' is not a whole number." for n in range(60)]
    assert messages_[60:120] == [f"n{n}: '10' is above 9." for n in range(60)]
    assert messages_[120].count("is above 9.") == messages_[120].count("is not a whole number.") == 30
    assert (errors(entity)["c59"], errors(entity)["d59"], errors(entity)["e"], errors(entity)["good"]) == (8, 16, 24, 0)
