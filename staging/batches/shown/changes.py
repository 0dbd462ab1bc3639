"""Reads what would change from a work table: a page of rows, each with its member before and after, field by field."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from staging.batches.context import BatchContext, Field
from staging.exports.text import as_text, decimal_text
from staging.identifiers import production_table
from staging.models import Entity
from staging.sql.compose import Sql, column, fetch, join, name, sql, statement
from staging.sql.dialect import dialect, from_database
from staging.states import DataType, ImportAction, RowOutcome

Values = dict[str, str | None]

# What a list of changes shows unless it is asked for one outcome: rows that change nothing are left out.
SHOWN = ("inserted", "updated", "deactivated", "deleted", "rejected")
_CHANGES, _REMOVALS = ("inserted", "updated"), ("deactivated", "deleted")
_CLEARING = (ImportAction.DEACTIVATE_CLEAR, ImportAction.DELETE_CLEAR)


@dataclass(frozen=True)
class ForeseenChange:
    """What would become of one staged row. Values are text as staging accepts it, references are codes.

    Of a member that is updated only the fields that change are there; of a rejected row none. `message` says what is
    wrong with a rejected row, or what was left out of a good one. `clears`: all references to the member become empty.
    """

    number: int
    row_id: int
    code: str | None
    outcome: str
    before: Values
    after: Values
    message: str
    clears: bool = False

    @property
    def fields(self) -> list[tuple[str, str | None, str | None]]:
        """Return each field with its value before and after."""
        names = {**self.before, **self.after}
        return [(field, self.before.get(field), self.after.get(field)) for field in names]


@dataclass(frozen=True)
class ForeseenChanges:
    """The judged rows of one work table; attributes that it does not know, or that are gone since, are left out."""

    table: Sql
    entity: Entity
    fields: list[Field]

    @classmethod
    def of(cls, context: BatchContext) -> "ForeseenChanges":
        """Return the judged rows of a context's own work table."""
        return cls(context.work, context.entity, context.fields)

    def read(self, *, outcome: str = "", changed: str = "", after: int = 0, limit: int = 50) -> list[ForeseenChange]:
        """Return at most `limit` rows in order, beginning behind the row numbered `after`.

        `outcome` keeps one outcome, else those of SHOWN; `changed` keeps the rows that change this field (also
        `code`, for renames).
        """
        own = ["seq", "row_id", "code", "outcome", "message", "is_active", "new_code", "action"]
        names = [*own, *(f"{side}_{field.name}" for field in self.fields for side in ("before", "after"))]
        rows = fetch(self._statement(outcome, changed, after, limit))
        return [self._change(dict(zip(names, row, strict=True))) for row in rows]

    def _statement(self, outcome: str, changed: str, after: int, limit: int) -> Sql:
        """Return the page first, by number, and only then what it refers to."""
        return statement(
            "read_changes",
            values=join("", (piece for field in self.fields for piece in self._values(field))),
            work=self.table,
            where=self._where(outcome, changed, after),
            limit=limit,
            production=self._production,
            joins=join("", (piece for field in self.fields for piece in self._joins(field))),
        )

    @property
    def _production(self) -> Sql:
        return name(production_table(self.entity.code))

    def _where(self, outcome: str, changed: str, after: int) -> Sql:
        wanted = [outcome] if outcome else list(_CHANGES if changed else SHOWN)
        codes = join(", ", (Sql(str(RowOutcome.counted(word).value)) for word in wanted))
        where = sql(" WHERE w.seq > {after} AND w.outcome IN ({codes})", after=after, codes=codes)
        if not changed:
            return where
        member = sql(" LEFT JOIN {production} p ON p.id = w.target_id", production=self._production)
        return sql("{member}{where} AND {differs}", member=member, where=where, differs=self._differs(changed))

    def _differs(self, changed: str) -> Sql:
        if changed == "code":
            return Sql("w.new_code IS NOT NULL")
        field = next(field for field in self.fields if field.name == changed)
        same = dialect().same(column("w", f"v_{field.name}"), column("p", field.name))
        if self._refers_to_itself(field):
            return sql("(NOT {same} OR w.{late} IS NOT NULL)", same=same, late=name(f"l_{field.name}"))
        return sql("NOT {same}", same=same)

    def _values(self, field: Field) -> list[Sql]:
        if not field.is_reference:
            return [sql(", {v}", v=column("p", field.name)), sql(", {v}", v=column("w", f"v_{field.name}"))]
        after = _code_of("a", field)
        if self._refers_to_itself(field):
            after = sql("COALESCE(w.{late}, {code})", late=name(f"l_{field.name}"), code=after)
        return [sql(", {v}", v=_code_of("b", field)), sql(", {v}", v=after)]

    def _joins(self, field: Field) -> list[Sql]:
        reference = field.attribute.reference if field.attribute else None
        if reference is None:
            return []
        return [
            sql(
                " LEFT JOIN {target} {alias} ON {id} = {value}",
                target=name(production_table(reference.code)),
                alias=name(f"{side}_{field.name}"),
                id=column(name(f"{side}_{field.name}").text, "id"),
                value=value,
            )
            for side, value in (("b", column("p", field.name)), ("a", column("w", f"v_{field.name}")))
        ]

    def _refers_to_itself(self, field: Field) -> bool:
        return bool(field.attribute and field.attribute.reference_id == self.entity.pk)

    def _change(self, row: Mapping[str, Any]) -> ForeseenChange:
        outcome = RowOutcome(row["outcome"]).counter
        before, after = self._sides(outcome, row)
        clears = outcome in _REMOVALS and row["action"] in _CLEARING
        return ForeseenChange(
            row["seq"], row["row_id"], row["code"], outcome, before, after, row["message"] or "", clears
        )

    def _sides(self, outcome: str, row: Mapping[str, Any]) -> tuple[Values, Values]:
        stored = {f.name: _text(f.data_type, row[f"before_{f.name}"]) for f in self.fields}
        wanted = {f.name: _text(f.data_type, row[f"after_{f.name}"]) for f in self.fields}
        if outcome == "inserted":
            return {}, _given(wanted)
        if outcome == "deactivated":
            return ({"is_active": "true"}, {"is_active": "false"}) if row["is_active"] else ({}, {})
        if outcome == "deleted":
            return _given(stored), {}
        if outcome != "updated":
            return {}, {}
        if row["new_code"] is not None:
            stored, wanted = {"code": row["code"], **stored}, {"code": row["new_code"], **wanted}
        if not row["is_active"] and row["action"] != ImportAction.UPDATE_ONLY:
            stored, wanted = {**stored, "is_active": "false"}, {**wanted, "is_active": "true"}
        return _only(_differing(stored, wanted), stored, wanted)


def _code_of(side: str, field: Field) -> Sql:
    return column(name(f"{side}_{field.name}").text, "code")


def _given(values: Values) -> Values:
    return {field: value for field, value in values.items() if value is not None}


def _differing(before: Values, after: Values) -> list[str]:
    return [field for field in after if before[field] != after[field]]


def _only(fields: Iterable[str], before: Values, after: Values) -> tuple[Values, Values]:
    kept = list(fields)
    return {field: before[field] for field in kept}, {field: after[field] for field in kept}


def _text(data_type: str, value: Any) -> str | None:
    """Return a stored value as staging accepts it, the same text for the same value."""
    if value is None:
        return None
    if data_type == DataType.BOOLEAN:
        return as_text(bool(value))
    if data_type == DataType.DATETIME:
        return as_text(from_database(value))
    if data_type == DataType.DECIMAL:
        return decimal_text(value)
    return as_text(value)
