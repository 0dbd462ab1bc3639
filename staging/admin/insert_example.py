"""A ready INSERT statement for an entity, so that whoever delivers rows starts from the real names."""

from staging.identifiers import quote, staging_table
from staging.models import Attribute, Entity
from staging.states import DataType

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
    attributes = [item for item in entity.attributes.select_related("reference") if not item.is_cancelled]
    columns = ["code", "name", *(item.name for item in attributes)]
    values = ["A1", "First one", *(_example(item) for item in attributes)]
    return (
        f"INSERT INTO {quote(staging_table(entity.code))}\n"
        f"    ({', '.join(quote(column) for column in columns)})\n"
        f"VALUES\n"
        f"    ({', '.join(_literal(value) for value in values)});"
    )


def _example(attribute: Attribute) -> str:
    if attribute.choices:
        return str(attribute.choices[0])
    if attribute.data_type == DataType.REFERENCE and attribute.reference:
        return f"code of a {attribute.reference.name}"
    return attribute.min_value or _EXAMPLES[DataType(attribute.data_type)]


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
