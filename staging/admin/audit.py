"""The page of the audit: who came in, who was refused, who took data away, who approved; as a file, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from staging.exports import csv
from staging.models import AuditEntry
from staging.pages import DO, RecordPages, page
from staging.versions.audit import note_export
from staging.wording import say

_ROWS_AT_ONCE = 1_000
_EXPORT = "staging.export_auditentry"
_HEAD = (
    gettext_noop("entry"),
    gettext_noop("time"),
    gettext_noop("what"),
    gettext_noop("who"),
    gettext_noop("from"),
    gettext_noop("about"),
)


@page(RecordPages.only_with, _EXPORT, methods=DO)
def export_page(model_admin: ModelAdmin[AuditEntry], request: HttpRequest) -> StreamingHttpResponse:
    """Send every entry that the filter of the address shows, newest first; the audit tells who took it."""
    shown = model_admin.get_changelist_instance(request).queryset
    newest = AuditEntry.objects.order_by("-id").values_list("pk", flat=True).first() or 0
    note_export(request, say("The audit"))
    file = csv.write_csv(map(_cells, _walk(shown, newest)), [say(name) for name in _HEAD])
    response = StreamingHttpResponse(file, content_type=csv.CONTENT_TYPE)
    response["Content-Disposition"] = 'attachment; filename="audit.csv"'
    return response


@admin.register(AuditEntry)
class AuditAdmin(RecordPages):
    """The record of who came in, was refused, took data away, approved."""

    list_title = _("Audit")
    list_display = ("happened_at", "what", "who", "address", "about")
    list_display_links = None
    sortable_by = ("happened_at", "what", "who")  # by what an index knows
    list_filter = ("kind", "happened_at")
    search_fields = ("person", "about")
    search_help_text = _("Search by account, or by what it is about.")
    pages = (("export/", export_page, "staging_auditentry_export"),)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list with the way to take it away, for whoever may."""
        context = {"may_export": request.user.has_perm(_EXPORT), "asked": request.GET.urlencode()}
        context["person"] = request.GET.get("person__exact", "")
        return super().changelist_view(request, {**context, **(extra_context or {})})

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditEntry], search_term: str
    ) -> tuple[QuerySet[AuditEntry], bool]:
        """Return the entries of an account where one of this name is meant: an index knows them, the rest is read."""
        name = search_term.strip()
        if name and AuditEntry.objects.filter(person=name).exists():
            return queryset.filter(person=name), False
        return super().get_search_results(request, queryset, search_term)

    def called(self, entry: AuditEntry) -> str:
        """Return what happened and who it was."""
        return say("Audit: {entry}", entry=str(entry))

    @admin.display(description=_("Who"), ordering="person")
    def who(self, entry: AuditEntry) -> str:
        """Lead to all entries of the account."""
        if not entry.person:
            return ""
        return format_html('<a href="?{}">{}</a>', urlencode({"person__exact": entry.person}), entry.person)

    @admin.display(description=_("What"), ordering="kind")
    def what(self, entry: AuditEntry) -> str:
        return entry.get_kind_display()


def _walk(shown: QuerySet[AuditEntry], newest: int) -> Iterator[AuditEntry]:
    """Yield entries a page at a time: no statement lasts longer than its page."""
    before = newest + 1
    while found := list(shown.filter(pk__lt=before).order_by("-id")[:_ROWS_AT_ONCE]):
        yield from found
        before = found[-1].pk


def _cells(entry: AuditEntry) -> list[Any]:
    return [entry.pk, entry.happened_at, entry.kind, entry.person, entry.address, entry.about]
