"""The SQL of a batch is put together by a few rules, so that a reader of one statement can read all of them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.source import place, product_files, tree

# A number of an enumeration (staging.states) beside the column that holds it.
NUMBER = re.compile(
    r"\b(action|import_action|import_status|outcome|kind)\s*(=|<>|<=?|>=?|(NOT )?(IN|BETWEEN))\s*\(?[0-9]",
    re.IGNORECASE,
)


def texts(path: Path) -> Iterator[ast.Constant]:
    """Yield the strings of a file, those inside of f-strings too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node


def test_numbers_of_actions_and_outcomes_are_named():
    literal = [
        f"{place(path, node)} {node.value[:80]!r}"
        for path in product_files()
        for node in texts(path)
        if NUMBER.search(node.value)
    ]
    assert not literal, (
        f"Write the name, as in {{Outcome.INSERT}} or {{ImportAction.DELETE}} (staging.states): {literal}"
    )


def test_the_rule_sees_a_number_and_lets_a_name_pass():
    assert all(NUMBER.search(text) for text in ("w.action <> 3", "x.outcome IN (1, 2)", "kind BETWEEN 1 AND 2"))
    assert not any(NUMBER.search(text) for text in ("w.action <> {ImportAction.DELETE}", "w.conflict = 0"))


def test_finished_sql_is_not_edited():
    edits = [
        f"{place(path, node)} {ast.unparse(node)[:80]}"
        for path in product_files()
        for node in ast.walk(tree(path))
        if edits_sql(node)
    ]
    assert not edits, f"Give what differs (an alias, a condition) as an argument: {edits}"


def edits_sql(node: ast.AST) -> bool:
    """Return whether the node calls a method that makes another text of `something.text`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("replace", "partition", "split", "removeprefix", "removesuffix")
        and isinstance(node.func.value, ast.Attribute | ast.Call)
        and ast.unparse(node.func.value).endswith(".text")
    )


def test_the_rule_sees_an_edit():
    assert any(edits_sql(node) for node in ast.walk(ast.parse("Sql(_goes().text.replace('c.action', 'w.action'))")))
