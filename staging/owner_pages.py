"""How pages show an owner: the two fields of a form, who is offered in them, and the filter of what is one's own."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import Group, User
from django.db.models import CharField, F, Q, QuerySet, Value
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from staging.models import OWNER_COLUMNS, mine
from staging.wording import say


class OwnerFields:
    """The admin of a thing that has an owner."""

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer people whose account is switched on; to make one is no part of saying who is responsible."""
        if db_field.name == "owner":
            stored = db_field.model._default_manager.exclude(owner=None).values("owner")
            kwargs["queryset"] = User.objects.filter(Q(is_active=True) | Q(pk__in=stored)).order_by("username")
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)  # type: ignore[misc]
        if field and db_field.name in OWNER_COLUMNS:
            stored = db_field.model._default_manager.exclude(owner=None).values("owner")
            field.choices = partial(_offered, request, stored, db_field.name)
        return field

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer no way to accounts and groups beside the field."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[misc]
        if field and db_field.name in OWNER_COLUMNS:
            for link in ("add", "change", "delete", "view"):
                setattr(field.widget, f"can_{link}_related", False)
        return field


def _offered(request: HttpRequest, stored: QuerySet[Any], column: str) -> list[tuple[Any, Any]]:
    """Return the choices of one of the two fields; both are read in one statement, once for a page."""
    if getattr(request, "offered_owners", None) is None:
        people, groups = (
            rows.values_list(Value(of), "pk", "called")
            for of, rows in zip(OWNER_COLUMNS, possible_owners(stored), strict=True)
        )
        offer_owners(request, people.union(groups, all=True))
    known: list[tuple[str, int, str]] = request.offered_owners  # type: ignore[attr-defined]
    return [("", _("nobody")), *((key, name) for of, key, name in known if of == column)]


def possible_owners(stored: QuerySet[Any]) -> tuple[QuerySet[Any], QuerySet[Any]]:
    """Return the people and the groups that may own something, each with what it is `called`.

    `stored`: who owns something already, and stays on offer with an account that is switched off.
    """
    people = User.objects.filter(Q(is_active=True) | Q(pk__in=stored)).order_by().annotate(called=F("username"))
    return people, Group.objects.order_by().annotate(called=Cast("name", CharField()))


def offer_owners(request: HttpRequest, known: Iterable[tuple[str, int, str]]) -> None:
    """Let the fields of this page offer these owners: the column, the key and the name of each."""
    request.offered_owners = sorted(known, key=lambda each: each[2])  # type: ignore[attr-defined]


class MineFilter(admin.SimpleListFilter):
    """Whether it is the reader's own, or that of one of his groups; `path` leads from the rows to what is owned."""

    title = _("owner")
    parameter_name = "mine"
    path = ""

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        """Return the one choice there is besides all."""
        return [("yes", say("mine"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filter by the choice; a value that is not offered filters nothing."""
        return queryset.filter(mine(request.user, self.path)) if self.value() == "yes" else queryset


class MineByEntityFilter(MineFilter):
    """Whether its entity is the reader's own."""

    path = "entity__"
