"""No write that Django's signals do not tell of passes the versions: a bulk write of what people define is touched."""

import ast

from tests.house.source import functions, place, product_files

TRACKED = {
    "Attribute", "BlackoutCalendar", "BlackoutPeriod", "BusinessRule", "Entity", "EntityDependency", "GroupRole",
    "Plan", "PlanStep", "RuleLine", "SchedulerConfiguration", "SqlScript",
}  # fmt: skip
SILENT = {"bulk_create", "bulk_update"}
# The rule itself is saved with them, by which the versions know.
SEEN = {"staging/rules/document.py": "save_rule"}


def silent_writes(function: ast.AST) -> list[str]:
    """Return the bulk writes of tracked models in a function that touches nothing."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    if any(ast.unparse(call.func).endswith("touch") for call in calls):
        return []
    written = [ast.unparse(call.func).split(".") for call in calls]
    return [".".join(parts) for parts in written if parts[-1] in SILENT and parts[0] in TRACKED]


def test_every_bulk_write_of_what_people_define_is_touched():
    found = [
        f"{place(path)} {node.name}: {each}"
        for path in product_files()
        for node in functions(path)
        if SEEN.get(place(path)) != node.name
        for each in silent_writes(node)
    ]
    assert not found, f"Call staging.versions.units.touch first, for no signal tells of these: {found}"


def test_the_rule_sees_one():
    source = "def store(entity):\n    EntityDependency.objects.bulk_create([])"
    assert silent_writes(ast.parse(source))
    assert not silent_writes(ast.parse(source.replace("):\n", "):\n    touch(entity)\n")))
