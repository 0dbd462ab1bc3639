"""Forms of an entity and its attributes: every broken rule is shown at the field that breaks it."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS
from django.db.models import Q, QuerySet
from django.forms.formsets import DELETION_FIELD_NAME
from django.forms.models import BaseInlineFormSet, ModelChoiceField
from django.utils.functional import cached_property
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from staging.entities.changes import change_errors
from staging.entities.contract import limits_in_words
from staging.entities.definition import RATES, definition_errors
from staging.entities.remove import remove_attribute
from staging.models import Attribute, Entity
from staging.models.entity import CODE_VALIDATOR
from staging.pages import PartForm
from staging.rights import Entities
from staging.states import MergeMode, OnError
from staging.tables.alter import count_values, lost_values
from staging.wording import said_together, say


def referable(entity: Entity, seen: Entities) -> QuerySet[Entity]:
    """Return the entities that this one may refer to: those that the person sees, and those it refers to already."""
    if seen is None:
        return Entity.objects.all()
    named = entity.attributes.exclude(reference=None).values("reference") if entity.pk else []
    return Entity.objects.filter(Q(pk__in=seen) | Q(pk__in=named))


class LinesField(forms.CharField):
    """A list of texts, edited as one text per line; blank lines are ignored."""

    widget = forms.Textarea(attrs={"rows": 4, "cols": 40})

    def __init__(self, **kwargs: Any):
        kwargs.setdefault("required", False)
        super().__init__(**kwargs)

    def prepare_value(self, value: Any) -> Any:
        """Show a stored list as lines; what was posted stays as it was typed."""
        return "\n".join(str(item) for item in value) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        """Return the non-blank lines, trimmed, in their order."""
        if isinstance(value, list | tuple):  # a disabled field hands its initial value back
            return list(value)
        return [line.strip() for line in (value or "").splitlines() if line.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compare what the lines mean, not how they were typed."""
        return not self.disabled and self.to_python(initial or []) != self.to_python(data)


class EntityForm(forms.ModelForm):
    """An entity without its attributes."""

    language = forms.ChoiceField(
        choices=settings.LANGUAGES,
        initial=Entity._meta.get_field("language").default,
        required=False,
        label=_("Language"),
        help_text=_("Of what batches write into its staged rows."),
    )

    class Meta:
        model = Entity
        widgets = {"description": forms.Textarea(attrs={"rows": 3, "cols": 60})}
        labels = {"is_cancelled": _("Retired")}
        help_texts = {
            "code": format_lazy(
                "{} {}", CODE_VALIDATOR.message, _("Both tables are named after it for good; for example: cost_centre.")
            ),
            "is_cancelled": _("Takes no more batches; its members and rows stay, and it can be brought back."),
        }
        exclude: tuple[str, ...] = ()

    def clean_language(self) -> str:
        """Return the language; who sends none keeps what is stored."""
        return str(self.cleaned_data["language"] or self.instance.language)

    def _get_validation_exclusions(self) -> set[str]:
        # The table's own rule on these is told by definition_errors, in words and at the field.
        return {*super()._get_validation_exclusions(), *RATES}  # type: ignore[misc]

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        for path, texts in definition_errors(self.instance, []).items():
            if path.startswith("attributes"):
                continue
            field = path if path in self.fields else NON_FIELD_ERRORS
            if field == NON_FIELD_ERRORS or field not in self.errors:
                self.add_error(field, texts)


# What few attributes need: it opens below the row.
BESIDE = (
    "min_length", "max_length", "min_value", "max_value", "pattern", "choices", "merge_mode", "on_error", "position",
)  # fmt: skip


class AttributeForm(PartForm):
    """One attribute; its name is the name of two columns and stays what it was."""

    below = BESIDE
    choices = LinesField(label=_("Allowed values"), help_text=_("One per line; empty: any value."))

    class Meta:
        model = Attribute
        exclude: tuple[str, ...] = ()
        labels = {"is_cancelled": _("Retired"), "reference": _("Refers to")}
        help_texts = {
            "name": format_lazy(
                "{} {}",
                CODE_VALIDATOR.message,
                _("Every entity has code and name already, and columns of its own such as id and is_active."),
            ),
            "is_cancelled": _("No longer checked, merged or shown; its values stay and can be brought back."),
        }

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        if self.instance.pk and "name" in self.fields:
            self.fields["name"].disabled = True
            self.fields["name"].help_text = ""  # it says how to choose a name
        if "choices" in self.fields and any("\n" in str(choice) for choice in self.instance.choices or []):
            self.fields["choices"].disabled = True
            self.fields["choices"].help_text = say("A value spans several lines: change it through the model file.")

    @property
    def facts(self) -> str:
        """Return what is set in them, in one line."""
        return facts_of(self.instance) if self.instance.pk else ""

    def _get_validation_exclusions(self) -> set[str]:
        # The table's own rule on these is told by definition_errors, in words and at the field.
        return {*super()._get_validation_exclusions(), "data_type", "reference"}  # type: ignore[misc]


