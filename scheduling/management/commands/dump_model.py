"""`dump_model`: entities, attributes and schedules to a file."""

import json
from argparse import ArgumentParser
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.management import base
from scheduling.model_files.dump import dump
from staging.model_files.write import write_yaml
from staging.states import AuditKind, DoorKind
from staging.versions.audit import note
from staging.wording import say


class Command(base.Command):
    """Write everything that is defined here as a model file."""

    help = gettext_noop(
        "Write entities, attributes and schedules as a model file: YAML, or JSON with --json or a .json file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take where to write."""
        parser.add_argument("--output", type=Path, metavar="FILE", help=say("Write to this file, not to the screen."))

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file, or print it."""
        output: Path | None = options["output"]
        as_json = options["json"] or (output is not None and output.suffix == ".json")
        document = dump()
        about = say("The model, by the command {command}", command="dump_model")
        note(AuditKind.EXPORTED, person=str(DoorKind.COMMAND.label), about=about)
        text = _json(document) if as_json else write_yaml(document)
        if output is None:
            self.stdout.write(text, ending="")
            return
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            text = say("{file} cannot be written: {error}.", file=str(output), error=error.strerror)
            raise base.refused(text) from None


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2, default=_number) + "\n"


def _number(value: Decimal) -> str:
    """Return a fraction as text, which loads as the same limit; a JSON number might lose digits on its way."""
    return format(value, "f")
