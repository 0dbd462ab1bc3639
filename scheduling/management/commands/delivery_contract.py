"""`delivery_contract`: what somebody needs to know who delivers rows of an entity."""

from argparse import ArgumentParser
from typing import Any

from scheduling.management import base
from staging.entities.contract import delivery_contract


class Command(base.Command):
    """Print the delivery contract of an entity; nothing is written."""

    help = "Print what somebody needs to know who delivers rows of an entity. Nothing is written."

    def add_arguments(self, parser: ArgumentParser) -> None:
        base.add_entity(parser)

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        return delivery_contract(base.find_configuration(options["entity"]).entity), 0

    def text(self, document: dict[str, Any]) -> str:
        """Return the contract for people: the columns, the actions, the examples and the last errors."""
        lines = [
            f"{document['entity']['name']}: insert into {document['table']}",
            *document["problems"],
            "",
            "columns:",
        ]
        lines += [f"  {column['name']}: {column['meaning']}" for column in document["own_columns"]]
        lines += [f"  {_column(column)}" for column in document["columns"]]
        lines += ["", "import_action:"]
        lines += [f"  {action['value']} {action['meaning']}" for action in document["import_actions"]]
        for example in document["examples"].values():
            lines += ["", example]
        lines += ["", "last errors:"]
        lines += [f"  {_group(group)}" for group in document["last_errors"]] or ["  none"]
        return "\n".join(lines)


def _column(column: dict[str, Any]) -> str:
    """Return an attribute in one line."""
    more = [*(["required"] if column["required"] else []), *(["unique"] if column["unique"] else [])]
    parts = [column["accepted"], *more, *column["limits"], f"clear it with {column['clears']}"]
    if codes := column["codes"]:
        parts.append(f"codes: {', '.join(codes['first'])}{', …' if codes['more'] else ''}")
    return f"{column['name']}: {'; '.join(parts)}"


def _group(group: dict[str, Any]) -> str:
    """Return rejected rows of one kind in one line."""
    example = " ".join(group["example"].split())
    return f"{group['batch_tag'] or 'no tag'}: {group['rows']} rows, {', '.join(group['meanings'])}: {example}"
