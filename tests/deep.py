"""The deep check: every test that can try more tries it, with new random choices, until the time is used up.

A part is one file whose tests are deeper than in a quick check. What is done is kept in var/, by seed: naming the seed
again goes on with the parts that are left. When all are done, the next seed begins.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_LOOKS_DEEPER = ("tests.depth import", "crash.matrix import", "SOAK_SECONDS")
_SOAK_SECONDS = 300
_LEAST_SECONDS = 20  # with less left, no part is begun


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


def parts() -> list[str]:
    """Return the files whose tests try more when deep."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file.relative_to(ROOT)) for file in files if any(word in file.read_text() for word in _LOOKS_DEEPER)]


def run_part(part: str, seed: int, seconds: float) -> int | None:
    """Run one part; return its exit code, or None when its time was up before it ended."""
    environment = {**os.environ, "DEPTH": "deep", "SOAK_SECONDS": str(_SOAK_SECONDS), "SOAK_SEEDS": str(seed)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "auto",
        f"--hypothesis-seed={seed}",
        f"-prandomly_seed={seed}",
    ]
    command = [*command[:-1], f"--randomly-seed={seed}", part, "--maxfail=3"]
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
            return None


def main(arguments: list[str] | None = None) -> int:
    """Run parts until the time is used up; return 1 when one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=None)
    told = parser.parse_args(arguments)
    until = time.monotonic() + told.minutes * 60
    current = Round.of(told.seed if told.seed is not None else random.randrange(1, 100_000))
    failed: list[str] = []
    while True:
        todo = [part for part in parts() if part not in current.done]
        if not todo:
            current = Round.of(current.seed + 1)
            continue
        random.Random(current.seed + len(todo)).shuffle(todo)
        left = until - time.monotonic()
        code = run_part(todo[0], current.seed, left) if left > _LEAST_SECONDS else None
        if code is None:
            break
        print(f"seed {current.seed}: {todo[0]}: {'passed' if code in (0, 5) else 'FAILED'}", flush=True)
        current.note(todo[0], code)
        failed += [f"{todo[0]} (seed {current.seed})"] * (code not in (0, 5))
    print(f"\nseed {current.seed}: {len(current.done)} of {len(parts())} parts done")
    print(f"to go on: make test-deep SEED={current.seed}")
    print("failed: " + (", ".join(failed) or "none"))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
