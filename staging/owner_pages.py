"""How pages show an owner: the two fields of a form, who is offered in them, and the filter of what is one's own."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
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
        if db_field.name in OWNER_COLUMNS:
            kwargs["empty_label"] = _("nobody")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)  # type: ignore[misc]

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer no way to accounts and groups beside the field."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[misc]
        if field and db_field.name in OWNER_COLUMNS:
            for link in ("add", "change", "delete", "view"):
                setattr(field.widget, f"can_{link}_related", False)
        return field


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
