"""Counts the stored values that an attribute's limits forbid, so that tightening them is no surprise."""

from collections.abc import Iterator
from dataclasses import dataclass

from staging.identifiers import production_table
from staging.models import Attribute, Entity
from staging.sql.compose import Sql, column, fetch, name, sql, tree
from staging.sql.dialect import dialect
from staging.states import DataType
from staging.tables.columns import real_columns
from staging.wording import say

_EXAMPLES = 5


@dataclass(frozen=True)
class Unfit:
    """Stored values that a limit forbids: what the limit says, how many members have one, and some of them."""

    limit: str
    members: int
    examples: tuple[str, ...] = ()


def unfit_values(entity: Entity, attribute: Attribute) -> list[Unfit]:
    """Return what each limit of the attribute would forbid of the stored values; nothing is read as another type.

    The column has the attribute's type already. Reads every value once for each limit.
    """
    if attribute.name not in real_columns(production_table(entity.code)):
        return []
    dialect().start()
    found = (_unfit(entity, attribute, limit, broken) for limit, broken in _limits(attribute))
    return [unfit for unfit in found if unfit.members]


def count_without(entity: Entity, attribute: Attribute) -> int:
    """Return how many active members have no value in an attribute."""
    table = production_table(entity.code)
    missing = (
        sql("{v} IS NULL", v=column("p", attribute.name)) if attribute.name in real_columns(table) else Sql("TRUE")
    )
    return int(fetch(sql("SELECT count(*) FROM {t} p WHERE p.is_active AND {m}", t=name(table), m=missing))[0][0])


def _unfit(entity: Entity, attribute: Attribute, limit: str, broken: Sql) -> Unfit:
    parts = {"table": name(production_table(entity.code)), "value": column("p", attribute.name), "broken": broken}
    where = "FROM {table} p WHERE {value} IS NOT NULL AND {broken}"
    count = int(fetch(sql(f"SELECT count(*) {where}", **parts))[0][0])
    if not count:
        return Unfit(limit, 0)
    shown = dialect().shown(dialect().staged_form(attribute.data_type, parts["value"]))
    rows = fetch(sql(f"SELECT DISTINCT {{shown}} {where} LIMIT {_EXAMPLES}", shown=shown, **parts))
    return Unfit(limit, count, tuple(sorted(str(value) for (value,) in rows)))


def _limits(attribute: Attribute) -> Iterator[tuple[str, Sql]]:
    """Yield each limit in words with the condition that breaks it."""
    kind, value, write = attribute.data_type, column("p", attribute.name), dialect()
    if kind == DataType.TEXT:
        length = write.length(value)
        if attribute.min_length:
            told = say("at least {min_length} characters", min_length=attribute.min_length)
            yield told, sql("{n} < {m}", n=length, m=attribute.min_length)
        if attribute.max_length is not None:
            told = say("at most {max_length} characters", max_length=attribute.max_length)
            yield told, sql("{n} > {m}", n=length, m=attribute.max_length)
        if attribute.pattern:
            told = say("matches {pattern}", pattern=attribute.pattern)
            yield told, sql("NOT {m}", m=write.matches(attribute.pattern, value))
    if attribute.min_value:
        told = say("at least {min_value}", min_value=attribute.min_value)
        yield told, write.less(kind, value, write.constant(kind, attribute.min_value))
    if attribute.max_value:
        told = say("at most {max_value}", max_value=attribute.max_value)
        yield told, write.less(kind, write.constant(kind, attribute.max_value), value)
    if attribute.choices:
        allowed = (sql("{v} = {c}", v=value, c=write.constant(kind, str(text))) for text in attribute.choices)
        yield say("one of the allowed values"), sql("NOT ({any})", any=tree("OR", allowed, "FALSE"))
