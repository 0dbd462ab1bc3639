"""`preview_batch`: what an entity's batch would do now, without changing anything."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.explanations.foreseen import foreseen_document
from scheduling.management import base
from staging.wording import say

_MOST = 1_000_000


class Command(base.Command):
    """Count what would become of the pending rows, and list the changes."""

    help = gettext_noop(
        "Say what an entity's batch would do now: counts by outcome and the changes. Nothing is changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the entity, the tag and how much to list."""
        base.add_entity(parser)
        parser.add_argument("--tag", default="", help=say("Look only at rows with this batch tag."))
        parser.add_argument("--limit", type=int, default=100, metavar="N", help=say("List at most N changes (100)."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Judge the rows as a batch would, and read what came out."""
        if not 0 <= options["limit"] <= _MOST:
            raise base.refused(say("--limit must be 0 to {most:,}.", most=_MOST))
        entity = base.find_configuration(options["entity"]).entity
        base.refuse_unknown_tag(entity, options["tag"])
        return foreseen_document(entity, tag=options["tag"], limit=options["limit"], now=clock.now()), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return the counts, then one line for each change."""
        changes = document.pop("changes")
        return "\n".join([super().text(document), *map(_line, changes)])


def _line(change: dict[str, Any]) -> str:
    fields = {**change["before"], **change["after"]}
    code = change["code"] or say("(no code)")
    differences = [f"{name}: {_shown(change, 'before', name)} > {_shown(change, 'after', name)}" for name in fields]
    return f"  {change['action']} {code}: {'; '.join([*differences, *change['errors']])}"


def _shown(change: dict[str, Any], side: str, name: str) -> str:
    value = change[side].get(name)
    return "-" if value is None else str(value)
