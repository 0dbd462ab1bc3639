"""The deep check: every test that can try more tries it, with new random choices, until the time is used up.

A part is one file whose tests are deeper than in a quick check, on SQLite or on PostgreSQL and Redis. What is done is
kept in var/, by seed: naming the seed again goes on with the parts that are left. When all are done, the next seed
begins. A part of which every test was skipped, for want of a service, is not done, and is told.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
_LOOKS_DEEPER = ("tests.depth import", "crash.matrix import", "SOAK_SECONDS")
_SOAK_SECONDS = 300
_LEAST_SECONDS = 20  # with less left, no part is begun
_NONE_THERE = 5  # pytest's code for a file none of whose tests was chosen
SKIPPED = -1


@dataclass
class Round:
    """The parts of one seed, and which of them are done with which result."""

    seed: int
    done: dict[str, int] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """Where the round is kept."""
        return ROOT / "var" / f"deep-{self.seed}.json"

    @classmethod
    def of(cls, seed: int) -> "Round":
        """Return the round of a seed, as far as it came."""
        made = cls(seed)
        if made.path.exists():
            made.done = json.loads(made.path.read_text())
        return made

    def note(self, part: str, code: int) -> None:
        """Keep that a part is done."""
        self.done[part] = code
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(json.dumps(self.done, indent=1))


def files() -> list[str]:
    """Return the files whose tests try more when deep."""
    found = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file.relative_to(ROOT)) for file in found if any(word in file.read_text() for word in _LOOKS_DEEPER)]


def places() -> dict[str, tuple[dict[str, str], list[str]]]:
    """Return where each file is tried: the services in its environment, and which of its tests are tried there."""
    services = {
        "DATABASE_URL": os.environ.get("SERVICES_DATABASE_URL", ""),
        "CELERY_BROKER_URL": os.environ.get("SERVICES_BROKER_URL", ""),
    }
    here = {"DATABASE_URL": "", "CELERY_BROKER_URL": ""}
    return {
        "SQLite": (here, ["-m", "not services and not postgresql"]),
        "services": (services, ["-m", "not pure and not embedded"]),
    }


def parts() -> list[str]:
    """Return the parts: each file at each place."""
    return [f"{file} on {place}" for file in files() for place in places()]


def run_part(part: str, seed: int, seconds: float) -> int | None:
    """Run one part; return its exit code, SKIPPED, or None when its time was up before it ended."""
    file, _, place = part.partition(" on ")
    services, chosen = places()[place]
    environment = {**os.environ, **services, "DEPTH": "deep", "SOAK_SECONDS": str(_SOAK_SECONDS)}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        seeds = (f"--hypothesis-seed={seed}", f"--randomly-seed={seed}", f"--junitxml={report}")
        command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", *seeds, *chosen, file, "--maxfail=3"]
        with subprocess.Popen(command, cwd=ROOT, env={**environment, "SOAK_SEEDS": str(seed)}) as process:
            try:
                code = process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.terminate()
                return None
        return SKIPPED if code == 0 and _all_skipped(report) else code


def _all_skipped(report: Path) -> bool:
    """Return whether not one test of a report was tried."""
    suites = list(ElementTree.parse(report).iter("testsuite"))
    return all(int(suite.get("tests", 0)) == int(suite.get("skipped", 0)) for suite in suites)


def told(code: int) -> str:
    """Return how a part ended. A file without a test for a place, such as one without a database, has passed there."""
    return {0: "passed", _NONE_THERE: "passed", SKIPPED: "SKIPPED, a service is missing"}.get(code, "FAILED")


def main(arguments: list[str] | None = None) -> int:
    """Run parts until the time is used up; return 1 when one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=None)
    asked = parser.parse_args(arguments)
    until = time.monotonic() + asked.minutes * 60
    current = Round.of(asked.seed if asked.seed is not None else random.randrange(1, 100_000))
    failed: list[str] = []
    skipped: set[str] = set()
    while skipped < set(parts()):
        todo = [part for part in parts() if part not in {*current.done, *skipped}]
        if not todo:
            current = Round.of(current.seed + 1)
            continue
        random.Random(current.seed + len(todo)).shuffle(todo)
        left = until - time.monotonic()
        code = run_part(todo[0], current.seed, left) if left > _LEAST_SECONDS else None
        if code is None:
            break
        print(f"seed {current.seed}: {todo[0]}: {told(code)}", flush=True)
        if code == SKIPPED:
            skipped.add(todo[0])
            continue
        current.note(todo[0], code)
        failed += [f"{todo[0]} (seed {current.seed})"] * (told(code) == "FAILED")
    print(f"\nseed {current.seed}: {len(current.done)} of {len(parts())} parts done")
    print(f"to go on: make test-deep SEED={current.seed}")
    print("skipped, and not done: " + (", ".join(sorted(skipped)) or "none"))
    print("failed: " + (", ".join(failed) or "none"))
    return int(bool(failed or skipped))


if __name__ == "__main__":
    sys.exit(main())
