"""Which members a batch may take away (docs/merging.md, Actions), and what that means for its other rows.

Whether a member is still referred to depends on other removals of the same batch: one that is refused keeps its
references. The members that stay are found by one recursive query; circles that go together are fine.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import override

from staging.batches import worktable
from staging.batches.context import BatchContext
from staging.batches.judging import checks, intent
from staging.batches.judging.reject import reject
from staging.identifiers import production_table
from staging.models import Attribute, Entity
from staging.sql.compose import Sql, column, join, name, run, sql, statement
from staging.states import DataType
from staging.tables.columns import real_columns
from staging.wording import say


@dataclass(frozen=True)
class Referring:
    """One reference column, of `entity`, which may be the entity itself.

    A cancelled one is looked at by nobody, but the database still holds its values to the members that exist.
    """

    entity: Entity
    attribute: Attribute
    is_own: bool

    @property
    def production(self) -> Sql:
        """Return the table of the members that refer."""
        return name(production_table(self.entity.code))

    @property
    def column(self) -> Sql:
        """Return the reference of a member `p`."""
        return column("p", self.attribute.name)

    @property
    def is_live(self) -> bool:
        """Return whether the reference still counts for people."""
        return not (self.attribute.is_cancelled or self.entity.is_cancelled)

    @property
    def is_required(self) -> bool:
        """Return whether the reference may not become empty."""
        return self.attribute.required and not self.attribute.is_cancelled

    @property
    def where(self) -> str:
        """Return where it is, as people know it."""
        return say("{attribute} of {entity}", attribute=self.attribute.name, entity=self.entity.name)


def referring_columns(entity: Entity) -> Iterator[Referring]:
    """Yield the columns that refer to an entity, by name, those that were never made left out."""
    target = production_table(entity.code)
    found = Attribute.objects.filter(reference=entity).select_related("entity").order_by("entity__code", "name")
    for attribute in found:
        real = real_columns(production_table(attribute.entity.code)).get(attribute.name)
        if real is not None and real.target == target:
            yield Referring(attribute.entity, attribute, attribute.entity_id == entity.pk)


REMOVED = "_removed"
_KEPT = "_kept"
_TIES = "_ties"


def settle_removals(context: BatchContext) -> None:
    """Leave in the table of removed members those that may go, and reject the other rows."""
    _look_at_nothing_but_the_code(context)
    if not _find_candidates(context):
        return
    worktable.index(context, REMOVED, "id")
    worktable.analyze(context, REMOVED)
    found = list(referring_columns(context.entity))
    _keep_the_needed(context, found)
    for where in found:
        problem = checks.NEEDED if where.is_required else checks.REFERENCED
        with override(context.entity.language):
            by = where.where
        reject(context, problem, "code", Sql("w.code"), _still_needs(context, where), by)
    _count_cleared_ones(context, found)


def _look_at_nothing_but_the_code(context: BatchContext) -> None:
    """Give rows that take members away the values that are stored, and nothing to wait for."""
    late = [sql("{l} = NULL", l=name(f"l_{f.name}")) for f in context.self_references]
    blank = [sql("{v} = NULL", v=name(f"v_{f.name}")) for f in context.fields]
    parts = {"work": context.work, "removes": intent.removes("w"), "production": context.production}
    changes = join(", ", [Sql("waits = 0"), *late, *blank])
    run(statement("forget_values", changes=changes, **parts))
    stored = join(", ", [sql("{v} = {p}", v=name(f"v_{f.name}"), p=column("p", f.name)) for f in context.fields])
    run(statement("keep_values", stored=stored, **parts))


def _find_candidates(context: BatchContext) -> int:
    """Note each member that a good row would take away; `active` says that it is there for others until then."""
    text = context.sql.type_of(DataType.TEXT)
    columns = [("id", "bigint"), ("code", text), ("action", "smallint"), ("active", "smallint")]
    worktable.create_beside(context, REMOVED, columns)
    return run(
        statement(
            "find_candidates",
            removed=context.table(REMOVED),
            work=context.work,
            production=context.production,
            removes=intent.removes("w"),
        )
    )


def _keep_the_needed(context: BatchContext, found: list[Referring]) -> None:
    """Take out of the candidates the members that somebody still refers to, and those that these refer to."""
    worktable.create_beside(context, _KEPT, [("id", "bigint")])
    worktable.create_beside(context, _TIES, [("id", "bigint"), ("needs", "bigint")])
    for where in found:
        _find_ties(context, where)
    worktable.index(context, _TIES, "needs")
    worktable.analyze(context, _TIES)
    parts = {"kept": context.table(_KEPT), "ties": context.table(_TIES), "removed": context.table(REMOVED)}
    run(
        statement(
            "find_needed",
            **parts,
        )
    )
    run(statement("keep_needed", **parts))


def _find_ties(context: BatchContext, where: Referring) -> None:
    """Note what ties each candidate: another candidate that has to go with it, or somebody who stays (null)."""
    goes_too = Sql("CAST(NULL AS bigint)")
    with_them = Sql("")
    if where.is_own:
        goes_too = Sql("y.id")
        with_them = sql(
            " LEFT JOIN {removed} y ON y.id = p.id AND {goes}", removed=context.table(REMOVED), goes=_goes("c")
        )
    run(
        statement(
            "find_ties",
            ties=context.table(_TIES),
            goes_too=goes_too,
            removed=context.table(REMOVED),
            production=where.production,
            column=where.column,
            with_them=with_them,
            ties_it=_ties("c", Sql("c.id"), where),
        )
    )


def _goes(candidate: str) -> Sql:
    """Return whether another candidate `y` frees this one: to deactivate that, it may be inactive itself."""
    return sql(
        "({action} = {ImportAction.DEACTIVATE} OR y.action IN ({deleting}))",
        action=Sql(f"{candidate}.action"),
        deleting=intent.DELETING,
    )


def _ties(candidate: str, member: Sql, where: Referring) -> Sql:
    """Return whether a `p` that refers to a candidate, this member, keeps it from going; it does not keep itself."""
    conditions = []
    if where.is_live:
        conditions.append("({action} = {ImportAction.DEACTIVATE} AND p.is_active)")
    conditions.append("{action} = {ImportAction.DELETE}")
    if where.is_required:
        conditions.append("{action} IN ({clearing})")
    itself = " AND p.id <> {member}" if where.is_own else ""
    return sql(
        f"({' OR '.join(conditions)}){itself}",
        action=Sql(f"{candidate}.action"),
        clearing=intent.CLEARING,
        member=member,
    )


def _still_needs(context: BatchContext, where: Referring) -> Sql:
    """Return whether the row `w` would take a member away to which somebody refers here who stays."""
    stays = Sql("")
    if where.is_own:
        query = " AND NOT EXISTS (SELECT 1 FROM {removed} y WHERE y.id = p.id AND {goes})"
        stays = sql(query, removed=context.table(REMOVED), goes=_goes("w"))
    return statement(
        "still_needs",
        kept=context.table(_KEPT),
        production=where.production,
        column=where.column,
        ties=_ties("w", Sql("w.target_id"), where),
        stays=stays,
    )


def _count_cleared_ones(context: BatchContext, found: list[Referring]) -> None:
    """Count a row as deactivated when its member was inactive already, but references to it are cleared."""
    refers = [
        sql("EXISTS (SELECT 1 FROM {production} p WHERE {column} = w.target_id)",
            production=where.production, column=where.column)
        for where in found
        if not where.is_required
    ]  # fmt: skip
    if not refers:
        return
    run(
        statement(
            "count_cleared",
            work=context.work,
            refers=join(" OR ", refers),
        )
    )
