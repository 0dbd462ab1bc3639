"""What every admin page of ours does alike: who may open it, by which methods, what it shows, and what it says.

A page is a function `(model_admin, request, **key)`, or a method of an admin, behind `@page`; an admin names the pages
it has beside the stock ones in `pages`. A page that changes something asks first (GET), then does it (POST) and leads
on with a message (`told`), or with what stood in the way (`warned`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial, update_wrapper, wraps
from typing import Any, TypeVar, cast

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import InlineModelAdmin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.views.decorators.http import require_http_methods

LOOK = ("GET", "HEAD")
ASK = (*LOOK, "POST")
DO = ("POST",)

View = Callable[..., HttpResponseBase]
_View = TypeVar("_View", bound=View)
_Row = TypeVar("_Row", bound=Model)


def may(model_admin: ModelAdmin[Any], request: HttpRequest, *needed: str) -> bool:
    """Return whether this person has all of these permissions.

    One with a dot is Django's ("staging.view_rows"), another is the admin's own: "view" asks `has_view_permission`, as
    the `permissions` of a bulk action do.
    """
    return all(
        request.user.has_perm(one) if "." in one else getattr(model_admin, f"has_{one}_permission")(request)
        for one in needed
    )


def insist(allowed: bool) -> None:
    """Refuse the page unless this is allowed; for what a page can judge only when it knows what it is about."""
    if not allowed:
        raise PermissionDenied


def page(*needed: str, methods: Sequence[str] = LOOK) -> Callable[[_View], _View]:
    """Open a page to people with all of these permissions (see `may`), and to these methods.

    Permission first: whoever may not look shall not learn what there is.
    """

    def guarded(view: _View) -> _View:
        answering = method_decorator(require_http_methods(methods))(view)

        @wraps(view)
        def checked(model_admin: ModelAdmin[Any], request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            insist(may(model_admin, request, *needed))
            return answering(model_admin, request, *args, **kwargs)

        return cast(_View, checked)

    return guarded


class PagesAdmin(ModelAdmin):
    """An admin with pages of its own before the stock ones.

    `pages`: for each the route, the page, and the whole name of its address. `list_title`: what the list is called.
    `never`: which of add, change and delete nobody does on a page, superusers included.
    """

    pages: Sequence[tuple[str, View, str]] = ()
    list_title: str | Promise = ""
    never: Collection[str] = ()

    def get_urls(self) -> list[URLPattern]:
        """Return the addresses of all pages; each asks for a signed-in person first, as the stock ones do."""
        wrap = self.admin_site.admin_view
        bound = ((route, update_wrapper(partial(view, self), view), name) for route, view, name in self.pages)
        return [*(path(route, wrap(view), name=name) for route, view, name in bound), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list under its own title."""
        title = {"title": self.list_title} if self.list_title else {}
        return super().changelist_view(request, {**title, **(extra_context or {})})

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return whether this person may add one."""
        return "add" not in self.never and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may change one."""
        return "change" not in self.never and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may delete one."""
        return "delete" not in self.never and super().has_delete_permission(request, obj)


class ReadOnlyPages(PagesAdmin):
    """Pages of what only the engine writes: no add, change or delete for anyone, superusers included."""

    never = ("add", "change", "delete")


class PartsInline(InlineModelAdmin):
    """The parts of something, in its form: whoever may see, add or change the whole may do so with its parts.

    Mixed into one of Django's inlines. `never` as for PagesAdmin.
    """

    never: Collection[str] = ()

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever sees the whole sees its parts."""
        return self._may(request, "view") or self._may(request, "change")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Adding a part changes the whole, or belongs to adding it."""
        return "add" not in self.never and self._may(request, "change" if obj else "add")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "change" not in self.never and self._may(request, "change" if obj else "add")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "delete" not in self.never and self._may(request, "change" if obj else "add")

    def _may(self, request: HttpRequest, verb: str) -> bool:
        whole = self.parent_model._meta
        return request.user.has_perm(f"{whole.app_label}.{verb}_{whole.model_name}")


def shown(
    model_admin: ModelAdmin[Any], request: HttpRequest, template: str, *, title: str, **context: Any
) -> TemplateResponse:
    """Return a page in the frame of the admin; `context` is what its template shows besides the title."""
    everywhere = {**model_admin.admin_site.each_context(request), "opts": model_admin.opts, "title": title}
    return TemplateResponse(request, template, {**everywhere, **context})


def told(request: HttpRequest, text: str, to: str, level: int = messages.SUCCESS) -> HttpResponseRedirect:
    """Lead on to an address, on which the message is read."""
    messages.add_message(request, level, text)
    return HttpResponseRedirect(to)


def warned(request: HttpRequest, why: object, to: str) -> HttpResponseRedirect:
    """Lead on to an address, on which it is read why nothing was done."""
    return told(request, str(why), to, messages.WARNING)


def is_confirmed(request: HttpRequest) -> bool:
    """Return whether the person has seen what is about to happen, and wants it."""
    return request.POST.get("confirmed") == "yes"


def confirming(action: str, chosen: Sequence[Model]) -> list[tuple[str, str]]:
    """Return the hidden inputs by which a page of a question carries out the bulk action it was opened by."""
    return [("action", action), ("confirmed", "yes"), *((ACTION_CHECKBOX_NAME, str(one.pk)) for one in chosen)]


def number_in(text: str) -> int | None:
    """Return a whole number that came with a request, None for what is none or fits no key of a table."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def row_or_404(rows: QuerySet[_Row], key: int | str, missing: str) -> _Row:
    """Return the row with the key that an address or a form names; what is no key, or not there, is a 404."""
    number = number_in(str(key))
    row = rows.filter(pk=number).first() if number is not None else None
    if row is None:
        raise Http404(missing)
    return row
