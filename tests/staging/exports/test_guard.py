"""No exported text is a formula, and every text comes back as it was."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from staging.exports.guard import guard, unguard

_FULL_WIDTH = "\uff1d\uff0b\uff0d\uff20"
_TEXTS = st.text(alphabet=f"'=+-@\t\r\n 1.e5ab{_FULL_WIDTH}", max_size=8)


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-", "=", "+", "@", "\n=1", *_FULL_WIDTH]
)
def test_what_a_spreadsheet_would_compute_gets_an_apostrophe(text):
    assert guard(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "-5", "+5", "-1.50", "-1e5", "1", "a=b", "'quoted'", "O'Brien", " =1", "é"])
def test_numbers_and_ordinary_text_stay_as_they_are(text):
    assert guard(text) == text


@given(_TEXTS)
@example("'=1")
@example("''-")
@example("'-5")
def test_unguard_gives_back_what_was_guarded(text):
    assert unguard(guard(text)) == text


@given(_TEXTS)
def test_nothing_guarded_starts_a_formula(text):
    guarded = guard(text)
    assert not guarded.startswith(("=", "@", "\t", "\r", "\n", *_FULL_WIDTH))
    if guarded.startswith(("+", "-")):
        float(guarded)
