"""How pages show an owner: the two fields of a form, who is offered in them, and the filter of what is one's own."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import Group, User
from django.db.models import CharField, Q, QuerySet, Value
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
    known: list[tuple[str, int, str]] | None = getattr(request, "offered_owners", None)
    if known is None:
        people = User.objects.filter(Q(is_active=True) | Q(pk__in=stored)).order_by()
        names = people.values_list(Value("owner"), "pk", "username")
        groups = Group.objects.order_by().values_list(Value("owner_group"), "pk", Cast("name", CharField()))
        known = sorted(names.union(groups, all=True), key=lambda each: each[2])
        request.offered_owners = known  # type: ignore[attr-defined]
    return [("", _("nobody")), *((key, name) for of, key, name in known if of == column)]


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
