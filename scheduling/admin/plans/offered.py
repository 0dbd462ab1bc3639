"""What the form of a plan offers to choose from, read for the whole page in one statement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from operator import itemgetter
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models import BooleanField, CharField, Exists, F, Model, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast
from django.http import HttpRequest

from scheduling.models import BlackoutCalendar, Job, Plan, PlanAfter, PlanStep, Queue, SqlScript
from scheduling.statements import prepared_values, row_of
from staging.models import OWNER_COLUMNS, Entity
from staging.owner_pages import offer_owners, possible_owners

# By model, the columns of what is offered to whoever sees all: by these two it is sorted, and this is its name.
_SORTED_BY: Mapping[type[Model], tuple[str, str]] = {
    Queue: ("name", "name"),
    Plan: ("name", "name"),
    Entity: ("name", "name"),
    Job: ("category", "name"),
    SqlScript: ("name", "name"),
    BlackoutCalendar: ("name", "name"),
}
_COLUMNS = ("a_kind", "a_first", "a_then", "a_key", "a_called", "a_code", "a_gone")
_KNOWN = ("id", "name", "code", "is_cancelled")  # what the last of these are called in the tables that have them
_PRIOR, _RUNS_IT, _AWAITS_IT = "prior", "runs_it", "awaits_it"


class Offered:
    """What a form of a plan needs of other tables, for a person who sees all; one statement, when it is first asked.

    What is offered has its key, its name, of entities the code, and whether it is cancelled; all else it would read.
    """

    def __init__(self, request: HttpRequest, *, may_script: bool):
        """Offer SQL scripts to people who may run them."""
        self._request, self._may_script = request, may_script
        self.rows: dict[type[Model], list[Any]] = {}
        self.priors: list[tuple[int, int]] = []
        self.runs_it: list[Plan] = []
        self.awaits_it: list[Plan] = []

    def read(self, plan: Plan, chosen: Mapping[type[Model], Collection[Any]]) -> None:
        """Read it for this plan; what is `chosen` already is offered, too, when it is cancelled."""
        told = tuple((model.__name__, *sorted(map(str, keys))) for model, keys in chosen.items())
        rows = prepared_values(("offered", plan.pk, self._may_script, told), partial(self._all, plan, chosen))
        found = defaultdict[str, list[tuple[Any, ...]]](list)
        for kind, _first, _then, *columns in rows:
            found[kind].append(tuple(columns))
        self.rows = {model: _rows(model, found[model.__name__]) for model in _SORTED_BY}
        self.priors = [(key, int(prior)) for key, prior, *_ in found[_PRIOR]]
        self.runs_it, self.awaits_it = (_rows(Plan, found[kind]) for kind in (_RUNS_IT, _AWAITS_IT))
        offer_owners(self._request, [(of, key, name) for of in OWNER_COLUMNS for key, name, *_ in found[of]])

    def _all(self, plan: Plan, chosen: Mapping[type[Model], Collection[Any]]) -> QuerySet[Any, Any]:
        parts = [*self._offered(plan, chosen), *_owners(), *(_around(plan) if plan.pk else ())]
        return parts[0].union(*parts[1:], all=True).order_by(*_COLUMNS[:3])

    def _offered(self, plan: Plan, chosen: Mapping[type[Model], Collection[Any]]) -> list[QuerySet[Any, Any]]:
        in_force: dict[type[Model], Q] = {
            model: Q(is_cancelled=False) | Q(pk__in=chosen.get(model, ())) for model in (Queue, Plan, Entity)
        }
        in_force |= {Job: Q(removed_at=None), BlackoutCalendar: Q(), SqlScript: Q(is_cancelled=False)}
        if not self._may_script:
            del in_force[SqlScript]
        in_force[Plan] &= ~Q(pk=plan.pk)
        return [
            _named(model, model.__name__, model._default_manager.filter(which)) for model, which in in_force.items()
        ]


def runs_it(plan: Plan) -> Exists:
    """Return of a query of plans which of them run this one as a step."""
    return Exists(PlanStep.objects.filter(plan=OuterRef("pk"), sub_plan=plan, is_cancelled=False))


def awaits_it(plan: Plan) -> Any:
    """Return of a query of plans which of them run after this one."""
    return Exists(PlanAfter.objects.filter(plan=OuterRef("pk"), other=plan)) & Q(after_others=True, is_cancelled=False)


def _named(model: type[Model], kind: str, rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """Return rows of a table in the columns that all parts of the statement have."""
    first, then = _SORTED_BY[model]
    names = [each.name for each in model._meta.concrete_fields]
    code = F("code") if model is Entity else ""
    gone = F("is_cancelled") if "is_cancelled" in names else False
    return _part(kind, rows, "pk", F("name"), first=F(first), then=F(then), code=code, gone=gone)


def _owners() -> list[QuerySet[Any, Any]]:
    owners = possible_owners(Plan.objects.exclude(owner=None).values("owner"))
    return [_part(of, rows, "pk", F("called")) for of, rows in zip(OWNER_COLUMNS, owners, strict=True)]


def _around(plan: Plan) -> list[QuerySet[Any, Any]]:
    """Return what of it waits for what, and the plans that run it as a step, or after it."""
    links = PlanStep.depends_on.through._default_manager.filter(from_planstep__plan=plan)
    return [
        _part(_PRIOR, links, "from_planstep_id", F("to_planstep_id")),
        _named(Plan, _RUNS_IT, Plan.objects.filter(runs_it(plan))),
        _named(Plan, _AWAITS_IT, Plan.objects.filter(awaits_it(plan))),
    ]


def _part(
    kind: str, rows: QuerySet[Any], key: str, called: F, *, first: Any = "", then: Any = "", code: Any = "",
    gone: Any = False,
) -> QuerySet[Any, Any]:  # fmt: skip
    texts = {"a_first": first, "a_then": then, "a_called": called, "a_code": code}
    texts = {name: Cast(text if isinstance(text, F) else Value(text), CharField()) for name, text in texts.items()}
    told = {
        "a_kind": Value(kind),
        "a_key": F(key),
        "a_gone": Cast(gone if isinstance(gone, F) else Value(gone), BooleanField()),
        **texts,
    }
    return rows.order_by().annotate(**told).values_list(*_COLUMNS)


def _rows(model: type[Model], found: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Return rows of a table of which these columns are known; of jobs the names, for that is all a page needs."""
    if model is Job:
        return [name for _key, name, *_ in found]
    names = [each.name for each in model._meta.concrete_fields if each.name in _KNOWN]
    known = itemgetter(*(_KNOWN.index(name) for name in names))
    return [row_of(model, DEFAULT_DB_ALIAS, names, known(row)) for row in found]
