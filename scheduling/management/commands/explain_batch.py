"""`explain_batch`: the SQL of an entity's batch, for people who tune and for support."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DataError, IntegrityError

from scheduling import clock
from scheduling.errors import AlreadyRunning
from scheduling.management import base
from staging.batches.shown.explain import Explained, explain_batch
from staging.sql.aliases import ALIASES


class Command(base.Command):
    """Print every statement that a batch of one entity sends, and what the database makes of it."""

    help = "Print the SQL of an entity's batch, in order, with purposes and plans. Nothing is changed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the entity, and whether to run."""
        base.add_entity(parser)
        parser.add_argument(
            "--analyze", action="store_true", help="Run it over the waiting rows, in a transaction that is rolled back."
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Have the batch explained."""
        configuration = base.find_configuration(options["entity"])
        entity = configuration.entity
        if options["analyze"] and configuration.is_running:
            raise AlreadyRunning(f"A batch of {entity.name} is already running.")
        try:
            found = explain_batch(entity, analyze=options["analyze"], now=clock.now())
        except (DataError, IntegrityError) as error:
            said = " ".join(str(error).split())
            raise CommandError(f"The batch fails: {said}", returncode=base.EXIT_FAILED) from None
        statements = [_document(statement) for statement in found.statements]
        return {"entity": entity.code, "waiting_rows": found.waiting, "statements": statements}, 0

    def text(self, document: dict[str, Any]) -> str:
        """Return the statements as SQL, what is told about them as comments."""
        name, rows = document["entity"], document["waiting_rows"]
        head = f"-- What a batch of {name} may send, with rows of every kind; none was run, nothing was changed."
        if rows is not None:
            head = f"-- A batch of {name} over {rows:,} waiting rows, rolled back: nothing was changed."
        statements = (_text(number, each) for number, each in enumerate(document["statements"], 1))
        return "\n\n".join([head, *statements])


def _document(explained: Explained) -> dict[str, Any]:
    template = explained.template
    return {
        "name": template.name,
        "step": template.file,
        "purpose": template.purpose,
        "aliases": {alias: ALIASES[alias] for alias in template.aliases},
        "locks": template.locks,
        "sql": explained.text,
        "plan": explained.plan,
        "times": explained.times,
        "rows": explained.rows,
        "milliseconds": None if explained.milliseconds is None else round(explained.milliseconds, 2),
    }


def _text(number: int, statement: dict[str, Any]) -> str:
    title = f"{number}. {statement['step']}, {statement['name']}: {statement['purpose']}"
    lines = [title, *(f"  {alias}: {meaning}" for alias, meaning in statement["aliases"].items())]
    lines += [f"  locks: {statement['locks']}"]
    lines += [f"  {_figures(statement)}"] if statement["milliseconds"] is not None else []
    told = [f"-- {line}" for line in lines]
    return "\n".join([*told, f"{statement['sql']};", *(f"--   {line}" for line in statement["plan"])])


def _figures(statement: dict[str, Any]) -> str:
    rows = "" if statement["rows"] is None else f"; rows: {statement['rows']:,}"
    times = "" if statement["times"] == 1 else f"; times: {statement['times']:,}"
    return f"{statement['milliseconds']:,} ms{rows}{times}"
