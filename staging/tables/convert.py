"""Turns the stored values of a production column into another type, all of them or none."""

from dataclasses import dataclass

from staging.errors import WouldLoseData
from staging.identifiers import history_table, production_table
from staging.models import Attribute, Entity
from staging.sql.compose import Sql, column, fetch, name, run, sql
from staging.sql.dialect import dialect
from staging.states import DataType
from staging.tables.columns import RealColumn, kept_column, table_exists, typed_column
from staging.tables.create import add_column, create_column_indexes, drop_column_indexes, run_ddl
from staging.tables.history import set_aside
from staging.wording import say

_EXAMPLES = 5


@dataclass(frozen=True)
class Conversion:
    """What becomes of a column's values: how many there are, how many are no values of the new type, with examples.

    `clashes` are values that several rows would share afterwards although the attribute is unique.
    """

    values: int = 0
    unfit: int = 0
    examples: tuple[str, ...] = ()
    clashes: tuple[str, ...] = ()

    @property
    def is_possible(self) -> bool:
        """Return whether every value converts."""
        return not self.unfit and not self.clashes

    def refusal(self, attribute: Attribute) -> str:
        """Return the sentence that refuses the conversion; empty when it is possible."""
        kind = DataType(attribute.data_type).label.lower()
        if self.unfit:
            of = say("the value") if self.values == 1 else say("the {values:,} values", values=self.values)
            shown = ", ".join(map(repr, self.examples))
            return say(
                "Of {of} stored in {attribute!r}, {unfit:,} cannot be read as {kind}: {shown}.",
                of=of,
                attribute=attribute.name,
                unfit=self.unfit,
                kind=kind,
                shown=shown,
            )
        if self.clashes:
            return say(
                "{attribute!r} is unique, but as {kind} more than one row would have {clashes}.",
                attribute=attribute.name,
                kind=kind,
                clashes=", ".join(self.clashes),
            )
        return ""


def conversion(entity: Entity, attribute: Attribute, real: RealColumn) -> Conversion | None:
    """Return what becomes of the values of a column when it becomes the attribute's type; None when nothing can.

    `real` is the column as it is; the attribute already says how it shall be. Reads every value once.
    """
    text = _text(attribute.name, real)
    if text is None:
        return None
    dialect().start()
    typed = _typed(attribute, text)
    values, unfit = fetch(
        sql(
            "SELECT count(*), count(*) - count(c.typed) FROM (SELECT {typed} AS typed FROM {table} p"
            " WHERE {value} IS NOT NULL) c",
            typed=typed,
            table=_table(entity),
            value=column("p", attribute.name),
        )
    )[0]
    examples = _examples(entity, attribute, text, typed) if unfit else ()
    clashes = _clashes(entity, typed) if attribute.unique and not unfit else ()
    return Conversion(values, unfit, examples, clashes)


def convert(entity: Entity, attribute: Attribute, real: RealColumn) -> Conversion:
    """Give a production column the attribute's type with all its values; raises WouldLoseData when one does not fit.

    The caller holds the transaction and the tables. The history of the column is set aside under another name and
    converted as far as it can be: an undo has to find what a member was.
    """
    found = conversion(entity, attribute, real)
    if found is None:
        raise WouldLoseData(
            say(
                "Column {attribute!r} is {type}, which others made of it; nothing reads it.",
                attribute=attribute.name,
                type=real.type,
            )
        )
    if not found.is_possible:
        raise WouldLoseData(found.refusal(attribute))
    table, new = production_table(entity.code), f"_{attribute.name}"
    add_column(table, typed_column(attribute, as_name=new))
    _fill(table, new, attribute.name, attribute, real)
    drop_column_indexes(table, attribute.name)
    run_ddl(f"ALTER TABLE {name(table).text} DROP COLUMN {name(attribute.name).text}")
    run_ddl(f"ALTER TABLE {name(table).text} RENAME COLUMN {name(new).text} TO {name(attribute.name).text}")
    create_column_indexes(entity, attribute)
    if aside := set_aside(entity, attribute.name):
        kept = kept_column(attribute)
        add_column(history_table(entity.code), kept)
        _fill(history_table(entity.code), kept.name, aside, attribute, real)
    return found


def _fill(table: str, new: str, old: str, attribute: Attribute, real: RealColumn) -> None:
    """Write the values of one column into another as the attribute's type; what is none of it stays empty."""
    text = _text(old, real) or Sql("NULL")
    statement = "UPDATE {table} AS p SET {new} = {typed} WHERE {value} IS NOT NULL"
    run(sql(statement, table=name(table), new=name(new), typed=_typed(attribute, text), value=column("p", old)))


def type_of(real: RealColumn) -> str:
    """Return the data type that a real column is of, empty when it is none of ours."""
    if real.target:
        return DataType.REFERENCE
    known = dialect().stored_types
    return next((kind for kind, name_ in known.items() if name_ == real.type and kind in DataType.values), "")


def _table(entity: Entity) -> Sql:
    return name(production_table(entity.code))


def _text(name_: str, real: RealColumn) -> Sql | None:
    """Return a stored value of alias `p` as it could be staged; None when its type is none of ours."""
    value = column("p", name_)
    kind = type_of(real)
    if kind == DataType.REFERENCE:
        return sql("(SELECT r.code FROM {target} r WHERE r.id = {v})", target=name(real.target), v=value)
    return dialect().staged_form(kind, value) if kind else None


def _typed(attribute: Attribute, text: Sql) -> Sql:
    """Return staged text as a value of the attribute's type, null where it is none."""
    trimmed = dialect().trim(text)
    if attribute.reference is None:
        return dialect().typed(attribute.data_type, trimmed, Sql("NULL"))
    target = production_table(attribute.reference.code)
    if not table_exists(target):  # an entity that the same file brings
        return Sql("NULL")
    return sql("(SELECT r.id FROM {target} r WHERE r.code = {v})", target=name(target), v=trimmed)


def _examples(entity: Entity, attribute: Attribute, text: Sql, typed: Sql) -> tuple[str, ...]:
    query = sql(
        "SELECT {shown} FROM {table} p WHERE {value} IS NOT NULL AND {typed} IS NULL ORDER BY p.id LIMIT {most}",
        shown=dialect().shown(text),
        table=_table(entity),
        value=column("p", attribute.name),
        typed=typed,
        most=_EXAMPLES,
    )
    return tuple(str(value) for (value,) in fetch(query))


def _clashes(entity: Entity, typed: Sql) -> tuple[str, ...]:
    query = sql(
        "SELECT c.typed FROM (SELECT {typed} AS typed FROM {table} p) c WHERE c.typed IS NOT NULL"
        " GROUP BY c.typed HAVING count(*) > 1 ORDER BY c.typed LIMIT 3",
        typed=typed,
        table=_table(entity),
    )
    return tuple(str(value) for (value,) in fetch(query))
