"""`delivery_contract`: what somebody needs to know who delivers rows of an entity."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.management import base
from staging.entities.contract import delivery_contract
from staging.wording import say


class Command(base.Command):
    """Print the delivery contract of an entity; nothing is written."""

    help = gettext_noop("Print what somebody needs to know who delivers rows of an entity. Nothing is written.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        base.add_entity(parser)

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        return delivery_contract(base.find_configuration(options["entity"]).entity), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return the contract for people: the columns, the actions, the examples and the last errors."""
        lines = [
            say("{entity}: insert into {table}", entity=document["entity"]["name"], table=document["table"]),
            *document["problems"],
            "",
            say("columns:"),
        ]
        lines += [f"  {column['name']}: {column['meaning']}" for column in document["own_columns"]]
        lines += [f"  {_column(column)}" for column in document["columns"]]
        lines += ["", "import_action:"]
        lines += [f"  {action['value']} {action['meaning']}" for action in document["import_actions"]]
        for example in document["examples"].values():
            lines += ["", example]
        lines += ["", say("last errors:")]
        lines += [f"  {_group(group)}" for group in document["last_errors"]] or ["  " + say("none")]
        return "\n".join(lines)


def _column(column: dict[str, Any]) -> str:
    """Return an attribute in one line."""
    more = [*([say("required")] if column["required"] else []), *([say("unique")] if column["unique"] else [])]
    parts = [column["accepted"], *more, *column["limits"], say("clear it with {text}", text=column["clears"])]
    if codes := column["codes"]:
        first = [*codes["first"], *(["…"] if codes["more"] else [])]
        parts.append(say("codes: {codes}", codes=", ".join(first)))
    return f"{column['name']}: {'; '.join(parts)}"


def _group(group: dict[str, Any]) -> str:
    """Return rejected rows of one kind in one line."""
    example = " ".join(group["example"].split())
    return say(
        "{tag}: {rows} rows, {meanings}: {example}",
        tag=group["batch_tag"] or say("no tag"),
        rows=group["rows"],
        meanings=", ".join(group["meanings"]),
        example=example,
    )
