"""`explain_batch`: the SQL of an entity's batch, for people who tune and for support."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DataError, IntegrityError
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.errors import AlreadyRunning
from scheduling.management import base
from staging.batches.shown.explain import Explained, explain_batch
from staging.sql.aliases import ALIASES
from staging.wording import one_line, said_together, say


class Command(base.Command):
    """Print every statement that a batch of one entity sends, and what the database makes of it."""

    help = gettext_noop("Print the SQL of an entity's batch, in order, with purposes and plans. Nothing is changed.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the entity, and whether to run."""
        base.add_entity(parser)
        parser.add_argument(
            "--analyze",
            action="store_true",
            help=say("Run it over the waiting rows, in a transaction that is rolled back."),
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Have the batch explained."""
        configuration = base.find_configuration(options["entity"])
        entity = configuration.entity
        if options["analyze"] and configuration.is_running:
            raise AlreadyRunning(configuration.busy)
        try:
            found = explain_batch(entity, analyze=options["analyze"], now=clock.now())
        except (DataError, IntegrityError) as error:
            text = say("The batch fails: {error}", error=one_line(error))
            raise CommandError(text, returncode=base.EXIT_FAILED) from None
        statements = [_document(statement) for statement in found.statements]
        return {"entity": entity.code, "waiting_rows": found.waiting, "statements": statements}, 0

    def text(self, document: dict[str, Any]) -> str:
        """Return the statements as SQL, what is told about them as comments."""
        name, rows = document["entity"], document["waiting_rows"]
        head = say(
            "What a batch of {entity} may send, with rows of every kind; none was run, nothing was changed.",
            entity=name,
        )
        if rows is not None:
            head = say(
                "A batch of {entity} over {rows:,} waiting rows, rolled back: nothing was changed.",
                entity=name,
                rows=rows,
            )
        statements = (_text(number, each) for number, each in enumerate(document["statements"], 1))
        return "\n\n".join([f"-- {head}", *statements])


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
    lines.append("  " + say("locks: {locks}", locks=statement["locks"]))
    lines += [f"  {_figures(statement)}"] if statement["milliseconds"] is not None else []
    told = [f"-- {line}" for line in lines]
    return "\n".join([*told, f"{statement['sql']};", *(f"--   {line}" for line in statement["plan"])])


def _figures(statement: dict[str, Any]) -> str:
    return said_together(
        say("{milliseconds:,} ms", milliseconds=statement["milliseconds"]),
        "" if statement["rows"] is None else say("rows: {rows:,}", rows=statement["rows"]),
        "" if statement["times"] == 1 else say("times: {times:,}", times=statement["times"]),
        by="; ",
    )
