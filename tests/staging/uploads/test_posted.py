"""Posted rows are read as they stand there, a few at a time, whatever somebody sends."""

import io
import json
import threading
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as trying
from hypothesis import strategies as st

from staging.uploads.posted import (
    OtherStream,
    Posted,
    Refusal,
    Taken,
    TooMuch,
    Unreadable,
    csv_text,
    one_by_one,
    posted_array,
    posted_csv,
    posted_lines,
)
from tests.depth import examples

_VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.text(alphabet='"\\{}[],:\n '))
_ROWS = st.lists(
    st.one_of(
        st.dictionaries(st.text(alphabet='ab"\\{}[],:é', max_size=4), _VALUES, max_size=4),
        st.recursive(_VALUES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5),
    ),
    max_size=8,
)


_ODD = ['{"a":"x"}', '{"a":"x}', '{","b":"y"}', '{"a":""}', '{"a":1.10}\r', ' {"a":true} ', "", "[1]"]


@pytest.fixture
def limited(settings: Any) -> Any:
    """The settings, under a name that is not Hypothesis's."""
    return settings


def array(text: str | bytes) -> list[Posted | Refusal]:
    """Return the rows of an array."""
    return list(one_by_one(posted_array(text if isinstance(text, bytes) else text.encode())))


def lines(text: str | bytes) -> list[Posted | Refusal]:
    """Return the rows of a stream that comes in small pieces."""
    source = io.BytesIO(text if isinstance(text, bytes) else text.encode())

    class Dripping:
        def read(self, size: int = -1) -> bytes:
            return source.read(min(size, 7 if len(text) < 10_000 else 700))

    return list(one_by_one(chain.from_iterable(posted_lines(Dripping()))))


def refusals(rows: list[Posted | Refusal]) -> list[tuple[int, str]]:
    """Return where rows were refused."""
    return [(row.position, row.path) for row in rows if isinstance(row, Refusal)]


@trying(max_examples=examples(200))
@given(_ROWS, st.sampled_from([None, 1, "\t"]))
def test_an_array_is_read_as_any_reader_of_json_reads_it(rows: list[Any], indent: Any) -> None:
    text = json.dumps(rows, indent=indent)
    found = array(text)
    assert [row.position for row in found] == list(range(1, len(rows) + 1))
    for given_, row in zip(json.loads(text, parse_int=str, parse_float=str), found, strict=True):
        if isinstance(row, Posted):
            assert row.values == given_
        else:
            values = given_.values() if isinstance(given_, dict) else []
            odd = [v for v in values if isinstance(v, dict | list) or (isinstance(v, str) and ("\x00" in v))]
            halves = [v for v in values if isinstance(v, str) and any("\ud800" <= c <= "\udfff" for c in v)]
            assert not isinstance(given_, dict) or odd or halves


@trying(max_examples=examples(200))
@given(_ROWS)
def test_lines_are_read_as_the_same_rows(rows: list[Any]) -> None:
    text = "\n".join(json.dumps(row) for row in rows)
    assert [(row.position, getattr(row, "values", None)) for row in lines(text)] == [
        (row.position, getattr(row, "values", None)) for row in array(json.dumps(rows))
    ]


@trying(max_examples=examples(300))
@given(st.lists(st.sampled_from(_ODD) | st.text(alphabet='[]{}",:\\ \r01ae', max_size=12), max_size=6))
def test_each_line_is_judged_by_itself_whatever_stands_around_it(each: list[str]) -> None:
    """Two lines that are no JSON may be one object when something is put between them."""
    alone = [row for line in each for row in lines(line)]
    together = lines("\n".join(each))
    assert [row.position for row in together] == list(range(1, len(alone) + 1))
    told = [[row.values if isinstance(row, Posted) else row.text for row in rows] for rows in (together, alone)]
    assert told[0] == told[1]


@trying(max_examples=examples(300))
@given(st.text(alphabet='[]{}",:\\ \n01ae', max_size=40))
def test_what_is_no_json_is_never_taken_for_rows(text: str) -> None:
    try:
        meant = json.loads(text, parse_int=str, parse_float=str)
    except ValueError:
        meant = None
    try:
        found = array(text)
    except Unreadable:
        assert not isinstance(meant, list)
    else:
        assert isinstance(meant, list) and len(found) == len(meant)


