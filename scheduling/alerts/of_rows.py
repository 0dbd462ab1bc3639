"""Conditions of what lands and of its batches: what did not come, what waits, what was rejected, how much there was."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime, time
from functools import cache
from statistics import median
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Max, Q, QuerySet
from django.utils.translation import gettext_noop

from scheduling.alerts.findings import ENOUGH, TIMES, USUAL_OF, Breach, Breaches, Watch
from scheduling.cadence.blackout import Blackout
from scheduling.cadence.quiet import day_of
from scheduling.models import BlackoutCalendar, SchedulerConfiguration
from scheduling.statements import prepared
from staging.models import Batch, Entity
from staging.models.batch import BatchQuerySet, waits_since
from staging.states import BatchStatus
from staging.tables.columns import Tabled
from staging.tables.landed import Landings, known_instant, landed
from staging.wording import later

_AT_ONCE = 200  # entities whose batches are asked by one statement


def not_delivered(watch: Watch) -> Breaches:
    """Entities to which no rows came today until a time of day, by the clocks and the calendar of their schedule."""
    due = _due_today(watch)
    landed = _landed(watch, {entity for _, entity, *_ in due})
    found = [
        (pk, entity, by)
        for pk, entity, begin, by in due
        if entity in landed and ((at := landed[entity].newest) is None or at < begin)
    ]
    said = gettext_noop("No rows came for {what} today; they are expected by {at}.")
    kind = SchedulerConfiguration.KIND

    def told() -> Iterator[Breach]:
        names = _names(entity for _, entity, _ in found)
        for pk, entity, by in found:
            if entity in names:
                words = later(said, what=names[entity], at=by)
                yield Breach(f"{kind}:{pk}", words, entity, f"{kind}:{pk}")

    return Breaches(marks=[(pk, by.timestamp()) for pk, _, by in found], told=told)


def _due_today(watch: Watch) -> list[tuple[int, int, datetime, datetime]]:
    """Return the configurations, with their entities, whose rows are due by now: since when, and by when."""
    at = watch.rule.at or time()
    calendars = watch.round.once("calendars", _calendars)

    @cache
    def due(timezone: str, calendar: int | None) -> tuple[datetime, datetime] | None:
        begin, by = day_of(watch.now, ZoneInfo(timezone), at)
        blackout = calendars.get(calendar) if calendar is not None else None
        return None if by > watch.now or (blackout and blackout.covers(by)) else (begin, by)

    def asked() -> QuerySet[Any, Any]:
        rows = watch.of_entities(SchedulerConfiguration.objects.filter(entity__is_cancelled=False)).order_by("pk")
        return rows.values_list("pk", "entity", "timezone", "calendar")

    columns = prepared(("due", watch.only_entities), asked)
    return [
        (pk, entity, *day) for pk, entity, timezone, calendar in columns if (day := due(timezone, calendar)) is not None
    ]


def _calendars() -> dict[int, Blackout]:
    """Return the calendars that a schedule of an entity has."""
    used = BlackoutCalendar.objects.filter(pk__in=SchedulerConfiguration.objects.values("calendar"))
    return {one.pk: one.blackout() for one in used.prefetch_related("periods")}


class LastDelivery(NamedTuple):
    """A batch that says something about deliveries."""

    pk: int
    entity_id: int
    rows: int
    rejected: int


def rejected(watch: Watch) -> Breaches:
    """Entities whose last batch rejected more rows, or a greater part of them, than the rule allows."""
    number, percent = watch.rule.number, watch.rule.percent

    def is_too_much(one: LastDelivery) -> bool:
        if number is None and percent is None:
            return one.rejected > 0
        too_many = number is not None and one.rejected > number
        return too_many or (percent is not None and one.rejected * 100 > percent * one.rows)

    said = gettext_noop("{entity} rejected {rejected:,} of {rows:,} rows in batch {batch}.")
    return _of_batches(watch, _last_ended(watch), is_too_much, lambda one: {"rejected": one.rejected}, said)


def volume(watch: Watch) -> Breaches:
    """Entities whose last batch has far more or fewer rows than the median of those before it."""
    last = _last_ended(watch)
    before = watch.round.once(("before", *last), lambda: _rows_before(last))
    usual = {pk: median(rows) for pk, rows in before.items() if len(rows) >= ENOUGH}

    def is_far(one: LastDelivery) -> bool:
        known = usual.get(one.pk)
        return known is not None and not known <= one.rows * TIMES <= known * TIMES**2

    said = gettext_noop("{entity} brought {rows:,} rows in batch {batch}; usual are {usual:,}.")
    return _of_batches(watch, last, is_far, lambda one: {"usual": round(usual[one.pk])}, said)


def _deliveries() -> BatchQuerySet:
    """Return the batches that say something about deliveries: a schedule makes one also when nothing was delivered."""
    return Batch.objects.filter(status=BatchStatus.COMPLETED, undoes__isnull=True, rows_total__gt=0)


def _last_ended(watch: Watch) -> list[LastDelivery]:
    """Return the last delivery of each watched entity that ended since the rule looked."""
    found = watch.round.once(("deliveries", watch.since), lambda: _ended_since(watch.since))
    return [one for one in found if watch.is_about_all or one.entity_id in watch.entities]


def _ended_since(since: datetime) -> list[LastDelivery]:
    """Return the last delivery of each entity that had one since then."""

    def last(since: datetime) -> QuerySet[Any, Any]:
        newest = _deliveries().filter(finished_at__gt=since).order_by().values("entity").annotate(last=Max("pk"))
        rows = Batch.objects.filter(pk__in=newest.values("last")).order_by("pk")
        return rows.values_list("pk", "entity_id", "rows_total", "rejected")

    rows = prepared("deliveries", last, since=since)
    return [LastDelivery(pk, entity, total or 0, refused) for pk, entity, total, refused in rows]


def _rows_before(last: Collection[LastDelivery]) -> dict[int, list[int]]:
    """Return how many rows the deliveries before each of these had, by its key."""
    found: dict[int, list[int]] = {one.pk: [] for one in last}
    of_entity = {one.entity_id: one.pk for one in last}
    entities = sorted(of_entity)
    for first in range(0, len(entities), _AT_ONCE):
        newest = _deliveries().among_newest(entities[first : first + _AT_ONCE], USUAL_OF + 1).order_by()
        for entity, pk, rows in newest.values_list("entity", "pk", "rows_total"):
            if pk < of_entity[entity]:
                found[of_entity[entity]].append(rows or 0)
    return found


def _of_batches(
    watch: Watch, last: Collection[LastDelivery], holds: Callable[[LastDelivery], bool],
    more: Callable[[LastDelivery], dict[str, Any]], said: str,
) -> Breaches:  # fmt: skip
    found = [one for one in last if holds(one)]

    def told() -> Iterator[Breach]:
        names = _names(one.entity_id for one in found)
        for one in found:
            words = later(said, entity=names.get(one.entity_id, ""), rows=one.rows, batch=one.pk, **more(one))
            yield Breach(f"entity:{one.entity_id}", words, one.entity_id, f"batch:{one.pk}")

    judged = frozenset(f"entity:{one.entity_id}" for one in last)
    return Breaches(told=told, judged=judged, gone=_not_watched(watch))


def _not_watched(watch: Watch) -> frozenset[str]:
    """Return what is wrong by the rule, and of no entity any more that it watches and that is in use."""

    def not_watched() -> QuerySet[Any, Any]:
        other = ~Q(subject__startswith="entity:") | Q(entity__isnull=True) | Q(entity__is_cancelled=True)
        if not watch.is_about_all:
            other |= ~Q(entity__in=watch.entities)
        return watch.rule.alerts.open().filter(other).order_by().values_list("subject")

    found = prepared(("not watched", watch.rule.pk, watch.only_entities), not_watched)
    return frozenset(subject for (subject,) in found)


def held(watch: Watch) -> Breaches:
    """Batches that wait so long for a person's decision."""

    def waiting() -> QuerySet[Any, Any]:
        batches = watch.of_entities(Batch.objects.filter(status=BatchStatus.HELD, entity__is_cancelled=False))
        return batches.order_by("pk").values_list("pk", "entity", "created_at", "started_at", "duration_ms")

    times = prepared(("held", watch.only_entities), waiting)
    found = [
        (pk, entity, at)
        for pk, entity, created, started, took in times
        if (at := waits_since(known_instant(created), started and known_instant(started), took)) <= watch.before
    ]
    said = gettext_noop("Batch {batch} of {entity} waits for approval since {at}.")

    def told() -> Iterator[Breach]:
        names = _names(entity for _, entity, _ in found)
        for pk, entity, at in found:
            words = later(said, batch=pk, entity=names.get(entity, ""), at=at)
            yield Breach(f"batch:{pk}", words, entity, f"batch:{pk}")

    return Breaches(marks=[pk for pk, *_ in found], told=told)


