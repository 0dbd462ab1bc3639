"""User patterns: the same answer on both databases, never a hang, and a sentence for what is refused."""

from time import perf_counter

import pytest
from django.db import connection
from hypothesis import example, given, settings
from hypothesis import strategies as st

from staging.patterns import check_pattern, compiled, to_postgresql
from tests.depth import examples

_ATOMS = st.sampled_from(
    [
        *("ab1_ .-éß{", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\.", "\\n", "\\t", "\\x41", "\\x{e9}"),
        *("[ab]", "[^ab]", "[a-c\\d]", "[^\\w ]", "[\\D]", "[[:alpha:]_]", "[[:^digit:]]", "[-a]", "[]a]", "[^]]"),
        *("[.]", "(?:)", "{", "a{,2}", *"ab1_ .-éß"),
    ]
)
_TIMES = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,}", "*?", "+?", "??"])
_ENDS = st.sampled_from(["", "", "^", "$", "\\b", "\\B", "\\A", "\\z"])


@st.composite
def patterns(draw: st.DrawFn, depth: int = 2) -> str:
    """Return a pattern put together from all that is allowed."""
    pieces = []
    for _ in range(draw(st.integers(1, 4))):
        atom = draw(_ATOMS)
        if depth and draw(st.integers(0, 3)) == 0:
            group = draw(st.sampled_from(["(", "(?:", "(?P<name>"])) if depth == 2 else "(?:"
            atom = f"{group}{draw(patterns(depth - 1))})"
            pieces = [piece for piece in pieces if "(?P" not in piece] if "(?P" in group else pieces
        pieces.append(draw(_ENDS) + atom + draw(_TIMES))
    return draw(st.sampled_from(["", "", f"{draw(_ATOMS)}|"])) + "".join(pieces)


texts = st.text(st.sampled_from("ab1_ .-éßAÀ\n\t\x0b{},2"), max_size=8)


@pytest.mark.postgresql
@pytest.mark.django_db
@settings(max_examples=examples(300), deadline=None)
@given(patterns(), st.lists(texts, min_size=1, max_size=6))
@example("\\bß", ["ß", "aß"])
@example("^\\w+$", ["é", "a"])
@example("a.b", ["a\nb", "a-b"])
def test_a_pattern_means_the_same_to_postgresql_and_to_re2(pattern: str, values: list[str]) -> None:
    if check_pattern(pattern) is not None:
        return
    with connection.cursor() as cursor:
        for value in values:
            cursor.execute("SELECT %s ~ %s", [value, to_postgresql(pattern)])
            assert cursor.fetchone()[0] == bool(compiled(pattern).search(value)), (pattern, value)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(a)\\1", "(?i)a", "(?s:a)", "a{256}", "a{1,300}", "\\pL", "\\p{Greek}",
        "\\Qa\\E", "\\C", "[", "(", "a**", "*", "\\", "^*", "\\b+", "\\x00", "[\\x{0}]", "\ud800", "\\1", "\\07",
        "a\x00",        "\\b" * 21,
    ],
)  # fmt: skip
def test_what_cannot_mean_the_same_is_refused_with_a_sentence(pattern: str) -> None:
    problem = check_pattern(pattern)

    assert problem is not None
    assert problem.endswith(".")


@pytest.mark.parametrize(
    "pattern", ["^[^@ ]+@[^@ ]+$", "^[A-Z]{2}\\d{4}$", "", "a|b", "x{,3}", "^(?:\\+31|0)[1-9]\\d{8}$"]
)
def test_ordinary_patterns_are_accepted(pattern: str) -> None:
    assert check_pattern(pattern) is None


def test_a_pattern_that_explodes_elsewhere_takes_no_time() -> None:
    started = perf_counter()

    assert not compiled("(a+)+$").search("a" * 100_000 + "b")
    assert perf_counter() - started < 2
