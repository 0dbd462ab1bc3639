"""`load_model`: entities, attributes and schedules from a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.management import base
from scheduling.model_files.load import load
from staging.errors import InvalidDefinition, TablesInUse
from staging.model_files.read import read_file
from staging.wording import say


class Command(base.Command):
    """Load a model file, whole or not at all."""

    help = gettext_noop("Load entities, attributes and schedules from a YAML or JSON file. Nothing is ever deleted.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help=say("A model file; .json is read as JSON, anything else as YAML."))
        parser.add_argument("--dry-run", action="store_true", help=say("Only say what would change."))
        base.add_reason(parser)

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Read, check and apply; each error is a line of its own, with its path in the file."""
        try:
            loaded = load(read_file(options["file"]), dry_run=options["dry_run"], now=clock.now())
        except InvalidDefinition as error:
            lines = [f"{path}: {' '.join(text.split())}" for path, texts in error.errors.items() for text in texts]
            raise CommandError("\n".join(lines), returncode=base.EXIT_BAD_INPUT) from None
        except TablesInUse as error:
            raise CommandError(str(error), returncode=base.EXIT_REFUSED) from None
        return loaded.as_json(), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return what was done, one line for each change."""
        lines: list[str] = [say("created    {what}", what=what) for what in document["created"]]
        for what, changes in document["changes"].items():
            told = ", ".join(f"{name}: {value['from']!r} -> {value['to']!r}" for name, value in changes.items())
            lines.append(say("changed    {what} ({changes})", what=what, changes=told))
        lines.append(say("unchanged  {number}", number=len(document["unchanged"])))
        if document["dry_run"]:
            lines.append(say("Nothing was changed: this was a dry run."))
        return "\n".join(lines)
