""".env.example and settings.py name the same settings with the same defaults."""

import ast
import re
from itertools import pairwise

from tests.house.source import ROOT, tree

EXAMPLE = ROOT / ".env.example"
# Computed where it is used; the example says so in words.
COMPUTED = {"SECRET_KEY", "DATABASE_URL"}


def settings_of_compose() -> set[str]:
    """Return the names that compose.yaml takes from .env."""
    return set(re.findall(r"\$\{(\w+)", (ROOT / "compose.yaml").read_text(encoding="utf-8")))


def settings_in_code() -> dict[str, str | None]:
    """Return each setting that settings.py reads, with its default as text (None when it is computed)."""
    found: dict[str, str | None] = {}
    for node in ast.walk(tree(ROOT / "scheduler_project" / "settings.py")):
        if not (isinstance(node, ast.Call) and re.match(r"env(\.\w+)?$", ast.unparse(node.func))):
            continue
        if not (node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)):
            continue
        default = next((keyword.value for keyword in node.keywords if keyword.arg == "default"), None)
        found[node.args[0].value] = _as_text(default)
    return found


def settings_in_example() -> dict[str, str]:
    """Return each setting of the example with its value."""
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_the_example_names_every_setting_and_no_other():
    code, example = set(settings_in_code()) | settings_of_compose(), set(settings_in_example())
    assert code == example, (
        f"Add to .env.example: {sorted(code - example)}. Take out, nothing reads them: {sorted(example - code)}."
    )


def test_the_example_shows_the_real_defaults():
    example = settings_in_example()
    wrong = {
        name: f"settings.py has {default!r}, .env.example {example.get(name)!r}"
        for name, default in settings_in_code().items()
        if name not in COMPUTED and default != example.get(name)
    }
    assert not wrong, f"Write the default of settings.py into .env.example: {wrong}"


def test_every_setting_is_explained_above_it():
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    bare = [
        line
        for before, line in pairwise(lines)
        if line and not line.startswith("#") and not (before.startswith("# ") and len(before) > 20)
    ]
    assert not bare, f"Say in a comment above each of these what it means: {bare}"


def test_operations_has_a_row_for_every_setting():
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    missing = [name for name in settings_in_example() if f"`{name}`" not in text]
    assert not missing, f"Add these to the settings table of docs/operations.md: {missing}"


def _as_text(default: ast.expr | None) -> str | None:
    """Return a literal default as it is written in an environment file."""
    try:
        value = ast.literal_eval(default) if default is not None else None
    except ValueError:
        return None
    return ",".join(value) if isinstance(value, list) else None if value is None else str(value)
