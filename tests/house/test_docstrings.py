"""Every file says why it exists, every public function what it promises."""

import ast
import re

from tests.house.source import PACKAGES, ROOT, all_files, functions, place, product_files, tree

# These gather what a folder defines; every other __init__ holds its docstring only, so that importing costs nothing.
GATHERING = {"models", "admin"}


def test_every_module_opens_with_its_reason():
    silent = [place(path) for path in all_files() if not ast.get_docstring(tree(path))]
    assert not silent, f"Begin these with one sentence in quotes that says why the file exists: {silent}"


def test_every_public_function_and_class_says_what_it_promises():
    silent = [
        f"{place(path, node)} {node.name}"
        for path in product_files()
        for node in _public_definitions(path)
        if not ast.get_docstring(node)
    ]
    assert not silent, f"Add a docstring (what it promises, units, errors), or begin the name with _: {silent}"


def test_an_init_file_holds_its_docstring_only():
    busy = [
        place(path)
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("__init__.py"))
        if path.parent.name not in GATHERING and len(tree(path).body) > 1
    ]
    assert not busy, f"Move the code of these into a module with a name: {busy}"


def test_what_a_caller_must_do_first_is_checked_and_not_only_said():
    """A sentence keeps nobody from calling a function without its transaction or its lock; `transactions` does."""
    asks = re.compile(r"\b[Cc]all(ed)? (it )?(inside|outside|in the transaction|with the \w+ locked|within)")
    only_said = [
        f"{place(path, node)} {node.name}"
        for path in product_files()
        for node in functions(path)
        if asks.search(ast.get_docstring(node) or "")
    ]
    assert not only_said, f"Check it with staging.transactions instead of asking for it: {only_said}"


def _public_definitions(path):
    """Yield public top-level functions and classes, and public methods of public classes that promise something new."""
    for node in tree(path).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in ("Meta", "Media"):
            yield node
            yield from (
                method
                for method in node.body
                if isinstance(method, ast.FunctionDef) and not method.name.startswith("_") and not _is_override(node)
            )


def _is_override(owner: ast.ClassDef) -> bool:
    """Return whether the class extends one of a framework, whose documentation speaks for its methods."""
    return bool(owner.bases) and not any(isinstance(base, ast.Name) and base.id == "Protocol" for base in owner.bases)


def test_the_rule_sees_functions():
    assert sum(len(functions(path)) for path in product_files()) > 100