def waiting(watch: Watch) -> Breaches:
    """Entities with rows that wait so long for a batch."""
    rows = _landed(watch, None if watch.is_about_all else watch.entities)
    found = [(pk, at) for pk, one in rows.items() if (at := one.oldest_pending) is not None and at < watch.before]
    said = gettext_noop("Rows of {entity} wait since {at}.")

    def told() -> Iterator[Breach]:
        names = _names(pk for pk, _ in found)
        for pk, at in found:
            yield Breach(f"entity:{pk}", later(said, entity=names.get(pk, ""), at=at), pk, f"entity:{pk}")

    return Breaches(marks=[(pk, at.timestamp()) for pk, at in found], told=told)


def _landed(watch: Watch, wanted: Collection[int] | None) -> dict[int, Landings]:
    """Return what landed for these entities, None for all, as far as they are in use; of all it is read once."""
    in_use = watch.round.once("entities", _in_use)
    if wanted is None or len(wanted) * 2 > len(in_use):
        found = watch.round.once("landed", lambda: landed(in_use.values()))
        return found if wanted is None else {pk: one for pk, one in found.items() if pk in wanted}
    return landed(in_use[pk] for pk in sorted(in_use.keys() & wanted))


def _in_use() -> dict[int, Tabled]:
    """Return the entities that are in use, with no more than their codes."""

    def entities() -> QuerySet[Any, Any]:
        return Entity.objects.filter(is_cancelled=False).order_by("pk").values_list("pk", "code")

    return {pk: Tabled(pk, code) for pk, code in prepared("entities", entities)}


def _names(entities: Iterable[int]) -> dict[int, str]:
    """Return what people call these entities."""
    return dict(Entity.objects.filter(pk__in=set(entities)).values_list("pk", "name"))
