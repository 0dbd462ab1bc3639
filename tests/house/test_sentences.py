"""What people read is said through `staging.wording`: templates are written out, and no sentence is made past it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.source import ROOT, place, product_files, tree

# Rooms whose sentences are still made where they stand. A room that is through is taken out; none is added.
OPEN = (
    "staging/admin/",
    "staging/api/",
    "staging/batches/",
    "staging/entities/contract.py",  # its table of accepted forms is made when the file is read
    "staging/exports/",
    "staging/models/",
    "staging/sql/",
    "staging/states.py",
    "staging/tables/unfit.py",  # its words are limits, beside the SQL that looks for what breaks them
)
SAYERS = {"say": 0, "later": 0, "counted": 1, "counted_later": 1}
MAKERS = SAYERS | {"phrase": 0, "numbered": 1}  # pure code's, in no language yet
TOLD_BY = {"Gate", "told", "warned", "Outcome", "record", "event", "release", "refuse", "add"}
CODES = {"key", "source", "trigger_source"}  # beside a message
FOR_PROGRAMMERS = {
    "RuntimeError",
    "TypeError",
    "KeyError",
    "ImportError",
    "AssertionError",
    "NotImplementedError",
    "Unprotected",
}
SENTENCE = re.compile(r"[A-Za-z]{2,}[ ,;:].*[A-Za-z.]|^[A-Z][a-z]+ $")


def converted() -> list[Path]:
    """Return the files whose sentences are all said."""
    return [path for path in product_files() if not str(path.relative_to(ROOT)).startswith(OPEN)]


def words_in(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the texts below a node that are sentences and stand in no call of a maker."""
    if isinstance(node, ast.Call) and _name(node.func) in (
        *MAKERS,
        "gettext_noop",
        "marked",
        "gettext_lazy",
        "compile",
        "reverse",
        "getattr",
    ):
        return
    if isinstance(node, ast.JoinedStr):
        parts = (part.value for part in node.values if isinstance(part, ast.Constant))
        if SENTENCE.search("".join(str(part) for part in parts)):
            yield node
            return
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
        yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from words_in(child)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _told(node: ast.AST) -> list[ast.expr]:
    """Return what this node tells people."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and _name(node.exc.func) not in FOR_PROGRAMMERS:
        return [*node.exc.args]
    if isinstance(node, ast.Call) and not _name(node.func).startswith("_") and _name(node.func) in TOLD_BY:
        return [*node.args, *(each.value for each in node.keywords if each.arg and each.arg not in CODES)]
    if isinstance(node, ast.keyword) and node.arg in ("message", "reason", "hint"):
        return [node.value]
    return []


def test_no_sentence_is_made_past_say():
    found = sorted(
        {place(path, text) for path in converted() for node in ast.walk(tree(path))
         for told in _told(node) for text in words_in(told)}
    )  # fmt: skip
    assert not found, f"Say it with staging.wording.say, from a template and its values: {found}"


def test_a_sentence_in_words_and_values_is_a_template():
    """An f-string that ends like a sentence is one, wherever it stands; what the process log gets is for operators."""
    found = []
    for path in converted():
        quiet = [node for node in ast.walk(tree(path)) if _is_silent(node)]
        silent = {id(part) for node in quiet for part in ast.walk(node)}
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.JoinedStr) and id(node) not in silent and _ends_as_sentence(node):
                found.append(place(path, node))
    assert not found, f"Say it with staging.wording.say, from a template and its values: {found}"


def _is_silent(node: ast.AST) -> bool:
    """Return whether what this says is for programmers or operators."""
    if isinstance(node, ast.Raise):
        return isinstance(node.exc, ast.Call) and _name(node.exc.func) in FOR_PROGRAMMERS
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _name(node.func.value) == "logger"
    return False


def _ends_as_sentence(node: ast.JoinedStr) -> bool:
    last = node.values[-1]
    text = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    return isinstance(last, ast.Constant) and str(last.value).rstrip().endswith(".") and bool(SENTENCE.search(text))


def test_a_template_is_written_out_where_translators_tools_see_it():
    found = []
    for path in product_files():
        for node in ast.walk(tree(path)):
            if (
                isinstance(node, ast.Call)
                and _name(node.func) in MAKERS
                and path.name not in ("wording.py", "phrases.py")
            ):
                found += [place(path, each) for each in _templates(node) if not _is_seen(each)]
    assert not found, f"Write the template in the call, or name a constant that gettext_noop marks: {found}"


def _templates(node: ast.Call) -> list[ast.expr]:
    first = MAKERS[_name(node.func)]
    return node.args[first : first + (2 if first else 1)]


def _is_seen(node: ast.expr) -> bool:
    """A text, or what names or looks up a text that is marked elsewhere."""
    if isinstance(node, ast.JoinedStr | ast.BinOp | ast.IfExp):
        return False
    return not isinstance(node, ast.Call) or _name(node.func) == "str"


def test_nothing_is_said_while_files_are_read():
    """At import no language is chosen: what is said then stays in one language for ever."""
    found = []
    for path in product_files():
        inside = {id(part) for node in ast.walk(tree(path))
                  if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                  for part in ast.walk(node)}  # fmt: skip
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and _name(node.func) in SAYERS and id(node) not in inside:
                found.append(place(path, node))
    assert not found, f"Mark it with gettext_noop and say it where it is shown: {found}"


def test_what_is_open_still_is():
    gone = [room for room in OPEN if not (ROOT / room).exists()]
    assert not gone, f"Take these out of OPEN: {gone}"
