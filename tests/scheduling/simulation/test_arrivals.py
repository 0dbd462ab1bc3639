"""Promises about the arrival history: two plain forms, and a bad line is named."""

from datetime import UTC, datetime

import pytest

from scheduling.simulation.arrivals import Arrival, BadArrivals, read_arrivals

KNOWN = {"branch", "region"}
SIX, SEVEN = datetime(2026, 3, 2, 6, tzinfo=UTC), datetime(2026, 3, 2, 7, tzinfo=UTC)


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a file and reads it as arrivals."""

    def reading(content: str | bytes):
        path = tmp_path / "arrivals.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_arrivals(path, KNOWN)

    return reading


@pytest.mark.parametrize(
    "content",
    [
        "at,entity,rows\n2026-03-02T07:00:00+00:00,branch,5\n2026-03-02T07:00:00+01:00,branch,500\n",
        "2026-03-02T07:00:00Z,branch,5\n\n 2026-03-02T06:00:00Z , branch , 500 \n",
        '"2026-03-02T07:00:00Z","branch",5\r\n2026-03-02T06:00:00Z,branch,500\r\n',
        '{"at": "2026-03-02T07:00:00Z", "entity": "branch", "rows": 5}\n'
        '{"at": "2026-03-02T06:00:00Z", "entity": "branch", "rows": 500}\n',
        b"\xef\xbb\xbfat,entity,rows\n2026-03-02T07:00:00Z,branch,5\n2026-03-02T06:00:00Z,branch,500",
    ],
)
def test_csv_and_json_lines_in_any_order_read_the_same(read, content):
    assert read(content) == {"branch": [Arrival(SIX, 500), Arrival(SEVEN, 5)]}


def test_each_entity_has_its_own_arrivals_and_an_empty_file_has_none(read):
    assert set(read("2026-03-02T07:00:00Z,branch,5\n2026-03-02T06:00:00Z,region,1\n")) == KNOWN
    assert read("") == read("at,entity,rows\n") == {}


GOOD = "at,entity,rows\n2026-03-02T07:00:00Z,branch,5\n"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("2026-03-02T07:00:00Z,branch", "write three values"),
        ("2026-03-02T07:00:00Z,branch,5,6", "write three values"),
        ("yesterday,branch,5", "'yesterday' is not an instant"),
        ("2026-03-02T07:00:00,branch,5", "has no offset"),
        ("0001-01-01T00:00:00+14:00,branch,5", "is not an instant"),
        ("2026-03-02T07:00:00Z,nosuch,5", "no entity with the code 'nosuch'"),
        ("2026-03-02T07:00:00Z,branch,0", "is not a number of rows"),
        ("2026-03-02T07:00:00Z,branch,-1", "is not a number of rows"),
        ("2026-03-02T07:00:00Z,branch,1.5", "is not a number of rows"),
        ("2026-03-02T07:00:00Z,branch,٣", "is not a number of rows"),
        (f"2026-03-02T07:00:00Z,branch,{'9' * 5000}", "is not a number of rows"),
        ('"2026-03-02T07:00:00Z,branch,5', "not CSV"),
        ("at,entity,rows", "no entity"),
        ("{", "not JSON"),
        ('{"at": "2026-03-02T07:00:00Z", "entity": "branch", "rows": 1, "tag": "x"}', "'tag' is not known"),
        ('{"at": 5, "entity": "branch", "rows": 1}', "is not an instant"),
        ('{"at": null, "entity": "branch", "rows": 1}', "is not an instant"),
        ('{"at": "2026-03-02T07:00:00Z", "entity": ["branch"], "rows": 1}', "no entity"),
        ('{"at": "2026-03-02T07:00:00Z", "entity": "branch", "rows": true}', "is not a number of rows"),
        ('{"at": "2026-03-02T07:00:00Z", "entity": "branch"}', "is not a number of rows"),
    ],
)
def test_a_bad_line_is_named_with_what_is_wrong(read, line, says):
    with pytest.raises(BadArrivals, match="line 4: ") as error:
        read(GOOD + "\n" + line + "\n")
    assert says in str(error.value) and "\n" not in str(error.value) and len(str(error.value)) < 300


def test_a_file_that_is_not_there_or_not_text_is_said(read, tmp_path):
    with pytest.raises(BadArrivals, match="No such file"):
        read_arrivals(tmp_path / "nosuch", KNOWN)
    with pytest.raises(BadArrivals, match="not UTF-8"):
        read(b"\xff\xfe\x00")
    with pytest.raises(BadArrivals, match="directory"):
        read_arrivals(tmp_path, KNOWN)
