"""What a rule finds, and what it asks: read once for all the rules of a round, and told only when it has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

from django.db.models import Q, QuerySet

from scheduling.models import Alert, AlertRule, Job, JobSchedule, Plan, SchedulerConfiguration
from scheduling.models.schedule import ScheduleQuerySet
from scheduling.plans.categories import categories_of
from scheduling.statements import digest_of_texts, digests_of, prepared
from scheduling.states import AlertCondition
from staging.sql.texts import text_of
from staging.wording import Later

T = TypeVar("T")

UNSCHEDULED = "unscheduled"  # the kind of a job by those of its runs that none of its schedules tells of
ORDERED = "ordered"  # the kind of ordered work, by its title
BACKFILLED = "run"  # the kind of a run that fills in a slot beside others: no other run stands for it
USUAL_OF = 20  # the last ones that say what is usual
ENOUGH = 5  # fewer say nothing
TIMES = 3  # so many times the usual is far from it
LATELY = timedelta(hours=24)  # how far back a new rule looks, and a missed slot counts
_STORED_WITHIN = timedelta(minutes=10)
_LONGEST = 100  # of a title by which an alert calls what has no key


@dataclass(frozen=True)
class Breach:
    """One thing for which a condition holds: what it is, its sentence, its entity if it has one, what explains it.

    `mark` is another one when the sentence is: nobody says ten thousand sentences to see that nothing changed.
    """

    subject: str
    said: Later
    entity_id: int | None = None
    leads_to: str = ""
    mark: object = None


class Breaches:
    """What a rule finds. `judged`: the only subjects that were looked at; None: all there are.

    `gone`: subjects that the rule watches no longer. `marks` stand for what is found, so that it need not be told
    one by one when it is the same as before; `marks_told` for what was told, where that is read a moment later.
    """

    def __init__(
        self,
        found: Iterable[Breach] = (),
        judged: frozenset[str] | None = None,
        gone: frozenset[str] = frozenset(),
        *,
        marks: object = None,
        told: Callable[[], Iterable[Breach]] | None = None,
        marks_told: Callable[[], object] | None = None,
    ):
        self.judged, self.gone = judged, gone
        self._found, self._marks, self._told, self._marks_told = tuple(found), marks, told, marks_told

    @cached_property
    def breaches(self) -> tuple[Breach, ...]:
        """Return each of what is found, with its sentence."""
        return self._found if self._told is None else tuple(self._told())

    def is_as_before(self, fingerprint: str) -> bool:
        """Return whether it is what was found when this was its fingerprint, or nothing at all was looked at."""
        if self.judged is None:
            return self.fingerprint == fingerprint
        return not (self.judged or self.gone)

    @cached_property
    def fingerprint(self) -> str:
        """Return what is the same when all of it is the same; empty where only some subjects were looked at."""
        if self.judged is not None:
            return ""
        marks = self._marks
        if self._told is None:
            marks = sorted(f"{one.subject} {one.mark}" for one in self.breaches)
        return _hashed(marks)

    @property
    def fingerprint_told(self) -> str:
        """Return the fingerprint of what `breaches` tell: of something that came and went since, none would know."""
        if self.judged is not None or self._marks_told is None:
            return self.fingerprint
        _ = self.breaches
        return _hashed(self._marks_told())


def _hashed(marks: object) -> str:
    return hashlib.sha256(repr(marks).encode()).hexdigest()


class Seen(NamedTuple):
    """What conditions ask of a schedule, or of what has none: of thousands of them nothing more is read."""

    kind: str
    pk: int  # of a job without a schedule its own, of ordered work that of its last run
    owner: int  # the entity, the plan or the job
    name: str  # among the schedules of a job; of ordered work, and of a run that fills in a slot, its title
    category: str  # of a job; of a plan all of them, with commas between
    value: Any  # what is told of it: how many times in a row, since when
    run: int = 0  # the last one, where no schedule tells of it
    text: str = ""  # what stands for it in a digest
    of: str = ""  # the kind of what a run is of

    @property
    def subject(self) -> str:
        """Return what an alert calls it; of what has too long a title a number that stands for it."""
        if self.kind != ORDERED:
            return f"{self.kind}:{self.pk}"
        name = self.name if len(self.name) <= _LONGEST else hashlib.sha256(self.name.encode()).hexdigest()
        return f"{self.kind}:{name}"


Narrow = Callable[[ScheduleQuerySet, datetime], ScheduleQuerySet]


class Holding(NamedTuple):
    """For which schedules a condition holds at a moment, and the column that it tells of them; `key` names both.

    The moment is the only thing of it that may differ under the same key.
    """

    key: object
    narrow: Narrow
    column: str
    at: datetime

    def among(self, rows: ScheduleQuerySet) -> ScheduleQuerySet:
        """Return those of these schedules."""
        return self.narrow(rows, self.at)


class Round:
    """What several rules ask at one moment; it is read once for all of them."""

    def __init__(self, now: datetime):
        self.now = now
        self._known: dict[object, Any] = {}

    def once(self, key: object, read: Callable[[], T]) -> T:
        """Return what is read; whoever asks under the same key gets the same, and it is read once."""
        if key not in self._known:
            self._known[key] = read()
        known: T = self._known[key]
        return known

    def naming(self) -> set[int]:
        """Return the keys of the rules that name entities, plans or jobs; most name none."""

        def named() -> QuerySet[Any, Any]:
            any_of = Q(entities__isnull=False) | Q(plans__isnull=False) | Q(jobs__isnull=False)
            return AlertRule.objects.filter(any_of).order_by().values_list("pk").distinct()

        return self.once("naming", lambda: {pk for (pk,) in prepared("naming", named)})

    def wrong_already(self, kind: str) -> list[tuple[str, str]]:
        """Return what is wrong by how it ended, of a kind that no schedule tells of: its key, and where it leads to."""
        found = self.once("wrong already", lambda: prepared("wrong already", _wrong_unscheduled))
        parted = ((*subject.partition(":"), page) for subject, page in found)
        return [(key, page) for of, _, key, page in parted if of == kind]

    def seen(self, asked: Holding) -> list[Seen]:
        """Return the schedules of every kind that are in force and for which a condition holds."""
        return self.once(("seen", asked.key), lambda: _seen(asked))

    def digest(self, asked: Holding) -> list[str]:
        """Return what is the same as long as the condition holds for the same schedules with the same values.

        The database puts it together: to see that nothing has changed, thousands of rows need not be read.
        """

        def of_kind(kind: int, at: datetime) -> QuerySet[Any]:
            return asked.narrow(_in_force()[kind], at)

        kinds, key = [partial(of_kind, kind) for kind in range(_KINDS)], ("schedules", asked.key)
        return self.once(key, lambda: digests_of(key, kinds, "pk", asked.column, at=asked.at))

    def digest_of_seen(self, asked: Holding) -> list[str]:
        """Return the digest that there was when the schedules were seen."""
        seen = self.seen(asked)
        return [digest_of_texts(one.text for one in seen if one.kind == rows.model.KIND) for rows in _in_force()]

    def schedules(self, asked: Holding) -> dict[tuple[str, int], Any]:
        """Return the schedules themselves that meet a condition, by kind and key."""
        configurations, plans, jobs = map(asked.among, _in_force())
        found = [*configurations.select_related("entity"), *plans, *jobs.select_related("job")]
        return {(one.KIND, one.pk): one for one in found}

    def left_out(self, seen: Iterable[Seen], known: Collection[tuple[str, int]]) -> dict[tuple[str, int], Any]:
        """Return the schedules that were seen and are not known: they met the condition until a moment ago."""
        missing = [one for one in seen if (one.kind, one.pk) not in known]
        keys = {rows.model: [one.pk for one in missing if one.kind == rows.model.KIND] for rows in _in_force()}
        found = [one for model, pks in keys.items() if pks for one in model.objects.filter(pk__in=pks)]
        return {(one.KIND, one.pk): one for one in found}

    def jobs(self, seen: Iterable[Seen]) -> dict[tuple[str, int], Any]:
        """Return the jobs themselves of those that have no schedule to stand for them, by kind and key."""
        keys = [one.pk for one in seen if one.kind == UNSCHEDULED]
        return {(UNSCHEDULED, pk): job for pk, job in Job.objects.in_bulk(keys).items()} if keys else {}


def _wrong_unscheduled() -> QuerySet[Any, Any]:
    # Those of no entity first, of which an index knows: thousands may be open, nearly all of them of entities.
    of_these = Q(subject__startswith=f"{UNSCHEDULED}:") | Q(subject__startswith=f"{ORDERED}:")
    ends = (AlertCondition.FAILED, AlertCondition.WARNED)
    of_these |= Q(subject__startswith=f"{BACKFILLED}:", rule__condition__in=ends)
    return Alert.objects.open().filter(of_these, entity__isnull=True).order_by().values_list("subject", "leads_to")


def _seen(asked: Holding) -> list[Seen]:
    text = text_of("pk", asked.column)
    configurations, plans, jobs = (asked.among(rows).order_by("pk").annotate(text=text) for rows in _in_force())
    told = asked.column, "text"
    return [
        *(
            Seen(SchedulerConfiguration.KIND, pk, owner, "", "", value, text=text)
            for pk, owner, value, text in configurations.values_list("pk", "entity_id", *told)
        ),
        *(
            Seen(Plan.KIND, pk, pk, "", categories, value, text=text)
            for pk, categories, value, text in plans.values_list("pk", "categories", *told)
        ),
        *(
            Seen(JobSchedule.KIND, pk, owner, name, category, value, text=text)
            for pk, owner, name, category, value, text in jobs.values_list(
                "pk", "job_id", "name", "job__category", *told
            )
        ),
    ]


_KINDS = 3


def _in_force() -> tuple[ScheduleQuerySet, ScheduleQuerySet, ScheduleQuerySet]:
    """Return the schedules of each kind that are not gone."""
    return (
        SchedulerConfiguration.objects.filter(entity__is_cancelled=False),
        Plan.objects.filter(is_cancelled=False),
        JobSchedule.objects.filter(removed_at__isnull=True),
    )


class Watch:
    """A rule, with what it watches."""

    def __init__(self, rule: AlertRule, asked: Round):
        self.rule, self.now, self.round = rule, asked.now, asked
        names_any = rule.pk in asked.naming()
        self.entities = {entity.pk for entity in rule.entities.all()} if names_any else set()
        self.plans = {plan.pk for plan in rule.plans.all()} if names_any else set()
        self.jobs = {job.pk for job in rule.jobs.all()} if names_any else set()
        self.categories = {name.casefold() for name in rule.categories}
        self.is_about_all = not (self.entities or self.plans or self.jobs or rule.categories)

    @property
    def asks(self) -> object:
        """Return what is the same of two rules that find the same."""
        rule = self.rule
        return (
            *(rule.condition, rule.number, rule.percent, rule.minutes, rule.at, frozenset(rule.categories)),
            *map(frozenset, (self.entities, self.plans, self.jobs)),
        )

    @property
    def only_entities(self) -> frozenset[int] | None:
        """Return the entities whose rows are watched; None for all."""
        return None if self.is_about_all else frozenset(self.entities)

    @property
    def before(self) -> datetime:
        """Return the instant before which something is too old for the rule."""
        return self.now - timedelta(minutes=self.rule.minutes or 0)

    @property
    def since(self) -> datetime:
        """Return up to when the rule has looked, and a little before: what ended then may have been stored after."""
        looked_at = self.rule.looked_at
        return self.now - LATELY if looked_at is None else max(looked_at - _STORED_WITHIN, self.now - LATELY)

    def seen(self, asked: Holding) -> list[Seen]:
        """Return the schedules that are watched and for which a condition holds."""
        return self.watched(self.round.seen(asked))

    def watched(self, found: list[Seen]) -> list[Seen]:
        """Return those of these that are watched."""
        return found if self.is_about_all else [one for one in found if self._watches(one)]

    def _watches(self, one: Seen) -> bool:
        kind = one.of or one.kind
        if kind == SchedulerConfiguration.KIND:
            return one.owner in self.entities
        if kind == Plan.KIND:
            named = (name.casefold() for name in categories_of(one.category))
            return one.owner in self.plans or not self.categories.isdisjoint(named)
        if kind == ORDERED:
            return False  # it is of no entity, plan or job
        return one.owner in self.jobs or one.category in self.rule.categories

    def of_entities(self, rows: Any) -> Any:
        """Return those rows of entities that are watched; none, when only plans or jobs are."""
        return rows if self.is_about_all else rows.filter(entity__in=self.entities)
