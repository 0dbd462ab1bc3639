"""Bulk actions of the configurations page. Each names its permission, or it would run for people who may only look."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.admin.schedules.bulk import BulkVerb, Hand
from scheduling.admin.schedules.finding import readable
from scheduling.kinds import test_run
from scheduling.models import SchedulerConfiguration
from scheduling.runs.by_hand import start_batch_now
from scheduling.schedules.change import set_enabled
from staging.pages import shown
from staging.rights import reach, visible
from staging.tables.columns import pending_statistics
from staging.wording import counted, say

_TESTED = 500  # a page that can be read


@admin.action(description=_("Test run: would they fire now?"), permissions=["test_run"])
def test_run_selected(
    model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, queryset: QuerySet[SchedulerConfiguration]
) -> HttpResponse | None:
    """Show for each selected entity what the scheduler would decide now. Writes nothing."""
    now, allowed = clock.now(), visible(queryset, reach(request.user, "scheduling.test_run"))
    chosen = list(readable(allowed)[: _TESTED + 1])
    if len(chosen) > _TESTED:
        text = say("These are the first {number}. A filter of the list chooses others.", number=_TESTED)
        model_admin.message_user(request, text, messages.WARNING)
    return shown(
        model_admin,
        request,
        "scheduling/test_runs.html",
        title=say("Test run"),
        results=[(configuration, test_run(configuration, now)) for configuration in chosen[:_TESTED]],
        now=now,
    )


class ProcessEach(BulkVerb[SchedulerConfiguration]):
    """Start one batch of each entity."""

    name, words = "process_selected", gettext_noop("Process now")
    means = gettext_noop("A batch of each starts: rows that wait are checked and merged.")
    did = gettext_noop("Started: {names}.")
    needs, permission = "process_batch", "scheduling.process_batch"

    def idle(self, things: Sequence[SchedulerConfiguration]) -> dict[int, str]:
        """Those of which a batch runs, or nothing is processed any more."""
        running: dict[int, str] = {each.pk: say("a batch of it runs already") for each in things if each.is_running}
        return running | {each.pk: say("it is retired") for each in things if each.entity.is_cancelled}

    def adds(self, things: Sequence[SchedulerConfiguration]) -> str:
        """How many rows wait."""
        pending = pending_statistics([each.entity for each in things])
        return say(
            "{rows} of {entities} now.",
            rows=counted(sum(rows.count for rows in pending.values()), "row", "rows"),
            entities=counted(len(things), "entity", "entities"),
        )

    def act(self, hand: Hand, thing: SchedulerConfiguration) -> bool:
        """Start it, under the guards of every start."""
        start_batch_now(thing, started_by=hand.by, now=hand.now)
        return True


class _Switch(BulkVerb[SchedulerConfiguration]):
    """Switch each on or off."""

    needs, permission = "change", "scheduling.change_{model}"
    asks_reason = True
    enabled: bool

    def act(self, hand: Hand, thing: SchedulerConfiguration) -> bool:
        """Switch it, and write its history."""
        if thing.is_enabled is self.enabled:
            return False
        set_enabled(thing, self.enabled, now=hand.now)
        hand.model_admin.log_change(hand.request, thing, say("Enabled.") if self.enabled else say("Disabled."))
        return True


class EnableEach(_Switch):
    """Let each start by itself again; slots that passed meanwhile do not run."""

    name, words, enabled = "enable_selected", gettext_noop("Enable"), True
    means = gettext_noop("They start by themselves from now on; slots that passed meanwhile do not run.")
    did = gettext_noop("Enabled: {names}.")

    def idle(self, things: Sequence[SchedulerConfiguration]) -> dict[int, str]:
        """Those that are enabled."""
        return {each.pk: say("it is enabled already") for each in things if each.is_enabled}


class DisableEach(_Switch):
    """Keep each from starting by itself; what runs goes on."""

    name, words, enabled = "disable_selected", gettext_noop("Disable"), False
    means = gettext_noop("They do not start by themselves any more, until somebody enables them; what runs goes on.")
    did = gettext_noop("Disabled: {names}.")

    def idle(self, things: Sequence[SchedulerConfiguration]) -> dict[int, str]:
        """Those that are disabled."""
        return {each.pk: say("it is disabled already") for each in things if not each.is_enabled}


PROCESS = ProcessEach()
SWITCHES: tuple[BulkVerb[SchedulerConfiguration], ...] = (EnableEach(), DisableEach())
