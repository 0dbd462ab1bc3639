"""Every line of the process log names its event, and docs/operations.md lists exactly these names."""

import ast
import re

from tests.house.source import ROOT, place, product_files, tree

KEPT_ONLY = "KEPT_ONLY"  # kept with the attempt of a job; no line of the process log
LEVELS = {"debug", "info", "warning", "error", "exception", "critical", "log"}


def event_of(call: ast.Call) -> str | None:
    """Return the event that a call of a logger names in its `extra`; None when it names none."""
    extra = next((keyword.value for keyword in call.keywords if keyword.arg == "extra"), None)
    if isinstance(extra, ast.Name) and extra.id == KEPT_ONLY:
        return KEPT_ONLY
    if isinstance(extra, ast.Dict):
        for key, value in zip(extra.keys, extra.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "event" and isinstance(value, ast.Constant):
                return str(value.value)
    return None


def logged(node: ast.AST) -> bool:
    """Return whether a node writes a line by the logger of its module."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in LEVELS
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "logger"
    )


def events_in_code() -> dict[str, str | None]:
    """Return the event of each line that the product writes, by its place."""
    return {
        place(path, node): event_of(node) for path in product_files() for node in ast.walk(tree(path)) if logged(node)
    }


def events_in_docs() -> set[str]:
    """Return the names in the table of events."""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    section = text.split("## Logs")[1].split("\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_every_line_names_its_event():
    nameless = [where for where, event in events_in_code().items() if event is None]
    assert not nameless, f'Give each of these extra={{"event": "a_name"}}: {nameless}'


def test_the_documentation_lists_exactly_these_events():
    code = {event for event in events_in_code().values() if event not in (None, KEPT_ONLY)} | {"job_output", "log"}
    docs = events_in_docs()
    assert code == docs, f"Add to docs/operations.md: {sorted(code - docs)}. Take out: {sorted(docs - code)}."


def test_the_rule_sees_a_line_without_a_name():
    calls = ("logger.info('x')", "logger.error('x', extra={'run_id': 3})", "logger.exception('x', extra=other)")
    for source in calls:
        (call,) = [node for node in ast.walk(ast.parse(source)) if logged(node)]
        assert event_of(call) is None, source
