"""Finds what somebody typed among all that they may see: in few statements, through indexes, and nothing else.

Whoever may not see a thing does not learn that there is one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.admin import AdminSite
from django.db import DatabaseError
from django.db.models import CharField, F, Q, QuerySet, Subquery, Value
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_noop

from scheduling.admin.search.asked import Wanted
from scheduling.admin.search.places import places
from scheduling.models import Job, Plan, Run, SchedulerConfiguration, run
from scheduling.runs.fire import plan_title
from scheduling.states import RunKind, RunStatus
from staging.errors import StagingError
from staging.members.find import members_by_code
from staging.models import Batch, Entity, batch
from staging.pages import seen, sight
from staging.rights import Entities, reach
from staging.states import WITH_WARNINGS, BatchStatus
from staging.wording import say

# The kinds in the order in which they are shown, each with its heading.
HEADINGS = {
    "run": gettext_noop("Runs"), "batch": gettext_noop("Batches"), "entity": gettext_noop("Entities"),
    "configuration": gettext_noop("Configurations"), "member": gettext_noop("Members"), "plan": gettext_noop("Plans"),
    "job": gettext_noop("Jobs"), "page": gettext_noop("Pages"),
}  # fmt: skip
KINDS = {
    "run": gettext_noop("run"), "batch": gettext_noop("batch"), "entity": gettext_noop("entity"),
    "configuration": gettext_noop("configuration"), "member": gettext_noop("member"), "plan": gettext_noop("plan"),
    "job": gettext_noop("job"), "page": gettext_noop("page"),
}  # fmt: skip
_NEWEST, _SELDOM = 5_000, 1_000  # runs that are looked through for a title, and those of a title that is found by index
# Entities as far as they are searched; of an installation all are read.
_NAMED = Entity.objects.select_related("configuration").only("name", "code", "configuration__entity")
_ADDRESSES = {
    "run": "scheduling_run_change", "batch": "staging_batch_change", "entity": "staging_entity_change",
    "configuration": "scheduling_schedulerconfiguration_change", "plan": "scheduling_plan_change",
    "job": "scheduling_job_change",
}  # fmt: skip


@dataclass(frozen=True)
class FoundThing:
    """One thing that was found: where it is opened, and what else tells it from others."""

    kind: str
    key: int
    name: str
    url: str
    detail: str = ""

    @property
    def word(self) -> str:
        """Return the word for its kind."""
        return say(KINDS[self.kind])


@dataclass(frozen=True)
class HitGroup:
    """What was found of one kind, as far as it is shown, and whether there is more."""

    kind: str
    rows: list[FoundThing]
    has_more: bool

    @property
    def heading(self) -> str:
        """Return the heading over them."""
        return say(HEADINGS[self.kind])


def find(site: AdminSite, request: HttpRequest, wanted: Wanted, most: int) -> list[HitGroup]:
    """Return what fits, at most so much of each kind, the best first; kinds without anything are left out."""
    if not wanted.text:
        return []
    found: dict[str, list[FoundThing]] = {kind: [] for kind in HEADINGS}
    entities = list(_NAMED.order_by("name"))
    parts: list[Iterable[FoundThing]] = [
        _numbered(request, {wanted.of or kind: [wanted.number] for kind in ("run", "batch")} if wanted.number else {}),
        _titled(request, wanted, most),
        entities_found(request, [each for each in entities if wanted.fits(each.name, each.code)], wanted),
        _members(request, entities, wanted),
        _named(request, _called(wanted.text), wanted),
        _pages(site, request, wanted),
    ]
    for part in parts:
        for each in part:
            found[each.kind].append(each)
    return [HitGroup(kind, rows[:most], len(rows) > most) for kind, rows in found.items() if rows]


def look_up(request: HttpRequest, keys: Collection[tuple[str, int]]) -> dict[tuple[str, int], FoundThing]:
    """Return those of these things that are still there and that this person may open, by kind and key."""
    of = {kind: [key for each, key in keys if each == kind] for kind in HEADINGS}
    either = Q(pk__in=of["entity"]) | Q(configuration__in=of["configuration"])
    entities = list(_NAMED.filter(either))
    named = {model: Q(pk__in=of[kind]) for model, kind in ((Plan, "plan"), (Job, "job")) if of[kind]}
    found = [
        *_numbered(request, {kind: of[kind] for kind in ("run", "batch") if of[kind]}),
        *entities_found(request, entities),
        *_named(request, named),
    ]
    return {(each.kind, each.key): each for each in found if (each.kind, each.key) in keys}


def entities_found(
    request: HttpRequest, entities: Collection[Entity], wanted: Wanted | None = None
) -> list[FoundThing]:
    """Return of these entities, and of their configurations, those that the person may open; the best first."""
    may_open = {"entity": sight(Entity, request), "configuration": sight(SchedulerConfiguration, request)}
    found = []
    for entity in sorted(entities, key=lambda each: wanted.rank(each.name, each.code) if wanted else (0, each.name)):
        if _has(may_open["entity"], entity.pk):
            found.append(_found("entity", entity.pk, entity.name, entity.code))
        configuration = getattr(entity, "configuration", None)
        if configuration is not None and _has(may_open["configuration"], entity.pk):
            found.append(_found("configuration", configuration.pk, entity.name, entity.code))
    return found


def _members(request: HttpRequest, entities: Collection[Entity], wanted: Wanted) -> list[FoundThing]:
    """Return the members with this code, or codes that begin so, of the entities whose rows the person may see."""
    if wanted.of:
        return []
    ids = reach(request.user, "staging.view_rows")
    known = {each.pk: each for each in entities if _has(ids, each.pk)}
    try:
        members = members_by_code(list(known.values()), wanted.text)
    except (StagingError, DatabaseError):  # the other kinds are found nevertheless
        return []
    return [
        FoundThing(
            "member",
            each.id,
            each.code,
            reverse("admin:staging_member", args=[each.entity_id, each.id]),
            say("{name} of {entity}", name=each.name, entity=known[each.entity_id].name)
            if each.name
            else say("of {entity}", entity=known[each.entity_id].name),
        )
        for each in members
    ]


def _called(text: str) -> dict[type[Plan] | type[Job], Q]:
    """Return which plans and jobs have a text in their name or in a category."""
    return {
        Plan: Q(name__icontains=text) | Q(categories__icontains=text),
        Job: Q(name__icontains=text) | Q(category__icontains=text),
    }


def _named(
    request: HttpRequest, asked: dict[type[Plan] | type[Job], Q], wanted: Wanted | None = None
) -> list[FoundThing]:
    """Return the plans and jobs that pass these filters, the best first; one statement."""
    parts: list[QuerySet[Any, Any]] = [
        seen(model._default_manager.all(), request)
        .filter(fitting)
        .order_by()
        .values_list(Value(model._meta.model_name, CharField()), "pk", "name")
        for model, fitting in asked.items()
        if sight(model, request) != frozenset()
    ]
    rows = parts[0].union(*parts[1:], all=True) if parts else []
    found = [_found(kind, pk, name) for kind, pk, name in rows]
    return sorted(found, key=lambda each: wanted.rank(each.name) if wanted else (0, each.name))


def _numbered(request: HttpRequest, numbers: Mapping[str, Sequence[int | None]]) -> list[FoundThing]:
    """Return the runs and batches of these numbers that the person may open; one statement."""
    parts: list[QuerySet[Any, Any]] = []
    for kind, model, shown in (("run", Run, run.SHOWN_STATUS), ("batch", Batch, batch.SHOWN_STATUS)):
        if kind in numbers and sight(model, request) != frozenset():
            title, of = (F("title"), F("kind")) if model is Run else (Value("", CharField()), Value("", CharField()))
            known: QuerySet[Any] = seen(model._default_manager.all(), request).filter(pk__in=numbers[kind]).order_by()
            parts.append(known.values_list(Value(kind, CharField()), "pk", shown, "entity__name", title, of))
    rows: Iterable[Any] = parts[0].union(*parts[1:], all=True) if parts else []
    return [
        _found(kind, pk, _number_words(kind, pk), _about(kind, status, entity or title, of))
        for kind, pk, status, entity, title, of in rows
    ]


def _titled(request: HttpRequest, wanted: Wanted, most: int) -> list[FoundThing]:
    """Return the newest runs whose title begins so, one more than are shown; of a plan also by how its name begins.

    One that runs often is among the newest runs, one that ran seldom is found by the index of titles: a database that
    is asked for both at once reads all runs from the newest to the one that it does not know to be old.
    """
    if wanted.of or sight(Run, request) == frozenset():
        return []
    begins = Q(title__istartswith=wanted.text) | Q(title__istartswith=plan_title([wanted.text]))
    runs = seen(Run.objects.filter(begins, entity__isnull=True).exclude(pk=wanted.number or 0), request).order_by()
    newest = Run.objects.order_by("-pk").annotate(before=F("pk") - _NEWEST).values("before")[:1]
    columns = "id", run.SHOWN_STATUS, "title", "kind"
    lately = runs.filter(pk__gt=Subquery(newest)).values_list(*columns)
    seldom = Run.objects.filter(pk__in=runs.values("pk")[:_SELDOM]).order_by().values_list(*columns)
    return [
        _found("run", pk, _number_words("run", pk), _about("run", status, title, kind))
        for pk, status, title, kind in lately.union(seldom).order_by("-id")[: most + 1]
    ]


def _number_words(kind: str, number: int) -> str:
    return say("Run {run}", run=number) if kind == "run" else say("Batch {batch}", batch=number)


def _about(kind: str, status: str, what: str, of: str) -> str:
    """Return what a run or a batch is of, and how it stands."""
    states: type[RunStatus] | type[BatchStatus] = RunStatus if kind == "run" else BatchStatus
    stands = say(WITH_WARNINGS) if status == WITH_WARNINGS else states(status).label
    return f"{what or RunKind(of).label}, {stands}"


def _pages(site: AdminSite, request: HttpRequest, wanted: Wanted) -> list[FoundThing]:
    fitting = [each for each in places(site, request) if wanted.fits(each.name, each.also)]
    return [
        FoundThing("page", 0, each.name, each.url) for each in sorted(fitting, key=lambda each: wanted.rank(each.name))
    ]


def _found(kind: str, key: int, name: str, detail: str = "") -> FoundThing:
    return FoundThing(kind, key, name, reverse(f"admin:{_ADDRESSES[kind]}", args=[key]), detail)


def _has(ids: Entities, key: int) -> bool:
    return ids is None or key in ids
