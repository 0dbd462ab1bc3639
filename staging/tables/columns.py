"""Says which columns the physical tables have (docs/staging-tables.md), once for create, alter and inspect."""

from dataclasses import dataclass

from staging.identifiers import before_column, check_column, production_table, quote
from staging.models import Attribute
from staging.sql.choose import dialect
from staging.states import DataType


@dataclass(frozen=True)
class Column:
    """One column as it should be: `type` as the database reports it, `target` the table a reference points at."""

    name: str
    type: str
    rest: str = ""
    target: str = ""

    def ddl(self) -> str:
        """Return the column's part of CREATE TABLE or ADD COLUMN."""
        refers = f"REFERENCES {quote(self.target)} ({quote('id')})" if self.target else ""
        return " ".join(part for part in (quote(self.name), self.type, self.rest, refers) if part)


def column_type(data_type: str) -> str:
    """Return the column type of a data type on the database in use."""
    return dialect().stored_types[data_type]


def staging_columns() -> list[Column]:
    """Return the columns every staging table has after its `id`."""
    text, big, small = column_type(DataType.TEXT), column_type(DataType.INTEGER), column_type("small")
    return [
        Column("code", text),
        Column("name", text),
        Column("new_code", text),
        Column("import_action", small),
        Column("import_status", small, "NOT NULL DEFAULT 0"),
        Column("batch_id", big),
        Column("batch_tag", text),
        Column("error_code", big, "NOT NULL DEFAULT 0"),
        Column("error_message", text),
        _instant("created_at"),
        Column("import_outcome", text),
    ]


def production_columns() -> list[Column]:
    """Return the columns every production table has after its `id`."""
    text, big = column_type(DataType.TEXT), column_type(DataType.INTEGER)
    return [
        Column("code", text, "NOT NULL"),
        Column("name", text),
        Column("is_active", column_type(DataType.BOOLEAN), f"NOT NULL DEFAULT {dialect().true}"),
        _instant("created_at"),
        _instant("updated_at"),
        Column("created_batch_id", big),
        Column("updated_batch_id", big),
    ]


def staged_column(attribute: Attribute) -> Column:
    """Return an attribute's column in staging: always text, references as the target's code."""
    return Column(check_column(attribute.name), column_type(DataType.TEXT))


def typed_column(attribute: Attribute, as_name: str = "") -> Column:
    """Return an attribute's column in production, typed; a reference is a foreign key to the target's `id`.

    `as_name` is another name, for a column that is made beside the one it replaces.
    """
    target = production_table(attribute.reference.code) if attribute.reference else ""
    return Column(as_name or check_column(attribute.name), column_type(attribute.data_type), target=target)


def history_columns() -> list[Column]:
    """Return the columns every history table has after its `id`: what happened, and the member as it was before.

    A member that did not exist has nulls throughout; `restored_batch_id` is, after an undo, the batch whose values
    hold again.
    """
    text, big = column_type(DataType.TEXT), column_type(DataType.INTEGER)
    instant, truth = column_type(DataType.DATETIME), column_type(DataType.BOOLEAN)
    before = {"code": text, "name": text, "is_active": truth, "created_at": instant, "updated_at": instant}
    before |= {"created_batch_id": big, "updated_batch_id": big}
    return [
        Column("member_id", big, "NOT NULL"),
        Column("action", text, "NOT NULL"),
        Column("batch_id", big, "NOT NULL"),
        Column("restored_batch_id", big),
        Column("changed_at", instant, "NOT NULL"),
        Column("changed_by", text, "NOT NULL"),
        *(Column(before_column(name), kind) for name, kind in before.items()),
    ]


def kept_column(attribute: Attribute) -> Column:
    """Return an attribute's column in the history; a reference is the `id` of a member that may be gone since."""
    return Column(before_column(check_column(attribute.name)), column_type(attribute.data_type))


def _instant(name: str) -> Column:
    return Column(name, column_type(DataType.DATETIME), f"NOT NULL DEFAULT {dialect().now}")
