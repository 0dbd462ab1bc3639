"""Promise: the columns of a schedule's own state are written in one module, whichever door changes them."""

import ast
from collections.abc import Iterator

from tests.house.source import place, product_files, tree

HOME = "scheduling/lifecycle/arming.py"
STATE = {
    "next_scheduled_run",
    "armed_from",
    "caught_up_through",
    "late_runs_left",
    "consecutive_failures",
    "backoff_until",
    "is_running",
    "run_started_at",
    "run_started_by",
    "running_run",
    "running_task",
    "last_fired_at",
    "last_completed_at",
    "last_result",
    "fire_count",
}
# What names such a column as a key and writes nothing by it.
READERS = {
    "scheduling/models/schedule.py": "what a fire claims",
    "scheduling/kinds.py": "the document of a test run",
    "scheduling/admin/jobs/pages.py": "what a page says of a job",
    "scheduling/api/jobs.py": "what the API says of a job",
    "scheduling/api/plans.py": "what the API says of a plan",
    "scheduling/api/processing.py": "the description of a test run's document",
}


def test_nobody_else_writes_the_state_of_a_schedule() -> None:
    others = [path for path in product_files() if place(path) not in {HOME, *READERS}]
    found = [f"{place(path)}:{line}: {name}" for path in others for line, name in _named(tree(path))]
    assert found == []


def test_the_rule_sees_every_way_of_writing() -> None:
    for line in (
        "schedule.armed_from = now",
        "schedule.a = schedule.late_runs_left = None",
        "schedule.a, schedule.fire_count = 1, 2",
        "schedule.consecutive_failures += 1",
        "rows.update(is_running=False)",
        'values = {"backoff_until": None}',
        'setattr(schedule, "last_result", "x")',
        'schedule.save(update_fields=["next_scheduled_run"])',
    ):
        assert list(_named(ast.parse(line))), line
    for line in ("rows.filter(is_running=False)", "at = schedule.armed_from", 'rows.order_by("next_scheduled_run")'):
        assert not list(_named(ast.parse(line))), line


def _named(parsed: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield where a column of the state is set: as an attribute, by an update, as a key, or as a field to save."""
    for node in ast.walk(parsed):
        names: list[str] = []
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names = [node.attr]
        elif isinstance(node, ast.Dict):
            names = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
        elif isinstance(node, ast.Call):
            names = list(_by_call(node))
        yield from ((node.lineno, name) for name in names if name in STATE)  # type: ignore[attr-defined]


def _by_call(call: ast.Call) -> Iterator[str]:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if called == "update":
        yield from (keyword.arg for keyword in call.keywords if keyword.arg)
    if called == "setattr":
        yield from (arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
    for keyword in call.keywords:
        if keyword.arg == "update_fields" and isinstance(keyword.value, (ast.List, ast.Tuple, ast.Set)):
            yield from (
                item.value
                for item in keyword.value.elts
                if isinstance(item, ast.Constant) and isinstance(item.value, str)
            )
