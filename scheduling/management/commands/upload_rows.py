"""`upload_rows`: the rows of a file into staging, or rejected rows that were exported back into their places."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.management import base
from staging.models import Entity
from staging.uploads.columns import is_correction, known_names, suggest, unknown
from staging.uploads.correct import correct
from staging.uploads.deposit import deposit
from staging.uploads.reading.detect import detect
from staging.uploads.reading.read import first_rows
from staging.wording import say


class Command(base.Command):
    """Deposit a file by the columns' names and by what the admin remembers; all of it or nothing."""

    help = gettext_noop(
        "Put the rows of a CSV, Excel (.xlsx) or JSON-lines file into an entity's staging table, all or none."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the entity, the file and the tag."""
        base.add_entity(parser)
        parser.add_argument("file", metavar="FILE", type=Path, help=say("CSV, .xlsx or JSON lines."))
        parser.add_argument("--tag", default="", help=say("Give the rows this batch tag."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Find out what the file is, and store it; exit code 2 and nothing stored when anything is wrong."""
        entity = _entity(options["entity"])
        path = options["file"]
        if not path.is_file():
            raise base.refused(say("{path} is no file that can be read.", path=str(path)))
        form = detect(path, known_names(entity))
        columns, _ = first_rows(path, form, 0)
        facts = {"entity": entity.code, "file": path.name, "kind": form.kind.value}
        if is_correction(columns):
            done = correct(entity, path, form)
            return {**facts, "rows": done.pending, "changed_meanwhile": done.moved, "not_rejected": done.gone}, 0
        mapping = suggest(entity, columns)
        rows = deposit(entity, path, form, mapping, options["tag"])
        taken = {column: target for column, target in mapping.items() if target}
        return {**facts, "tag": options["tag"], "rows": rows, "columns": taken, "unknown": unknown(entity, mapping)}, 0


def _entity(code: str) -> Entity:
    try:
        return Entity.objects.get(code=code)
    except Entity.DoesNotExist:
        raise base.refused(base.no_entity(code)) from None
