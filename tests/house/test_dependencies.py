"""What code imports is pinned where it is needed; every pin is used, and docs/dependencies.md says why."""

import ast
import re
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.house.source import PACKAGES, ROOT, all_files, place, product_files, tree

LISTS = ("requirements.txt", "requirements-observability.txt", "tests/requirements.txt", "benchmarks/requirements.txt",
         "tests/requirements-audit.txt")  # fmt: skip
TO_RUN = LISTS[:2]
OURS = {*PACKAGES, "tests", "benchmarks", "shop"}
# What a package that is pinned brings with it by its own promise; nobody else's version would do.
BROUGHT = {"billiard": "celery", "kombu": "celery", "jwt": "django-allauth", "requests": "django-allauth",
           "cryptography": "django-allauth", "import_export": "django-import-export",
           "tablib": "django-import-export"}  # fmt: skip
# What is used, but never named in code or by a tool's call: by which of the others, or how.
UNNAMED = {"defusedxml": "openpyxl takes it when it is there", "tzdata": "zoneinfo reads its files",
           "celery-types": "mypy reads it", "types-pyyaml": "mypy reads it"}  # fmt: skip


def plain(name: str) -> str:
    """Return the name of a package as all ways to write it have it in common."""
    return re.sub(r"[-_.]+", "-", name.partition("[")[0]).lower()


@cache
def pinned(path: str) -> dict[str, str]:
    """Return the packages of a list with their versions."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    named = (line.partition("#")[0].strip() for line in lines if not line.startswith("-r"))
    return {plain(line.partition("==")[0]): line.partition("==")[2] for line in named if line}


@cache
def distributions() -> dict[str, set[str]]:
    """Return the packages that bring a module, by the module."""
    return {module: {plain(each) for each in found} for module, found in packages_distributions().items()}


def imported(path: Path) -> set[str]:
    """Return the modules of others that a file imports."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return {name for name in found if name not in sys.stdlib_module_names and name not in OURS}


def unpinned(path: Path, lists: tuple[str, ...]) -> set[str]:
    """Return what a file imports that none of these lists pins."""
    known = {name for each in lists for name in pinned(each)}
    return {
        name
        for name in imported(path)
        if not ({plain(name), plain(BROUGHT.get(name, name))} | distributions().get(name, set())) & known
    }


def test_whatever_the_product_imports_is_pinned_to_run():
    missing = {place(path): found for path in product_files() if (found := unpinned(path, TO_RUN))}
    assert not missing, f"Pin these in requirements.txt: {missing}"


def test_whatever_tests_and_benchmarks_import_is_pinned():
    missing = {place(path): found for path in all_files() if (found := unpinned(path, LISTS))}
    assert not missing, f"Pin these in tests/requirements.txt or benchmarks/requirements.txt: {missing}"


def test_every_pin_is_one_version_and_has_its_line_in_the_guide():
    guide = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in guide.splitlines() if line.startswith("| ")]
    told = {plain(name.split()[0]) for row in rows for name in row.split(",") if name.split()}
    named = {name for each in LISTS for name in pinned(each)}
    assert named - told == set(), f"Say in docs/dependencies.md why these are there: {sorted(named - told)}"
    gone = {name for name in told - named if name not in ("package", "---")}
    assert gone == set(), f"Take these out of docs/dependencies.md: {sorted(gone)}"
    loose = [name for each in LISTS for name, version in pinned(each).items() if not re.fullmatch(r"[\w.]+", version)]
    assert not loose, f"Pin one version of each: {loose}"


def test_every_pinned_package_is_used():
    texts = "".join(path.read_text(encoding="utf-8") for path in all_files())
    others = ("pyproject.toml", "Makefile", "Dockerfile", "compose.yaml", ".ci/run")
    texts += "".join((ROOT / name).read_text(encoding="utf-8") for name in others)
    modules = {package: module for module, found in distributions().items() for package in found}
    unused = [
        name
        for each in LISTS
        for name in pinned(each)
        if name not in UNNAMED and not _names(texts, name, modules.get(name, name))
    ]
    assert not unused, f"Nothing uses these; take them out, or say in this test how they are used: {unused}"


def _names(text: str, package: str, module: str) -> bool:
    plugin = package.removeprefix("pytest-").removesuffix("-stubs")
    return any(re.search(rf"\b{re.escape(each)}\b", text) for each in (package, module, plugin.replace("-", "_")))


def test_the_rule_sees_a_stranger(tmp_path):
    file = tmp_path / "x.py"
    file.write_text("import os, left_pad\nfrom django.db import models\n")
    assert unpinned(file, TO_RUN) == {"left_pad"}
