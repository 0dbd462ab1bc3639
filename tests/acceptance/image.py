"""What `docker build` puts into the image, on a machine without Docker: the Dockerfile and .dockerignore, followed."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

_OF_NO_FILE = ("FROM", "USER", "EXPOSE", "CMD")
_OF_THE_MACHINE = ("pip ", "useradd ")


class Shell(Protocol):
    """Types a text in a folder, with this environment."""

    def __call__(self, folder: Path, text: str, **environment: str) -> str: ...


def build(context: Path, app: Path, run: Shell) -> dict[str, str]:
    """Make the folder that the image has as its WORKDIR; return the environment that the image sets.

    Everything is RUN but what installs something or makes an account: libraries are installed here already. Fails for
    anything in the Dockerfile that this does not know of.
    """
    known: dict[str, str] = {}
    for word, rest in _instructions((context / "Dockerfile").read_text(encoding="utf-8")):
        if word == "ENV":
            known.update((name, value) for name, _, value in (item.partition("=") for item in shlex.split(rest)))
        elif word == "WORKDIR":
            app.mkdir()
        elif word == "COPY":
            *sources, target = rest.split()
            assert target == "." and app.is_dir() and not rest.startswith("-"), rest
            _copy(context, sources, app)
        elif word == "RUN":
            if not rest.startswith(_OF_THE_MACHINE):
                run(app, rest, **known)
        else:
            assert word in _OF_NO_FILE, f"{word}: follow it here, too"
    return known


def _instructions(text: str) -> Iterator[tuple[str, str]]:
    without_comments = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE)
    for line in without_comments.replace("\\\n", " ").splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield word, rest.strip()


def _copy(context: Path, sources: list[str], app: Path) -> None:
    """Copy these files and folders, but what .dockerignore leaves out; who may read them stays as it is."""
    rules = _rules((context / ".dockerignore").read_text(encoding="utf-8"))
    for source in sources:
        start = context / source
        for path in [start] if start.is_file() else sorted(start.rglob("*")):
            name = path.relative_to(context).as_posix()
            if path.is_file() and not _is_left_out(name, rules):
                target = app / path.relative_to(start if start.is_dir() else context)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
                shutil.copymode(path.parent, target.parent)


def _rules(text: str) -> list[tuple[bool, re.Pattern[str]]]:
    """Return for each line whether it leaves out, and what it is about: a path from the top, and all beneath it."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(not line.startswith("!"), _pattern(line.removeprefix("!").strip("/"))) for line in lines]


def _pattern(glob: str) -> re.Pattern[str]:
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return re.compile("".join(words.get(piece, re.escape(piece)) for piece in pieces) + "(?:/.*)?")


def _is_left_out(name: str, rules: list[tuple[bool, re.Pattern[str]]]) -> bool:
    """Return what the last rule says that is about this file."""
    return next((leaves_out for leaves_out, pattern in reversed(rules) if pattern.fullmatch(name)), False)
