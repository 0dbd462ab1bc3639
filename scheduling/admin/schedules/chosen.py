"""The pages of a bulk action: what it would do to what was chosen, how far it is, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.db.models import Model, QuerySet
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy

from scheduling import clock
from scheduling.admin.schedules.bulk import (
    NAMED,
    UNFINISHED,
    BulkVerb,
    Foreseen,
    Hand,
    Thing,
    carry_on,
    finish,
    foresee,
    keep,
)
from scheduling.admin.schedules.finding import list_place
from scheduling.models import BulkAction, Job, Plan, Run, SchedulerConfiguration
from staging.models import Batch
from staging.pages import ASK, insist, is_confirmed, may, page, shown
from staging.phrases import numbered
from staging.versions.reasons import FIELD, missing
from staging.wording import aloud, say

Action = Callable[["ModelAdmin[Any]", HttpRequest, QuerySet[Any]], HttpResponse | None]
_BACK = "back"  # where in the kept values the way back to the list stands, with its filters


def as_action(verb: BulkVerb[Any]) -> Action:
    """Return what Django's lists offer as an action: it keeps what was chosen and asks."""

    @admin.action(description=gettext_lazy(verb.words), permissions=[verb.needs])
    def action(model_admin: ModelAdmin[Any], request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return begin(verb, model_admin, request, list(queryset.values_list("pk", flat=True)))

    action.__name__ = verb.name
    return action


def begin(
    verb: BulkVerb[Any], model_admin: ModelAdmin[Any], request: HttpRequest, keys: Sequence[int]
) -> HttpResponse | None:
    """Keep what was chosen, and ask; who says at once that it is confirmed is not asked. None for nothing chosen."""
    if not keys:
        return None
    kept = keep(verb, model_admin, request, keys)
    kept.values = {_BACK: request.GET.urlencode()}
    kept.save(update_fields=["values"])
    if is_confirmed(request):
        return _confirm(verb, model_admin, request, kept)
    return _question(verb, model_admin, request, kept)


@page(methods=ASK)
def chosen_page(model_admin: ModelAdmin[Any], request: HttpRequest, number: int) -> HttpResponse:
    """Ask, or show how far it is (GET); confirm it, go on with it, or stop it (POST). Only for who began it."""
    mine = BulkAction.objects.filter(pk=number, person=request.user.pk, model=model_admin.opts.label_lower)
    kept = mine.first()
    insist(kept is not None)
    assert kept is not None  # for the types
    verb: BulkVerb[Any] = next(each for each in model_admin.bulk if each.name == kept.verb)  # type: ignore[attr-defined]
    insist(may(model_admin, request, verb.needs))
    if request.method != "POST":
        return (
            _question(verb, model_admin, request, kept)
            if kept.confirmed_at is None
            else _progress(verb, model_admin, request, kept)
        )
    if kept.confirmed_at is None:
        return _confirm(verb, model_admin, request, kept)
    if "stop" in request.POST:
        finish(kept, clock.now())
        return _told(verb, model_admin, request, kept)
    return _go_on(verb, model_admin, request, kept)


def so_many(model: type[Model], number: int) -> str:
    """Return "3 entities" or "1 schedule"."""
    if issubclass(model, SchedulerConfiguration):
        return aloud(numbered(number, "{number:,} entity", "{number:,} entities"))
    if issubclass(model, Job):
        return aloud(numbered(number, "{number:,} job", "{number:,} jobs"))
    if issubclass(model, Plan):
        return aloud(numbered(number, "{number:,} plan", "{number:,} plans"))
    if issubclass(model, Run):
        return aloud(numbered(number, "{number:,} run", "{number:,} runs"))
    if issubclass(model, Batch):
        return aloud(numbered(number, "{number:,} batch", "{number:,} batches"))
    return aloud(numbered(number, "{number:,} schedule", "{number:,} schedules"))


def first_few(names: Sequence[str], number: int | None = None) -> str:
    """Return names as one sentence can hold them: the first ones, and how many more of `number` there are."""
    few = names[:NAMED]
    more = (len(names) if number is None else number) - len(few)
    together = ", ".join(few)
    return say("{few} and {more:,} more", few=together, more=more) if more > 0 else together


def _question(
    verb: BulkVerb[Thing],
    model_admin: ModelAdmin[Any],
    request: HttpRequest,
    kept: BulkAction,
    *,
    form: Form | None = None,
    foreseen: Foreseen[Thing] | None = None,
) -> HttpResponse:
    """Return the page that tells what would be done to what, and to what not, with the button that confirms it."""
    foreseen = foreseen or foresee(verb, model_admin, request, kept.keys)
    number = sum(len(things) for _, things in foreseen.idle) + len(foreseen.things)
    everything = [*foreseen.things, *(each for _, things in foreseen.idle for each in things)]
    what = verb.called(everything[0]) if number == 1 else so_many(model_admin.model, number)
    return shown(
        model_admin,
        request,
        "scheduling/bulk_question.html",
        title=say("{verb} {chosen}?", verb=say(verb.words), chosen=what),
        trail=[list_place(model_admin)],
        back=_back(model_admin, kept),
        address=_address(model_admin, kept),
        verb=say(verb.words),
        means=say(verb.means),
        adds=verb.adds(foreseen.things),
        lines=_lines(verb, model_admin, foreseen),
        goes=bool(foreseen.things),
        form=form or verb.form(None, foreseen.things),
        asks_reason=verb.asks_reason,
    )


def _lines(verb: BulkVerb[Any], model_admin: ModelAdmin[Any], foreseen: Foreseen[Any]) -> list[tuple[str, str, str]]:
    """Return for each outcome what it is, to how many, and to which."""
    outcomes = [(say(verb.words), foreseen.things)] if foreseen.things else []
    outcomes += [(say("Nothing happens: {why}", why=why), things) for why, things in foreseen.idle]
    return [
        (words, so_many(model_admin.model, len(things)), first_few([verb.called(each) for each in things]))
        for words, things in outcomes
    ]


def _confirm(
    verb: BulkVerb[Thing], model_admin: ModelAdmin[Any], request: HttpRequest, kept: BulkAction
) -> HttpResponse:
    """Begin, unless the form or the reason for a change lacks something: then ask again."""
    foreseen = foresee(verb, model_admin, request, kept.keys)
    form = verb.form(request.POST, foreseen.things)
    fault = missing(request) if verb.asks_reason else ""
    if fault:
        model_admin.message_user(request, fault, messages.ERROR)
    if fault or (form is not None and not form.is_valid()):
        return _question(verb, model_admin, request, kept, form=form, foreseen=foreseen)
    values = {**kept.values, **(verb.values(form) if form else {}), FIELD: request.POST.get(FIELD, "")}
    fresh = BulkAction.objects.filter(pk=kept.pk, confirmed_at=None)
    fresh.update(values=values, confirmed_at=clock.now())
    kept.refresh_from_db()
    return _go_on(verb, model_admin, request, kept)


def _go_on(verb: BulkVerb[Any], model_admin: ModelAdmin[Any], request: HttpRequest, kept: BulkAction) -> HttpResponse:
    """Do a piece; lead to the list when that was the last, else to how far it is."""
    if kept.finished_at is None:
        carry_on(verb, Hand(model_admin, request, kept.values, clock.now()), kept)
    if kept.finished_at is None:
        request.session[UNFINISHED] = True
        return HttpResponseRedirect(_address(model_admin, kept))
    return _told(verb, model_admin, request, kept)


def _progress(
    verb: BulkVerb[Any], model_admin: ModelAdmin[Any], request: HttpRequest, kept: BulkAction
) -> HttpResponse:
    """Return the page that says how far it is; its button, or its script, goes on."""
    return shown(
        model_admin,
        request,
        "scheduling/bulk_progress.html",
        title=say("{verb}: {chosen}", verb=say(verb.words), chosen=so_many(model_admin.model, len(kept.keys))),
        trail=[list_place(model_admin)],
        back=_back(model_admin, kept),
        address=_address(model_admin, kept),
        action=kept,
        total=len(kept.keys),
        reason=kept.values.get(FIELD, ""),
        refused=kept.told.get("refused", []),
    )


def _told(verb: BulkVerb[Any], model_admin: ModelAdmin[Any], request: HttpRequest, kept: BulkAction) -> HttpResponse:
    """Lead to the list and tell there what became of what was chosen."""
    others = BulkAction.objects.filter(person=request.user.pk, finished_at=None, confirmed_at__isnull=False)
    if request.session.get(UNFINISHED) and not others.exists():
        del request.session[UNFINISHED]
    names = {outcome: kept.told.get(outcome, []) for outcome in ("done", "idle", "refused")}
    if kept.done:
        model_admin.message_user(request, say(verb.did, names=first_few(names["done"], kept.done)), messages.SUCCESS)
    if names["idle"]:
        idle = first_few(names["idle"], kept.idle)
        model_admin.message_user(request, say("Nothing had to be done for {names}.", names=idle), messages.WARNING)
    for each in names["refused"]:
        model_admin.message_user(request, each, messages.ERROR)
    if (more := kept.refused - len(names["refused"])) > 0:
        text = say("{more:,} more were refused; see {page}.", more=more, page=_address(model_admin, kept))
        model_admin.message_user(request, text, messages.ERROR)
    if kept.left:
        text = say("Stopped: nothing was done to the other {left:,}.", left=kept.left)
        model_admin.message_user(request, text, messages.WARNING)
    return HttpResponseRedirect(_back(model_admin, kept))


def _address(model_admin: ModelAdmin[Any], kept: BulkAction) -> str:
    return reverse(f"admin:scheduling_{model_admin.opts.model_name}_chosen", args=[kept.pk])


def _back(model_admin: ModelAdmin[Any], kept: BulkAction) -> str:
    """Return the list as it was, filters and page included."""
    query = kept.values.get(_BACK, "")
    place = list_place(model_admin)[0]
    return f"{place}?{query}" if query else place
