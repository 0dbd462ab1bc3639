"""The floors of the house: imports go downwards only, as pyproject.toml lists them."""

import subprocess
import sys
from pathlib import Path

from tests.house.source import ROOT


def test_imports_go_downwards_only():
    lint = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"Move what is imported to a lower floor, or call a verb of it:\n{result.stdout}"
