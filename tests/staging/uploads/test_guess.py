"""Attributes proposed from a file: every value fits the type that is guessed, and every name is legal and its own."""

from pathlib import Path

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from staging.entities.values import parse_value
from staging.errors import BadFile
from staging.identifiers import check_column, legal_column
from staging.states import NO, YES, DataType
from staging.uploads.guess import MOST, guess_type, propose

KNOWN = {"code", "name", "new_code", "import_action", "batch_tag"}
VALUES = st.one_of(
    st.text(min_size=1, max_size=12).map(str.strip).filter(bool),
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.dates().map(str),
    st.datetimes().map(lambda at: at.isoformat()),
    st.sampled_from((*YES, *NO)),
)


def _proposed(tmp_path: Path, text: str, encoding: str = "utf-8") -> list[tuple[str, str, str]]:
    path = tmp_path / "file.csv"
    path.write_bytes(text.encode(encoding))
    return [(one.header, one.name, one.data_type.value) for one in propose(path, KNOWN)]


@given(st.lists(VALUES, max_size=6))
def test_every_value_fits_the_type_that_is_guessed(values: list[str]) -> None:
    kind = guess_type(values)
    if kind == DataType.BOOLEAN:
        assert {value.lower() for value in values} <= {*YES, *NO}
    else:
        assert all(parse_value(kind, value) is not None for value in values)


@given(st.lists(st.text(max_size=60), max_size=8))
def test_every_name_is_legal_and_its_own(headers: list[str]) -> None:
    taken: set[str] = set()
    for header in headers:
        name = legal_column(header, taken)
        assert check_column(name) == name and name not in taken
        taken.add(name)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-20"], "integer"),
        (["0", "1"], "integer"),
        (["1", "2.5"], "decimal"),
        (["yes", "No", "1"], "boolean"),
        (["2026-01-31"], "date"),
        (["2026-01-31", "2026-01-31T12:00:00"], "datetime"),
        (["007", "12"], "text"),
        (["+31612345678"], "text"),
        (["1E5"], "text"),
        (["31-01-2026"], "text"),
        ([], "text"),
    ],
)
def test_types_are_the_narrowest_that_lose_nothing(values: list[str], kind: str) -> None:
    assert guess_type(values) == kind


def test_the_head_of_a_file_becomes_attributes(tmp_path: Path) -> None:
    text = "Code;Name;Größe (cm);id;Größe cm;2nd\nA;Ann;180;7;;x\n"
    expected = [
        ("Größe (cm)", "grosse_cm", "integer"),
        ("id", "own_id", "integer"),
        ("Größe cm", "grosse_cm_2", "text"),
        ("2nd", "column_2nd", "text"),
    ]
    assert _proposed(tmp_path, text) == expected
    assert _proposed(tmp_path, text, "cp1252") == expected


def test_a_head_alone_is_enough(tmp_path: Path) -> None:
    assert _proposed(tmp_path, "colour\tsize 2\t3rd") == [
        ("colour", "colour", "text"),
        ("size 2", "size_2", "text"),
        ("3rd", "column_3rd", "text"),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("code,name\nA,Ann\n", "names no column that is not there already"),
        (",".join(f"c{at}" for at in range(MOST + 1)), "at most 200 are proposed at once"),
        ("", "The file is empty"),
        ("a,a\n1,2\n", "two columns have the name"),
    ],
)
@override_settings(UPLOAD_MAX_COLUMNS=500)
def test_what_cannot_be_proposed_is_said(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(BadFile, match=why):
        _proposed(tmp_path, text)
