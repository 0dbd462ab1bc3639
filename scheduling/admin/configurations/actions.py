"""Bulk actions of the configurations page. Each names its permission, or it would run for people who may only look."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.admin.schedules.chosen import after_asking, first_few, of_chosen
from scheduling.errors import SchedulingError
from scheduling.kinds import test_run
from scheduling.models import SchedulerConfiguration
from scheduling.runs.by_hand import start_batch_now
from scheduling.schedules.change import set_enabled
from staging.pages import is_confirmed, shown
from staging.tables.columns import pending_statistics
from staging.wording import say


@admin.action(description=_("Test run: would they fire now?"), permissions=["test_run"])
@of_chosen
def test_run_selected(
    model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, chosen: list[SchedulerConfiguration]
) -> HttpResponse | None:
    """Show for each selected entity what the scheduler would decide now. Writes nothing."""
    now = clock.now()
    return shown(
        model_admin,
        request,
        "scheduling/test_runs.html",
        title=say("Test run"),
        results=[(configuration, test_run(configuration, now)) for configuration in chosen],
        now=now,
    )


@admin.action(description=_("Process now"), permissions=["process_batch"])
@of_chosen
def process_selected(
    model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, chosen: list[SchedulerConfiguration]
) -> HttpResponse | None:
    """Ask for confirmation with the counts, then start one batch per selected entity."""
    if not is_confirmed(request):
        return _confirm(model_admin, request, chosen)
    started, refused = [], []
    for configuration in chosen:
        try:
            start_batch_now(configuration, started_by=request.user.get_username(), now=clock.now())
            started.append(configuration.entity.name)
        except SchedulingError as error:
            refused.append(str(error))
    if started:
        model_admin.message_user(request, say("Started: {names}.", names=first_few(started)), messages.SUCCESS)
    for reason in refused:
        model_admin.message_user(request, reason, messages.WARNING)
    return None


@admin.action(description=_("Enable"), permissions=["change"])
@of_chosen
@after_asking(
    verb=gettext_noop("Enable"),
    means=gettext_noop("They start by themselves from now on; slots that passed meanwhile do not run."),
)
def enable_selected(
    model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, chosen: list[SchedulerConfiguration]
) -> None:
    """Ask, then let the selected entities start by themselves again; slots that passed meanwhile do not run."""
    _switch(model_admin, request, chosen, enabled=True)


@admin.action(description=_("Disable"), permissions=["change"])
@of_chosen
@after_asking(
    verb=gettext_noop("Disable"),
    means=gettext_noop("They do not start by themselves any more, until somebody enables them; what runs goes on."),
)
def disable_selected(
    model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, chosen: list[SchedulerConfiguration]
) -> None:
    """Ask, then keep the selected entities from starting by themselves; what runs goes on."""
    _switch(model_admin, request, chosen, enabled=False)


def _confirm(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest, chosen: list[Any]) -> HttpResponse:
    """Show what would be started, with the rows that wait."""
    pending = pending_statistics([configuration.entity for configuration in chosen])
    return shown(
        model_admin,
        request,
        "scheduling/process_selected.html",
        title=say("Process now?"),
        chosen=[(configuration, pending[configuration.entity_id]) for configuration in chosen],
        total=sum(rows.count for rows in pending.values()),
        action_checkbox_name=ACTION_CHECKBOX_NAME,
    )


def _switch(
    model_admin: ModelAdmin[SchedulerConfiguration],
    request: HttpRequest,
    chosen: list[SchedulerConfiguration],
    *,
    enabled: bool,
) -> None:
    """Enable or disable, and write the history of those that changed."""
    changed, refused = [], []
    for configuration in [each for each in chosen if each.is_enabled is not enabled]:
        try:
            set_enabled(configuration, enabled, now=clock.now())
        except SchedulingError as error:
            refused.append(f"{configuration.entity.name}: {error}")
            continue
        model_admin.log_change(request, configuration, say("Enabled.") if enabled else say("Disabled."))
        changed.append(configuration.entity.name)
    text = _switched(changed, enabled)
    if changed or not refused:
        model_admin.message_user(request, text, messages.SUCCESS)
    for reason in refused:
        model_admin.message_user(request, reason, messages.ERROR)


def _switched(names: list[str], enabled: bool) -> str:
    """Return what was enabled or disabled, by name."""
    if not names:
        return say("Nothing to do: already enabled.") if enabled else say("Nothing to do: already disabled.")
    few = first_few(names)
    return say("Enabled: {names}.", names=few) if enabled else say("Disabled: {names}.", names=few)
