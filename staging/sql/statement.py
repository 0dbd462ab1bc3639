"""Reads the statements of a batch from the files in `statements/`, each under a head that says what it is for.

A head has a name, a purpose, the aliases that the statement and what is put into it may use (aliases.py), and the locks
that others may wait for. It stays here: the database is sent the statement only.
"""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from staging.sql.compose import Sql, sql

_FOLDER = Path(__file__).parent / "statements"
_NAME = "-- name: "
_FIELDS = ("purpose", "aliases", "locks")


@dataclass(frozen=True)
class Template:
    """One statement as its file has it; `file` is the step of a batch that it belongs to."""

    file: str
    name: str
    purpose: str
    aliases: tuple[str, ...]
    locks: str
    text: str


@dataclass(frozen=True)
class Statement(Sql):
    """A statement ready to be sent, which still knows what it is for."""

    template: Template = field(kw_only=True)


def statement(name: str, **parts: Any) -> Statement:
    """Return the statement of this name with its `{names}` filled as `sql` does."""
    template = templates()[name]
    filled = sql(template.text, **parts)
    return Statement(filled.text, filled.params, template=template)


@cache
def templates() -> dict[str, Template]:
    """Return every statement of the files by its name. Raises ValueError when two have the same one."""
    found: dict[str, Template] = {}
    for path in sorted(_FOLDER.glob("*.sql")):
        for part in f"\n{path.read_text(encoding='utf-8')}".split(f"\n{_NAME}")[1:]:
            template = _read(path.stem, part)
            if template.name in found:
                raise ValueError(f"{path.name} has a second statement {template.name}.")
            found[template.name] = template
    return found


def _read(file: str, part: str) -> Template:
    """Return the statement of a part: its name, the lines of its head, its text."""
    name, *lines = part.splitlines()
    head: dict[str, str] = {}
    field = ""
    while lines and lines[0].startswith("--"):
        line = lines.pop(0).removeprefix("--").strip()
        label, colon, value = line.partition(": ")
        if colon and label in _FIELDS:
            field, head[label] = label, value
        else:
            head[field] += f" {line}"
    aliases = () if head["aliases"] == "none" else tuple(head["aliases"].split())
    return Template(file, name, head["purpose"], aliases, head["locks"], "\n".join(lines).strip())
