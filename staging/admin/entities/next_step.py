"""What comes after a new entity was saved: the way to its first batch, with one button for the step that is next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.urls import NoReverseMatch, reverse

from staging.admin.access import get_entity
from staging.models import Entity
from staging.pages import page, shown
from staging.tables.columns import pending_statistics
from staging.wording import say

_MANUAL = "manual"


@dataclass(frozen=True)
class WayStep:
    """One step to the first batch: what to do, why, where, and whether it is done."""

    words: str
    why: str
    url: str
    is_done: bool = False


@page("staging.view_entity")
def next_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int) -> HttpResponse:
    """Show the steps; the first that is not done and that this person may do has the button."""
    entity = get_entity(entity_id)
    steps = _steps(request, entity)
    return shown(
        model_admin,
        request,
        "admin/staging/entity/next.html",
        title=say("{entity}: what comes next", entity=entity.name),
        entity=entity,
        steps=steps,
        first=next((step for step in steps if step.url and not step.is_done), None),
    )


def _steps(request: HttpRequest, entity: Entity) -> list[WayStep]:
    may = request.user.has_perm
    configuration = getattr(entity, "configuration", None)  # of the floor above, which gives every entity one
    rows = pending_statistics([entity])[entity.pk].count or entity.batches.exists()
    starts = configuration is not None and configuration.processing_mode != _MANUAL
    steps = [
        WayStep(
            say("Add its attributes"),
            say("Its columns besides code and name, proposed from the head of a file or typed one by one."),
            _url("staging_attributes_propose", entity.pk) if may("staging.change_entity", entity) else "",
            entity.attributes.filter(is_cancelled=False).exists(),
        ),
        WayStep(
            say("Bring rows"),
            say("Upload a file, or let a program deliver as the delivery contract says."),
            _url("staging_rows_upload", entity.pk) if may("staging.upload_rows", entity) else "",
            bool(rows),
        ),
    ]
    return steps + _steps_of(configuration, may, starts)


def _steps_of(configuration: Any, may: Any, starts: bool) -> list[WayStep]:
    if configuration is None:
        return []
    of = configuration.entity
    change = "scheduling_schedulerconfiguration_change"
    test = "scheduling_schedulerconfiguration_test_run"
    changes = may("scheduling.change_schedulerconfiguration", of)
    return [
        WayStep(
            say("Say when batches start"),
            say("By a schedule, or when rows arrive; until then somebody starts each by hand."),
            _url(change, configuration.pk) if changes else "",
            starts,
        ),
        WayStep(
            say("Enable it"),
            say("Tick “Enabled” in its configuration; what is not enabled never starts by itself."),
            _url(change, configuration.pk) if changes else "",
            configuration.is_enabled,
        ),
        WayStep(
            say("Do a Test run"),
            say("It tells what the scheduler would decide now, and why. Nothing starts."),
            _url(test, configuration.pk) if may("scheduling.test_run", of) else "",
        ),
    ]


def _url(name: str, key: int) -> str:
    try:
        return reverse(f"admin:{name}", args=[key])
    except NoReverseMatch:  # the floor above is not installed
        return ""
