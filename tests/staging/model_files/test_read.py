"""Promises of reading: values mean what they look like, and no file can harm."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from staging.errors import InvalidDefinition
from staging.model_files.read import MAX_BYTES, parse_json, parse_yaml, read_file
from staging.model_files.write import write_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-5", -5),
        ("0.50", Decimal("0.50")),
        ("12345678901234567890.12345678901234567890", Decimal("12345678901234567890.12345678901234567890")),
        ("0123", "0123"),
        ("12:30", "12:30"),
        ("no", "no"),
        ("NO", "NO"),
        ("on", "on"),
        ("2026-01-31", "2026-01-31"),
        ("2026-01-31T10:00:00Z", "2026-01-31T10:00:00Z"),
        ("1e3", "1e3"),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        (".inf", ".inf"),
        ("true", True),
        ("null", None),
        ("~", None),
        ("'5'", "5"),
    ],
)
def test_a_value_means_what_it_looks_like(text: str, value: Any):
    read = parse_yaml(f"x: {text}")["x"]
    assert read == value
    assert type(read) is type(value)
    if isinstance(value, Decimal):
        assert str(read) == str(value)


_BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: [", "not YAML, line 2, column 1"),
        ("a: 1\na: 2", "key 'a' is there twice"),
        ("a: b: c", "not YAML, line 1"),
        (_BOMB, "anchors are not accepted"),
        ("[" * 100_000, "nested too deep"),
        ("a: !!python/object/apply:os.system ['true']", "not YAML"),
        ("a: !!python/name:os.system x", "not YAML"),
        ("--- 1\n--- 2", "not YAML"),
        ("a: \x00", "not YAML"),
        ("a: " + "9" * 5000, "not YAML"),
        ("? [1, 2]\n: 3", "a key must be text"),
        ("{{a: 1}: 2}", "a key must be text"),
    ],
)
def test_a_harmful_or_broken_file_is_refused_with_a_sentence(text: str, says: str):
    with pytest.raises(InvalidDefinition) as caught:
        parse_yaml(text)
    assert says in caught.value.errors["file"][0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON, line 1, column 2"),
        ('{"a": 1, "a": 2}', "'a' is there twice"),
        ('{"a": NaN}', "NaN is no number"),
        ("[" * 200_000, "not JSON"),
    ],
)
def test_broken_json_is_refused_with_a_sentence(text: str, says: str):
    with pytest.raises(InvalidDefinition) as caught:
        parse_json(text)
    assert says in caught.value.errors["file"][0]


def test_json_and_yaml_read_the_same(tmp_path: Path):
    for name, content in (("m.json", '\ufeff{"a": [1, 0.50, "12:30"]}'), ("m.yaml", "a: [1, 0.50, 12:30]")):
        (tmp_path / name).write_text(content, encoding="utf-8")
        assert read_file(tmp_path / name) == {"a": [1, Decimal("0.50"), "12:30"]}


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "cannot be read"), (b"a: \xff", "not UTF-8"), (b"#" * (MAX_BYTES + 1), "larger than 5 MB")],
)
def test_an_unreadable_file_is_refused_with_a_sentence(tmp_path: Path, content: bytes | None, says: str):
    path = tmp_path / "model.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidDefinition, match=says):
        read_file(path)


@pytest.mark.parametrize(
    "value",
    [
        "5",
        "0.50",
        "1e3",
        "12:30",
        "no",
        "null",
        "~",
        "",
        " ",
        "a: b",
        "é\n",
        "- x",
        "#",
        7,
        Decimal("0.10"),
        0.2,
        1e-07,
        [],
    ],
)
def test_what_is_written_reads_back_the_same(value: Any):
    expected = Decimal(repr(value)) if isinstance(value, float) else value
    read = parse_yaml(write_yaml({"x": value, "y": [value, value]}))
    assert read == {"x": expected, "y": [expected, expected]}
    assert type(read["x"]) is type(expected)
