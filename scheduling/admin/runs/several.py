"""What people do with many runs at once: those they tick, or all that fit the filter of the list."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.admin.runs.filter import RunFilter
from scheduling.admin.schedules.bulk import MOST, BulkVerb, Hand
from scheduling.admin.schedules.chosen import begin
from scheduling.models import Backfill, Run, SchedulerState
from scheduling.models.attempt import GOES_ON
from scheduling.runs.cancel import cancel_everything, cancel_run
from scheduling.runs.restart import restart_run
from scheduling.states import RunStatus
from staging.pages import ASK, DO, insist, may, number_in, page, seen, shown, told, warned
from staging.rights import reach
from staging.wording import say


class _OfRuns(BulkVerb[Run]):
    """What is done to runs."""

    def rows(self, model_admin: ModelAdmin[Run], request: HttpRequest) -> QuerySet[Run]:
        """Return the runs that the person sees, without what is long."""
        return seen(Run.objects.defer("error", "error_said"), request)

    def fitting(self, runs: QuerySet[Run]) -> QuerySet[Run]:
        """Return those to which it may be done, of all that fit a filter."""
        raise NotImplementedError


class CancelEach(_OfRuns):
    """Cancel each: at once what waits, at its next safe point what runs."""

    name, words = "cancel_runs", gettext_noop("Cancel")
    means = gettext_noop("What waits is cancelled at once; what already runs stops at its next safe point.")
    did = gettext_noop("Cancel asked for: {names}.")
    needs, permission = "cancel", "scheduling.cancel_run"

    def fitting(self, runs: QuerySet[Run]) -> QuerySet[Run]:
        """Those that go on."""
        return runs.filter(GOES_ON)

    def idle(self, things: Sequence[Run]) -> dict[int, str]:
        """Those that have ended."""
        return {run.pk: say("it has ended") for run in things if not run.goes_on}

    def act(self, hand: Hand, thing: Run) -> bool:
        """Cancel it."""
        return cancel_run(thing, by=hand.by, now=hand.now)


class RestartEach(_OfRuns):
    """Start again of each what failed, was cancelled or never ran, as it was."""

    name, words = "restart_runs", gettext_noop("Restart")
    means = gettext_noop("What failed, was cancelled or never ran is started again, as it was, in a new run of each.")
    did = gettext_noop("Started again: {names}.")
    needs, permission = "restart", "scheduling.restart_run"

    def fitting(self, runs: QuerySet[Run]) -> QuerySet[Run]:
        """Those that failed, were not made good, and are not tried again."""
        return runs.filter(pk__in=Run.objects.still_failed())

    def idle(self, things: Sequence[Run]) -> dict[int, str]:
        """Those that have not ended, have completed, or were made good."""
        found: dict[int, str] = {}
        for run in things:
            if run.status not in RunStatus.final():
                found[run.pk] = say("it has not ended")
            elif run.status == RunStatus.COMPLETED:
                found[run.pk] = say("it has completed")
            elif run.made_good_by_id is not None:
                found[run.pk] = say("a restart made it good")
        return found

    def act(self, hand: Hand, thing: Run) -> bool:
        """Start it again; who may not start what it is made of is refused."""
        person = hand.request.user
        restart_run(thing, only_failed=True, manifest=None, started_by=hand.by, person=person, now=hand.now)
        return True


BULK: tuple[_OfRuns, ...] = (CancelEach(), RestartEach())


@page("view", methods=DO)
def choose_page(model_admin: ModelAdmin[Run], request: HttpRequest) -> HttpResponse:
    """Keep the ticked runs, or all that fit the filter in the address, and ask what to do with them."""
    verb = next((each for each in BULK if each.name == request.POST.get("verb")), None)
    insist(verb is not None)
    assert verb is not None  # for the types
    insist(may(model_admin, request, verb.needs))
    known = seen(Run.objects.order_by("-pk"), request)
    if "all" in request.POST:
        chosen = verb.fitting(RunFilter(request).apply(known))
    else:
        ticked = (number_in(text) for text in request.POST.getlist("run"))
        chosen = known.filter(pk__in=[number for number in ticked if number is not None])
    keys = list(chosen.values_list("pk", flat=True)[:MOST])
    query = request.GET.urlencode()
    to = reverse("admin:scheduling_run_changelist") + (f"?{query}" if query else "")
    return begin(verb, model_admin, request, keys) or warned(request, say("No run was chosen."), to)


@page("cancel", methods=ASK)
def cancel_everything_page(model_admin: ModelAdmin[Run], request: HttpRequest) -> HttpResponse:
    """Ask with what goes on (GET), then cancel every backfill and every run (POST); for who may cancel all of it."""
    insist(reach(request.user, "scheduling.cancel_run") is None)
    to, backfills = (
        reverse("admin:scheduling_run_changelist"),
        Backfill.objects.filter(status=RunStatus.RUNNING).count(),
    )
    if request.method == "POST":
        cancelled = cancel_everything(by=request.user.get_username(), now=clock.now())
        if not cancelled and not backfills:  # of a backfill nothing may run just now
            return warned(request, say("There was nothing left to cancel."), to)
        text = say("Cancel asked for. What already runs stops at its next safe point.")
        return told(request, text, to, messages.INFO)
    is_paused = SchedulerState.current().paused_at is not None
    facts = {"runs": Run.objects.going_on().count(), "backfills": backfills, "is_paused": is_paused}
    return shown(model_admin, request, "scheduling/cancel_everything.html", title=say("Cancel everything?"), **facts)
