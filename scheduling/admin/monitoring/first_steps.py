"""The way into a new installation: five steps on the start page that tick themselves, until the last or dismissed."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from scheduling.admin.monitoring.attention import Counts
from scheduling.admin.times.choices import DISMISSED, choose
from scheduling.models import SchedulerConfiguration
from staging.models import Entity
from staging.pages import DO, page, seen, told
from staging.tables.columns import pending_statistics
from staging.wording import say

TESTED = "tested_a_configuration"  # in the session of who did a test run
_NEW = 3  # entities: who has more knows the way


@dataclass(frozen=True)
class FirstStep:
    """One step: what to do, where, and whether it is done."""

    words: str
    url: str
    is_done: bool


def steps_for(request: HttpRequest, counts: Counts) -> list[FirstStep]:
    """Return the five steps; none once they are done, dismissed, or clearly long ago. Two statements at most."""
    if request.session.get(DISMISSED) or counts.ran or counts.entities > _NEW:
        return []
    if not request.user.has_perm("staging.view_entity"):
        return []
    entity = seen(Entity.objects.filter(is_cancelled=False).select_related("configuration"), request).first()
    rows = entity is not None and bool(pending_statistics([entity])[entity.pk].count)
    configuration = getattr(entity, "configuration", None)
    configured = bool(counts.configured)
    entities = reverse("admin:staging_entity_changelist")
    own = reverse("admin:scheduling_schedulerconfiguration_changelist")
    of = (
        own
        if configuration is None
        else reverse("admin:scheduling_schedulerconfiguration_change", args=[configuration.pk])
    )
    test = (
        of
        if configuration is None
        else reverse("admin:scheduling_schedulerconfiguration_test_run", args=[configuration.pk])
    )
    upload = entities if entity is None else reverse("admin:staging_rows_upload", args=[entity.pk])
    return [
        FirstStep(
            say("Define an entity: its code, its name and its attributes"),
            reverse("admin:staging_entity_add"),
            entity is not None,
        ),
        FirstStep(say("Deliver rows: upload a file, or let another system write them"), upload, rows),
        FirstStep(say("Say who starts its batches: a schedule, or data that arrives"), of, configured),
        FirstStep(
            say("Do a Test run: it says what would happen, and changes nothing"),
            test,
            bool(request.session.get(TESTED)),
        ),
        FirstStep(say("Enable it, and see its first run here"), of, bool(counts.ran)),
    ]


@page("view", methods=DO)
def dismiss_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show the steps to this person no more."""
    choose(request, has_dismissed_first_steps=True)
    return told(request, say("The first steps are not shown any more."), reverse("admin:index"))
