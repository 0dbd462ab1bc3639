"""A status has one writer, so that every move is guarded: lifecycle for scheduling, batches.record for batches."""

import ast
import re

from tests.house.source import place, product_files, tree

WRITERS = ("scheduling/lifecycle", "staging/batches/record.py")
STATE_FIELDS = {"status", "outcome"}
# A row's first state is given where it is created; every later one is a guarded move.
WRITING_CALLS = {"update", "update_or_create"}
SQL_WRITE = re.compile(r"\bSET\b[^;]*\bstatus\s*=")


def test_only_the_writers_write_a_status():
    strangers = [
        f"{place(path, node)} {ast.unparse(node)[:80]}"
        for path in product_files()
        if not place(path).startswith(WRITERS) and "/models/" not in place(path)
        for node in ast.walk(tree(path))
        if writes_a_status(node)
    ]
    assert not strangers, (
        f"Call a guarded move of scheduling.lifecycle (or staging.batches.record) instead: {strangers}"
    )


def writes_a_status(node: ast.AST) -> bool:
    """Return whether the node assigns `x.status`, passes `status=` to an update, or is SQL that sets one."""
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(
            isinstance(target, ast.Attribute) and target.attr in STATE_FIELDS and not _is_self(target)
            for target in targets
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITING_CALLS:
        return any(keyword.arg in STATE_FIELDS for keyword in node.keywords)
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(SQL_WRITE.search(node.value))


def _is_self(target: ast.Attribute) -> bool:
    """Return whether an object sets its own attribute, which is no row of a table."""
    return isinstance(target.value, ast.Name) and target.value.id == "self"


def test_the_rule_catches_an_assignment_and_an_update():
    sources = (
        "task.status = 'failed'",
        "Task.objects.filter(pk=1).update(status='failed')",
        "cursor.execute(\"UPDATE scheduling_task SET started_at = %s, status = 'failed'\")",
    )
    for source in sources:
        assert any(writes_a_status(node) for node in ast.walk(ast.parse(source))), source


def test_the_rule_lets_a_filter_pass():
    assert not any(writes_a_status(node) for node in ast.walk(ast.parse("Task.objects.filter(status='failed')")))
