"""Saved SQL scripts in the admin: writing them and running them are permissions of their own."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.forms.models import construct_instance
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from scheduling.admin.inputs import Values
from scheduling.models import SqlScript
from scheduling.plans.scripts import save_script, script_errors
from scheduling.workloads.script_check import database_faults
from staging.pages import PagesAdmin
from staging.version_pages import Versioned

_FIELDS = ["name", "description", "sql", "parameters", "timeout_seconds"]


class ScriptForm(forms.ModelForm):
    """One script, judged by the rules of `plans.scripts`, and by the database."""

    parameters = Values(
        label=_("Parameters"),
        help_text=_('What each parameter takes: {"region": "text", "year": "integer"}; also number and boolean.'),
    )

    in_use = forms.BooleanField(
        required=False,
        label=_("In use"),
        help_text=_("Steps with a script that is not in use run nothing; scripts are never deleted."),
    )

    class Meta:
        model = SqlScript
        fields = _FIELDS
        labels = {"timeout_seconds": _("May take (seconds)")}
        widgets = {"sql": forms.Textarea(attrs={"rows": 12, "class": "vLargeTextField code"})}

    def __init__(self, *args: Any, **kwargs: Any):
        """Show whether it is in use."""
        super().__init__(*args, **kwargs)
        self.initial.setdefault("in_use", not self.instance.is_cancelled)

    def _post_clean(self) -> None:
        """Put the script together and show each fault at its field."""
        if self.errors:
            return
        self.instance = construct_instance(self, self.instance, _FIELDS, None)
        self.instance.is_cancelled = not self.cleaned_data["in_use"]
        faults = script_errors(self.instance)
        if not faults and (told := database_faults(self.instance)):
            faults = {"sql": told}
        for name, texts in faults.items():
            self.add_error(name, [ValidationError(text) for text in texts])


@admin.register(SqlScript)
class ScriptAdmin(Versioned, PagesAdmin):
    """Scripts are taken out of use, never deleted, for steps and past runs name them."""

    never = ("delete",)
    form = ScriptForm
    fields = (*_FIELDS, "in_use")
    list_title = _("SQL scripts")
    list_display = ("name", "description", "timeout_seconds", "in_use")
    search_fields = ("name", "description")
    list_per_page = 50
    show_full_result_count = False

    @admin.display(description=_("In use"), boolean=True, ordering="is_cancelled")
    def in_use(self, script: SqlScript) -> bool:
        """Whether steps with it run."""
        return not script.is_cancelled

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store through the one verb."""
        save_script(obj)
