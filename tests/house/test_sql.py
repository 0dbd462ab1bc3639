"""The SQL of a batch is put together by a few rules, so that a reader of one statement can read all of them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from staging.sql.aliases import ALIASES, FAMILIES
from staging.sql.compose import Template, templates
from tests.house.source import ROOT, place, product_files, tree

# A number of an enumeration (staging.states) beside the column that holds it.
NUMBER = re.compile(
    r"\b(action|import_action|import_status|outcome|kind)\s*(=|<>|<=?|>=?|(NOT )?(IN|BETWEEN))\s*\(?[0-9]",
    re.IGNORECASE,
)
STATEMENTS = sorted(templates().values(), key=lambda template: (template.file, template.name))


def texts(path: Path) -> Iterator[ast.Constant]:
    """Yield the strings of a file, those inside of f-strings too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node


def test_numbers_of_actions_and_outcomes_are_named():
    literal = [
        f"{place(path, node)} {node.value[:80]!r}"
        for path in product_files()
        for node in texts(path)
        if NUMBER.search(node.value)
    ] + [template.name for template in STATEMENTS if NUMBER.search(template.text)]
    assert not literal, (
        f"Write the name, as in {{RowOutcome.INSERT}} or {{ImportAction.DELETE}} (staging.states): {literal}"
    )


def test_the_rule_sees_a_number_and_lets_a_name_pass():
    assert all(NUMBER.search(text) for text in ("w.action <> 3", "x.outcome IN (1, 2)", "kind BETWEEN 1 AND 2"))
    assert not any(NUMBER.search(text) for text in ("w.action <> {ImportAction.DELETE}", "w.conflict = 0"))


def test_finished_sql_is_not_edited():
    edits = [
        f"{place(path, node)} {ast.unparse(node)[:80]}"
        for path in product_files()
        for node in ast.walk(tree(path))
        if edits_sql(node)
    ]
    assert not edits, f"Give what differs (an alias, a condition) as an argument: {edits}"


