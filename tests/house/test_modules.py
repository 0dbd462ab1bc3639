"""A reader who follows one path through the code opens few modules."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_staged_row_a_cycle_and_a_test_run_lead_through_few_modules():
    """The limits stand beside the paths, in the benchmark that counts them."""
    embedded = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "CELERY_BROKER_URL")}
    counted = subprocess.run(
        [sys.executable, "-m", "benchmarks.modules", "--names"], cwd=ROOT, env=embedded, capture_output=True, text=True
    )
    assert not counted.returncode, f"Join what is one thought:\n{counted.stdout}{counted.stderr}"
