"""Ready statements that deliver a row of an entity, so that whoever delivers starts from the real names."""

import json

from staging.identifiers import quote, staging_table
from staging.models import Attribute, Entity
from staging.sql.dialect import dialect
from staging.states import DataType
from staging.tables.create import live_attributes
from staging.wording import say

_EXAMPLES = {
    DataType.TEXT: "text",
    DataType.INTEGER: "42",
    DataType.DECIMAL: "12.50",
    DataType.BOOLEAN: "true",
    DataType.DATE: "2026-01-31",
    DataType.DATETIME: "2026-01-31T08:30:00Z",
}


def insert_example(entity: Entity) -> str:
    """Return one INSERT into the entity's staging table, naming every column a deliverer fills; it can be run as is."""
    row = _row(entity)
    return (
        f"INSERT INTO {quote(staging_table(entity.code))}\n"
        f"    ({', '.join(quote(column) for column in row)})\n"
        f"VALUES\n"
        f"    ({', '.join(_literal(value) for value in row.values())});"
    )


def bulk_example(entity: Entity) -> str:
    """Return how many rows go in at once on the database in use: `\\copy` of psql, or Python for SQLite."""
    columns = [quote(column) for column in _row(entity)]
    return dialect().bulk_example(quote(staging_table(entity.code)), columns, f"{entity.code}.csv")


def curl_example(entity: Entity) -> str:
    """Return the call of the REST API that deposits a row; `SITE` and `TOKEN` are the reader's."""
    body = json.dumps([_row(entity)], ensure_ascii=False).replace("'", "'\\''")
    return (
        f'curl -X POST "$SITE/api/v1/entities/{entity.code}/rows" \\\n'
        '     -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\\n'
        f"     -d '{body}'"
    )


def _row(entity: Entity) -> dict[str, str]:
    own = {"code": "A1", "name": "First one"}
    return own | {attribute.name: _example(attribute) for attribute in live_attributes(entity)}


def _example(attribute: Attribute) -> str:
    if attribute.choices:
        return str(attribute.choices[0])
    if attribute.data_type == DataType.REFERENCE and attribute.reference:
        return say("code of a {entity}", entity=attribute.reference.name)
    return attribute.min_value or _EXAMPLES[DataType(attribute.data_type)]


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
