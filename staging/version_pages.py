"""The pages of the history of what people define: versions in words, two side by side, and the way back to one.

An admin mixes `Versioned` in; it replaces Django's own page of the history.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from django.apps import apps
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import unquote
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import NON_FIELD_ERRORS
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from staging.errors import CannotGoBack, StagingError
from staging.models import Version
from staging.pages import insist, is_confirmed, number_in, shown, told
from staging.rights import is_limited
from staging.versions import reasons
from staging.versions.difference import difference, in_words
from staging.versions.read import holds, how, sees, versions_of
from staging.versions.read import told as in_the_words_of
from staging.versions.releases import forgotten, still_known
from staging.versions.subjects import Tracked, subject_of
from staging.versions.units import one_change
from staging.wording import say

_AT_ONCE = 30
_MOST_NOTES = 50
_ON_A_PAGE = 100  # lines of a difference, parts of a version


class Versioned(ModelAdmin):
    """An admin of things with versions: a save of its form is one change, asked for its reason, with its history."""

    keeps_versions = True
    delete_confirmation_template = "admin/staging/versions/delete.html"
    delete_selected_confirmation_template = "admin/staging/versions/delete_selected.html"

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Refuse a form without the reason that this installation asks for."""
        made = super().get_form(request, obj, change=change, **kwargs)
        if request.method != "POST" or not (fault := reasons.missing(request)):
            return made

        def clean(form: Any) -> Any:
            found = made.clean(form)
            form.add_error(NON_FIELD_ERRORS, fault)
            return found

        return type(made.__name__, (made,), {"clean": clean})

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Let all that a form saves be one change."""
        extra = {"asks_reason": True, "reason_required": reasons.is_required(), **(extra_context or {})}
        if request.method != "POST":
            return super().changeform_view(request, object_id, form_url, extra)
        with one_change():
            return super().changeform_view(
                request, object_id, form_url, {**extra, "given_reason": reasons.reason_in(request)}
            )

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return what a deletion takes along; rows that only tie two things together are left out."""
        things = list(objs)
        _named, counts, missing, protected = super().get_deleted_objects(things, request)
        ties = {
            model._meta.verbose_name_plural
            for model in apps.get_models(include_auto_created=True)
            if model._meta.auto_created
        }
        told_of = {name: count for name, count in counts.items() if name not in ties}
        return [str(thing) for thing in things], told_of, missing, protected

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Ask for the reason, and let all that goes with a thing be one change."""
        extra = {"reason_required": reasons.is_required(), **(extra_context or {})}
        if request.method != "POST":
            return super().delete_view(request, object_id, extra)
        if fault := reasons.missing(request):
            return told(request, fault, request.get_full_path(), messages.ERROR)
        with one_change():
            return super().delete_view(request, object_id, extra)

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """Carry out a bulk action; a deletion asks for the reason, too, and is one change."""
        is_deletion = request.POST.get("action") == "delete_selected"
        if is_deletion and "post" in request.POST and (fault := reasons.missing(request)):
            return told(request, fault, request.get_full_path(), messages.ERROR)
        with one_change() if is_deletion else nullcontext():
            response = super().response_action(request, queryset)
        if is_deletion and isinstance(response, TemplateResponse):
            response.context_data = {**(response.context_data or {}), "reason_required": reasons.is_required()}
        return response

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the versions of a thing, one of them, or what differs between two; POST goes back to one."""
        subject = subject_of(self.model)
        thing = self.get_object(request, unquote(object_id))
        if subject is None or thing is None:
            raise Http404(say("There is no such thing."))
        insist(self.has_view_or_change_permission(request, thing))
        if request.method == "POST":
            return self._go_back(request, subject, thing)
        if "version" in request.GET:
            return self._one(request, subject, thing, _version(subject, thing, request.GET["version"]))
        if "from" in request.GET or "to" in request.GET:
            return self._two(request, subject, thing)
        return self._list(request, subject, thing)

    def _list(self, request: HttpRequest, subject: Tracked, thing: Any) -> HttpResponse:
        known, before = versions_of(subject, thing.pk), number_in(request.GET.get("before", ""))
        if subject.names is None or not is_limited(request.user):
            known = known.defer("content")  # of a plan with a thousand steps that would be megabytes
        found = list(known.filter(number__lt=before)[: _AT_ONCE + 1] if before else known[: _AT_ONCE + 1])
        rows = [
            in_the_words_of(subject, each, request.user, found[place + 1] if place + 1 < len(found) else None)
            for place, each in enumerate(found[:_AT_ONCE])
        ]
        return self._page(
            request,
            thing,
            "list",
            title=say("History of {thing}", thing=str(thing)),
            rows=rows,
            older=found[_AT_ONCE - 1].number if len(found) > _AT_ONCE else None,
            notes=_notes(thing),
        )

    def _one(self, request: HttpRequest, subject: Tracked, thing: Any, version: Version) -> HttpResponse:
        """Show what a version holds, and what going back to it would change."""
        insist(sees(request.user, subject, version))
        newest = versions_of(subject, thing.pk)[0]
        own, parts = holds(version.content, subject.words)
        marked = [key for key in subject.words.marked if newest.content.get(key) != version.content.get(key)]
        kept = {key: newest.content.get(key) for key in marked}
        steps = difference(newest.content, still_known(version.content, subject.words) | kept, subject.words)
        return self._page(
            request,
            thing,
            "version",
            title=say("{thing}, version {number}", thing=str(thing), number=version.number),
            version=version,
            how=how(version),
            own=own,
            parts=_Part(request, parts),
            lines=in_words(steps, subject.words, _ON_A_PAGE, whole=True),
            more=max(len(steps) - _ON_A_PAGE, 0),
            newest=newest,
            asked=f"version={version.number}",
            forgotten=forgotten(version.content, subject.words),
            marked=[subject.words.label(key) for key in marked],
            may_go_back=bool(steps) and self._may_go_back(request, subject, thing, version),
            is_newest=version.pk == newest.pk,
        )

    def _two(self, request: HttpRequest, subject: Tracked, thing: Any) -> HttpResponse:
        pair = [_version(subject, thing, request.GET.get(name, "")) for name in ("from", "to")]
        old, new = sorted(pair, key=lambda version: version.number)
        insist(sees(request.user, subject, old) and sees(request.user, subject, new))
        steps = difference(old.content, new.content, subject.words)
        return self._page(
            request,
            thing,
            "difference",
            title=say("{thing}: from version {old} to {new}", thing=str(thing), old=old.number, new=new.number),
            old=old,
            new=new,
            asked=f"from={old.number}&to={new.number}",
            part=(part := _Part(request, steps)),
            lines=in_words(part.shown, subject.words, whole=True),
        )

    def _go_back(self, request: HttpRequest, subject: Tracked, thing: Any) -> HttpResponse:
        """Make the thing what a version says, as a new change through the same rules; a refusal is told."""
        version = _version(subject, thing, request.POST.get("version", ""))
        insist(self._may_go_back(request, subject, thing, version))
        place = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_history", args=[thing.pk])
        back = f"{place}?version={version.number}"
        if not is_confirmed(request):
            return told(request, say("Nothing was changed."), back, messages.INFO)
        if fault := reasons.missing(request):
            return told(request, fault, back, messages.ERROR)
        try:
            with transaction.atomic(), one_change():
                subject.restore(thing, version.content)
                changed = self.model._base_manager.get(pk=thing.pk)
                if not self.has_change_permission(request, changed):
                    raise CannotGoBack(say("That version belongs to others, too; you may not change what is theirs."))
        except StagingError as error:
            return told(request, say("It cannot go back: {why}", why=error), back, messages.ERROR)
        text = say("{thing} is again as it was in version {number}.", thing=str(changed), number=version.number)
        return told(request, text, place)

    def _may_go_back(self, request: HttpRequest, subject: Tracked, thing: Any, version: Version) -> bool:
        """Return whether this person may make the thing what the version says."""
        if not self.has_change_permission(request, thing) or not sees(request.user, subject, version):
            return False
        needed = subject.needs(version.content) if subject.needs is not None else ()
        return all(request.user.has_perm(one) for one in needed)

    def _page(self, request: HttpRequest, thing: Any, name: str, **context: Any) -> HttpResponse:
        options = self.opts
        here = f"admin:{options.app_label}_{options.model_name}"
        return shown(
            self,
            request,
            f"admin/staging/versions/{name}.html",
            thing=thing,
            kind=options.verbose_name_plural,
            app_name=options.app_config.verbose_name if options.app_config else "",
            list_url=reverse(f"{here}_changelist"),
            thing_url=reverse(f"{here}_change", args=[thing.pk]),
            history_url=reverse(f"{here}_history", args=[thing.pk]),
            **context,
        )


class _Part:
    """As many entries of a long list as a page shows, from the place that its address names."""

    def __init__(self, request: HttpRequest, entries: Sequence[Any]):
        self.first = min(number_in(request.GET.get("beyond", "")) or 0, len(entries))
        self.shown = entries[self.first : self.first + _ON_A_PAGE]
        self.last, self.total = self.first + len(self.shown), len(entries)
        self.earlier = str(max(self.first - _ON_A_PAGE, 0)) if self.first else ""
        self.later = self.last if self.last < self.total else None


def _version(subject: Tracked, thing: Any, number: str) -> Version:
    """Return the version that an address names; a 404 for one that is not there."""
    wanted = number_in(number)
    found = versions_of(subject, thing.pk).filter(number=wanted).first() if wanted is not None else None
    if found is None:
        raise Http404(say("There is no such version."))
    return found


def _notes(thing: Any) -> list[LogEntry]:
    """Return what pages and the API noted besides: pauses, uploads, retries, and all that is older than versions."""
    kind = ContentType.objects.get_for_model(thing)
    noted = LogEntry.objects.filter(content_type=kind, object_id=str(thing.pk)).select_related("user")
    return list(noted.order_by("-action_time", "-id")[:_MOST_NOTES])
