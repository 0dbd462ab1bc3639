"""People and their groups in the admin: what a group is for, and for which entities, in one form."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminSplitDateTime, FilteredSelectMultiple
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db import models
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from scheduling.housekeeping.roles import is_one_of_the_four, set_role
from scheduling.models import PersonalChoices
from staging.models import Entity, GroupRole
from staging.pages import ChoosingAdmin
from staging.states import Role
from staging.version_pages import Versioned
from staging.wording import say

_FEW = 30  # entities that are ticked in a plain list; more are searched
_KEPT = _(
    "The installation made this group for all entities and keeps it so. For named entities make a group of its own."
)
_WHY = _("Whoever looks after customers need not see prices, and may not approve them.")
_ALL, _NAMED = "all", "named"


class GroupForm(forms.ModelForm):
    """A group with its role; the permissions one by one are for whoever wants none of the four."""

    role = forms.ChoiceField(
        required=False,
        widget=forms.RadioSelect,
        choices=[*Role.choices, ("", _("None of these: the permissions that are chosen below"))],
        label=_("What its people do"),
    )
    reach = forms.ChoiceField(
        widget=forms.RadioSelect,
        choices=[(_ALL, _("All entities, also new ones")), (_NAMED, _("Only the entities that are chosen here"))],
        label=_("For which entities"),
        initial=_ALL,
    )
    entities = forms.ModelMultipleChoiceField(
        Entity.objects.order_by("name"), required=False, label=_("Entities"), widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = Group
        fields = ["name", "permissions"]

    def __init__(self, *args: Any, **kwargs: Any):
        """Show what is stored; the four groups of the installation stay as they are."""
        super().__init__(*args, **kwargs)
        stored = GroupRole.objects.filter(group=self.instance.pk).first() if self.instance.pk else None
        if stored is not None:
            self.initial["role"], self.initial["entities"] = stored.role, list(stored.entities.all())
            self.initial["reach"] = _ALL if stored.all_entities else _NAMED
        if Entity.objects.count() > _FEW:
            entities = cast("forms.ModelMultipleChoiceField[Entity]", self.fields["entities"])
            entities.widget = FilteredSelectMultiple("entities", is_stacked=False)
            entities.widget.choices = entities.choices
        if self.instance.pk and is_one_of_the_four(self.instance):
            self.initial["role"] = self.instance.name
            for name in ("name", "role", "reach", "entities"):
                self.fields[name].disabled = True
            self.fields["role"].help_text = _KEPT

    def clean(self) -> dict[str, Any]:
        """Show each fault at its field."""
        data = self.cleaned_data
        if data.get("reach") == _NAMED and "entities" in data and not data["entities"]:
            self.add_error("entities", say("Choose at least one entity, or all of them above."))
        elif data.get("reach") == _ALL and data.get("entities"):
            self.add_error("entities", say("Choose these entities or all of them, not both."))
        if not (self.instance.pk or data.get("role", True) or data.get("permissions")):
            self.add_error("role", say("Choose what its people do, or permissions one by one below."))
        return data


admin.site.unregister([Group, User])


class NamedDateTime(AdminSplitDateTime):
    """Django's two fields of an instant, each with its name: beside them stand words that are no labels."""

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Name the fields as the words beside them do."""
        context = super().get_context(name, value, attrs)
        words = (context["date_label"], context["time_label"])
        for part, word in zip(context["widget"]["subwidgets"], words, strict=True):
            part["attrs"]["aria-label"] = str(word).rstrip(": ")
        return context


class NamedHints:
    """What the admins of people and groups share: the hints of their two-sided choices are pictures with a name."""

    class Media:
        js = ("admin/js/SelectFilter2.js", "scheduling/hints.js")  # ours after the script whose marks it mends


@admin.register(User)
class PersonAdmin(NamedHints, Versioned, ChoosingAdmin, UserAdmin):
    """The stock pages of accounts, with our lists."""

    formfield_overrides = {models.DateTimeField: {"form_class": forms.SplitDateTimeField, "widget": NamedDateTime}}

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return what a deletion takes along; how pages look to somebody is nothing that others would miss."""
        named, counts, missing, protected = super().get_deleted_objects(objs, request)
        counts.pop(PersonalChoices._meta.verbose_name_plural, None)
        return named, counts, missing, protected


@admin.register(Group)
class RoleGroupAdmin(NamedHints, Versioned, ChoosingAdmin, GroupAdmin):
    """The door to `scheduling.housekeeping.roles`."""

    form = GroupForm
    list_display = ("name", "does", "for_entities", "people")
    fieldsets = (
        (None, {"fields": ("name", "role")}),
        (None, {"fields": ("reach", "entities"), "description": _WHY}),
        (_("Permissions one by one"), {"classes": ["collapse"], "fields": ("permissions",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        """Bring what the list tells of each in few statements."""
        found = super().get_queryset(request).annotate(number=Count("user"))
        return found.select_related("entity_role").prefetch_related("entity_role__entities")

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return what a deletion takes along, and how many accounts lose what the group allows."""
        groups = list(objs)
        named, counts, missing, protected = super().get_deleted_objects(groups, request)
        if people := User.objects.filter(groups__in=groups).distinct().count():
            counts[say("accounts that are in it")] = people
        return named, counts, missing, protected

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Store the role after the permissions, which it replaces as far as they are ours."""
        super().save_related(request, form, formsets, change)
        if is_one_of_the_four(form.instance):
            return
        data = form.cleaned_data
        set_role(form.instance, data["role"], None if data["reach"] == _ALL else data["entities"])

    @admin.display(description=_("what its people do"))
    def does(self, group: Group) -> str:
        """Return the role."""
        role = group.name if is_one_of_the_four(group) else getattr(_role_of(group), "role", "")
        return role or say("its own permissions")

    @admin.display(description=_("for which entities"))
    def for_entities(self, group: Group) -> str:
        """Return the entities."""
        stored = _role_of(group)
        if stored is None or stored.all_entities:
            return say("all")
        return ", ".join(sorted(entity.name for entity in stored.entities.all())) or say("none")

    @admin.display(description=_("people"), ordering="number")
    def people(self, group: Any) -> int:
        """Return how many people are in it."""
        return int(group.number)


def _role_of(group: Any) -> GroupRole | None:
    return getattr(group, "entity_role", None)
