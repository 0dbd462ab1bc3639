"""What people read is said through `staging.wording`: templates are written out, and no sentence is made past it."""

import ast
import re
from collections.abc import Iterator

from tests.house.source import place, product_files, tree

SAYERS = {"say": 0, "later": 0, "counted": 1, "counted_later": 1}
LATER = {"later", "counted_later"}  # of these, what says something only when it is read
MAKERS = SAYERS | {"phrase": 0, "numbered": 1}  # pure code's, in no language yet
TOLD_BY = {"Gate", "told", "warned", "Outcome", "record", "event", "release", "refuse", "add"}
LABELS = {
    "empty_label",
    "empty_value",
    "error_messages",
    "help_text",
    "help_texts",
    "label",
    "labels",
    "list_title",
    "search_help_text",
    "short_description",
    "verbose_name",
    "verbose_name_plural",
}
MARKED_BY = {*MAKERS, "gettext_lazy", "gettext_noop", "marked", "_"}
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


def words_in(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the texts below a node that are sentences and stand in no call of a maker."""
    if isinstance(node, ast.Call) and _name(node.func) in (*MARKED_BY, "compile", "reverse", "getattr"):
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
        {place(path, text) for path in product_files() for node in ast.walk(tree(path))
         for told in _told(node) for text in words_in(told)}
    )  # fmt: skip
    assert not found, f"Say it with staging.wording.say, from a template and its values: {found}"


def test_a_sentence_in_words_and_values_is_a_template():
    """An f-string that ends like a sentence is one, wherever it stands; what the process log gets is for operators."""
    found = []
    for path in product_files():
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


def test_no_template_stands_in_an_f_string():
    """What collects the templates does not look into one."""
    found = [
        place(path, call)
        for path in product_files()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.JoinedStr)
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and _name(call.func) in (*MAKERS, "marked")
    ]
    assert not found, f"Say it before, and put it into the f-string by its name: {found}"


def test_nothing_is_said_while_files_are_read():
    """At import no language is chosen: what is said then stays in one language for ever. `later` says nothing yet."""
    found = []
    for path in product_files():
        inside = {id(part) for node in ast.walk(tree(path))
                  if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                  for part in ast.walk(node)}  # fmt: skip
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and _name(node.func) in SAYERS.keys() - LATER and id(node) not in inside:
                found.append(place(path, node))
    assert not found, f"Mark it with gettext_noop and say it where it is shown: {found}"


def test_labels_are_marked_for_translation():
    """What a class, a field or a column is called is read by people as every sentence is."""
    found = sorted(
        {place(path, text) for path in product_files()
         for node in ast.walk(tree(path)) for label in _labels(node) for text in _unmarked(label)}
    )  # fmt: skip
    assert not found, f"Mark it with gettext_lazy, as `_`: {found}"


def _labels(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what this node calls something, as people read it."""
    if isinstance(node, ast.Call) and not _name(node.func).endswith("MetricFamily"):  # its labels are codes
        is_admins = _name(node.func) in ("display", "action")
        names = {*LABELS, "description"} if is_admins else LABELS
        names = {*names, "help"} if _name(node.func) == "add_argument" else names
        yield from (each.value for each in node.keywords if each.arg in names)
        yield from (pair.elts[1] for each in node.keywords if each.arg == "choices" for pair in _pairs(each.value))
        if _is_of_models(node.func):
            yield from node.args[:1]
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute) and node.targets[0].attr in LABELS:
        yield node.value
    if isinstance(node, ast.ClassDef):
        yield from _of_class(node)


def _of_class(node: ast.ClassDef) -> Iterator[ast.expr]:
    bases = {_name(base) for base in node.bases}
    for each in node.body:
        if not isinstance(each, ast.Assign):
            continue
        name = _name(each.targets[0])
        of_this_kind = {"title": "SimpleListFilter" in bases, "help": node.name == "Command"}
        if name in LABELS or of_this_kind.get(name):
            yield each.value
        elif name == "fieldsets":
            yield from (pair.elts[0] for pair in _pairs(each.value))
            yield from (value for pair in _pairs(each.value) for value in _of_key(pair.elts[1], "description"))
        elif bases & {"TextChoices", "IntegerChoices"}:
            yield from each.value.elts[1:] if isinstance(each.value, ast.Tuple) else [each.value]


def _is_of_models(node: ast.expr) -> bool:
    """Whether this makes a field of a model that takes its name first; one that refers takes what it refers to."""
    of = _name(node.value) if isinstance(node, ast.Attribute) else ""
    return of == "models" and _name(node).endswith("Field") and _name(node) not in ("OneToOneField", "ManyToManyField")


def _pairs(node: ast.expr) -> list[ast.Tuple]:
    each = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return [pair for pair in each if isinstance(pair, ast.Tuple) and len(pair.elts) == 2]


def _of_key(node: ast.expr, name: str) -> list[ast.expr]:
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
    return [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name]


def _unmarked(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the words below a node that no catalogue knows; the keys of a dictionary are codes."""
    if isinstance(node, ast.Call):
        yield from () if _name(node.func) in MARKED_BY else (text for arg in node.args for text in _unmarked(arg))
    elif isinstance(node, ast.Dict):
        yield from (text for value in node.values for text in _unmarked(value))
    elif isinstance(node, ast.Constant):
        yield from [node] if isinstance(node.value, str) and re.search(r"[A-Za-z]", node.value) else ()
    elif isinstance(node, ast.JoinedStr):
        yield from [node] if any(text for part in node.values for text in _unmarked(part)) else ()
    elif not isinstance(node, ast.Subscript | ast.FormattedValue):
        yield from (text for child in ast.iter_child_nodes(node) for text in _unmarked(child))
