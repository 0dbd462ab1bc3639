"""The filters of a page of members: one column, one comparison, one value; read from text, told what is wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from staging.entities.values import FORMS, is_storable, parse_value
from staging.errors import StagingError
from staging.members.columns import ALWAYS, MemberColumn, attribute_columns, referred_code
from staging.models import Entity
from staging.sql.compose import Sql, column, sql
from staging.sql.dialect import dialect, to_database
from staging.states import NO, ORDERED, YES, DataType
from staging.wording import said_together, say

COMPARISONS = {
    "is": _("is"),
    "contains": _("contains"),
    "starts": _("starts with"),
    "from": _("from"),
    "to": _("up to"),
    "empty": _("is empty"),
    "filled": _("is not empty"),
}
_OF_TEXT, _OF_ORDERED = ("is", "contains", "starts", "empty", "filled"), ("is", "from", "to", "empty", "filled")
_OF_OTHERS = ("is", "empty", "filled")
_WITHOUT_VALUE = ("empty", "filled")
_LONGEST = 200


class BadFilter(StagingError):
    """A filter cannot be carried out; the text says why."""


@dataclass(frozen=True)
class Filter:
    """One condition on members, as it stands in an address: `column:comparison:value`."""

    column: MemberColumn
    comparison: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.column.name}:{self.comparison}:{self.value}"

    @property
    def words(self) -> str:
        """Return the filter as people read it."""
        return said_together(self.column.label, str(COMPARISONS[self.comparison]), self.value)


def filter_columns(entity: Entity) -> list[MemberColumn]:
    """Return the columns that can be filtered."""
    return [*ALWAYS, *attribute_columns(entity)]


def parse_filter(entity: Entity, text: str) -> Filter:
    """Return the filter that a text means; raises BadFilter with a sentence for a person."""
    label, _, rest = text.partition(":")
    comparison, _, value = rest.partition(":")
    wanted = next((c for c in filter_columns(entity) if c.name == label), None)
    if wanted is None:
        raise BadFilter(say("{entity} has no attribute {label!r} to filter by.", entity=entity.name, label=label[:40]))
    if comparison not in _allowed(wanted):
        words = ", ".join(f"“{COMPARISONS[each]}”" for each in _allowed(wanted))
        raise BadFilter(say("{label} can be filtered by {words}.", label=label, words=words))
    found = Filter(wanted, comparison, "" if comparison in _WITHOUT_VALUE else value.strip())
    condition(found)
    return found


def condition(asked: Filter) -> Sql:
    """Return the condition on members `p`; raises BadFilter when the value is not one of the column's type."""
    mine = referred_code(asked.column) if asked.column.target else column("p", asked.column.name)
    if asked.comparison in _WITHOUT_VALUE:
        return sql("{mine} IS NULL" if asked.comparison == "empty" else "{mine} IS NOT NULL", mine=mine)
    if not asked.value:
        raise BadFilter(say("Say what {column} should be compared with.", column=asked.column.label))
    if len(asked.value) > _LONGEST or not is_storable(asked.value):
        raise BadFilter(say("Nothing is compared with that text; use at most {longest} characters.", longest=_LONGEST))
    if asked.column.data_type in (DataType.TEXT, DataType.REFERENCE):
        return _text(asked, mine)
    if asked.column.data_type == DataType.BOOLEAN:
        return _truth(asked, mine)
    return _ordered(asked, mine)


def contains(mine: Sql, part: str, *, start: bool = False) -> Sql:
    """Return whether a text contains (with `start`: starts with) a part, in upper or lower case."""
    escaped = part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    pattern = f"{escaped}%" if start else f"%{escaped}%"
    return sql("lower({mine}) LIKE lower({pattern}) ESCAPE '\\'", mine=mine, pattern=pattern)


def _allowed(wanted: MemberColumn) -> tuple[str, ...]:
    if wanted.data_type == DataType.TEXT:
        return _OF_TEXT
    return _OF_ORDERED if wanted.data_type in ORDERED else _OF_OTHERS


def _text(asked: Filter, mine: Sql) -> Sql:
    if asked.comparison == "is":
        return sql("{mine} = {value}", mine=mine, value=asked.value)
    return contains(mine, asked.value, start=asked.comparison == "starts")


def _truth(asked: Filter, mine: Sql) -> Sql:
    word = asked.value.lower()
    if word not in (*YES, *NO):
        raise BadFilter(say("{column} is compared with yes or no.", column=asked.column.label))
    return sql("{mine}" if word in YES else "NOT {mine}", mine=mine)


def _ordered(asked: Filter, mine: Sql) -> Sql:
    value = parse_value(asked.column.data_type, asked.value)
    if value is None:
        raise BadFilter(say("{asked!r} is not {forms}.", asked=asked.value, forms=FORMS[asked.column.data_type]))
    if isinstance(value, datetime):
        return _instant(asked, mine, value)
    if asked.column.data_type == DataType.DECIMAL:
        return _decimal(asked, mine)
    sign = {"is": "=", "from": ">=", "to": "<="}[asked.comparison]
    return sql(f"{{mine}} {sign} {{value}}", mine=mine, value=dialect().stored(value))


def _instant(asked: Filter, mine: Sql, value: datetime) -> Sql:
    """Compare instants; a day alone means the whole of it, in UTC."""
    try:
        end = value + (timedelta(days=1) if len(asked.value) == 10 else timedelta(microseconds=1))
    except OverflowError:
        raise BadFilter(say("{asked!r} is too late.", asked=asked.value)) from None
    parts: dict[str, Callable[[], Sql]] = {
        "from": lambda: sql("{mine} >= {value}", mine=mine, value=to_database(value)),
        "to": lambda: sql("{mine} < {end}", mine=mine, end=to_database(end)),
    }
    if asked.comparison in parts:
        return parts[asked.comparison]()
    return sql("({start} AND {end})", start=parts["from"](), end=parts["to"]())


def _decimal(asked: Filter, mine: Sql) -> Sql:
    """Compare decimals, which SQLite keeps as text: exactly for equality, near enough for order."""
    if asked.comparison == "is":
        stored = dialect().constant(DataType.DECIMAL, asked.value)
        return sql("{mine} = {value}", mine=mine, value=stored)
    sign = ">=" if asked.comparison == "from" else "<="
    in_order = dialect().in_order
    return sql(f"{{mine}} {sign} {{value}}", mine=in_order(mine), value=in_order(sql("{text}", text=asked.value)))
