"""What is done to everything that was chosen in a list: kept with its choice, asked about first, then done in pieces.

A piece lasts as long as a request may. Each thing has its turn in a transaction of its own, together with the count of
it: whoever goes on after an error or a crash begins where it stopped, and nothing has two turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Generic, TypeVar, cast

from django.contrib.admin import ModelAdmin
from django.db import transaction
from django.db.models import Model, QuerySet
from django.forms import Form
from django.http import HttpRequest

from scheduling import clock
from scheduling.admin.schedules.finding import readable
from scheduling.cadence.errors import CadenceError
from scheduling.errors import InvalidSchedule, SchedulingError
from scheduling.models import BulkAction
from staging.errors import StagingError
from staging.pages import seen
from staging.rights import reach, visible
from staging.wording import aloud, say

MOST = 100_000  # keys that are kept
SECONDS = 5  # of one piece
NAMED = 10
UNFINISHED = "bulk_unfinished"  # in the session: that something goes on when its person does
_AT_ONCE = 500
_KEPT_DAYS = 7
Thing = TypeVar("Thing", bound=Model)


@dataclass(frozen=True)
class Hand:
    """Who does it, through which page, and with which values."""

    model_admin: ModelAdmin[Any]
    request: HttpRequest
    values: dict[str, Any]
    now: datetime

    @property
    def by(self) -> str:
        """Return the name of the account."""
        return self.request.user.get_username()


class BulkVerb(Generic[Thing]):
    """One thing that can be done to many; an admin lists its own in `bulk`."""

    name: ClassVar[str]  # of the action
    words: ClassVar[str]  # on the button, as a template for `say`
    means: ClassVar[str]
    did: ClassVar[str]  # "Paused: {names}."
    needs: ClassVar[str]  # what the admin asks: has_…_permission
    permission: ClassVar[str]  # the same as Django names it; {model} is that of the list
    asks_reason: ClassVar[bool] = False  # why a definition is changed

    def rows(self, model_admin: ModelAdmin[Any], request: HttpRequest) -> QuerySet[Thing]:
        """Return all things that the person sees, with what pages show of each."""
        return readable(seen(model_admin.model._default_manager.all(), request))

    def called(self, thing: Thing) -> str:
        """Return what people call one of them."""
        return str(thing)

    def idle(self, things: Sequence[Thing]) -> dict[int, str]:
        """Return of which nothing will become, by key, and why in words."""
        return {}

    def adds(self, things: Sequence[Thing]) -> str:
        """Return what else a person should know of those to which it will be done."""
        return ""

    def form(self, data: Any, things: Sequence[Thing]) -> Form | None:
        """Return the form of what it asks for; None when it asks for nothing."""
        return None

    def values(self, form: Form) -> dict[str, Any]:
        """Return what a valid form says, as it is kept."""
        return dict(form.cleaned_data)

    def act(self, hand: Hand, thing: Thing) -> bool:
        """Do it to one; False when nothing had to be done. Raises an error of the house when it cannot be done."""
        raise NotImplementedError

    def held_for(self, request: HttpRequest, rows: QuerySet[Thing]) -> QuerySet[Thing]:
        """Return those for which the person may do it."""
        return visible(rows, reach(request.user, self.permission.format(model=rows.model._meta.model_name)))


@dataclass(frozen=True)
class Foreseen(Generic[Thing]):
    """What will happen: to which things it will be done, and to which not, by the reason."""

    things: list[Thing]
    idle: list[tuple[str, list[Thing]]]


def keep(verb: BulkVerb[Any], model_admin: ModelAdmin[Any], request: HttpRequest, keys: Sequence[int]) -> BulkAction:
    """Keep what was chosen; what this person began a week ago is forgotten."""
    now = clock.now()
    BulkAction.objects.filter(person=request.user.pk, created_at__lt=now - timedelta(days=_KEPT_DAYS)).delete()
    return BulkAction.objects.create(
        person_id=cast(int, request.user.pk),
        model=model_admin.opts.label_lower,
        verb=verb.name,
        keys=list(keys[:MOST]),
        created_at=now,
    )


def things_of(
    verb: BulkVerb[Thing], model_admin: ModelAdmin[Any], request: HttpRequest, keys: Sequence[int]
) -> Iterator[tuple[int, Thing | None, bool]]:
    """Yield each key with what it names, None when it is gone, and whether the person may do it to that."""
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        rows = verb.rows(model_admin, request).filter(pk__in=some)
        found = {each.pk: each for each in rows}
        held = set(verb.held_for(request, rows.order_by()).values_list("pk", flat=True))
        for key in some:
            yield key, found.get(key), key in held


def foresee(
    verb: BulkVerb[Thing], model_admin: ModelAdmin[Any], request: HttpRequest, keys: Sequence[int]
) -> Foreseen[Thing]:
    """Return what will happen to what was chosen, as things stand now; what is gone is left out."""
    known = [(thing, held) for _, thing, held in things_of(verb, model_admin, request, keys) if thing is not None]
    allowed = [thing for thing, held in known if held]
    idle = verb.idle(allowed)
    reasons: dict[str, list[Thing]] = {}
    for thing in allowed:
        if thing.pk in idle:
            reasons.setdefault(idle[thing.pk], []).append(thing)
    if forbidden := [thing for thing, held in known if not held]:
        reasons[say("you may not do this for them")] = forbidden
    return Foreseen([thing for thing in allowed if thing.pk not in idle], list(reasons.items()))


def carry_on(verb: BulkVerb[Thing], hand: Hand, action: BulkAction) -> None:
    """Give their turns to those that had none, for as long as a piece lasts; `action` says how far it is then."""
    ends = clock.monotonic() + SECONDS
    left = things_of(verb, hand.model_admin, hand.request, action.keys[action.position :])
    for _, thing, held in left:
        if not _turn(verb, hand, action, thing if held else None, verb.called(thing) if thing is not None else ""):
            return  # somebody else goes on with it
        if clock.monotonic() >= ends:
            break
    if not action.left:
        finish(action, hand.now)


def finish(action: BulkAction, now: datetime) -> None:
    """End it, whatever is left."""
    BulkAction.objects.filter(pk=action.pk, finished_at=None).update(finished_at=now)
    action.refresh_from_db()


def _turn(verb: BulkVerb[Thing], hand: Hand, action: BulkAction, thing: Thing | None, name: str) -> bool:
    """Do it to one thing and count it, both or nothing; False when its turn was another's."""
    with transaction.atomic():
        outcome, why = _outcome(verb, hand, thing)
        if not thing and name:
            outcome, why = "refused", say("you may not do this for it")
        told = {**action.told}
        if name and len(told.get(outcome, [])) < NAMED:
            told[outcome] = [*told.get(outcome, []), f"{name}: {why}" if why else name]
        counts = {"position": action.position + 1, outcome: getattr(action, outcome) + 1, "told": told}
        still = BulkAction.objects.filter(pk=action.pk, position=action.position, finished_at=None)
        if not still.update(**counts):
            transaction.set_rollback(True)
            return False
    for column, value in counts.items():
        setattr(action, column, value)
    return True


def _outcome(verb: BulkVerb[Thing], hand: Hand, thing: Thing | None) -> tuple[str, str]:
    """Return what became of a thing, as the name of its count, and why it was refused."""
    if thing is None:
        return "idle", ""
    try:
        with transaction.atomic():
            return ("done" if verb.act(hand, thing) else "idle"), ""
    except InvalidSchedule as error:
        return "refused", " ".join(str(text) for texts in error.errors.values() for text in texts)
    except (SchedulingError, StagingError, CadenceError) as error:
        return "refused", aloud(error)
