"""The page on which people put business rules together, line by line, without code."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.forms.formsets import DELETION_FIELD_NAME
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from staging.models import BusinessRule, Entity, RuleLine
from staging.owner_pages import MineByEntityFilter
from staging.pages import PagesAdmin, PartsInline, insist, number_in, shown, sight
from staging.rights import reach, visible
from staging.rules.check import OWN_COLUMNS, rule_errors
from staging.rules.lines import condition_of
from staging.rules.words import rule_sentence
from staging.states import RulePart
from staging.version_pages import Versioned
from staging.wording import say


class RuleForm(forms.ModelForm):
    """A rule without its lines; the entity is the one whose page led here, and stays."""

    class Meta:
        model = BusinessRule
        fields = ["entity", "name", "message", "effect", "position", "is_cancelled"]
        widgets = {"entity": forms.HiddenInput, "message": forms.TextInput(attrs={"size": 80})}


class RuleLineForm(forms.ModelForm):
    """One comparison, with the attributes of the entity to choose from."""

    class Meta:
        model = RuleLine
        fields = ["part", "alternative", "attribute", "comparison", "value", "other"]
        widgets = {
            "alternative": forms.NumberInput(attrs={"min": 1, "max": 99}),
            "value": forms.Textarea(attrs={"rows": 1, "cols": 16}),
        }


class RuleLineFormSet(BaseInlineFormSet):
    """All lines of a rule, checked together."""

    entity: Entity | None = None

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        """Return what a line may look at."""
        live = self.entity.attributes.filter(is_cancelled=False).values_list("name", flat=True) if self.entity else []
        return [(name, name) for name in (*OWN_COLUMNS, *live)]

    def add_fields(self, form: forms.Form, index: int | None) -> None:
        """Offer the attributes that the rule may look at."""
        super().add_fields(form, index)
        names = [("", "---------"), *self._names]
        form.fields["attribute"] = forms.ChoiceField(choices=names, label=_("Attribute"))
        form.fields["other"] = forms.ChoiceField(choices=names, required=False, label=_("or attribute"))
        for name, field in form.fields.items():
            field.widget.attrs["aria-label"] = str(field.label or name).capitalize()  # cells have no label of their own

    def clean(self) -> None:
        """Show each error at its line; raise what belongs to none."""
        super().clean()
        if self.entity is None or any(form.errors for form in self.forms):
            return
        kept = [form for form in self.forms if form.has_changed() or form.instance.pk]
        kept = [form for form in kept if not form.cleaned_data.get(DELETION_FIELD_NAME)]
        rule = BusinessRule(entity=self.entity, name="any")
        errors = rule_errors(rule, [form.instance for form in kept], list(self.entity.attributes.all()))
        for path, texts in errors.items():
            place = path.split(".")
            if len(place) == 1:
                raise forms.ValidationError(texts)
            kept[int(place[1])].add_error(place[2], texts)


class RuleLineInline(PartsInline, admin.TabularInline):
    """The lines of a rule."""

    model = RuleLine
    form = RuleLineForm
    formset = RuleLineFormSet
    extra = 2
    verbose_name = _("line")
    verbose_name_plural = _("lines: those with the same number all have to hold, one number is enough")

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """Tell the formset which entity the rule is about."""
        formset = super().get_formset(request, obj, **kwargs)
        formset.entity = obj.entity if obj else _chosen_entity(request)  # type: ignore[attr-defined]
        return formset


class SeenEntities(admin.RelatedFieldListFilter):
    """Rules of one entity."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> Any:
        """Offer the entities that this person may see rules of."""
        ids = sight(BusinessRule, request)
        only = {} if ids is None else {"pk__in": ids}
        order = self.field_admin_ordering(field, request, model_admin)
        return field.get_choices(include_blank=False, ordering=order, limit_choices_to=only)


@admin.register(BusinessRule)
class BusinessRuleAdmin(Versioned, PagesAdmin):
    """The door to the business rules of all entities."""

    form = RuleForm
    inlines = [RuleLineInline]
    list_title = _("Business rules")
    list_display = ["name", "entity", "sentence", "effect", "in_force"]
    list_filter = [("entity", SeenEntities), MineByEntityFilter, "effect", "is_cancelled"]
    list_select_related = ["entity"]
    search_fields = ["name", "message"]
    readonly_fields = ["sentence"]
    fields = ["entity", "name", "sentence", "message", "effect", "position", "is_cancelled"]

    class Media:
        css = {"all": ["staging/staging.css"]}

    def get_queryset(self, request: HttpRequest) -> Any:
        """Bring the lines of a whole page at once."""
        return super().get_queryset(request).select_related("entity").prefetch_related("lines")

    @admin.display(description=_("Rule"))
    def sentence(self, rule: BusinessRule) -> str:
        if not rule.pk:
            return say("shown here once it is saved")
        lines = list(rule.lines.all())
        return rule_sentence(condition_of(lines, RulePart.WHEN), condition_of(lines, RulePart.MUST))

    @admin.display(description=_("In force"), boolean=True, ordering="is_cancelled")
    def in_force(self, rule: BusinessRule) -> bool:
        """Whether batches judge by it."""
        return not rule.is_cancelled

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Add a rule to the entity whose page led here; without one there is nothing to choose attributes from."""
        entity = _chosen_entity(request)
        if entity is None and self.has_add_permission(request):
            return self._ask_for_the_entity(request)
        insist(entity is None or request.user.has_perm("staging.add_businessrule", entity))
        context = {"title": say("Add a business rule to {entity}", entity=str(entity)), **(extra_context or {})}
        return super().add_view(request, form_url, context)

    def _ask_for_the_entity(self, request: HttpRequest) -> HttpResponse:
        """Ask which entity the rule is about; where there is but one in use, it is that one."""
        in_use = Entity.objects.filter(is_cancelled=False).order_by("name")
        mine = visible(in_use, reach(request.user, "staging.add_businessrule"))
        entities = list(mine.values_list("pk", "name"))
        if len(entities) == 1:
            return HttpResponseRedirect(f"{request.path}?{urlencode({'entity': entities[0][0]})}")
        return shown(
            self, request, "admin/staging/rule_entity.html", title=say("Add a business rule"), entities=entities
        )

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Keep the entity of a stored rule: its lines name that entity's attributes."""
        form = super().get_form(request, obj, change=change, **kwargs)
        if obj and "entity" in form.base_fields:
            form.base_fields["entity"].disabled = True
        return form

    def name_of(self, rule: BusinessRule) -> str:
        """Return its name, and which entity it is about."""
        return say("{rule} ({entity})", rule=str(rule), entity=str(rule.entity))


def _chosen_entity(request: HttpRequest) -> Entity | None:
    number = number_in(request.POST.get("entity") or request.GET.get("entity") or "")
    return Entity.objects.filter(pk=number).first() if number is not None else None
