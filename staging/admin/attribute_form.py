"""The form in which one attribute is renamed, retyped, limited otherwise or retired."""

from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from staging.admin.entity_form import AttributeForm
from staging.entities.operations import LIMITS, attribute_errors
from staging.models import Attribute, Entity

FIELDS = ("name", "data_type", "reference", "required", "unique", *LIMITS, "is_cancelled")


class AttributeChangeForm(AttributeForm):
    """An attribute as it shall be; nothing is stored here."""

    class Meta:
        model = Attribute
        fields = FIELDS
        labels = {"is_cancelled": "Retired", "data_type": "Type", "reference": "Refers to"}
        help_texts = {
            "name": "Column name in both tables; deliveries have to use the new one.",
            "is_cancelled": "No longer checked, merged or shown; its values stay and can be brought back.",
        }

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.fields["name"].disabled = False
        self.fields["name"].help_text = self.Meta.help_texts["name"]
        reference = self.fields["reference"]
        if isinstance(reference, forms.ModelChoiceField):
            reference.queryset = Entity.objects.order_by("name")

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if self.errors:
            return
        for field, texts in attribute_errors(self.instance).items():
            self.add_error(field if field in self.fields else NON_FIELD_ERRORS, texts)
