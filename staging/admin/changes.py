"""The page of all changes: who changed what, when, through which door and why; of what is deleted, too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.admin import ChoicesFieldListFilter, ModelAdmin, SimpleListFilter
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from staging.models import Version
from staging.owner_pages import MineFilter
from staging.pages import RecordPages
from staging.versions.difference import in_words, summary
from staging.versions.read import holds, how, of_what_is_mine
from staging.versions.subjects import Tracked, subject_of, subjects
from staging.wording import say


class KindFilter(SimpleListFilter):
    """Only changes of one kind of thing."""

    title = _("kind of thing")
    parameter_name = "of"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        """Return every kind of thing that has versions."""
        return [(each.key, capfirst(str(each.model._meta.verbose_name))) for each in subjects()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Version]) -> QuerySet[Version]:
        """Return the versions of the chosen kind."""
        return queryset.filter(subject_type=self.value()) if self.value() else queryset


class HappenedFilter(ChoicesFieldListFilter):
    """Only what was added, changed or deleted; beside the kind of thing, *kind* alone would say nothing."""

    def __init__(self, *args: Any, **kwargs: Any):
        """Name it by what it asks."""
        super().__init__(*args, **kwargs)
        self.title = _("what happened")


class MineOfAllFilter(MineFilter):
    """Whether it was a change of the reader's own."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filter by the choice; what is deleted is nobody's any more."""
        return queryset.filter(of_what_is_mine(request.user)) if self.value() == "yes" else queryset


@admin.register(Version)
class ChangesAdmin(RecordPages):
    """The record of changes: every version of every thing."""

    list_title = _("All changes")
    list_display = ("made_at", "thing", "what", "who", "reason")
    list_display_links = ("made_at",)
    sortable_by = ("made_at",)  # by what an index knows
    list_filter = (KindFilter, MineOfAllFilter, ("kind", HappenedFilter), "door", "made_at")
    search_fields = ("name", "made_by")
    search_help_text = _("Search by the name of what was changed, or by account.")
    fields = ("made_at", "thing", "who", "reason", "differences", "held")

    def name_of(self, version: Version) -> str:
        """Return the number of the version, and of what it is one."""
        return say("{number} of {thing}", number=version.number, thing=version.name)

    @admin.display(description=_("Of what"))
    def thing(self, version: Version) -> str:
        """Return what was changed, with the way to all its changes."""
        model = _model_of(version)
        called = capfirst(str(model._meta.verbose_name)) if model is not None else version.subject_type
        name = called if called == version.name else say("{kind} {name}", kind=called, name=version.name)
        asked = {"subject_type__exact": version.subject_type, "subject_id__exact": str(version.subject_id)}
        here = reverse("admin:staging_version_changelist")
        return format_html('<a href="{}?{}">{}</a>', here, urlencode(asked), name)

    @admin.display(description=_("What"))
    def what(self, version: Version) -> str:
        """Return what was changed, as one sentence."""
        subject = _subject_of(version)
        told = summary(version.change, subject.words) if subject is not None else ""
        return told or str(version.get_kind_display()).capitalize()

    @admin.display(description=_("Who"))
    def who(self, version: Version) -> str:
        """Return who changed it, and through which door."""
        return how(version)

    @admin.display(description=_("What was changed"))
    def differences(self, version: Version) -> SafeString | str:
        """Return every difference from the version before."""
        subject = _subject_of(version)
        lines = in_words(version.change, subject.words, whole=True) if subject is not None else []
        return _lines(str(line) for line in lines) or str(version.get_kind_display()).capitalize()

    @admin.display(description=_("How it was then"))
    def held(self, version: Version) -> SafeString | str:
        """Return what the thing held after the change; what is not listed had its usual value."""
        subject = _subject_of(version)
        if subject is None:
            return ""
        own, parts = holds(version.content, subject.words)
        return _lines(say("{label}: {value}", label=label, value=value) for label, value in (*own, *parts))


def _model_of(version: Version) -> type[Model] | None:
    """Return the model that a version is about; None for one that this release does not know any more."""
    try:
        return apps.get_model(version.subject_type)
    except (LookupError, ValueError):
        return None


def _subject_of(version: Version) -> Tracked | None:
    model = _model_of(version)
    return subject_of(model) if model is not None else None


def _lines(texts: Iterable[str]) -> SafeString | str:
    lines = format_html_join("", "<li>{}</li>", ((text,) for text in texts))
    return format_html('<ul class="sentences">{}</ul>', lines) if lines else ""