def facts_of(attribute: Attribute) -> str:
    """Return what few attributes have, in one line; empty where all is as usual."""
    facts = limits_in_words(attribute)
    if attribute.merge_mode:
        facts.append(str(MergeMode(attribute.merge_mode).label))
    if attribute.on_error != OnError.REJECT_ROW:
        facts.append(str(OnError(attribute.on_error).label))
    return str(said_together(*facts, by="; "))


class AttributeFormSet(BaseInlineFormSet):
    """All attributes of an entity, checked together, with the tables' refusal shown beside the culprit."""

    def __init__(self, *args: Any, refusal: str = "", seen: Entities = None, **kwargs: Any):
        self.refusal, self.seen = refusal, seen
        super().__init__(*args, **kwargs)

    @cached_property
    def _targets(self) -> list[tuple[Any, str]]:
        # One query for the page: each form would ask for the list of entities by itself.
        offered = referable(self.instance, self.seen).order_by("name")
        return [("", "---------"), *((entity.pk, entity.name) for entity in offered)]

    def add_fields(self, form: forms.Form, index: int | None) -> None:
        """Share one list of entities among all forms."""
        super().add_fields(form, index)
        reference = form.fields.get("reference")
        if isinstance(reference, ModelChoiceField):
            reference.queryset = referable(self.instance, self.seen)
            reference.choices = self._targets
        for field in form.fields.values():
            if not field.label:
                continue  # what nobody sees
            wrapped = getattr(field.widget, "widget", None)  # the admin wraps the list of a reference
            (wrapped or field.widget).attrs["aria-label"] = field.label

    @property
    def shown(self) -> list[tuple[Attribute, str]]:
        """Return the attributes in words, for people who only look."""
        return [(attribute, facts_of(attribute)) for attribute in self.get_queryset()]

    def clean(self) -> None:
        """Check the definition as a whole; raise what no single field can show."""
        kept = [form for form in self.forms if self._is_kept(form)]
        self._append_new(kept)
        attributes = [form.instance for form in kept]
        errors = definition_errors(self.instance, attributes)
        if not errors and self.instance.pk:
            errors = change_errors(self.instance, attributes)
        unplaced: list[str] = []
        for path, texts in errors.items():
            unplaced += self._place(kept, path, texts)
        for form in self.forms:
            self._check_removal(form)
        if self.refusal:
            unplaced.append(self.refusal)
        if unplaced:
            raise forms.ValidationError(unplaced)
        if not any(form.errors for form in kept):
            super().clean()  # the generic check for doubled names speaks only when ours found nothing

    def _is_kept(self, form: forms.ModelForm) -> bool:
        if self.can_delete and form.cleaned_data.get(DELETION_FIELD_NAME):
            return False
        return bool(form.instance.pk) or form.has_changed()

    def _check_removal(self, form: forms.ModelForm) -> None:
        """Refuse, at its row, to delete an attribute that holds values in one of the tables."""
        attribute = form.instance
        if self._is_kept(form) or not attribute.pk:
            return
        if count := count_values(self.instance, attribute.name, staged=True):
            text = said_together(
                lost_values(attribute.name, count),
                say("Retire it instead: tick “Retired” and do not delete it."),
            )
            form.add_error(None, text)
            raise forms.ValidationError(text)

    def delete_existing(self, obj: Attribute, commit: bool = True) -> None:
        """Delete an attribute together with its empty columns."""
        if commit:
            remove_attribute(obj)

    def _append_new(self, kept: list[forms.ModelForm]) -> None:
        """Put attributes added without a position behind the others."""
        last = max((form.instance.position for form in kept if form.instance.pk), default=0)
        for form in kept:
            if not form.instance.pk and "position" not in form.changed_data:
                last += 1
                form.instance.position = last

    def _place(self, kept: list[forms.ModelForm], path: str, texts: list[str]) -> list[str]:
        """Show the texts at the field of the row they speak of; return those that have no such place."""
        parts = path.split(".")
        if parts[0] != "attributes":
            return []  # the entity's own form shows it
        if len(parts) < 2 or not parts[1].isdigit() or int(parts[1]) >= len(kept):
            return texts
        form, field = kept[int(parts[1])], ".".join(parts[2:3])
        if field in form.fields and field not in form.errors:
            form.add_error(field, texts)
        elif field not in form.errors:
            form.add_error(None, [f"{field}: {text}" if field else text for text in texts])
        return []
