"""What settings refuse, and what they keep private, in a process that starts with them."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT

LONG = "0123456789abcdefghij" * 3
SHOW = "from scheduler_project import settings as s; print(s.SECURE_HSTS_SECONDS, s.SECURE_HSTS_PRELOAD)"


def start(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Load the settings in a fresh process with nothing but this environment."""
    whole = {"PATH": os.environ["PATH"], "DATABASE_URL": f"sqlite:///{folder / 'new' / 'x.sqlite3'}", **environment}
    return subprocess.run([sys.executable, "-c", SHOW], cwd=ROOT, env=whole, capture_output=True, text=True)


@pytest.mark.parametrize("key", ["abc", "insecure-development-key", "ab" * 40, LONG[:49]])
def test_a_key_that_can_be_guessed_starts_nothing(tmp_path: Path, key: str) -> None:
    done = start(tmp_path, SECRET_KEY=key)
    assert done.returncode != 0 and "SECRET_KEY can be guessed" in done.stderr.splitlines()[-1]


def test_the_file_of_the_database_is_private_and_preloading_is_a_choice(tmp_path: Path) -> None:
    assert start(tmp_path, SECRET_KEY=LONG, HTTPS="True").stdout.split() == ["31536000", "False"]
    assert stat.S_IMODE((tmp_path / "new" / "x.sqlite3").stat().st_mode) == 0o600
    assert start(tmp_path, SECRET_KEY=LONG, HTTPS="True", HSTS_PRELOAD="True").stdout.split()[1] == "True"
