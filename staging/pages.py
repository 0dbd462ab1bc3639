"""What every admin page of ours does alike: who may open it, by which methods, what it shows, and what it says.

A page is a function `(model_admin, request, **key)`, or a method of an admin, behind `@page`; an admin names the pages
it has beside the stock ones in `pages`. A page that changes something asks first (GET), then does it (POST) and leads
on with a message (`told`), or with what stood in the way (`warned`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial, update_wrapper, wraps
from typing import Any, ClassVar, TypeVar, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import InlineModelAdmin
from django.contrib.auth.context_processors import PermWrapper
from django.core.exceptions import PermissionDenied
from django.db.models import Field, Model, QuerySet
from django.forms import BoundField, Media, ModelForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.views.decorators.http import require_http_methods

from staging.models import Entity
from staging.rights import Entities, belongs_to_entities, either, is_limited, reach, visible
from staging.wording import say

LOOK = ("GET", "HEAD")
ASK = (*LOOK, "POST")
DO = ("POST",)
_COMPARISONS = frozenset(Field.get_lookups())
_OF_FILTERS = frozenset({"exact", "iexact", "isnull", "gt", "gte", "lt", "lte"})
_MOST_WORDS = 30  # of a search; SQLite cannot take some hundreds

View = Callable[..., HttpResponseBase]
_View = TypeVar("_View", bound=View)
_Row = TypeVar("_Row", bound=Model)
_Rows = TypeVar("_Rows", bound=QuerySet[Any])


def may(model_admin: ModelAdmin[Any], request: HttpRequest, *needed: str, of: Model | None = None) -> bool:
    """Return whether this person has all of these permissions, for a thing; left out: for what the page is about.

    One with a dot is Django's ("staging.view_rows"), another is the admin's own: "view" asks `has_view_permission`, as
    the `permissions` of a bulk action do. A page about no thing asks whether they are held for anything.
    """
    thing = about(request) if of is None else of

    def held(one: str) -> bool:
        if "." in one:
            return request.user.has_perm(one, thing)
        asked = () if thing is None or one == "add" else (thing,)  # a new thing is none yet
        return bool(getattr(model_admin, f"has_{one}_permission")(request, *asked))

    return all(map(held, needed))


def about(request: HttpRequest) -> Model | None:
    """Return the thing that the page is about, None for a list."""
    found: Model | None = getattr(request, "about", None)
    return found


def rights_of_page(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `perms` says in templates what is held for the thing that the page is about."""
    thing, person = about(request), getattr(request, "user", None)
    return {} if thing is None or person is None else {"perms": PermWrapper(_For(person, thing))}


class _For:
    """A person as far as one thing is concerned."""

    def __init__(self, person: Any, thing: Model):
        self._person, self._thing = person, thing

    def has_perm(self, perm: str) -> bool:
        return bool(self._person.has_perm(perm, self._thing if belongs_to_entities(perm) else None))

    def has_module_perms(self, app_label: str) -> bool:
        return bool(self._person.has_module_perms(app_label))


def insist(allowed: bool) -> None:
    """Refuse the page unless this is allowed; for what a page can judge only when it knows what it is about."""
    if not allowed:
        raise PermissionDenied


