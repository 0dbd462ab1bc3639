"""`load_model`: entities, attributes and schedules from a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from scheduling import clock
from scheduling.management import base
from scheduling.model_files.load import load
from staging.errors import InvalidDefinition, TablesInUse
from staging.model_files.read import read_file


class Command(base.Command):
    """Load a model file, whole or not at all."""

    help = "Load entities, attributes and schedules from a YAML or JSON file. Nothing is ever deleted."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="A model file; .json is read as JSON, anything else as YAML.")
        parser.add_argument("--dry-run", action="store_true", help="Only say what would change.")

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
        lines = [f"created    {what}" for what in document["created"]]
        for what, changes in document["changes"].items():
            told = ", ".join(f"{name}: {value['from']!r} -> {value['to']!r}" for name, value in changes.items())
            lines.append(f"changed    {what} ({told})")
        lines.append(f"unchanged  {len(document['unchanged'])}")
        return "\n".join([*lines, "Nothing was changed: this was a dry run."] if document["dry_run"] else lines)