@pytest.mark.parametrize(
    "text", ["", "{}", "[", "[{}", "[{},]", "[,{}]", "[{} {}]", "[{}]x", "[{1}]", "[NaN]", '[{"a":NaN}]', "[[]", "[]]"]
)
def test_a_document_that_is_no_array_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        array(text)


def test_numbers_stay_the_digits_that_were_sent() -> None:
    text = '{"a": 1.10, "b": 1e400, "c": -0, "d": 123456789012345678901234567890, "e": 1E+2, "f": true, "g": null}'
    expected = {"a": "1.10", "b": "1e400", "c": "-0", "d": "123456789012345678901234567890", "e": "1E+2", "f": True}
    for found in (array(f"[{text}]"), lines(text), array(f"[{text},{text}]")):
        assert isinstance(found[0], Posted) and found[0].values == {**expected, "g": None}


def test_unusable_rows_are_refused_in_their_place(limited: Any) -> None:
    limited.UPLOAD_MAX_CELL_CHARACTERS = 5
    rows = ['{"a":"ok"}', "7", '"x"', "null", "[]", '{"a":[1]}', '{"b":{"c":1}}', '{"a":"123456"}', '{"a":"\\u0000"}']
    rows += ['{"a":"\\ud800"}', '{"a":"\\ud83d\\ude00"}']
    refused = [(2, ""), (3, ""), (4, ""), (5, ""), (6, "a"), (7, "b"), (8, "a"), (9, "a"), (10, "a")]
    assert refusals(array(f"[{','.join(rows)}]")) == refusals(lines("\n".join(rows))) == refused


def test_in_a_stream_a_line_that_is_no_json_is_refused_and_the_others_are_read() -> None:
    bad = ['{"a":1', '"b":2}', '{"a":1},{"a":2}', '{"a":NaN}', "x", '{"a":1}]', "[" * 100_000]
    text = "\n".join(['{"a":"1"}', *bad, "", "  ", '{"a":"2"}'])
    found = lines(text)
    assert [row.position for row in found] == list(range(1, 10))
    assert refusals(found) == [(number, "") for number in range(2, 9)]
    assert refusals(lines(b'{"a":"\xff"}\n{"a":"\xc3\xa9"}')) == [(1, "")]


def test_a_line_or_a_row_that_is_too_long_is_refused_and_not_kept(limited: Any) -> None:
    limited.UPLOAD_MAX_CELL_CHARACTERS = 10
    long = '{"a":"' + "x" * 1_100_000 + '"}'
    for read in (lambda rows: lines("\n".join(rows)), lambda rows: array(f"[{','.join(rows)}]")):
        assert [place for place, _ in refusals(read(['{"a":"1"}', long, '{"a":"2"}']))] == [2]
        assert [place for place, _ in refusals(read([long]))] == [1]


def test_an_array_of_more_than_ten_thousand_rows_names_the_stream() -> None:
    assert len(array(f"[{','.join(['{}'] * 10_000)}]")) == 10_000
    with pytest.raises(TooMuch, match="x-ndjson"):
        array(f"[{','.join(['{}'] * 10_001)}]")


def test_a_mark_of_utf_8_is_passed_over() -> None:
    assert len(array(b'\xef\xbb\xbf[{"a":"b"}]')) == len(lines(b'\xef\xbb\xbf{"a":"b"}')) == 1


def test_csv_has_its_columns_and_its_rows() -> None:
    columns, rows = posted_csv(io.StringIO('code,name\r\na,"x, y"\n\nb,\n', newline=""))
    assert columns == ["code", "name"]
    assert [(row.position, row.values) for row in one_by_one(rows) if isinstance(row, Posted)] == [
        (1, {"code": "a", "name": "x, y"}),
        (2, {"code": "b", "name": ""}),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "The body is empty."),
        ('code,name\na,"b', "Line 2: the body ends inside a value in quotation marks."),
        ("code,name\na,b,c\n", "Line 2 has 3 values and the first line has 2."),
    ],
)
def test_csv_that_cannot_be_read_is_told_as_a_body(text: str, told: str):
    with pytest.raises(Unreadable) as refused:
        list(posted_csv(io.StringIO(text, newline=""))[1])
    assert refused.value.errors == {"": [told]}


