"""No write that Django's signals do not tell of passes the versions: a bulk write of what people define is touched."""

import ast

from scheduling.subjects.all import ALL
from tests.house.source import functions, place, product_files

TRACKED = {model.__name__ for subject in ALL for model in (subject.model, *subject.parts)}
SET_BY_PEOPLE = {subject.model.__name__: {*subject.columns} for subject in ALL}
SILENT = {"bulk_create", "bulk_update"}
SEEN = {
    ("staging/rules/document.py", "save_rule"),  # the rule itself is saved with them, by which the versions know
    # What code declares: the history of a job begins with what people change of it.
    ("scheduling/jobs/reconcile.py", "schedules"),
    ("scheduling/jobs/reconcile.py", "_write_jobs"),
}


def silent_writes(function: ast.AST) -> list[str]:
    """Return the bulk writes of tracked models in a function that touches nothing."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    if any(ast.unparse(call.func).endswith("touch") for call in calls):
        return []
    return [ast.unparse(call.func) for call in calls if _is_silent(call)]


def _is_silent(call: ast.Call) -> bool:
    name = ast.unparse(call.func)
    root, verb = name.partition(".")[0], name.rpartition(".")[2]
    if root not in TRACKED:
        return False
    columns = SET_BY_PEOPLE.get(root, set())
    is_update = verb == "update" and any(word.arg in columns for word in call.keywords)
    return verb in SILENT or is_update


def test_every_bulk_write_of_what_people_define_is_touched():
    found = [
        f"{place(path)} {node.name}: {each}"
        for path in product_files()
        for node in functions(path)
        if (place(path), node.name) not in SEEN
        for each in silent_writes(node)
    ]
    assert not found, f"Call staging.versions.units.touch first, for no signal tells of these: {found}"


def test_the_rule_sees_one():
    source = "def store(entity):\n    EntityDependency.objects.bulk_create([])"
    assert silent_writes(ast.parse(source))
    assert silent_writes(ast.parse("def store():\n    Entity.objects.filter(pk=1).update(name='x')"))
    assert not silent_writes(ast.parse("def store():\n    AlertRule.objects.filter(pk=1).update(fingerprint='')"))
    assert not silent_writes(ast.parse(source.replace("):\n", "):\n    touch(entity)\n")))
