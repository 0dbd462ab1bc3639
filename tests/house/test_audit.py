"""Promises of `make audit`: an advisory fails it, and so does a database that could not be asked, told apart."""

import json
import sys
from pathlib import Path

import pytest

from tests.audit import NOT_ASKED, installed, main

GOOD = {"name": "django", "version": "5.2.19", "vulns": []}
BAD = {"name": "left-pad", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}


def tool(folder: Path, program: str) -> str:
    """Return a tool that stands for the real one, which needs the network."""
    path = folder / "tool"
    path.write_text(f"#!{sys.executable}\n{program}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(("found", "code", "told"), [([GOOD], 0, "0 advisories"), ([GOOD, BAD], 1, "mended in 1.1")])
def test_an_advisory_fails_it(tmp_path: Path, capsys, found: list[object], code: int, told: str):
    program = f"print({json.dumps({'dependencies': found})!r})"
    assert main(["--tool", tool(tmp_path, program)]) == code
    assert told in capsys.readouterr().out


def test_a_package_of_which_the_database_knows_nothing_is_not_taken_for_good(tmp_path: Path, capsys):
    found = [GOOD, {"name": "ours", "version": "1", "skip_reason": "not found"}]
    assert main(["--tool", tool(tmp_path, f"print({json.dumps({'dependencies': found})!r})")]) == NOT_ASKED
    assert "ours: not audited, not found" in capsys.readouterr().out


@pytest.mark.parametrize("program", ["import sys; sys.exit('ConnectionError: no route')", "print('x')", None])
def test_a_database_that_cannot_be_asked_is_no_clean_bill(tmp_path: Path, capsys, program: str | None):
    name = tool(tmp_path, program) if program else str(tmp_path / "missing")
    assert main(["--tool", name]) == NOT_ASKED
    assert "could not be asked; nothing was audited" in capsys.readouterr().out


def test_the_tool_is_asked_about_all_that_is_installed(tmp_path: Path):
    kept = tmp_path / "asked"
    program = f"import shutil, sys; shutil.copy(sys.argv[2], {str(kept)!r}); print('{{\"dependencies\": []}}')"
    assert main(["--tool", tool(tmp_path, program)]) == 0
    assert kept.read_text().split() == installed() and any(each.startswith("Django==") for each in installed())
