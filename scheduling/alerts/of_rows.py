"""Conditions of what lands and of its batches: what did not come, what waits, what was rejected, how much there was."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from math import ceil
from operator import itemgetter
from statistics import median
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop

from scheduling.alerts.findings import ENOUGH, TIMES, USUAL_OF, Breach, Breaches, Watch
from scheduling.cadence.blackout import Blackout
from scheduling.cadence.quiet import day_of
from scheduling.models import BlackoutCalendar, SchedulerConfiguration
from scheduling.statements import digest_of, made_of, prepared
from staging.models import Batch, Entity
from staging.models.batch import BatchQuerySet, waits_since
from staging.states import BatchStatus
from staging.tables.columns import Tabled
from staging.tables.landed import Landings, Part, in_parts, landed
from staging.wording import later

_AT_ONCE = 200  # entities whose batches are asked by one statement


def not_delivered(watch: Watch) -> Breaches:
    """Entities to which no rows came today until a time of day, by the clocks and the calendar of their schedule."""
    due = _due_today(watch)
    last_due = max((by for _, by, _ in due), default=watch.now)
    landed = _landed(watch, watch.only_entities if due else (), lambda look: look.at < last_due)
    found = made_of(("not delivered", watch.asks), (due, landed), _not_delivered)
    said = gettext_noop("No rows came for {what} today; they are expected by {at}.")
    kind = SchedulerConfiguration.KIND

    def told() -> Iterator[Breach]:
        names = _names(entity for _, members in found for _, entity in members)
        for by, members in found:
            for pk, entity in members:
                if entity in names:
                    words = later(said, what=names[entity], at=by)
                    yield Breach(f"{kind}:{pk}", words, entity, f"{kind}:{pk}")

    marks = [(by.timestamp(), [pk for pk, _ in members]) for by, members in found if members]
    return Breaches(marks=sorted(marks), told=told)


Members = list[tuple[int, int]]  # configurations, each with its entity
Due = tuple[datetime, datetime, Members]  # since when their rows count, and by when they are due


def _not_delivered(asked: tuple[list[Due], Mapping[int, Landings]]) -> list[tuple[datetime, Members]]:
    """Return those of whose tables it is known that no row landed since it was due, and by when it was."""
    due, landed = asked
    return [
        (by, [one for one in members if (rows := landed.get(one[1])) and (rows.newest is None or rows.newest < begin)])
        for begin, by, members in due
    ]


def _due_today(watch: Watch) -> list[Due]:
    """Return the configurations whose rows are due by now, those of the same clock and calendar together."""
    at, key = watch.rule.at or time(), ("due", watch.only_entities)

    def asked() -> QuerySet[Any, Any]:
        return watch.of_entities(SchedulerConfiguration.objects.filter(entity__is_cancelled=False)).order_by("pk")

    columns = "pk", "entity", "timezone", "calendar"
    alike = made_of(key, digest_of(key, asked, *columns), lambda _: _by_clock(asked().values_list(*columns)))
    calendars = watch.round.once("calendars", _calendars) if any(calendar for _, calendar in alike) else {}
    found = []
    for (timezone, calendar), members in alike.items():
        begin, by = day_of(watch.now, ZoneInfo(timezone), at)
        blackout = calendars.get(calendar) if calendar is not None else None
        if by <= watch.now and not (blackout and blackout.covers(by)):
            found.append((begin, by, members))
    return found


def _by_clock(rows: Iterable[tuple[Any, ...]]) -> dict[tuple[str, int | None], Members]:
    """Return the configurations by their zone and their calendar."""
    alike: dict[tuple[str, int | None], Members] = {}
    for pk, entity, timezone, calendar in rows:
        alike.setdefault((timezone, calendar), []).append((pk, entity))
    return alike


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
    is_undo = Q(undoes__isnull=False)  # asked this way round, SQLite does not read all that are none by their index
    return Batch.objects.filter(~is_undo, status=BatchStatus.COMPLETED, rows_total__gt=0)


def _last_ended(watch: Watch) -> list[LastDelivery]:
    """Return the last delivery of each watched entity that ended since the rule looked."""
    found = watch.round.once(("deliveries", watch.since), lambda: _ended_since(watch.since))
    return [one for one in found if watch.is_about_all or one.entity_id in watch.entities]


def _ended_since(since: datetime) -> list[LastDelivery]:
    """Return the last delivery of each entity that had one since then."""

    def ended(since: datetime) -> QuerySet[Any, Any]:
        rows = _deliveries().filter(finished_at__gt=since).order_by()
        return rows.values_list("pk", "entity_id", "rows_total", "rejected")

    return made_of("deliveries", prepared("deliveries", ended, since=since), _last_deliveries)


def _last_deliveries(rows: Iterable[tuple[Any, ...]]) -> list[LastDelivery]:
    last = {entity: LastDelivery(pk, entity, total or 0, refused) for pk, entity, total, refused in sorted(rows)}
    return sorted(last.values())


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
        # None of them has ended: by that an index finds them among all batches ever.
        batches = Batch.objects.filter(status=BatchStatus.HELD, finished_at__isnull=True, entity__is_cancelled=False)
        return watch.of_entities(batches).order_by()

    columns = "pk", "entity", "created_at", "started_at", "duration_ms"
    key, before = ("held", watch.only_entities), watch.before
    known = made_of(key, digest_of(key, waiting, *columns), lambda _: _held_since(waiting().values_list(*columns)))
    found = [one for one in known if one[2] <= before]
    said = gettext_noop("Batch {batch} of {entity} waits for approval since {at}.")

    def told() -> Iterator[Breach]:
        names = _names(entity for _, entity, _ in found)
        for pk, entity, at in found:
            words = later(said, batch=pk, entity=names.get(entity, ""), at=at)
            yield Breach(f"batch:{pk}", words, entity, f"batch:{pk}")

    return Breaches(marks=[pk for pk, *_ in found], told=told)


def _held_since(rows: Iterable[tuple[Any, ...]]) -> list[tuple[int, int, datetime]]:
    """Return the held batches, each with its entity and since when it waits."""
    return [
        # Those of one zone are compared in a third of the time: it is done each minute.
        (pk, entity, waits_since(created, started, took).astimezone(UTC))
        for pk, entity, created, started, took in sorted(rows, key=itemgetter(0))
    ]


def waiting(watch: Watch) -> Breaches:
    """Entities with rows that wait so long for a batch."""
    wanted, before, old = watch.only_entities, watch.before, watch.now - watch.before

    def one_grew_old(look: PartSeen) -> bool:
        return look.at < before or look.waiting_before(look.at - old) < look.waiting_before(before)

    rows = _landed(watch, wanted, one_grew_old)
    watched = rows.items() if wanted is None else [(pk, rows[pk]) for pk in sorted(rows.keys() & wanted)]
    found = [(pk, at) for pk, one in watched if (at := one.oldest_pending) is not None and at < before]
    said = gettext_noop("Rows of {entity} wait since {at}.")

    def told() -> Iterator[Breach]:
        names = _names(pk for pk, _ in found)
        for pk, at in found:
            yield Breach(f"entity:{pk}", later(said, entity=names.get(pk, ""), at=at), pk, f"entity:{pk}")

    return Breaches(marks=made_of(("waiting", watch.asks), found, _stamped), told=told)


def _stamped(found: Iterable[tuple[int, datetime]]) -> str:
    return repr([(pk, at.timestamp()) for pk, at in found])  # written out once, for as long as it is the same


def _landed(
    watch: Watch, wanted: Collection[int] | None, may_differ: Callable[[PartSeen], bool]
) -> Mapping[int, Landings]:
    """Return what landed for these entities, None for all, as far as they are in use; of many also for others.

    Where all are asked for, earlier looks tell of most; `may_differ` says which of these the time since has outdated.
    """
    in_use = watch.round.once("entities", _in_use)
    if wanted is None or len(wanted) * 2 > len(in_use.tabled):
        looks = watch.round.once("looks", lambda: TablesByTurns(in_use, watch.now))
        # Another process may have seen more than we remember: what it told to be over must not begin again.
        is_ours = watch.rule.looked_at in (None, looks.before)
        return looks.where(may_differ if is_ours else lambda look: True)
    return landed(in_parts(in_use.tabled[pk] for pk in in_use.tabled.keys() & wanted))


class InUse(NamedTuple):
    """The entities that are in use, with no more than their codes, by their keys; and as statements ask of them all."""

    tabled: dict[int, Tabled]
    parts: list[Part]

    @classmethod
    def read(cls) -> InUse:
        """Return them as they are stored."""
        tabled = {pk: Tabled(pk, code) for pk, code in _entities().values_list("pk", "code")}
        return cls(tabled, in_parts(tabled.values()))


class PartSeen(NamedTuple):
    """What a look into the tables of a part found, and in the round of which moment it was."""

    at: datetime
    landed: dict[int, Landings]
    oldest: list[datetime]  # since when rows wait, of each table in which some do; in order

    def waiting_before(self, instant: datetime) -> int:
        """Return in how many of the tables a row waited that had come before an instant."""
        return bisect_left(self.oldest, instant)


_WITHIN = timedelta(minutes=10)  # what comes or goes without a batch is seen
_TURNS = 10  # so many rounds, a minute apart, look at all
_STORED_WITHIN = timedelta(minutes=1)  # a batch that ended so long before a look may have been stored after it
_looks: dict[Part, PartSeen] = {}  # the last ones of this process


class TablesByTurns:
    """What landed in the tables of all entities in use, as a round knows it: by looks of its own and by earlier ones.

    To look into thousands of tables takes longer than all else that a round does, and finds nearly always what was
    found before. A round looks into a tenth of them, by turns, and besides where a batch works or has worked since.
    Of so few that one statement asks of them all, it looks into all.
    """

    def __init__(self, in_use: InUse, now: datetime):
        self._parts, self._now = in_use.parts, now
        known = {part: look for part in in_use.parts if (look := _looks.get(part)) and now - _WITHIN < look.at <= now}
        self.before = max((look.at for look in known.values()), default=None)  # the last round of this process
        turn = sorted(known, key=lambda part: known[part].at)[: ceil(len(in_use.parts) / _TURNS)]
        worked_on = _worked_on(self.before - _STORED_WITHIN) if self.before else set()
        again = {part for part in known if part in turn or any(pk in worked_on for pk, _ in part)}
        self._looks = known
        self._look([part for part in in_use.parts if part in again or part not in known])

    def where(self, may_differ: Callable[[PartSeen], bool]) -> dict[int, Landings]:
        """Return what landed, of each entity by its key; where this says so of an earlier look, after another one."""
        earlier = ((part, look) for part, look in self._looks.items() if look.at < self._now)
        self._look([part for part, look in earlier if may_differ(look)])
        found: dict[int, Landings] = {}
        for part in self._parts:
            found |= self._looks[part].landed
        return found

    def _look(self, parts: Sequence[Part]) -> None:
        found = landed(parts)
        for part in parts:
            of_part = {pk: found[pk] for pk, _ in part if pk in found}
            oldest = sorted(one.oldest_pending for one in of_part.values() if one.oldest_pending is not None)
            self._looks[part] = _looks[part] = PartSeen(self._now, of_part, oldest)


def _worked_on(since: datetime) -> set[int]:
    """Return the entities of which a batch is at work, or left its rows since then."""

    def batches(since: datetime) -> QuerySet[Any, Any]:
        is_at_work = Q(status__in=(BatchStatus.PENDING, BatchStatus.RUNNING)) | Q(created_at__gt=since)
        rows = Batch.objects.filter(Q(finished_at__gt=since) | Q(is_at_work, finished_at__isnull=True))
        return rows.order_by().values_list("entity")

    return {entity for (entity,) in prepared("worked on", batches, since=since)}


def _in_use() -> InUse:
    return made_of("entities", digest_of("entities", _entities, "pk", "code"), lambda _: InUse.read())


def _entities() -> QuerySet[Entity]:
    return Entity.objects.filter(is_cancelled=False).order_by("pk")


def _names(entities: Iterable[int]) -> dict[int, str]:
    """Return what people call these entities."""
    return dict(Entity.objects.filter(pk__in=set(entities)).values_list("pk", "name"))
