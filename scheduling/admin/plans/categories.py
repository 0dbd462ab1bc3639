"""Categories on the pages of plans: the input of the form, and the filter of the list."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from scheduling.models import Plan
from scheduling.plans.categories import categories_of, category_text, in_category, known_categories
from staging.pages import seen


class Categories(forms.CharField):
    """The categories of a plan with commas between; how many and how long they may be the rules of plans say."""

    def __init__(self, **kwargs: Any):
        """Say what they are for."""
        text = _("Words to find it by, with commas between: Finance, Month end.")
        super().__init__(required=False, label=_("Categories"), help_text=text, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        """Return what is stored as people write it."""
        return ", ".join(categories_of(value)) if isinstance(value, str) else value

    def clean(self, value: Any) -> str:
        """Return what is stored."""
        return category_text(super().clean(value))

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether others were sent than are stored."""
        return category_text(initial or "") != category_text(data or "")


class CategoryFilter(admin.SimpleListFilter):
    """The plans in a category."""

    title = _("category")
    parameter_name = "category"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        """Return the categories of the plans that this person sees."""
        return [(name, name) for name in known_categories(seen(Plan.objects.all(), request))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filter by the choice; a plan may be in others besides."""
        name = self.value()
        return queryset.filter(in_category(name)) if name else queryset
