"""Asks the public database of advisories about every package that is installed, in exactly its version.

Ends with 0 when nothing is known, 1 when something is, and 2 when the database could not be asked, if only of one.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

_MOST_SECONDS = 600
NOT_ASKED = 2


def installed() -> list[str]:
    """Return the packages of this environment with their versions."""
    return sorted({f"{each.metadata['Name']}=={each.version}" for each in distributions()})


def ask(tool: str, packages: Sequence[str]) -> tuple[int, list[str]]:
    """Return the exit code, and what is to be said, one line for each advisory."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(packages) + "\n")
        file.flush()
        command = [tool, "-r", file.name, "--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_MOST_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            return _not_asked(str(error))
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        lines = done.stderr.strip().splitlines()
        return _not_asked(lines[-1] if lines else f"exit code {done.returncode}")
    return _told(answer)


def _not_asked(why: str) -> tuple[int, list[str]]:
    return NOT_ASKED, [f"The database of advisories could not be asked; nothing was audited: {why}"]


def _told(answer: Any) -> tuple[int, list[str]]:
    skipped = [each for each in answer["dependencies"] if "skip_reason" in each]
    found = [
        f"{package['name']} {package['version']}: {advisory['id']}, mended in "
        f"{', '.join(advisory['fix_versions']) or 'no version yet'}"
        for package in answer["dependencies"]
        for advisory in package.get("vulns", ())
    ]
    notes = [f"{each['name']}: not audited, {each['skip_reason']}" for each in skipped]
    number = len(answer["dependencies"]) - len(skipped)
    lines = [*found, *notes, f"{number} packages audited, {len(found)} advisories."]
    return 1 if found else NOT_ASKED * bool(skipped), lines


def main(arguments: list[str] | None = None) -> int:
    """Audit this environment, or the packages that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default=str(Path(sys.prefix).parent / ".venv-audit" / "bin" / "pip-audit"))
    parser.add_argument("packages", nargs="*", metavar="NAME==VERSION")
    told = parser.parse_args(arguments)
    code, lines = ask(told.tool, told.packages or installed())
    print("\n".join(lines))
    return code


if __name__ == "__main__":
    sys.exit(main())