def test_an_unusable_value_of_csv_is_refused_and_what_is_no_csv_is_unreadable(limited: Any) -> None:
    limited.UPLOAD_MAX_CELL_CHARACTERS = 5
    _, rows = posted_csv(io.StringIO("code,name\na,123456\nb,x\x00\nc,d\n"))
    assert refusals(list(one_by_one(rows))) == [(1, "name"), (2, "name")]
    for body in (b"", b"code,code\na,b\n", b"code\n\xff\n", b"code,name\na\n", b'code\n"a', b"code\na,b,c\n"):
        with pytest.raises(Unreadable), csv_text(io.BytesIO(body)) as text:
            list(posted_csv(text)[1])


@pytest.mark.parametrize(
    "body",
    [
        lambda: b"[" * 20_000_000,
        lambda: b"[" + b"[]," * 7_000_000 + b"[]]",
        lambda: b"[" + b'{"a":' * 5_000_000,
        lambda: b'[{"a":[' + b"1," * 10_000_000 + b"1]}]",
        lambda: b"[{" + b",".join(b'"%d":1' % n for n in range(2_000_000)) + b"}]",
        lambda: b'["' + b"\\u0000" * 3_000_000 + b'"]',
    ],
    ids=["deep", "many lists", "deep objects", "a long list", "many keys", "a long text"],
)
def test_no_body_fills_the_memory(body: Callable[[], bytes]) -> None:
    sent = body()
    tracemalloc.start()
    with suppress(Unreadable, TooMuch):
        list(posted_array(sent))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 << 20


_LINES = st.lists(st.binary(max_size=3).filter(lambda line: b"\n" not in line), max_size=30)


def _rest(lines: list[bytes], cuts: set[int], taken: Taken) -> list[bytes]:
    """Return the lines that are new, when they come in groups that end at these numbers."""
    new: list[bytes] = []
    for first, last in pairwise(sorted({0, *(cut for cut in cuts if cut < len(lines)), len(lines)})):
        some = lines[first:last]
        new += some[taken.known(b"\n".join(some)) :]
    taken.end()
    return new


@given(_LINES, st.sets(st.integers(1, 30)), st.sets(st.integers(1, 30)), st.data())
@trying(max_examples=examples(200), deadline=None)
def test_what_was_taken_is_passed_over_however_the_lines_come(
    lines: list[bytes], cuts: set[int], others: set[int], data: st.DataObject
) -> None:
    until = data.draw(st.integers(0, len(lines)))
    first = Taken()
    assert _rest(lines[:until], cuts, first) == lines[:until]
    again = Taken(first.lines, first.digest())
    assert _rest(lines, others, again) == lines[until:] and again.lines == len(lines)
    if until:
        changed = data.draw(st.integers(0, until - 1))
        for other in ([*lines[:changed], b"other", *lines[changed + 1 :]], lines[:changed]):
            with pytest.raises(OtherStream):
                _rest(other, others, Taken(first.lines, first.digest()))


def test_a_body_that_is_read_to_its_end_meanwhile_makes_no_value_of_another_too_long() -> None:
    """How long a value may be is one limit of the whole process, set while rows are read."""
    has_begun, has_ended = threading.Event(), threading.Event()
    refused: list[Any] = []

    class Slow(io.StringIO):
        def readline(self, *size: Any) -> str:
            line = super().readline(*size)
            if line.startswith("b"):
                has_begun.set()
                has_ended.wait(0.5)
            return line

    class First(io.StringIO):
        def readline(self, *size: Any) -> str:
            has_begun.wait(0.5)
            return super().readline(*size)

    def read(text: io.StringIO) -> None:
        refused.extend(one_by_one(posted_csv(text)[1]))

    first = threading.Thread(target=lambda: (read(First("code\na\n")), has_ended.set()))
    other = threading.Thread(target=read, args=(Slow("code\nb\n" + "x" * 200_000 + "\n"),))
    for thread in (first, other):
        thread.start()
    for thread in (first, other):
        thread.join(10)
    assert [each.position for each in refused if isinstance(each, Refusal)] == [2]
