"""What opens holes is written nowhere: code made of text, foreign objects, raw markup, calls to other hosts."""

import ast
import re

import pytest

from tests.house.source import ROOT, place, product_files, tree

# Names that make code, objects or markup of a text, with what to take instead.
DANGERS = {
    "eval": "nothing: text is no code", "exec": "nothing: text is no code", "compile": "nothing: text is no code",
    "mark_safe": "format_html", "from_string": "a template file", "Template": "a template file",
    "unsafe_load": "staging.model_files.read", "full_load": "staging.model_files.read", "getoutput": "nothing",
    "system": "nothing", "popen": "nothing",
}  # fmt: skip
# Modules that make objects of bytes, or speak to other hosts: no address in them may come from a text of people.
MODULES = {"pickle", "marshal", "shelve", "dill", "telnetlib", "ftplib", "smtplib", "requests", "httpx", "urllib3",
           "urllib.request", "http.client", "aiohttp", "xml.etree.ElementTree", "xml.dom", "lxml"}  # fmt: skip
ALLOWED = {
    ("scheduler_project/single_sign_on.py", "requests"),  # its errors; the provider's address is a setting
    ("scheduling/alerts/transports.py", "http.client"),  # to where an administrator says; nothing inside, no redirect
    ("scheduling/outside/calls.py", "http.client"),  # the same, and what HTTP_STEPS names
    ("scheduling/errands/http_request.py", "http.client"),  # its errors and messages
    ("scheduling/alerts/transports.py", "smtplib"),  # its errors; the mail server is a setting
    ("scheduling/admin/configurations/bars.py", "mark_safe"),  # words are escaped, the rest are numbers and slugs
    ("scheduling/admin/drawing.py", "mark_safe"),  # words and addresses are escaped, the rest are numbers
    ("scheduling/admin/inputs.py", "mark_safe"),  # Django's options, escaped by it; only values are left out
    ("scheduling/formatters.py", "mark_safe"),  # Django's links of a text; every part of it is escaped
    ("scheduling/admin/help/documents.py", "mark_safe"),  # our own documents, by a renderer that lets no HTML through
    ("scheduling/admin/plans/step_form.py", "mark_safe"),  # what Django made of the empty row, with another number
    ("scheduling/admin/plans/steps.py", "mark_safe"),  # names to type: a thousand, each escaped
    ("scheduling/templatetags/look.py", "mark_safe"),  # a cell of Django's list, with the name of its column
    ("staging/sql/compose.py", "Template"),  # our own, of SQL that is written in files
}


def dangers(node: ast.AST) -> set[str]:
    """Return what a node does that it should not."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
        is_builtin = isinstance(node.func, ast.Name) or name not in ("compile", "system")
        shell = any(word.arg == "shell" and not _is_false(word.value) for word in node.keywords)
        return ({name} if name in DANGERS and is_builtin else set()) | ({"shell=True"} if shell else set())
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names} & MODULES
    if isinstance(node, ast.ImportFrom):
        named = {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
        return named & MODULES
    return set()


def _is_false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


def test_nothing_makes_code_objects_or_markup_of_text_and_nobody_calls_other_hosts():
    found = {
        (place(path), danger): node.lineno
        for path in product_files()
        for node in ast.walk(tree(path))
        for danger in dangers(node)
        if (place(path), danger) not in ALLOWED
    }
    assert not found, f"Do it otherwise ({DANGERS}), or say in this test why it is safe: {found}"


_PATTERNS = {"compile", "match", "search", "sub", "fullmatch", "findall", "split", "finditer", "subn"}


def unescaped(node: ast.AST) -> bool:
    """Return whether a pattern takes in something that is neither a constant nor escaped."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PATTERNS):
        return False
    is_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
    if not is_re or not node.args or not isinstance(node.args[0], ast.JoinedStr):
        return False
    parts = [each.value for each in node.args[0].values if isinstance(each, ast.FormattedValue)]
    return any(not _is_constant_pattern(part) for part in parts)


def _is_constant_pattern(part: ast.expr) -> bool:
    text = ast.unparse(part)
    return text.startswith("re.escape(") or text.rpartition(".")[0].isupper() or text.strip("_").isupper()


# Each is made of escaped names or of constants a line above.
ESCAPED_ABOVE = {
    "staging/tables/sentences.py",
    "scheduling/cadence/kinds/cron_fields.py",
    "scheduling/decisions/origins.py",
}


def test_no_pattern_takes_in_a_text_that_is_not_escaped():
    found = {
        place(path, node)
        for path in product_files()
        if place(path) not in ESCAPED_ABOVE
        for node in ast.walk(tree(path))
        if unescaped(node)
    }
    assert not found, f"Put re.escape() around what comes in here: {found}"
    assert unescaped(ast.parse("re.search(f'^{text}', x)", mode="eval").body)
    assert not unescaped(ast.parse("re.search(f'^{re.escape(text)}{_TAIL}', x)", mode="eval").body)


def test_no_template_leaves_escaping_out():
    unsafe = re.compile(r"\|\s*safe(seq)?\b|autoescape\s+off|\bon\w+\s*=\s*[\"']|javascript:|<script(?![^>]*\bsrc=)")
    found = [
        place(path) for path in (ROOT / "templates").rglob("*.html")
        if unsafe.search(path.read_text(encoding="utf-8").replace("{{ form.media }}", ""))
    ]  # fmt: skip
    assert not found, f"Escape what these show, and put scripts into files: {found}"


def test_no_script_of_ours_writes_markup():
    writes = re.compile(r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|Function)\b")
    scripts = [path for app in ("staging", "scheduling") for path in (ROOT / app / "static").rglob("*.js")]
    assert scripts and not [place(path) for path in scripts if writes.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("source", [
    "eval(x)", "mark_safe(x)", "Template(x)", "subprocess.run(x, shell=True)", "import pickle", "engine.from_string(x)",
    "from urllib import request", "import requests", "yaml.unsafe_load(x)", "os.popen(x)",
])  # fmt: skip
def test_the_rule_sees_each_of_them(source: str):
    assert any(dangers(node) for node in ast.walk(ast.parse(source)))
