"""The catalogue of faults is whole: each has its row, and each test that a row names is there."""

import ast
import re
from functools import cache

import pytest

from tests.house.source import ROOT

FAULTS = 105
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
# What a row says that no test tries.
NOT_TRIED = "not tried:"


def rows() -> list[tuple[str, ...]]:
    """Return number, fault, what happens and tests of each row."""
    return ROW.findall((ROOT / "docs" / "faults.md").read_text(encoding="utf-8"))


@cache
def names(path: str) -> frozenset[str]:
    """Return the names of all functions of a file."""
    found = ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
    return frozenset(node.name for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_fault_has_its_row():
    assert [int(number) for number, *_ in rows()] == list(range(1, FAULTS + 1))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_row_names_tests_that_are_there_or_says_why_none_is(row):
    tests = TEST.findall(row[3])
    assert tests or NOT_TRIED in row[3], "name a test, or say why it cannot be tried"
    gone = [f"{path}::{name}" for path, name in tests if not (ROOT / path).exists() or name not in names(path)]
    assert not gone, gone
    assert all(name.startswith("test_") for _, name in tests)


def test_the_rule_sees_a_test_that_is_gone():
    assert "test_every_fault_has_its_row" in names("tests/house/test_faults.py")
    assert "test_that_nobody_wrote" not in names("tests/house/test_faults.py")