def edits_sql(node: ast.AST) -> bool:
    """Return whether the node calls a method that makes another text of `something.text`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("replace", "partition", "split", "removeprefix", "removesuffix")
        and isinstance(node.func.value, ast.Attribute | ast.Call)
        and ast.unparse(node.func.value).endswith(".text")
    )


def test_the_rule_sees_an_edit():
    assert any(edits_sql(node) for node in ast.walk(ast.parse("Sql(_goes().text.replace('c.action', 'w.action'))")))


# Who sees an alias: `w.` before a column; not the schema of a table, and no part of a longer name.
PREFIX = re.compile(r"(?<![\w.\"'{\[%\\])([a-z]\w*)\.(?=[\w\"{*])")
GIVEN = re.compile(r"(?:\b(?:FROM|JOIN) [\w{}]+|\}|\)) (?:AS )?([a-z]\w*)(?= |\n|\)|,|\{|$)")
SCHEMAS = {"temp", "main"}


def used(text: str) -> set[str]:
    """Return the aliases of a piece of SQL: those it gives, and those it speaks of."""
    text = re.sub(r"\{[A-Z]\w+\.\w+\}", "0", re.sub(r"'[^']*'", "''", text))
    return set(PREFIX.findall(text)) - SCHEMAS | {alias for alias in GIVEN.findall(text) if alias in ALIASES}


@pytest.mark.parametrize("template", STATEMENTS, ids=[template.name for template in STATEMENTS])
def test_a_statement_says_its_purpose_and_names_its_aliases(template: Template) -> None:
    assert template.purpose.endswith(".") and template.locks
    assert set(template.aliases) == used(template.text), "Name in the head what the statement uses."
    assert set(template.aliases) <= set(ALIASES), "List new aliases, with what they mean, in staging/sql/aliases.py."


def test_a_piece_of_sql_uses_listed_aliases_only():
    strangers = [
        f"{place(path, node)} {alias}"
        for path in (ROOT / "staging" / "batches").rglob("*.py")
        for node in pieces(path)
        for alias in used(node.value) - set(ALIASES)
    ]
    assert not strangers, f"Use an alias of staging/sql/aliases.py for what it means, or list it: {strangers}"


def pieces(path: Path) -> Iterator[ast.Constant]:
    """Yield the texts of a file that are SQL, or may be put into SQL: all but what documents it."""
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and isinstance(node.body[0], ast.Expr)
    }
    yield from (node for node in texts(path) if id(node) not in documents)


def test_what_is_named_after_an_attribute_belongs_to_a_listed_family():
    made = {
        prefix
        for path in (ROOT / "staging" / "batches").rglob("*.py")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.JoinedStr) and len(node.values) == 2 and isinstance(node.values[0], ast.Constant)
        if re.fullmatch("[a-z]+_", prefix := node.values[0].value)
    }
    made |= {f"{alias}_" for alias in ("r", "b", "n", "before", "after")}  # given to references.of and changes
    assert made == set(FAMILIES), "Say in staging/sql/aliases.py what the prefix stands for; take out what nobody uses."


def test_every_listed_alias_is_used():
    everywhere = {alias for template in STATEMENTS for alias in template.aliases}
    for path in (ROOT / "staging" / "batches").rglob("*.py"):
        for node in pieces(path):
            everywhere |= used(node.value)
    assert not set(ALIASES) - everywhere, "Take these out of staging/sql/aliases.py."


def test_a_template_is_used_by_its_name():
    sources = "".join(path.read_text(encoding="utf-8") for path in product_files())
    unused = [template.name for template in STATEMENTS if f'"{template.name}"' not in sources]
    assert not unused, f"Nobody asks for these statements: {unused}"


WHOLE = re.compile(
    r"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP|ANALYZE|SET LOCAL|WITH|ATTACH|DETACH) "
)


def test_the_statements_of_a_batch_stand_in_their_files():
    inline = [
        f"{place(path, node)} {node.value[:60]!r}"
        for path in (ROOT / "staging" / "batches").rglob("*.py")
        for node in pieces(path)
        if WHOLE.match(node.value)
    ]
    assert not inline, f"Put these into staging/sql/statements, each under a head: {inline}"


# Who may ask which database it is, how often, and why that is no matter of the dialect.
VENDOR_CHECKS = {
    "staging/sql/dialect.py": (1, "chooses the dialect"),
    "scheduling/admin/log/lines.py": (1, "a server stops what takes too long"),
    "scheduling/checks.py": (2, "what an operator is warned of"),
    "scheduling/clock.py": (1, "the clock of the server, where there is a server"),
    "scheduling/dispatch/cycle.py": (1, "the cycle's lock: of the server, or a file"),
    "scheduling/management/commands/create_script_role.py": (1, "roles of the server"),
    "scheduling/dispatch/recover.py": (1, "when the server started"),
    "scheduling/statements.py": (1, "settings of its own few statements"),
    "scheduling/workloads/script.py": (1, "scripts run as a role of the server"),
    "scheduling/workloads/script_check.py": (1, "a server is asked by its protocol"),
    "scheduling/workloads/script_role.py": (2, "roles of the server"),
}


def test_the_databases_differ_in_the_dialect_only():
    found: dict[str, int] = {}
    for path in product_files():
        asks = sum(1 for node in ast.walk(tree(path)) if asks_for_the_vendor(node))
        if asks:
            found[place(path)] = asks
    allowed = {path: count for path, (count, _) in VENDOR_CHECKS.items()}
    assert found == allowed, "Make it a method or an attribute of staging.sql.dialect, for each database one."


def asks_for_the_vendor(node: ast.AST) -> bool:
    """Return whether the node reads `connection.vendor`, or asks of which class a dialect is."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        return bool(
            {"PostgreSQL", "SQLite", "Dialect"} & {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        )
    return isinstance(node, ast.Attribute) and node.attr == "vendor"


def test_the_rule_sees_a_question_for_the_vendor():
    asked = ("connection.vendor == 'sqlite'", "TYPES[connection.vendor]", "isinstance(plan.sql, SQLite)")
    assert all(any(map(asks_for_the_vendor, ast.walk(ast.parse(source)))) for source in asked)
