"""Brings rejected rows home whose references have come meanwhile: they are pending again without anybody's doing.

A row waits when nothing but its references is wrong with it. When a batch ends, rows that wait for a code it brought,
and for no other, are set to pending; with them the rows of their entity that were rejected only because of them. A row
that a newer one of its code has overtaken stays where it is. The batch is marked in the same transaction: after a
crash, or for a batch that failed half way, the next look finds it.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction

from staging.errors import TableMismatch
from staging.identifiers import production_table, staging_table
from staging.models import Attribute, Batch, Entity
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, statement
from staging.sql.dialect import dialect
from staging.states import BatchStatus, ImportStatus, OnError
from staging.tables.columns import named_problems
from staging.tables.create import live_attributes, waits_for_a_code
from staging.tables.rows import PENDING_AGAIN

logger = logging.getLogger(__name__)

# How far the clocks of two workers may be apart.
_SLACK = timedelta(minutes=1)
# Of so many rows loops within loops take no time worth mentioning.
_FEW = 300


@dataclass(frozen=True)
class CameHome:
    """How many rows of an entity are pending again, and the batch that brought their codes, or the last of several."""

    entity: Entity
    batch: Batch
    count: int


@dataclass(frozen=True)
class Failed:
    """An entity of which the rows could not be looked at when a batch had ended, and why."""

    entity: Entity
    batch: Batch
    error: Exception


def bring_home(tell: Callable[[CameHome], object]) -> tuple[int, list[Failed]]:
    """Look at every batch that ended and was not looked at; return how many rows came home, and where a look failed.

    `tell` runs inside the transaction of each look, once for every entity whose rows came home. Calling this
    again, or twice at once, does nothing more. A look that fails stops no other, and is tried again by the next call.
    """
    ended = Batch.objects.filter(came_home__isnull=True, status__in=BatchStatus.final())
    looks = [look(batch, tell) for batch in list(ended.select_related("entity").order_by("pk"))]
    return sum(count for count, _ in looks), [one for _, failed in looks for one in failed]


def look(batch: Batch, tell: Callable[[CameHome], object]) -> tuple[int, list[Failed]]:
    """Bring home what waited for a batch that ended; return how many rows, and where the look failed.

    Nothing when somebody else was faster.
    """
    try:
        with transaction.atomic():
            if not Batch.objects.filter(pk=batch.pk, came_home__isnull=True).update(came_home=0):
                return 0, []
            dialect().patient()
            total, failed = 0, []
            for entity, batches in _whom_it_may_help(batch):
                try:
                    total += _look_at(entity, batches, tell)
                except Exception as error:
                    failed.append(Failed(entity, batch, error))
            Batch.objects.filter(pk=batch.pk).update(came_home=None if failed else total)
            return total, failed
    except Exception as error:
        return 0, [Failed(batch.entity, batch, error)]


@transaction.atomic
def _look_at(entity: Entity, batches: list[Batch], tell: Callable[[CameHome], object]) -> int:
    """Bring home the rows of one entity."""
    count = _set_pending(entity, _writers(batches))
    if count:
        tell(CameHome(entity, batches[-1], count))
    return count


def _whom_it_may_help(batch: Batch) -> Iterator[tuple[Entity, list[Batch]]]:
    """Yield the entities that refer to the batch's, and its own when members it refers to came while it ran.

    The second is the other order of the same race: those rows were judged before the codes were there, and marked
    after their batch had been looked at.
    """
    waiting = Entity.objects.filter(attributes__reference=batch.entity, attributes__is_cancelled=False)
    for entity in waiting.distinct():
        yield entity, [batch]
    if batch.started_at is None:
        return
    targets = batch.entity.attributes.filter(is_cancelled=False, reference__isnull=False).values("reference")
    meanwhile = Batch.objects.filter(
        entity__in=targets, status__in=BatchStatus.final(), finished_at__gte=batch.started_at - _SLACK
    ).exclude(entity=batch.entity)
    if found := list(meanwhile.select_related("entity").order_by("pk")):
        yield batch.entity, found


def _writers(batches: list[Batch]) -> list[int]:
    """Return whose members count; none is named where an undo is among them, for it gives back what others wrote."""
    return [] if any(came.undoes_id for came in batches) else [came.pk for came in batches]


def _set_pending(entity: Entity, batches: Iterable[int]) -> int:
    """Set the rows of an entity pending that waited for codes of these batches, or of any when none is named.

    None comes home when the entity's tables are broken, and none waits where every reference may be skipped.
    """
    if not _references(entity):
        return 0
    try:
        with named_problems(entity):
            if not fetch(_glance(entity, batches)):
                return 0
            with dialect().favour_hashes() if fetch(_many_wait(entity)) else nullcontext():
                return run(_statement(entity, batches))
    except TableMismatch:
        logger.warning(
            "rows of %s could not be brought home",
            entity.code,
            exc_info=True,
            extra={"event": "late_references_failed", "entity_id": entity.pk},
        )
        return 0


def _references(entity: Entity) -> list[Attribute]:
    """Return the references for which a row is rejected."""
    return [a for a in live_attributes(entity) if a.reference and a.on_error == OnError.REJECT_ROW]


def _glance(entity: Entity, batches: Iterable[int]) -> Sql:
    """Return the query that finds a row when any waits for a member of these batches at all.

    It reads the small index of waiting rows only, so without them it costs nothing; mostly that is all there is to do.
    """
    references = _references(entity)
    return statement(
        "glance",
        texts=_texts(references),
        staging=name(staging_table(entity.code)),
        waits=Sql(waits_for_a_code("s")),
        brought=join(" OR ", (_is_here(a, batches) for a in references)),
    )


def _many_wait(entity: Entity) -> Sql:
    """Return the query that finds a row when many wait: a hash of all members is dear for the few that mostly do."""
    return statement("many_wait", staging=name(staging_table(entity.code)), waits=Sql(waits_for_a_code("s")), few=_FEW)


def _texts(references: list[Attribute]) -> Sql:
    """Return the trimmed codes that a staged row `s` refers to."""
    trim = dialect().trim
    return join(
        ", ", (sql("{text} AS {to}", text=trim(column("s", a.name)), to=name(f"s_{a.name}")) for a in references)
    )


def _statement(entity: Entity, batches: Iterable[int]) -> Sql:
    references = _references(entity)
    own = [a for a in references if a.reference_id == entity.pk]
    return statement(
        "bring_home",
        waiting=_waiting(entity, references),
        fresh=_fresh(entity),
        stuck=_stuck(entity, references, own),
        brought=join(" OR ", (_is_here(a, batches) for a in references)),
        chain=statement("home_in_chains") if own else Sql(""),
        staging=name(staging_table(entity.code)),
        pending=Sql(PENDING_AGAIN),
        waits=Sql(waits_for_a_code("s")),
    )


def _waiting(entity: Entity, references: list[Attribute]) -> Sql:
    """Return the rows that wait: of each code the one that landed last."""
    return statement(
        "waiting",
        code=dialect().trim(column("s", "code")),
        texts=_texts(references),
        staging=name(staging_table(entity.code)),
        waits=Sql(waits_for_a_code("s")),
    )


def _fresh(entity: Entity) -> Sql:
    """Return those whose values are not older than others of their code.

    A newer row that waits for a batch would meet this one there as a duplicate; what a later batch than the row's own
    wrote into its member must not be overwritten.
    """
    return statement(
        "fresh",
        production=name(production_table(entity.code)),
        code=dialect().trim(column("s", "code")),
        staging=name(staging_table(entity.code)),
        pending=Sql(str(ImportStatus.PENDING.value)),  # in the text, so that the partial indexes are used
        held=Sql(str(ImportStatus.HELD.value)),
    )


def _stuck(entity: Entity, references: list[Attribute], own: list[Attribute]) -> Sql:
    """Return the rows that still miss something, and those that need them; a circle of others is not stuck.

    `edges` are the rows that another row of their entity has to bring a member for.
    """
    others = [a for a in references if a not in own]
    missing = statement("still_missing", here=_all_here(entity, others))
    if not own:
        return sql("stuck (id, code) AS MATERIALIZED ({missing})", missing=missing)
    edges = (
        statement(
            "needs_rows",
            target=name(f"s_{attribute.name}"),
            here=_all_here(entity, [attribute]),
        )
        for attribute in own
    )
    return statement(
        "stuck_in_chains",
        edges=join(" UNION ALL ", edges),
        missing=missing,
    )


def _all_here(entity: Entity, references: list[Attribute]) -> Sql:
    """Return whether none of these references of `v` would be missed now: blank, clearing, or an active member."""
    conditions = [
        sql(
            "(v.{text} IS NULL OR v.{text} = {clears} OR {itself} OR {here})",
            text=name(f"s_{attribute.name}"),
            clears=entity.sentinel_text,
            itself=sql("v.{text} = v.code", text=name(f"s_{attribute.name}"))
            if attribute.reference_id == entity.pk
            else Sql("1 = 0"),
            here=_is_here(attribute),
        )
        for attribute in references
    ]
    return join(" AND ", conditions) if conditions else Sql("1 = 1")


def _is_here(attribute: Attribute, batches: Iterable[int] = ()) -> Sql:
    """Return whether the member that `v` refers to is active; with `batches`, and one of them wrote it."""
    numbers = Sql(", ".join(str(int(batch)) for batch in batches))
    written = sql(" AND (p.updated_batch_id IN ({numbers}) OR p.created_batch_id IN ({numbers}))", numbers=numbers)
    assert attribute.reference is not None
    return sql(
        "EXISTS (SELECT 1 FROM {target} p WHERE p.code = v.{text} AND p.is_active{written})",
        target=name(production_table(attribute.reference.code)),
        text=name(f"s_{attribute.name}"),
        written=written if numbers.text else Sql(""),
    )