def page(*needed: str, methods: Sequence[str] = LOOK) -> Callable[[_View], _View]:
    """Open a page to people with all of these permissions (see `may`), and to these methods.

    A page with an entity, or a row of its admin, in its address is about that: for people limited to entities, one
    that they may not see and one that is not there look the same. Permission first: whoever may not look shall not
    learn what there is. The page says its `methods`.
    """

    def guarded(view: _View) -> _View:
        answering = method_decorator(require_http_methods(methods))(view)

        @wraps(view)
        def checked(model_admin: ModelAdmin[Any], request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            insist(may(model_admin, request, *needed))
            if is_limited(request.user):
                request.about = _named(model_admin, kwargs)  # type: ignore[attr-defined]
                insist(may(model_admin, request, *needed))
            return answering(model_admin, request, *args, **kwargs)

        checked.methods = tuple(methods)  # type: ignore[attr-defined]
        return cast(_View, checked)

    return guarded


def _named(model_admin: ModelAdmin[Any], places: Mapping[str, Any]) -> Model | None:
    """Return what the places of an address name, None where they name nothing; what is not there is of no entity."""
    if "entity_id" in places:
        return Entity.objects.filter(pk=places["entity_id"]).first() or Entity()
    rows: QuerySet[Any] = model_admin.model._default_manager.all()
    key = places.get("pk", places.get("object_id"))
    if key is None:
        return None
    number = number_in(str(key))
    return (rows.filter(pk=number).first() if number is not None else None) or Entity()


class ChoosingAdmin(ModelAdmin):
    """An admin whose pages name the thing they are about, in the tab of the browser and above the page.

    It is told in words, or not at all, what no page of ours asks for by an address or a choice. `list_title`: what the
    list is called, when that is not what all of the things are called.
    """

    list_title: str | Promise = ""

    def name_of(self, thing: Any) -> str:
        """Return what one thing is called beside its kind."""
        return str(thing)

    def called(self, thing: Any) -> str:
        """Return a thing by its kind and its name, for the middle of a sentence: "plan Nightly"."""
        kind, name = str(self.opts.verbose_name), self.name_of(thing)
        return kind if name.casefold() == kind.casefold() else say("{kind} {name}", kind=kind, name=name)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list under its own title."""
        title = self.list_title or capfirst(str(self.opts.verbose_name_plural))
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Let the page of a thing have its name as title; a page with a title of its own has put it there."""
        thing = kwargs.get("obj")
        if thing is not None and context.get("subtitle") == str(thing):
            context |= {"title": capfirst(self.called(thing)), "subtitle": None}
        return super().render_change_form(request, context, *args, **kwargs)

    def render_delete_form(self, request: HttpRequest, context: dict[str, Any]) -> Any:
        """Name what is to be deleted."""
        thing, is_refused = self.called(context["object"]), context["perms_lacking"] or context["protected"]
        title = say("{thing} cannot be deleted", thing=thing) if is_refused else say("Delete {thing}?", thing=thing)
        return super().render_delete_form(request, {**context, "title": capfirst(title)})

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Return whether an address may filter by this: by the comparisons that filters of lists make.

        A pattern of somebody's own could keep the database busy; it, or a number too large in a list, could fail.
        """
        comparison = lookup.rpartition("__")[2]
        if comparison in _COMPARISONS and comparison not in _OF_FILTERS:
            return False
        return super().lookup_allowed(lookup, value, cast(HttpRequest, request))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Return what holds every word that is looked for; nothing, and say so, of more than a statement can take."""
        if len(search_term.split()) > _MOST_WORDS:
            messages.warning(request, say("A search takes at most {number} words.", number=_MOST_WORDS))
            return queryset.none(), False
        return super().get_search_results(request, queryset, search_term)

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """Carry out an action; a key that is no number would be a failure of the statement that looks for it."""
        if any(number_in(key) is None for key in request.POST.getlist(ACTION_CHECKBOX_NAME)):
            return warned(request, say("What was chosen is not in this list."), request.get_full_path())
        return super().response_action(request, queryset)


class PagesAdmin(ChoosingAdmin):
    """An admin with pages of its own before the stock ones; lists show what is of the person's entities.

    `pages`: for each the route, the page, and the whole name of its address. `never`: which of add, change and delete
    nobody does on a page, superusers included. `only_with`: the one permission that opens all of it, where the usual
    four are not asked.
    """

    only_with = ""
    pages: Sequence[tuple[str, View, str]] = ()
    never: Collection[str] = ()
    keeps_versions = False  # whether its things have a history of changes

    def get_urls(self) -> list[URLPattern]:
        """Return the addresses of all pages; each asks for a signed-in person first, as the stock ones do."""
        wrap = self.admin_site.admin_view
        bound = ((route, update_wrapper(partial(view, self), view), name) for route, view, name in self.pages)
        return [*(path(route, wrap(view), name=name) for route, view, name in bound), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return what this person may see or change; all, where one permission opens it."""
        rows = super().get_queryset(request)
        return rows if self.only_with else seen(rows, request)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the row that an address names; to people limited to entities, others are as forbidden as none.

        A page that only shows reads it once, whatever of it asks.
        """
        known: dict[Any, Any] = request.__dict__.setdefault("_found_rows", {}) if request.method in LOOK else {}
        key = self.model, object_id, from_field
        if key not in known:
            known[key] = super().get_object(request, object_id, from_field)
        found = known[key]
        insist(found is not None or sight(self.model, request) is None)
        request.about = found  # type: ignore[attr-defined]
        return found

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form; whoever may only look reads the labels and helps of its fields, too."""
        made = super().get_form(request, obj, change=change, **kwargs)
        for what, says in (("labels", "label"), ("help_texts", "help_text")):
            own = {name: getattr(each, says) for name, each in made.declared_fields.items() if getattr(each, says)}
            setattr(made._meta, what, own | (getattr(made._meta, what) or {}))
        return made

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Lead to the history of a thing only where there is one."""
        context["has_no_history"] = not self.keeps_versions
        return super().render_change_form(request, context, *args, **kwargs)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Show the thing itself, where it has no history; its page reads it, and refuses whoever may not see it."""
        return self.change_view(request, object_id=object_id)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return whether this person may add one."""
        return "add" not in self.never and self._holds(request, "add", None)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may see one, or this one."""
        return self._holds(request, "view", obj) or self._holds(request, "change", obj)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may change one, or this one."""
        return "change" not in self.never and self._holds(request, "change", obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this person may delete one, or this one."""
        return "delete" not in self.never and self._holds(request, "delete", obj)

    def _holds(self, request: HttpRequest, verb: str, obj: Any) -> bool:
        if self.only_with:
            return request.user.has_perm(self.only_with)
        return request.user.has_perm(f"{self.opts.app_label}.{verb}_{self.opts.model_name}", obj)


class ReadOnlyPages(PagesAdmin):
    """Pages of what only the engine writes: no add, change or delete for anyone, superusers included."""

    never = ("add", "change", "delete")


class RecordPages(ReadOnlyPages):
    """Pages of the record of what people did: of all entities, for the auditor; only retention deletes what is old."""

    only_with = "staging.audit"
    actions = None
    list_per_page = 50
    show_full_result_count = False


class PartsInline(InlineModelAdmin):
    """The parts of something, in its form: whoever may see, add or change the whole may do so with its parts.

    Mixed into one of Django's inlines. `never` as for PagesAdmin.
    """

    never: Collection[str] = ()

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever sees the whole sees its parts."""
        return self._may(request, "view", obj) or self._may(request, "change", obj)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Adding a part changes the whole, or belongs to adding it."""
        return "add" not in self.never and self._may(request, "change" if obj else "add", obj)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "change" not in self.never and self._may(request, "change" if obj else "add", obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "delete" not in self.never and self._may(request, "change" if obj else "add", obj)

    def _may(self, request: HttpRequest, verb: str, whole: Any) -> bool:
        options = self.parent_model._meta
        return request.user.has_perm(f"{options.app_label}.{verb}_{options.model_name}", whole)


class PartForm(ModelForm):
    """The form of one of many parts: what most need stands in its row, what few need below it."""

    below: ClassVar[tuple[str, ...]] = ()
    _needed: ClassVar[Media]

    @property
    def media(self) -> Media:
        """Return the scripts of its inputs; the parts of a table have the same, which are asked for once."""
        if "_needed" not in vars(type(self)):  # which is made for one request
            type(self)._needed = super().media
        return self._needed

    @property
    def beside(self) -> list[BoundField]:
        """Return the fields that few parts need."""
        return [self[name] for name in self.below]

    @property
    def has_faults_beside(self) -> bool:
        """Return whether something is wrong in one of them."""
        return any(name in self.errors for name in self.below)


def shown(
    model_admin: ModelAdmin[Any], request: HttpRequest, template: str, *, title: str, **context: Any
) -> TemplateResponse:
    """Return a page in the frame of the admin; `context` is what its template shows besides the title."""
    everywhere = {**model_admin.admin_site.each_context(request), "opts": model_admin.opts, "title": title}
    everywhere["reason_required"] = settings.CHANGE_REASON_REQUIRED  # for a form that changes what is defined
    return TemplateResponse(request, template, {**everywhere, **context})


def told(request: HttpRequest, text: str, to: str, level: int = messages.SUCCESS) -> HttpResponseRedirect:
    """Lead on to an address, on which the message is read."""
    messages.add_message(request, level, text)
    return HttpResponseRedirect(to)


def warned(request: HttpRequest, why: object, to: str) -> HttpResponseRedirect:
    """Lead on to an address, on which it is read why nothing was done."""
    return told(request, str(why), to, messages.WARNING)


def is_of_a_script(request: HttpRequest) -> bool:
    """Return whether a script of a page asks: ours mark it, and most browsers tell of everything that is no page.

    An app of a telephone that shows pages names itself in the header in which scripts say what they are.
    """
    is_marked = request.headers.get("X-Requested-With") in ("fetch", "XMLHttpRequest")
    return is_marked or request.headers.get("Sec-Fetch-Dest", "document") != "document"


def is_confirmed(request: HttpRequest) -> bool:
    """Return whether the person has seen what is about to happen, and wants it."""
    return request.POST.get("confirmed") == "yes"


def confirming(action: str, chosen: Sequence[Model]) -> list[tuple[str, str]]:
    """Return the hidden inputs by which a page of a question carries out the bulk action it was opened by."""
    return [("action", action), ("confirmed", "yes"), *((ACTION_CHECKBOX_NAME, str(one.pk)) for one in chosen)]


def number_in(text: str) -> int | None:
    """Return a whole number that came with a request, None for what is none or fits no key of a table."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def seen(rows: _Rows, request: HttpRequest) -> _Rows:
    """Return those rows that this person may see or change."""
    return visible(rows, sight(rows.model, request))


def sight(model: type[Model], request: HttpRequest) -> Entities:
    """Return the entities of which this person may see or change rows of a model."""
    named = (f"{model._meta.app_label}.{verb}_{model._meta.model_name}" for verb in ("view", "change"))
    return either(reach(request.user, one) for one in named)


def row_or_404(rows: QuerySet[_Row], key: int | str, missing: str) -> _Row:
    """Return the row with the key that an address or a form names; what is no key, or not there, is a 404."""
    number = number_in(str(key))
    row = rows.filter(pk=number).first() if number is not None else None
    if row is None:
        raise Http404(missing)
    return row
