"""docs/asvs.md has one row for each requirement that we claim, and every test it names is there."""

import ast
import re

from tests.house.source import ROOT, tree

CLAIMED = [
    "1.2.4", "1.2.9", "1.2.10", "1.3.6", "1.3.7", "1.3.12", "1.5.2", "2.2.1", "2.3.1", "2.3.2", "2.3.3", "2.3.4",
    "2.4.1", "3.2.1", "3.2.2", "3.3.1", "3.3.2", "3.3.3", "3.3.4", "3.4.1", "3.4.2", "3.4.3", "3.4.4", "3.4.5",
    "3.4.6", "3.4.8", "3.5.3", "5.1.1", "5.2.1", "5.2.2", "5.2.3", "5.2.4", "5.3.2", "5.4.1", "5.4.2", "8.1.1",
    "8.1.2", "8.2.1", "8.2.2", "8.2.3", "8.3.1", "8.3.2", "13.1.2", "13.1.3", "13.2.6", "13.3.1", "13.3.2",
    "13.4.2", "15.1.2", "15.2.2", "15.3.1", "15.3.3", "15.3.4", "15.4.2", "15.4.3", "15.4.4", "16.1.1", "16.2.1",
    "16.2.2", "16.2.3", "16.2.4", "16.2.5", "16.3.1", "16.3.2", "16.3.3", "16.3.4", "16.4.1", "16.4.2", "16.4.3",
    "16.5.1", "16.5.2", "16.5.3", "16.5.4",
]  # fmt: skip
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "asvs.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| \d+\.\d+\.\d+ \|", line)
]


def names_in(path: str) -> set[str]:
    """Return the names of the tests of a file, those of classes too."""
    file = ROOT / path
    if not file.exists():
        return set()
    return {node.name for node in ast.walk(tree(file)) if isinstance(node, ast.FunctionDef)}


def test_every_requirement_has_one_row_in_order():
    assert [row[0] for row in ROWS] == CLAIMED


def test_every_row_says_what_is_asked_where_it_holds_and_what_tries_it():
    poor = [row[0] for row in ROWS if len(row) != 4 or not all(row) or "`tests/" not in row[3]]
    assert not poor, f"Fill these rows: {poor}"


def test_every_test_that_is_named_is_there():
    named = [(row[0], *name) for row in ROWS for name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row[3])]
    files_only = [row[0] for row in ROWS if re.search(r"`tests/[\w/]+\.py`", row[3])]
    missing = [each for each in named if each[2] not in names_in(each[1])]
    assert not missing and not files_only, f"Name tests that there are: {missing}, {files_only}"
