"""A signal handler takes no lock: it may run between any two steps of whoever holds that lock, and wait for ever."""

import ast

import pytest

from tests.house.source import ROOT, functions, place, product_files, tree

HEARING = "scheduling/workloads/hearing.py"
GUARD = "scheduling/errands/guard.py"  # a program by itself, without threads, whose handlers do nothing
# Each returns at once, whatever the interrupted thread holds.
LOCKLESS = {"active_children", "os.kill", "os.write", "bytes", "suppress", "ear.tell"}
# What Celery calls from within its signal handlers.
CALLED_BY_HANDLERS = {"worker_shutting_down.connect"}


def _calls(node: ast.AST) -> set[str]:
    return {ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)}


def _handlers() -> list[tuple[str, ast.AST]]:
    """Return every function of ours that runs within a signal handler; parse only files that name such a call."""
    naming = [path for path in product_files() if any(call in path.read_text("utf-8") for call in CALLED_BY_HANDLERS)]
    found = [
        (place(path, function), function)
        for path in naming
        for function in functions(path)
        if CALLED_BY_HANDLERS & {ast.unparse(decorator) for decorator in function.decorator_list}
    ]
    tell = [(HEARING, function) for function in functions(ROOT / HEARING) if function.name == "tell"]
    return [*found, *tell]


def test_only_hearing_installs_handlers():
    """To ignore a signal is no handler."""
    installed = [
        f"{place(path, call)} {ast.unparse(call)}"
        for path in product_files()
        if place(path) not in (HEARING, GUARD)
        for call in ast.walk(tree(path))
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) in ("signal.signal", "signal.set_wakeup_fd", "signal.sigaction")
        and ast.unparse(call.args[-1]) not in ("signal.SIG_IGN", "signal.SIG_DFL")
    ]
    assert not installed, f"Let {HEARING} hear signals; a handler of your own may deadlock: {installed}"


@pytest.mark.parametrize("handler", _handlers(), ids=lambda handler: handler[0])
def test_handlers_call_nothing_that_locks(handler):
    _, function = handler
    called = {call for statement in function.body for call in _calls(statement)}
    assert called <= LOCKLESS, f"these may take a lock: {sorted(called - LOCKLESS)}"


def test_the_rule_looks_at_both_kinds_of_handlers():
    assert {where.partition(":")[0] for where, _ in _handlers()} == {HEARING, "scheduling/tasks.py"}
